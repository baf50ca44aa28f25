"""Joining and splitting: each operand gets its piece of the gradient, each piece puts it back."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import GradientError, OperandError, ShapeError, UnsupportedError

from . import harness
from .harness import case, real

CASES = [
    case("concatenate", [real(2), real(3)]),
    case("concatenate", [real(3)]),
    case("concatenate", (real(2, 3), real(1, 3), real(0, 3))),
    case("concatenate", [real(2, 3), real(2, 1)], axis=1),
    case("concatenate", [real(2, 3), real(2, 1)], axis=-1),
    case("concatenate", [real(2, 1, 3), real(2, 2, 3)], axis=-2),
    case("concatenate", [real(2, 3), real(), real(2)], axis=None),
    case("concatenate", [np.ones(2), real(3), [4.0]]),
    case("concatenate", real(2, 3)),
    case("concat", [real(2), real(1)]),
    case("concat", [real(2, 2), real(2, 1)], axis=1),
    case("stack", [real(), real()]),
    case("stack", [real(2, 3), np.zeros((2, 3)), real(2, 3)]),
    case("stack", [real(2, 3), real(2, 3)], axis=1),
    case("stack", [real(2, 3), real(2, 3)], axis=-1),
    case("stack", [real(2, 3), real(2, 3)], axis=-3),
    case("stack", [real(0)], axis=1),
    case("vstack", [real(3), real(2, 3)]),
    case("vstack", [real(), real()]),
    case("hstack", [real(3), real(2)]),
    case("hstack", [real(2, 3), real(2, 1)]),
    case("hstack", [real(), real(2)]),
    case("dstack", [real(3), real(1, 3)]),
    case("dstack", [real(2, 3, 1), real(2, 3)]),
    case("column_stack", [real(3), real(3, 2)]),
    case("column_stack", [real(), real()]),
    case("append", real(2), real(3)),
    case("append", real(2, 3), 4.0),
    case("append", real(2, 3), real(1, 3), axis=0),
    case("append", real(2, 3), real(2, 1), axis=-1),
    case("block", [[real(2, 2), real(2, 1)], [real(1, 2), real(1, 1)]]),
    case("block", [real(2), real(), 1.0]),
    case("block", [[real(2)], [real(2)]]),
    case("block", [[[real(2)], [real(2)]], [[real(2)], [real(2)]]]),
    case("block", [real(2, 2, 1), real(2, 2, 2)]),
    case("block", real(2)),
    case("split", real(6), 3),
    case("split", real(4, 6), [1, 4], axis=1),
    case("split", real(4, 2), (1, -1), axis=-2),
    case("split", real(0), 2),
    case("array_split", real(7), 3),
    case("array_split", real(2, 3), 4, axis=-1),
    case("array_split", real(5), [3, 1, 9]),
    case("hsplit", real(4), 2),
    case("hsplit", real(2, 4), [1]),
    case("vsplit", real(4, 2), 2),
    case("dsplit", real(1, 2, 3), [1, 2]),
    case("unstack", real(2, 3)),
    case("unstack", real(2, 3), axis=-1),
    case("unstack", real(2, 3, 2), axis=1),
    case("unstack", real(1)),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


T = ad.tensor(np.arange(12.0).reshape(2, 2, 3))
M = np.ones((2, 2, 3))

CALLS = [
    lambda x: np.concatenate([x, M]),
    lambda x: np.concatenate((M, x), 1),
    lambda x: np.concatenate([x, x], axis=-1),
    lambda x: np.concatenate([x, x], axis=None),
    lambda x: np.concatenate([x, x], axis=0, out=None, dtype=None),
    lambda x: np.concat([x, x], axis=1),
    lambda x: np.stack([x, x], axis=1),
    lambda x: np.stack(arrays=[x, M]),
    lambda x: np.vstack([x, M]),
    lambda x: np.vstack(tup=(x, M)),
    lambda x: np.hstack([M, x]),
    lambda x: np.dstack([M, x]),
    lambda x: np.column_stack([x[0, 0], M[0, 0]]),
    lambda x: np.append(x, 1.0),
    lambda x: np.append(x, M, axis=0),
    lambda x: np.block([[x, M], [M, M]]),
    lambda x: np.split(x, 2)[0],
    lambda x: np.split(x, [1], axis=2)[1],
    lambda x: np.array_split(x, 2, axis=-1)[0],
    lambda x: np.hsplit(x, 2)[1],
    lambda x: np.vsplit(x, 2)[1],
    lambda x: np.dsplit(x, 3)[1],
    lambda x: np.unstack(x, axis=1)[1],
]


@pytest.mark.parametrize("call", CALLS)
def test_numpys_functions_keep_the_graph(call):
    got, want = call(T), call(T.data)
    assert isinstance(got, ad.Tensor)
    assert not got.constant
    np.testing.assert_array_equal(got.data, want)


def test_the_kind_of_list_is_numpys():
    for name in ("split", "array_split", "hsplit", "vsplit", "unstack"):
        args = () if name == "unstack" else (2,)
        assert type(getattr(ad, name)(T, *args)) is type(getattr(np, name)(T.data, *args))


def test_one_tensor_in_two_places_gets_both_pieces():
    x = ad.tensor([1.0, 2.0])
    (ad.concatenate([x, [5.0], x]) * [1.0, 2.0, 3.0, 4.0, 5.0]).sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0 + 4.0, 2.0 + 5.0])


def test_the_result_has_the_widest_dtype_and_each_gradient_its_own():
    a, b = ad.tensor(np.ones(2, np.float32)), ad.tensor(np.ones(2))
    joined = np.concatenate([a, b, [1, 2]])
    assert joined.dtype == np.float64
    joined.sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float32, np.float64)
    assert np.stack([a, np.ones(2, np.float32)]).dtype == np.float32


def test_joining_many_costs_little_for_each():
    parts = [ad.tensor([float(k)]) for k in range(5000)]
    ad.concatenate(parts).sum().backward()
    assert all(part.grad == 1.0 for part in parts)


REFUSED = [
    (lambda: np.concatenate([T, T], dtype=np.float32), "dtype="),
    (lambda: np.concatenate([T, T], casting="unsafe"), "casting="),
    (lambda: np.concatenate([T, T], out=np.empty((4, 2, 3))), "out="),
    (lambda: np.stack([T, T], dtype=np.float32), "dtype="),
    (lambda: np.vstack([T, T], dtype=np.float32), "dtype="),
    (lambda: np.hstack([T, T], casting="no"), "casting="),
]


@pytest.mark.parametrize(("call", "named"), REFUSED)
def test_what_isnt_supported_is_refused_by_name(call, named):
    with pytest.raises(UnsupportedError) as caught:
        call()
    assert named in str(caught.value)


WRONG = [
    (lambda: ad.concatenate([]), ShapeError),
    (lambda: ad.concatenate([T, 1.0]), ShapeError),
    (lambda: ad.concatenate([ad.tensor(1.0), ad.tensor(2.0)]), ShapeError),
    (lambda: ad.concatenate([T, T], axis=3), ValueError),
    (lambda: ad.concatenate([T, T[:, :1]], axis=0), ValueError),
    (lambda: ad.stack([T, T[0]]), ValueError),
    (lambda: ad.block([[T], T]), ShapeError),
    (lambda: ad.block([[T], []]), ShapeError),
    (lambda: ad.block([(T, T)]), OperandError),
    (lambda: ad.split(T, 3), ShapeError),
    (lambda: ad.split(T, 0), ShapeError),
    (lambda: ad.array_split(T, -1), ShapeError),
    (lambda: ad.vsplit(T[0, 0], 1), ShapeError),
    (lambda: ad.hsplit(ad.tensor(1.0), 1), ShapeError),
    (lambda: ad.dsplit(T[0], 1), ShapeError),
    (lambda: ad.unstack(T[0, 0, 0]), ShapeError),
    (lambda: ad.concatenate([T, [[["a"]]]]), GradientError),
]


@pytest.mark.parametrize(("call", "error"), WRONG)
def test_what_cant_be_joined_or_split_is_an_error(call, error):
    with pytest.raises(error):
        call()

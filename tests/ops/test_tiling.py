"""Entries several times over, and arrays around them: what is used n times gets the sum of n gradients."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import GradientError, OperandError, OptionError, UnsupportedError

from . import harness
from .harness import case, real

MODES = ("edge", "reflect", "symmetric", "wrap")

CASES = [
    *[case("repeat", real(*shape), 2) for shape in [(), (0,), (1,), (3,), (2, 3)]],
    case("repeat", real(2, 3), 3, axis=0),
    case("repeat", real(2, 3), 2, axis=-1),
    case("repeat", real(2, 3), 0, axis=1),
    case("repeat", real(2, 3), [2], axis=1),
    case("repeat", real(2, 3), [2, 0, 1], axis=1),
    case("repeat", real(2, 3), np.array([1, 2]), axis=-2),
    case("repeat", real(2, 2), [1, 2, 0, 3]),
    *[case("tile", real(*shape), 2) for shape in [(), (0,), (1,), (3,), (2, 3)]],
    case("tile", real(2, 3), (2, 2)),
    case("tile", real(3), (2, 1, 2)),
    case("tile", real(2, 1, 3), [2]),
    case("tile", real(3), 0),
    case("tile", real(3), ()),
    case("pad", real(3), 2),
    case("pad", real(3), (1, 0)),
    case("pad", real(2, 3), ((0, 1), (2, 0))),
    case("pad", real(2, 3), [(1, 2)], constant_values=3.0),
    case("pad", real(2, 3), 1, constant_values=((1.0, 2.0), (3.0, 4.0))),
    case("pad", real(2, 3), {-1: (1, 2)}, reference=lambda a, _: np.pad(a, ((0, 0), (1, 2)))),
    case("pad", real(), 0),
    case("pad", real(0), 2),
    case("pad", real(0, 2), ((1, 1), (0, 0)), "constant"),
    *[case("pad", real(4), (2, 3), mode=mode) for mode in MODES],
    *[case("pad", real(2, 3), ((1, 0), (1, 2)), mode) for mode in MODES],
    *[case("pad", real(1), (2, 1), mode) for mode in MODES],
    *[case("pad", real(3), (5, 7), mode) for mode in MODES],
    case("full_like", np.zeros((2, 3)), real(), reference=False),
    case("full_like", np.zeros((2, 3)), real(3), reference=False),
    case("full_like", np.zeros((2, 3)), real(), shape=(4,), reference=False),
    case("full_like", np.zeros(()), real(), reference=False),
    case("meshgrid", real(2), real(3)),
    case("meshgrid", real(2), real(3), indexing="ij"),
    case("meshgrid", real(2), real(3), real(1)),
    case("meshgrid", real(2), real(3), sparse=True),
    case("meshgrid", real(2), real(3), copy=False),
    case("meshgrid", real(2)),
    case("meshgrid", real(), real(2)),
    case("meshgrid", real(0), real(2)),
    case("linspace", real(), real(), 5),
    case("linspace", real(), 1.5),
    case("linspace", 0.5, real(), num=4, endpoint=False),
    case("linspace", real(2), real(3, 1), 4),
    case("linspace", real(2), real(), 3, axis=-1),
    case("linspace", real(2), real(2), 3, axis=1),
    case("linspace", real(), real(), 1),
    case("linspace", real(), real(), 1, endpoint=False),
    case("linspace", real(), real(), 0),
    case("insert", real(3), 1, real()),
    case("insert", real(3), -1, real(2)),
    case("insert", real(3), [0, 2], real(2)),
    case("insert", real(3), [3, 0, 0], real()),
    case("insert", real(3), np.array([True, False, True]), real(2)),
    case("insert", real(3), slice(0, 3, 2), real(2)),
    case("insert", real(2, 3), 1, real()),
    case("insert", real(2, 3), 1, real(3), axis=0),
    case("insert", real(2, 3), 1, real(2), axis=1),
    case("insert", real(2, 3), [1], real(2, 1), axis=-1),
    case("insert", real(2, 3), [1, 2], real(2, 2), axis=1),
    case("insert", real(0), 0, real(2)),
    case("delete", real(4), 1),
    case("delete", real(4), [0, -1]),
    case("delete", real(2, 3), 1, axis=0),
    case("delete", real(2, 3), slice(0, 2), axis=-1),
    case("delete", real(2, 3), 4),
    case("delete", real(3), [True, False, True]),
    case("delete", real(1), 0),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


T = ad.tensor(np.arange(6.0).reshape(2, 3))

CALLS = [
    lambda x: np.repeat(x, 2),
    lambda x: np.repeat(x, repeats=[1, 2], axis=0),
    lambda x: x.repeat(2, axis=1),
    lambda x: np.tile(x, reps=(2, 1)),
    lambda x: np.tile(A=x, reps=2),
    lambda x: np.pad(x, 1),
    lambda x: np.pad(x, pad_width=((1, 0), (0, 2)), mode="reflect"),
    lambda x: np.pad(x, 1, mode="constant", constant_values=2),
    lambda x: np.pad(x, 1, constant_values=np.inf),
    lambda x: np.linspace(x, 1.0, num=3),
    lambda x: np.linspace(0, x, 3, endpoint=False, axis=-1),
    lambda x: np.linspace(start=x, stop=x, num=3, retstep=False, dtype=None),
    lambda x: np.meshgrid(x[0], x[1], indexing="ij")[0],
    lambda x: np.insert(x, 1, values=5.0, axis=1),
    lambda x: np.insert(np.zeros(3), 1, x[0, 0]),
    lambda x: np.delete(x, obj=1, axis=1),
]


@pytest.mark.parametrize("call", CALLS)
def test_numpys_functions_keep_the_graph(call):
    got, want = call(T), call(T.data)
    assert isinstance(got, ad.Tensor)
    assert not got.constant
    np.testing.assert_allclose(got.data, want, rtol=1e-15)


def test_what_is_used_twice_gets_twice_the_gradient():
    x = ad.tensor([1.0, 2.0, 3.0])
    np.pad(x, (1, 2), mode="reflect").sum().backward()
    np.testing.assert_array_equal(x.grad, [2.0, 3.0, 1.0])


def test_full_like_takes_the_dtype_of_its_first_operand():
    single, x = ad.tensor(np.ones((2, 3), np.float32)), ad.tensor(2.0)
    full = np.full_like(single, x)
    assert full.dtype == np.float32
    (full * np.arange(6.0).reshape(2, 3)).sum().backward()
    assert x.grad == 15.0
    assert x.grad.dtype == np.float64
    assert single.grad is None or not single.grad.any()
    assert np.full_like(ad.tensor([1, 2]), 2.7).dtype == int
    np.testing.assert_array_equal(np.full_like(T, 2.0, dtype=np.float32, shape=2).data, [2.0, 2.0])


def test_arrays_and_masks_given_as_counts_are_not_kept():
    counts = np.array([1, 2, 3])
    x = ad.tensor([1.0, 1.0, 1.0])
    y = ad.repeat(x, counts).sum()
    counts[:] = 0
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 2.0, 3.0])


def test_a_grid_of_copies_shares_nothing():
    x = ad.tensor([1.0, 2.0])
    assert not any(np.shares_memory(each.data, x.data) for each in np.meshgrid(x, x))
    assert all(np.shares_memory(each.data, x.data) for each in np.meshgrid(x, x, copy=False, sparse=True))


REFUSED = [
    (lambda: np.pad(T, 1, mode="mean"), UnsupportedError, "'mean'"),
    (lambda: np.pad(T, 1, mode="linear_ramp", end_values=1.0), UnsupportedError, "end_values="),
    (lambda: np.pad(T, 1, mode="reflect", reflect_type="odd"), UnsupportedError, "reflect_type="),
    (lambda: ad.pad(T, 1, mode="edge", constant_values=1.0), OptionError, "constant_values"),
    (lambda: np.pad(T, 1, constant_values=ad.tensor(1.0)), OperandError, "detach"),
    (lambda: np.pad(T, -1), OptionError, "pad_width"),
    (lambda: np.pad(T, 1.5), OptionError, "pad_width"),
    (lambda: np.linspace(T, 1.0, retstep=True), UnsupportedError, "retstep="),
    (lambda: np.linspace(T, 1.0, dtype=np.float32), UnsupportedError, "dtype="),
    (lambda: np.full_like(T, 1.0, order="F"), UnsupportedError, "order="),
    (lambda: np.full_like(np.ones(2), T), GradientError, "copyto"),
    (lambda: np.meshgrid(T[0], indexing="ji"), OptionError, "'ji'"),
    (lambda: np.repeat(T, 1.5), OperandError, "1.5"),
    (lambda: np.repeat(T, T[0], axis=1), OperandError, "detach"),
]


@pytest.mark.parametrize(("call", "error", "named"), REFUSED)
def test_what_isnt_supported_is_refused_by_name(call, error, named):
    with pytest.raises(error) as caught:
        call()
    assert named in str(caught.value)


WRONG = [
    lambda x: ad.repeat(x, [1, 2], axis=1),
    lambda x: ad.repeat(x, 2, axis=2),
    lambda x: ad.repeat(x, -1),
    lambda x: ad.tile(x, (-1, 2)),
    lambda x: ad.pad(x, ((1, 1), (1, 1), (1, 1))),
    lambda x: ad.pad(x[:0], 1, mode="reflect"),
    lambda x: ad.linspace(x, 1.0, -1),
    lambda x: ad.insert(x, 9, 1.0),
    lambda x: ad.delete(x, 9),
]


@pytest.mark.parametrize("call", WRONG)
def test_impossible_counts_are_errors_as_in_numpy(call):
    for x in (T, T.data):
        with pytest.raises((ValueError, IndexError)):
            call(x)

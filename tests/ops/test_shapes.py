"""Shapes: rows that move entries or repeat them, and the reverse of each."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import OperandError, UnsupportedError

from . import harness
from .harness import case, real

LIKE = np.zeros((2, 3))

CASES = [
    case("alias", real(2, 3), reference=False),
    case("alias", real(), reference=False),
    case("reshape", real(2, 3), (3, 2)),
    case("reshape", real(2, 3), (3, -1)),
    case("reshape", real(2, 3), 6),
    case("reshape", real(6), shape=(2, 1, 3)),
    case("reshape", real(2, 3), (3, 2), "F"),
    case("reshape", real(1), ()),
    case("reshape", real(), (1, 1)),
    case("reshape", real(0, 3), (3, 0)),
    case("reshape", real(0), (0, 2)),
    case("reshape_as", real(6), like=LIKE, reference=lambda a, like: a.reshape(2, 3)),
    case("reshape_as", real(6), LIKE, "F", reference=lambda a, like, order: a.reshape(3, 2).T),
    *[case(f, real(*shape)) for f in ("ravel", "squeeze", "copy") for shape in [(), (0,), (1,), (2, 1, 3)]],
    case("ravel", real(2, 3), "F"),
    case("flatten", real(2, 3), reference=lambda a: a.flatten()),
    case("flatten", real(2, 3), "F", reference=lambda a, order: a.flatten("F")),
    case("flatten", real(), reference=lambda a: a.flatten()),
    case("flatten", real(0, 2), reference=lambda a: a.flatten()),
    case("squeeze", real(1, 3, 1), axis=0),
    case("squeeze", real(1, 3, 1), axis=-1),
    case("squeeze", real(1, 3, 1), axis=(0, 2)),
    case("squeeze", real(1, 3, 1), axis=()),
    case("expand_dims", real(3), 0),
    case("expand_dims", real(3), axis=-1),
    case("expand_dims", real(2, 3), (0, 2)),
    case("expand_dims", real(2, 3), axis=(-1, 0)),
    case("expand_dims", real(), 0),
    case("expand_dims", real(0), 1),
    *[
        case(f"atleast_{n}d", real(*shape))
        for n in (1, 2, 3)
        for shape in [(), (3,), (0,), (2, 3), (2, 1, 3), (2, 1, 1, 2)]
    ],
    case("atleast_1d", real(), real(2)),
    case("atleast_2d", real(3), real(), real(2, 2)),
    case("broadcast_to", real(3), (2, 3)),
    case("broadcast_to", real(2, 1), (4, 2, 3)),
    case("broadcast_to", real(), (2, 3)),
    case("broadcast_to", real(1), 3),
    case("broadcast_to", real(1, 3), (0, 3)),
    case("broadcast_to", real(2, 3), (2, 3)),
    case("broadcast_arrays", real(2, 1), real(3), real()),
    case("broadcast_arrays", real(3)),
    *[case("transpose", real(*shape)) for shape in [(), (0, 2), (1,), (3,), (2, 3), (2, 3, 4)]],
    case("transpose", real(2, 3, 4), (1, 2, 0)),
    case("transpose", real(2, 3, 4), axes=(-1, 0, -2)),
    case("permute_dims", real(2, 3, 4), (2, 0, 1)),
    case("permute_dims", real(2, 3)),
    case("swapaxes", real(2, 3, 4), 0, -1),
    case("swapaxes", real(2, 3), 1, 1),
    case("moveaxis", real(2, 3, 4), 0, -1),
    case("moveaxis", real(2, 3, 4), (0, 1), (-1, 0)),
    case("moveaxis", real(2, 3, 4), source=[2, 0], destination=[0, 1]),
    *[case("rollaxis", real(2, 3, 4), axis, start) for axis, start in [(2, 0), (0, 3), (-1, 1), (1, -1)]],
    case("rollaxis", real(2, 3, 4), 2),
    case("matrix_transpose", real(2, 3)),
    case("matrix_transpose", real(4, 2, 3)),
    *[case("flip", real(*shape)) for shape in [(), (0,), (1,), (2, 3)]],
    case("flip", real(2, 3), axis=-1),
    case("flip", real(2, 3, 2), axis=(0, 2)),
    case("fliplr", real(2, 3)),
    case("flipud", real(3)),
    case("flipud", real(2, 3)),
    *[case("rot90", real(2, 3), k=k) for k in (-1, 0, 1, 2, 3)],
    case("rot90", real(2, 3, 4), axes=(2, 0)),
    case("roll", real(5), 2),
    case("roll", real(2, 3), shift=-1),
    case("roll", real(2, 3), 1, axis=-1),
    case("roll", real(3, 4), (1, -6), axis=(0, 1)),
    case("roll", real(3, 4), (1, 2), axis=1),
    case("roll", real(2, 3), (1, 1)),
    case("roll", real(), 1),
    case("roll", real(0), 1),
    case("astype", real(3), np.float64, reference=False),
    case("astype", real(), "float64", copy=False, reference=False),
    case("cast", real(2), like=LIKE, reference=False),
    case("unbroadcast", real(4, 2, 3), like=LIKE, reference=lambda a, like: a.sum(0)),
    case("unbroadcast", real(2, 3), like=LIKE, reference=lambda a, like: a),
    case("stretch", real(1, 3), like=LIKE, reference=lambda a, like: np.broadcast_to(a, (2, 3))),
    case(
        "stretch",
        real(2),
        like=LIKE,
        axis=-1,
        keepdims=False,
        reference=lambda a, like, axis, keepdims: np.broadcast_to(a[:, None], (2, 3)),
    ),
    case("stretch", real(), like=LIKE, reference=lambda a, like: np.broadcast_to(a, (2, 3))),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


T = ad.tensor(np.arange(24.0).reshape(2, 3, 4))

CALLS = [
    lambda x: np.reshape(x, (6, 4)),
    lambda x: np.reshape(x, shape=(6, 4)),
    lambda x: np.reshape(x, (6, 4), order="F"),
    lambda x: np.reshape(x, (6, 4), order="C"),
    np.ravel,
    lambda x: np.ravel(x, order="F"),
    lambda x: np.squeeze(x[:1], axis=0),
    lambda x: np.expand_dims(x, axis=(0, -1)),
    np.atleast_1d,
    lambda x: np.atleast_2d(x[0, 0], x[0])[0],
    lambda x: np.atleast_3d(x[0]),
    lambda x: np.broadcast_to(x, (5, 2, 3, 4)),
    lambda x: np.broadcast_to(x, shape=(5, 2, 3, 4)),
    lambda x: np.broadcast_arrays(x, np.ones((5, 1, 1, 1)))[0],
    np.transpose,
    lambda x: np.transpose(x, axes=(1, 0, 2)),
    lambda x: np.permute_dims(x, (1, 0, 2)),
    lambda x: np.swapaxes(x, axis1=0, axis2=2),
    lambda x: np.moveaxis(x, source=0, destination=2),
    lambda x: np.rollaxis(x, 2, start=1),
    np.matrix_transpose,
    np.linalg.matrix_transpose,
    lambda x: np.flip(x, axis=(0, 1)),
    np.fliplr,
    np.flipud,
    lambda x: np.rot90(x, k=3, axes=(1, 2)),
    lambda x: np.roll(x, shift=5),
    lambda x: np.roll(x, (1, 2), axis=(0, 2)),
    lambda x: np.astype(x, np.float32),
    np.copy,
    lambda x: x.T,
    lambda x: x.mT,
    lambda x: x.reshape(4, -1),
    lambda x: x.reshape((4, 6)),
    lambda x: x.reshape(24, order="F"),
    lambda x: x.transpose(),
    lambda x: x.transpose(2, 0, 1),
    lambda x: x.transpose((2, 0, 1)),
    lambda x: x.ravel(),
    lambda x: x.flatten(),
    lambda x: x[:, :, :1].squeeze(),
    lambda x: x[:, :, :1].squeeze(-1),
    lambda x: x.swapaxes(0, 1),
    lambda x: x.astype(np.float32),
    lambda x: x.copy(),
]


@pytest.mark.parametrize("call", CALLS)
def test_numpys_functions_and_methods_keep_the_graph(call):
    got, want = call(T), call(T.data)
    assert isinstance(got, ad.Tensor)
    assert not got.constant
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.data, want)


def test_to_integers_is_a_constant_and_to_single_precision_a_row():
    assert ad.tensor([1.5]).astype(int).constant
    assert ad.tensor([1.5]).astype(bool).dtype == np.bool_
    x = ad.tensor([1.5, 2.5])
    y = x.astype(np.float32)
    assert y.dtype == np.float32
    (y * y).sum().backward()
    assert x.grad.dtype == np.float64
    np.testing.assert_array_equal(x.grad, [3.0, 5.0])


def test_a_copy_has_memory_of_its_own():
    x = ad.tensor([1.0, 2.0])
    for each in (x.copy(), x.flatten(), np.copy(x)):
        assert not np.shares_memory(each.data, x.data)
    assert np.shares_memory(x.reshape(2, 1).data, x.data)


REFUSED = [
    (lambda: np.reshape(T, (6, 4), order="A"), "order='A'"),
    (lambda: np.reshape(T, (6, 4), copy=True), "copy="),
    (lambda: T.reshape(6, 4, copy=True), "'copy'"),
    (lambda: np.ravel(T, order="K"), "order='K'"),
    (lambda: T.flatten("A"), "order='A'"),
    (lambda: np.copy(T, order="F"), "order="),
    (lambda: T.astype(complex), "complex128"),
    (lambda: T.astype(object), "object"),
    (lambda: np.astype(T, np.float32, device="cpu"), "device="),
    (lambda: ad.transpose(T, axis=0), "'axis'"),
]


@pytest.mark.parametrize(("call", "named"), REFUSED)
def test_what_isnt_supported_is_refused_by_name(call, named):
    with pytest.raises(UnsupportedError) as caught:
        call()
    assert named in str(caught.value)


WRONG = [
    lambda x: ad.reshape(x, (5, 5)),
    lambda x: ad.squeeze(x, axis=0),
    lambda x: ad.transpose(x, (0, 1)),
    lambda x: ad.transpose(x, (0, 0, 1)),
    lambda x: ad.broadcast_to(x, (2, 3)),
    lambda x: ad.fliplr(x[0, 0]),
    lambda x: ad.rollaxis(x, 0, 4),
    lambda x: ad.rollaxis(x, 0, -4),
    lambda x: ad.matrix_transpose(x[0, 0]),
]


@pytest.mark.parametrize("call", WRONG)
def test_impossible_shapes_are_errors_as_in_numpy(call):
    for x in (T, T.data):
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy's, or ShapeError
            call(x)


def test_lists_are_taken_as_arrays():
    np.testing.assert_array_equal(ad.ravel([[1.0], [2.0]]), [1.0, 2.0])
    np.testing.assert_array_equal(ad.matrix_transpose([[1.0, 2.0]]), [[1.0], [2.0]])
    with pytest.raises(OperandError, match="stack"):
        ad.matrix_transpose([T, T])

"""Scans: running totals and products, the product of all, differences, slopes, areas."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import OperandError, OptionError, ShapeError, UnsupportedError

from . import harness
from .harness import case, real


def running(ufunc):
    def reference(a, axis, step=1):
        return (
            np.flip(ufunc.accumulate(np.flip(a, axis), axis=axis), axis)
            if step < 0
            else ufunc.accumulate(a, axis)
        )

    return reference


def shift(a, axis, by=1, fill=0.0):
    moved = np.moveaxis(np.roll(a, by, axis), axis, 0)
    moved[0 if by > 0 else -1] = fill
    return np.moveaxis(moved, 0, axis)


def recurrence(a, b, axis, step=1):
    """One entry after the other."""
    a, b = (np.moveaxis(each, axis, 0)[::step] for each in (a, b))
    out = b.copy()
    for j in range(1, len(out)):
        out[j] += a[j] * out[j - 1]
    return np.moveaxis(out[::step], 0, axis)


X = np.array([0.0, 0.5, 2.0, 2.25, 4.0])

CASES = [
    *[
        case(name, *more[0], **more[1], order=order)
        for name, order in (("cumsum", 1), ("cumprod", 2))
        for more in (
            ((real(5),), {}),
            ((real(1),), {}),
            ((real(),), {}),
            ((real(0),), {}),
            ((real(2, 3),), {}),
            ((real(2, 3),), {"axis": 0}),
            ((real(2, 3, 2),), {"axis": -2}),
            ((real(0, 3),), {"axis": 0}),
            ((real(3, 0),), {"axis": 0}),
        )
    ],
    case("running_sum", real(2, 3), axis=1, step=-1, reference=running(np.add), order=1),
    case("running_product", real(5, 2), axis=0, step=-1, reference=running(np.multiply)),
    case("shift", real(2, 3), axis=-1, reference=shift, order=1),
    case("shift", real(2, 3), axis=0, by=-1, fill=1.0, reference=shift, order=1),
    case("recurrence", real(2, 6), real(2, 6), axis=-1, reference=recurrence),
    case("recurrence", real(5, 2), real(5, 2), axis=0, step=-1, reference=recurrence),
    case("recurrence", real(1), real(1), axis=0, reference=recurrence, order=1),
    case("prod", real(5)),
    case("prod", real(1), order=1),
    case("prod", real(), order=1),
    case("prod", real(0), order=1),
    case("prod", real(2, 3)),
    case("prod", real(2, 3), axis=-1),
    case("prod", real(2, 3, 2), axis=(0, -1)),
    case("prod", real(2, 3, 2), axis=(0, 1, 2), keepdims=True),
    case("prod", real(2, 3), axis=(), order=1),
    case("prod", real(0, 3), axis=0, order=1),
    case("prod", real(3, 0), axis=0, keepdims=True, order=1),
    case("product", real(2, 3), axis=0, reference=np.prod),
    case("diff", real(5), order=1),
    case("diff", real(1), order=1),
    case("diff", real(2, 4), n=2, order=1),
    case("diff", real(4, 2), axis=0, n=3, order=1),
    case("diff", real(2, 3), n=0, axis=-2, order=1),
    case("trapezoid", real(5), order=1),
    case("trapezoid", real(1), order=1),
    case("trapezoid", real(2, 4), dx=0.5, axis=0, order=1),
    case("trapezoid", real(5), real(5)),
    case("trapezoid", real(3, 2), real(3), 1.0, 0),
    case("trapezoid", real(2, 3, 2), real(2, 3, 2), 1.0, 1),
    case("trapezoid", real(2, 3), real(1, 3)),
    case("trapezoid", real(2, 3), None, real()),
    case("gradient", real(5), order=1),
    case("gradient", real(2), order=1),
    case("gradient", real(5), 0.3, edge_order=2, order=1),
    case("gradient", real(3), edge_order=2, order=1),
    case("gradient", real(5), X, order=1),
    case("gradient", real(5), X, edge_order=2, order=1),
    case("gradient", real(3, 4), order=1),
    case("gradient", real(3, 4), 0.5, axis=-1, order=1),
    case("gradient", real(3, 5), 2.0, X, edge_order=2, order=1),
    case("gradient", real(5, 2, 3), X, 0.1, axis=(0, 2), edge_order=2, order=1),
    case("gradient", real(2, 0), axis=0, order=1),
    case("slopes", real(2, 4), 0.5, 1, reference=lambda a, h, axis: np.gradient(a, h, axis=axis), order=1),
    case("slopes_reversed", real(2, 4), 0.5, 1, 2, reference=False, order=1),
    case("slopes_reversed", real(5, 2), X, 0, reference=False, order=1),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


# --- zeros: the products of the other entries, written out ------------------------------------------------

ZEROS = [[2.0, 3.0, 5.0], [2.0, 0.0, 5.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [-1.0, 2.0, 0.0, 4.0, 0.5]]


def without(a, *gone):
    return np.prod([value for k, value in enumerate(a) if k not in gone])


@pytest.mark.parametrize("a", ZEROS)
def test_prod_with_zeros_is_exact_to_second_order(a):
    n = len(a)
    np.testing.assert_array_equal(ad.grad(ad.prod)(np.array(a)), [without(a, j) for j in range(n)])
    hessian = [[0.0 if i == j else without(a, i, j) for i in range(n)] for j in range(n)]
    np.testing.assert_allclose(ad.hessian(ad.prod)(np.array(a)), hessian, rtol=1e-15)


@pytest.mark.parametrize("a", ZEROS)
def test_cumprod_with_zeros_is_exact_to_second_order(a):
    n, a = len(a), np.array(a)
    weight = np.arange(1.0, n + 1)

    def f(x):
        return ad.sum(weight * ad.cumprod(x))

    first = [sum(weight[i] * without(a[: i + 1], j) for i in range(j, n)) for j in range(n)]
    np.testing.assert_allclose(ad.grad(f)(a), first, rtol=1e-14)
    second = [
        [
            0.0 if j == k else sum(weight[i] * without(a[: i + 1], j, k) for i in range(max(j, k), n))
            for k in range(n)
        ]
        for j in range(n)
    ]
    np.testing.assert_allclose(ad.hessian(f)(a), second, rtol=1e-14)


def test_third_derivative_of_a_product_with_a_zero():
    def f(t):
        return ad.prod(ad.stack([t, t, t]))

    for at in (0.0, 2.0):
        assert ad.grad(ad.grad(ad.grad(f)))(at) == 6.0


# --- values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.bool])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "prod", "diff"])
def test_values_and_dtypes_are_numpys(name, dtype):
    a = np.array([[1, 0, 1], [1, 1, 1]]).astype(dtype)
    for axis in (0, -1) if name == "diff" else (None, 0, -1):
        want = getattr(np, name)(a, axis=axis)
        for got in (getattr(ad, name)(a, axis=axis), getattr(np, name)(ad.tensor(a), axis=axis)):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(getattr(got, "_data", got), want)


def test_ufunc_methods():
    t = ad.tensor([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(np.add.accumulate(t).data, [[1, 2], [4, 6]])
    np.testing.assert_array_equal(np.multiply.accumulate(t, axis=1).data, [[1, 2], [3, 12]])
    np.testing.assert_array_equal(np.multiply.reduce(t).data, [3, 8])
    np.testing.assert_array_equal(t.cumsum(axis=0).data, [[1, 2], [4, 6]])


def test_coordinates_may_change_after_the_call():
    x = X.copy()
    t = ad.tensor(np.arange(5.0))
    out = ad.gradient(t, x)
    want = ad.gradients(out, t, np.ones(5))
    x[:] = 7.0
    np.testing.assert_array_equal(ad.gradients(out, t, np.ones(5)), want)


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("prod", {"where": np.array([True, False])}),
        ("prod", {"initial": 2.0}),
        ("prod", {"dtype": np.float32}),
        ("cumsum", {"dtype": np.float32}),
        ("cumprod", {"out": np.zeros(2)}),
        ("diff", {"prepend": 0.0}),
        ("diff", {"append": 0.0}),
    ],
)
def test_numpys_call_refuses_by_name(name, option):
    (label,) = option
    with pytest.raises(UnsupportedError, match=f"{label}="):
        getattr(np, name)(ad.tensor([1.0, 2.0]), **option)
    with pytest.raises(TypeError, match=label):
        getattr(ad, name)(ad.tensor([1.0, 2.0]), **option)


def test_what_cannot_be():
    t = ad.tensor([1.0, 2.0])
    with pytest.raises(OptionError, match="n=-1"):
        ad.diff(t, n=-1)
    with pytest.raises(ShapeError, match="one axis"):
        ad.diff(ad.tensor(1.0))
    with pytest.raises(OperandError, match="spacing"):
        ad.gradient(t, 1.0, 2.0)
    with pytest.raises(OperandError, match="spacing"):
        ad.gradient(t, ad.tensor([0.0, 1.0]))
    with pytest.raises(ShapeError, match="one shape"):
        ad.recurrence(t, ad.tensor([1.0]), axis=0)
    with pytest.raises(ValueError, match="edge_order"):
        ad.gradient(t, edge_order=2)
    for name in ("cumsum", "cumprod", "prod", "diff"):
        with pytest.raises(np.exceptions.AxisError):
            getattr(ad, name)(t, axis=1)

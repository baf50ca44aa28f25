"""Reductions: NumPy's values, gradients, and what semantics says of ties, zeros, infinities and nan."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import UnsupportedError

from . import harness
from .harness import apart, case, positive, real


def logsumexp(a, axis=None, keepdims=False):
    """As it is defined, for numbers of moderate size."""
    return np.log(np.sum(np.exp(a), axis=axis, keepdims=keepdims))


def spread(a, like, axis=None, keepdims=False, ddof=0):
    """The gradient of a mean, written with NumPy."""
    total = np.add.reduce(np.ones_like(like, dtype=a.dtype), axis=axis, keepdims=True)
    if axis is not None and not keepdims:
        a = np.expand_dims(a, axis)
    return np.broadcast_to(a / (total - np.asarray(ddof, a.dtype)), like.shape)


CHOOSING = ("max", "min", "amax", "amin", "ptp", "nanmax", "nanmin")
CURVED = ("var", "std", "logsumexp")


def reductions(name, draw):
    """One function over one axis, several, all; from the end; with and without keepdims; small shapes."""
    more = {"order": 2 if name in CURVED else 1, "reference": logsumexp if name == "logsumexp" else None}
    return [
        case(name, draw(5), **more),
        case(name, draw(1), **more),
        case(name, draw(), **more),
        case(name, draw(2, 3), axis=0, **more),
        case(name, draw(2, 3), axis=-1, keepdims=True, **more),
        case(name, draw(2, 3, 2), axis=(0, 2), **more),
        case(name, draw(2, 3, 2), axis=(-1, 0), keepdims=True, **more),
        case(name, draw(2, 3), axis=(), **more),
        case(name, draw(2, 3), keepdims=True, **more),
        case(name, draw(0, 3), axis=1, **more),
        case(name, draw(3, 0), axis=0, keepdims=True, **more),
    ]


CASES = [
    *[each for name in ("mean", "var", "nanmean", "nansum") for each in reductions(name, real)],
    *reductions("logsumexp", positive),
    *[each for name in CHOOSING for each in reductions(name, apart)],
    *[
        each
        for each in reductions("std", real)
        if each.args[0].shape not in ((), (1,)) and each.options.get("axis") != ()
    ],
    case("sum", real(0, 3), axis=0, order=1),
    case("nansum", real(0, 3), axis=0, order=1),
    case("var", real(2, 4), axis=1, ddof=1),
    case("var", real(5), ddof=2, keepdims=True),
    case("std", real(2, 4), axis=(0, 1), ddof=1),
    case("std", real(2, 4), axis=0, ddof=1, keepdims=True),
    case("spread", real(2), np.zeros((2, 3)), axis=1, reference=spread, order=1),
    case("spread", real(2, 1), np.zeros((2, 3)), axis=-1, keepdims=True, ddof=1, reference=spread, order=1),
    case("spread", real(), np.zeros((2, 3)), reference=spread, order=1),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def gradient(f, a):
    return ad.grad(lambda x: ad.sum(f(x)))(np.asarray(a, float))


def second(f, a):
    return ad.hessian(lambda x: ad.sum(f(x)))(np.asarray(a, float))


# --- values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.bool])
@pytest.mark.parametrize("name", ["mean", "var", "std", "max", "min", "nanmean", "nansum", "nanmax"])
def test_values_and_dtypes_are_numpys(name, dtype):
    a = (np.random.default_rng(0).normal(9.0, 3.0, (40, 7)) if dtype != np.bool else np.eye(5)).astype(dtype)
    for axis in (None, 0, -1):
        want = getattr(np, name)(a, axis=axis)
        got = getattr(ad, name)(a, axis=axis)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
        through = getattr(np, name)(ad.tensor(a), axis=axis)
        assert through.constant == (a.dtype.kind != "f")
        np.testing.assert_array_equal(through.data, want)


def test_var_far_from_zero_is_as_exact_as_numpys():
    a = 1e8 + np.random.default_rng(1).normal(size=1000)
    assert ad.var(ad.tensor(a)).item() == np.var(a)
    assert ad.std(ad.tensor(a), ddof=1).item() == np.std(a, ddof=1)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_nothing_to_average_warns_as_numpy_and_is_nan(name):
    with pytest.warns(RuntimeWarning):
        assert np.isnan(getattr(ad, name)(ad.tensor(np.zeros(0))).item())
    with pytest.warns(RuntimeWarning):
        assert np.isnan(getattr(ad, name)(ad.tensor(np.zeros((0, 2))), axis=0).data).all()


def test_too_few_degrees_of_freedom_are_nan_as_numpys():
    with pytest.warns(RuntimeWarning):
        assert np.isnan(ad.var(ad.tensor([2.0]), ddof=1).item())
    with pytest.warns(RuntimeWarning):
        assert np.isinf(ad.var(ad.tensor([2.0, 3.0]), ddof=3).item())


# --- policies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_ties_share_evenly(name):
    sign = 1.0 if name.endswith("max") else -1.0
    tied = sign * np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    f = getattr(ad, name)
    np.testing.assert_array_equal(
        gradient(lambda x: f(x, axis=1), tied), [[0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    )
    np.testing.assert_array_equal(gradient(f, tied), [[0, 0.5, 0.5], [0, 0, 0]])


def test_ptp_of_equal_entries_is_flat():
    np.testing.assert_array_equal(gradient(ad.ptp, [2.0, 2.0]), [0, 0])


def test_the_gradient_of_a_nan_that_wins_is_its_own():
    np.testing.assert_array_equal(gradient(ad.max, [1.0, np.nan, 3.0]), [0, 1, 0])


@pytest.mark.parametrize("value", [0.1, 0.0, 1e8 + 0.1, -7.3])
@pytest.mark.parametrize("count", [1, 3, 7])
def test_std_without_spread_is_flat(value, count):
    np.testing.assert_array_equal(gradient(ad.std, np.full(count, value)), np.zeros(count))
    np.testing.assert_array_equal(second(ad.std, np.full(count, value)), np.zeros((count, count)))


def test_std_without_spread_in_one_row_only():
    got = gradient(lambda x: ad.std(x, axis=1, ddof=1), [[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]])
    np.testing.assert_allclose(got, [[0, 0, 0], [-0.5, 0, 0.5]], atol=1e-15)


def test_logsumexp_of_large_entries_and_of_none():
    inf = np.inf
    a = np.array([[1000.0, 1000.0], [-1000.0, -1001.0], [0.0, -inf], [-inf, -inf]])
    with np.errstate(all="raise", under="ignore"):
        out = ad.logsumexp(ad.tensor(a), axis=1)
        np.testing.assert_allclose(
            out.data, [1000 + np.log(2), -1000 + np.log1p(np.exp(-1)), 0, -inf], rtol=1e-15
        )
        got = gradient(lambda x: ad.logsumexp(x, axis=1), a)
        p = 1 / (1 + np.exp(-1.0))
        np.testing.assert_allclose(got, [[0.5, 0.5], [p, 1 - p], [1, 0], [0, 0]], rtol=1e-13)
        assert np.isfinite(second(lambda x: ad.logsumexp(x, axis=1), a)).all()
    assert ad.logsumexp(np.zeros(0)) == -inf
    assert ad.logsumexp([inf, 1.0]) == inf
    assert np.isnan(ad.logsumexp([np.nan, 1.0]))
    assert ad.logsumexp(np.array([1, 2])).dtype == np.float64


@pytest.mark.filterwarnings("ignore:All-NaN", "ignore:Mean of empty")
def test_nan_entries_get_no_gradient():
    a = [[1.0, np.nan, 4.0], [np.nan, np.nan, np.nan]]
    want = {"nansum": [1, 0, 1], "nanmean": [0.5, 0, 0.5], "nanmax": [0, 0, 1], "nanmin": [1, 0, 0]}
    for name, row in want.items():
        f = getattr(ad, name)
        np.testing.assert_array_equal(
            gradient(lambda x, f=f: f(x, axis=1), a), [row, [0, 0, 0]], err_msg=name
        )
        np.testing.assert_array_equal(f(ad.tensor(a), axis=1).data, getattr(np, name)(a, axis=1))


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["mean", "var", "std", "max", "min", "nansum", "nanmean", "nanmax", "nanmin"]
)
@pytest.mark.parametrize(
    "option", [{"where": True}, {"out": np.zeros(())}, {"dtype": float}, {"initial": 0.0}]
)
def test_an_unknown_option_is_named(name, option):
    (label,) = option
    with pytest.raises(UnsupportedError, match=label):
        getattr(ad, name)(ad.tensor([1.0, 2.0]), **option)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("mean", {"where": np.array([True, False])}),
        ("var", {"mean": 1.0}),
        ("var", {"correction": 1}),
        ("std", {"dtype": np.float32}),
        ("max", {"initial": 3.0}),
        ("ptp", {"out": np.zeros(())}),
    ],
)
def test_numpys_call_refuses_by_name(name, option):
    (label,) = option
    with pytest.raises(UnsupportedError, match=f"{label}="):
        getattr(np, name)(ad.tensor([1.0, 2.0]), **option)


def test_an_axis_that_is_not_there():
    for name in ("mean", "var", "std", "max", "logsumexp"):
        with pytest.raises(np.exceptions.AxisError):
            getattr(ad, name)(ad.tensor([1.0, 2.0]), axis=1)

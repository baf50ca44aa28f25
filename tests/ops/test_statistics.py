"""Medians, quantiles, averages: cases, methods, ties, nan, refusals."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import OperandError, OptionError, ShapeError

from . import harness
from .harness import apart, case, positive

METHODS = (
    "linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased",
    "normal_unbiased", "interpolated_inverted_cdf",
)  # fmt: skip

CASES = [
    case("median", apart(5)),
    case("median", apart(4)),
    case("median", apart()),
    case("median", apart(1)),
    case("median", apart(3, 4), axis=0),
    case("median", apart(3, 4), axis=-1, keepdims=True),
    case("median", apart(2, 3, 4), axis=(0, 2)),
    case("median", apart(2, 3, 4), axis=(2, 0), keepdims=True),
    case("quantile", apart(5), 0.3),
    case("quantile", apart(5), 1.0),
    case("quantile", apart(1), 0.3),
    case("quantile", apart(), 0.3),
    case("quantile", apart(3, 4), [0.0, 0.2, 0.9], axis=1),
    case("quantile", apart(3, 4), [[0.1], [0.6]], axis=0, keepdims=True),
    case("quantile", apart(2, 3, 4), 0.7, axis=(0, 2)),
    *(case("quantile", apart(7), [0.13, 0.5, 0.81], method=method) for method in METHODS),
    case("percentile", apart(6), 30),
    case("percentile", apart(2, 5), [10, 95], axis=-1),
    case("average", apart(4)),
    case("average", apart(3, 4), axis=0, keepdims=True),
    case("average", apart(3, 4), weights=np.arange(1.0, 13.0).reshape(3, 4), axis=1),
    case("average", apart(3, 4), weights=np.array([1.0, 2.0, 5.0]), axis=0),
    case("average", apart(2, 3, 4), weights=np.arange(1.0, 9.0).reshape(4, 2), axis=(2, 0)),
    case("average", apart(3, 4), 0, positive(3)),
    case("average", apart(3, 4), None, positive(3, 4)),
    case("average", apart(3, 4), 1, positive(4), True),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def slope(f, x):
    t = ad.tensor(x)
    f(t).backward()
    return t.grad.tolist()


@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (np.median, [3.0, 1.0, 2.0], [0.0, 0.0, 1.0]),
        (np.median, [4.0, 1.0, 2.0, 9.0], [0.5, 0.0, 0.5, 0.0]),
        (np.median, [2.0, 2.0, 1.0], [0.5, 0.5, 0.0]),  # a tie is shared
        (lambda t: np.quantile(t, 0.25), [0.0, 2.0, 10.0], [0.5, 0.5, 0.0]),
        (lambda t: np.quantile(t, 0.5), [7.0, 7.0, 7.0], [1 / 3, 1 / 3, 1 / 3]),
        (lambda t: np.percentile(t, 100), [1.0, 3.0, 2.0], [0.0, 1.0, 0.0]),
    ],
)
def test_exact_gradients(f, x, want):
    assert slope(f, x) == pytest.approx(want, rel=1e-15)


@pytest.mark.parametrize("f", [ad.median, lambda a: ad.quantile(a, 0.2)])
def test_nan_spoils_its_line_only(f):
    out = f(ad.tensor([1.0, np.nan, 2.0]))
    assert np.isnan(out.item())
    rows = ad.median(ad.tensor([[1.0, np.nan], [2.0, 4.0]]), axis=1)
    np.testing.assert_array_equal(rows.data, [np.nan, 3.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("q", [0, 1, 0.5, 0.3, [0.0, 1.0], np.float64(0.5), np.float32(0.3), []])
def test_the_dtype_follows_q_as_in_numpy_whatever_its_value(dtype, q):
    a = np.array([3.0, 1.0, 2.5, 7.0, -2.0], dtype)
    for method in ("linear", "weibull", "midpoint", "lower"):
        want = np.asarray(np.quantile(a, q, method=method))
        got = np.quantile(ad.tensor(a), q, method=method)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.data, want, rtol=1e-6 if want.dtype == np.float32 else 1e-15)


def test_a_place_among_many_is_as_exact_as_numpys():
    a, q = np.arange(100_001.0), np.random.default_rng(0).uniform(size=50)
    np.testing.assert_array_equal(np.quantile(ad.tensor(a), q).data, np.quantile(a, q))


def test_infinite_entries_answer_as_in_numpy():
    a = np.array([1.0, np.inf, -np.inf, 2.0, 0.0])
    with np.errstate(invalid="ignore"):
        for q in (0.0, 0.1, 0.5, 0.6, 1.0, [0.5, 0.9]):
            np.testing.assert_array_equal(np.quantile(ad.tensor(a), q).data, np.quantile(a, q))
    np.testing.assert_array_equal(np.median(ad.tensor([np.inf, np.inf])).data, np.inf)


def test_weights_get_their_gradient():
    w = ad.tensor([1.0, 3.0])
    np.average(np.array([2.0, 6.0]), weights=w).backward()
    # d/dw (2w₀ + 6w₁)/(w₀ + w₁) at (1, 3): ((2, 6) − 5)/4
    assert w.grad.tolist() == pytest.approx([-0.75, 0.25], rel=1e-15)


def test_average_can_return_the_sum_of_the_weights():
    out, total = np.average(ad.tensor([1.0, 4.0]), weights=np.array([2.0, 1.0]), returned=True)
    assert (out.item(), float(total)) == (2.0, 3.0)


T = ad.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "error", "named"),
    [
        (lambda: np.quantile(T, 1.5), OptionError, "between 0 and 1"),
        (lambda: np.quantile(T, 0.5, method="inverted_cdf"), OptionError, "inverted_cdf"),
        (lambda: np.quantile(T, 0.5, weights=[1.0, 2.0]), TypeError, "weights"),
        (lambda: np.quantile(T, 0.5, overwrite_input=True), TypeError, "overwrite_input"),
        (lambda: np.median(T, out=np.zeros(())), TypeError, "out"),
        (lambda: ad.quantile(T, ad.tensor(0.5)), OperandError, "q"),
        (lambda: ad.quantile(ad.tensor(np.zeros(0)), 0.5), ShapeError, "no entries"),
        (lambda: np.average(T, weights=np.ones(3)), ShapeError, "weights"),
        (lambda: np.average(T, weights=np.array([1.0, -1.0])), ZeroDivisionError, "sum to 0"),
    ],
)
def test_refused(call, error, named):
    with pytest.raises(error, match=named):
        call()

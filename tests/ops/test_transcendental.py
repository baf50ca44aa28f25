"""Exponentials, logarithms, trigonometry, erf, sinc: saturation, limits, and values against closed forms."""

import math

import numpy as np
import pytest

import autodiff as ad

from . import harness
from .harness import between, case, positive, real

INF, NAN = np.inf, np.nan
STEEP = between(0.3, 1.3, 2, 3)  # away from the poles of tan and cot

CASES = [
    case("sec", STEEP),
    case("csc", STEEP),
    case("cot", STEEP),
    case("coth", positive(2, 3)),
    case("arcsec", between(1.2, 3.0, 2, 3)),
    case("arcsec", between(-3.0, -1.2, 3)),
    case("arccsc", between(1.2, 3.0, 2, 3)),
    case("arccsc", between(-3.0, -1.2, 3)),
    case("arccot", real(2, 3)),
    case("arccot", real()),
    case("arcsech", between(0.2, 0.8, 2, 3)),
    case("arccsch", positive(2, 3)),
    case("arccsch", between(-2.0, -0.2, 3)),
    case("arccoth", between(1.2, 3.0, 2, 3)),
    case("logit", between(0.2, 0.8, 2, 3)),
    case("logit", between(0.2, 0.8, 0)),
    case("logit", between(0.2, 0.8)),
    case("arctan2", between(0.2, 2.0, 3), between(-2.0, -0.2, 3)),
    case("spherical_bessel", real(2, 3), 0, reference=lambda a, n: np.sin(a) / a),
    case("spherical_bessel", between(0.0, 9.0, 20), 2),
    case("spherical_bessel", real(), n=1),
    case("spherical_bessel", real(0), n=1),
    case("sinc", between(-0.1, 0.1, 8)),
    case("sinc", between(-9.0, 9.0, 20)),
    case("erf", between(-5.0, 5.0, 20)),
    case("logaddexp", between(-50.0, 50.0, 8), between(-50.0, 50.0, 8)),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def slopes(f, *x):
    """The derivative for each argument, as numbers."""
    answers = ad.grad(f, argnums=tuple(range(len(x))))(*x)
    return tuple(float(each) for each in answers)


def slope(f, x, order=1):
    for _ in range(order):
        f = ad.grad(f)
    return float(f(x))


class TestSaturation:
    @pytest.mark.parametrize(
        ("f", "low", "high"), [(ad.sigmoid, 0.0, 1.0), (ad.tanh, -1.0, 1.0), (ad.softplus, 0.0, 1000.0)]
    )
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_saturated_values_without_a_warning(self, f, low, high, dtype):
        x = np.array([-1000.0, 1000.0], dtype)
        with np.errstate(all="raise", under="ignore"):
            assert f(x).tolist() == [low, high]
            assert f(np.array([-INF, INF], dtype)).tolist() == [low, INF if f is ad.softplus else high]

    @pytest.mark.parametrize("f", [ad.sigmoid, ad.tanh])
    @pytest.mark.parametrize("x", [-1000.0, 1000.0, -INF, INF])
    def test_flat_there(self, f, x):
        with np.errstate(all="raise", under="ignore"):
            assert slope(f, x) == 0.0
            assert slope(f, x, order=2) == 0.0

    def test_softplus_there(self):
        with np.errstate(all="raise", under="ignore"):
            assert [slope(ad.softplus, x) for x in (-INF, -1000.0, 1000.0, INF)] == [0.0, 0.0, 1.0, 1.0]
            assert [slope(ad.softplus, x, order=2) for x in (-1000.0, 1000.0)] == [0.0, 0.0]

    def test_small_values_keep_their_digits(self):
        assert ad.sigmoid(-40.0) == pytest.approx(math.exp(-40.0), rel=1e-15)
        assert ad.softplus(-40.0) == pytest.approx(math.exp(-40.0), rel=1e-15)
        assert slope(ad.sigmoid, -40.0) == pytest.approx(math.exp(-40.0), rel=1e-15)

    def test_logit_undoes_sigmoid(self):
        x = np.linspace(-5.0, 5.0, 11)
        np.testing.assert_allclose(ad.logit(ad.sigmoid(x)), x, rtol=1e-13, atol=1e-15)

    @pytest.mark.parametrize("f", [ad.sech, ad.csch])
    def test_sech_and_csch_far_out(self, f):
        assert slope(f, 700.0) == pytest.approx(-2.0 * math.exp(-700.0), rel=1e-12)
        with np.errstate(over="ignore"):  # cosh and sinh overflow, as NumPy's
            assert slope(f, 1000.0) == 0.0


class TestLogaddexp:
    PAIRS = ((1000.0, -1000.0), (1000.0, 1000.0), (-1000.0, -1000.0), (-INF, 2.0), (-INF, -INF), (INF, 1.0))

    @pytest.mark.parametrize(("a", "b"), PAIRS)
    @pytest.mark.parametrize("f", [ad.logaddexp, ad.logaddexp2])
    def test_values_and_slopes_without_a_warning(self, f, a, b):
        plain = getattr(np, f.__name__)
        with np.errstate(all="raise", under="ignore"):
            assert f(ad.tensor(a), ad.tensor(b)).item() == plain(a, b)
            want = (0.5, 0.5) if a == b else (1.0, 0.0) if a > b else (0.0, 1.0)
            assert slopes(f, a, b) == want
            assert slopes(f, b, a) == want[::-1]

    @pytest.mark.parametrize(("a", "b"), PAIRS)
    def test_second_derivatives_are_finite(self, a, b):
        want = 0.25 if a == b and math.isfinite(a) else 0.0
        assert slope(lambda x: ad.logaddexp(x, b), a, order=2) == want


class TestXlogy:
    def test_values_without_a_warning(self):
        with np.errstate(all="raise"):
            for a, b, want in [(0.0, 0.0, 0.0), (0.0, INF, 0.0), (0.0, 3.0, 0.0), (2.0, 1.0, 0.0)]:
                assert ad.xlogy(a, b) == want
        assert np.isnan(ad.xlogy(0.0, NAN))

    def test_slopes_are_limits(self):
        assert slopes(ad.xlogy, 0.0, 0.0) == (-INF, 0.0)
        assert slopes(ad.xlogy, 0.0, 2.0) == (math.log(2.0), 0.0)
        assert slopes(ad.xlogy, 3.0, 2.0) == (math.log(2.0), 1.5)

    def test_a_constant_0_beside_a_vanishing_variable(self):
        assert slopes(lambda q: ad.xlogy(0.0, q), 0.0) == (0.0,)

    def test_mixed_second_derivative_where_a_is_0(self):
        a, b = ad.tensor(0.0), ad.tensor(2.0)
        da, db = ad.gradients(ad.xlogy(a, b), [a, b], record=True)
        assert ad.gradients(da, b) == ad.gradients(db, a) == 0.5


class TestLimits:
    @pytest.mark.parametrize(
        ("f", "x", "want"),
        [
            (ad.arcsin, 1.0, INF),
            (ad.arcsin, -1.0, INF),
            (ad.arccos, 1.0, -INF),
            (ad.arccos, -1.0, -INF),
            (ad.arccosh, 1.0, INF),
            (ad.arcsec, 1.0, INF),
            (ad.arcsec, -1.0, INF),
            (ad.arccsc, 1.0, -INF),
            (ad.arcsech, 1.0, -INF),
            (ad.arcsinh, 1e200, 1e-200),
            (ad.arctan, 1e200, 0.0),
            (ad.arccot, 0.0, -1.0),
        ],
    )
    def test_one_sided(self, f, x, want):
        with np.errstate(all="raise"):
            assert slope(f, x) == pytest.approx(want, rel=1e-15)

    @pytest.mark.parametrize(
        ("f", "x", "want"),
        [
            (ad.log, 0.0, INF),
            (ad.log2, 0.0, INF),
            (ad.log10, 0.0, INF),
            (ad.log1p, -1.0, INF),
            (ad.arctanh, 1.0, INF),
            (ad.arctanh, -1.0, INF),
            (ad.logit, 0.0, INF),
            (ad.logit, 1.0, INF),
        ],
    )
    def test_infinite_values_warn_as_numpys(self, f, x, want):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert slope(f, x) == want

    def test_arctan2_of_large_and_small_numbers(self):
        for scale in (1e-200, 1.0, 1e200):
            dy, dx = slopes(ad.arctan2, 3 * scale, 4 * scale)
            assert dy == pytest.approx(0.16 / scale, rel=1e-15)
            assert dx == pytest.approx(-0.12 / scale, rel=1e-15)


class TestInverses:
    @pytest.mark.parametrize("name", ["sec", "csc", "cot", "sech", "csch", "coth"])
    def test_each_undoes_the_other(self, name):
        x = np.array([0.3, 0.7, 1.2])
        np.testing.assert_allclose(getattr(ad, f"arc{name}")(getattr(ad, name)(x)), x, rtol=1e-13)

    def test_arccot_is_continuous(self):
        np.testing.assert_allclose(
            ad.arccot(np.array([-1.0, 0.0, 1.0])), np.array([0.75, 0.5, 0.25]) * math.pi, rtol=1e-15
        )


class TestSinc:
    DERIVATIVES = (1.0, 0.0, -(math.pi**2) / 3, 0.0, math.pi**4 / 5, 0.0, -(math.pi**6) / 7)

    @pytest.mark.parametrize("order", range(7))
    def test_derivatives_at_0(self, order):
        assert slope(ad.sinc, 0.0, order) == pytest.approx(self.DERIVATIVES[order], rel=1e-15, abs=0)

    @pytest.mark.parametrize("x", [1e-12, 1e-5, 1e-3])
    def test_no_digits_are_lost_near_0(self, x):
        # −π²x/3 + π⁴x³/30: the next term is below 1e-13 of the first.
        assert slope(ad.sinc, x) == pytest.approx(
            -(math.pi**2) * x / 3 + math.pi**4 * x**3 / 30, rel=1e-11 if x == 1e-3 else 1e-15
        )

    @pytest.mark.parametrize("n", range(6))
    def test_series_and_recurrence_meet(self, n):
        edge = math.sqrt(4 * (2 * n + 3))
        below, above = ad.spherical_bessel(edge * np.array([1 - 1e-12, 1 + 1e-12]), n=n)
        start = 1.0 / math.prod(range(1, 2 * n + 2, 2))  # the value at 0, and the size of its terms
        assert abs(below - above) <= 2e-12 * start


class TestErf:
    def test_every_digit(self):
        x = np.concatenate([np.linspace(-7.0, 7.0, 10_001), 10.0 ** np.arange(-300.0, 0.0, 7.0)])
        want = np.array([math.erf(each) for each in x])
        np.testing.assert_allclose(ad.erf(x), want, rtol=4.5e-16, atol=0)

    def test_special_values(self):
        np.testing.assert_array_equal(ad.erf(np.array([-INF, -9.0, 0.0, INF, NAN])), [-1, -1, 0, 1, NAN])
        assert math.copysign(1.0, ad.erf(-0.0)) == -1.0
        assert ad.erf(np.array([0, 1])).tolist() == [0.0, pytest.approx(math.erf(1), rel=4e-16)]

    def test_slope(self):
        assert slope(ad.erf, 0.0) == 2 / math.sqrt(math.pi)
        assert slope(ad.erf, 1.0, order=2) == pytest.approx(-4 / math.sqrt(math.pi) / math.e, rel=1e-15)
        assert slope(ad.erf, 1000.0) == 0.0


def test_numpys_functions_arrive_here():
    t = ad.tensor([0.3, 0.6])
    for name in ("asin", "acos", "atan", "asinh", "atanh", "radians", "degrees", "deg2rad", "rad2deg"):
        out = getattr(np, name)(t)
        np.testing.assert_array_equal(out.data, getattr(np, name)(t.data))
        np.testing.assert_array_equal(getattr(ad, name)(t.data), out.data)
        assert not out.constant
    assert ad.atan2 is ad.arctan2
    assert ad.acosh is ad.arccosh
    np.testing.assert_allclose(ad.gradients(np.degrees(t), t, np.ones(2)), 180 / math.pi, rtol=1e-15)


def test_composed_functions_take_scalars():
    x = ad.Scalar(0.4, name="x")
    assert ad.sec(x).grad()["x"] == pytest.approx(slope(ad.sec, 0.4), rel=1e-14)
    assert ad.coth(x).grad()["x"] == pytest.approx(slope(ad.coth, 0.4), rel=1e-14)

"""Arithmetic, powers, steps, remainders, sizes: the points where calculus or NumPy leaves a choice."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import closures
from autodiff.errors import OperandError, UnsupportedError

from . import harness
from .harness import between, case, positive, real

INF, NAN = np.inf, np.nan
NEGATIVE = between(-2.0, -0.2, 4)

CASES = [
    case("add_sequence", [real(2, 3), real(3), 2.0, real(2, 1)]),
    case("add_sequence", [real(), real(0)]),
    case("add_sequence", [real(2)]),
    case("multiply_sequence", [real(2, 3), real(3), 2.0, real(2, 1)]),
    case("multiply_sequence", [real(), real(0)]),
    case("multiply_sequence", [real(2)]),
    case("float_power", positive(2, 3), real(3)),
    case("float_power", positive(), 2),
    case("power", NEGATIVE, 3),
    case("power", NEGATIVE, 2.0),
    case("power", NEGATIVE, -1.0),
    case("power", NEGATIVE, np.array([0.0, 1.0, 2.0, 3.0])),
    case("power", 2, real(3)),
    case("power", positive(2, 1), np.array([0.5, 2.0, -1.5])),
    case("round", real(2, 3)),
    case("round", real(2, 3), decimals=1),
    case("round", real(), 1),
    case("divmod", real(2, 3), positive(3)),
    case("mod", NEGATIVE, -0.7),
    case("fmod", NEGATIVE, 0.7),
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


class TestPowers:
    @pytest.mark.parametrize("x", [-2.0, -1.0, 0.0, 1.0, 3.0])
    @pytest.mark.parametrize("number", [int, float, np.float64, np.array])
    def test_whole_constant_exponents_are_exact(self, x, number):
        with np.errstate(all="raise"):
            for n, first, second in [(0, 0, 0), (1, 1, 0), (2, 2 * x, 2), (3, 3 * x * x, 6 * x)]:
                assert slope(lambda a, n=n: a ** number(n), x) == first
                assert slope(lambda a, n=n: ad.power(a, number(n)), x, order=2) == second

    def test_the_third_derivative_of_a_cube(self):
        assert slope(lambda a: a**3, 0.0, order=3) == 6.0

    def test_no_logarithm_of_the_base_is_taken(self, monkeypatch):
        monkeypatch.setattr("autodiff.ops.pointwise.log", None)
        assert slope(lambda a: a**3, -2.0, order=2) == -12.0

    def test_both_variable(self):
        dx, dy = slopes(ad.power, 2.0, 3.0)
        assert (dx, dy) == (12.0, 8.0 * np.log(2.0))

    def test_base_0(self):
        assert slopes(ad.power, 0.0, 2.0) == (0.0, 0.0)
        assert slopes(ad.power, 0.0, 1.0) == (1.0, 0.0)
        assert slopes(ad.power, 0.0, 0.0) == (0.0, 0.0)
        assert slopes(ad.power, 0.0, 0.5) == (INF, 0.0)

    def test_base_0_with_a_negative_exponent_warns_as_numpy_does(self):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert slopes(ad.power, 0.0, -1.0) == (-INF, -INF)

    def test_a_negative_base_has_no_slope_in_its_exponent(self):
        dx, dy = slopes(ad.power, -2.0, 3.0)
        assert dx == 12.0
        assert np.isnan(dy)

    def test_a_constant_base(self):
        assert slope(lambda x: 2**x, 3.0, order=2) == pytest.approx(8.0 * np.log(2.0) ** 2, rel=1e-15)
        assert slope(lambda x: 0.0**x, 3.0) == 0.0

    def test_exponents_in_an_array(self):
        x = np.array([-1.0, 0.0, 2.0, 0.0])
        out = ad.elementwise_grad(lambda t: t ** np.array([2, 0, 3, 1]))(x)
        assert out.tolist() == [-2.0, 0.0, 12.0, 1.0]

    def test_float_power_answers_in_float64(self):
        t = ad.tensor(np.float32([1.0, 2.0]))
        out = np.float_power(t, 2)
        assert out.dtype == np.float64
        assert ad.gradients(out, t, np.ones(2)).dtype == np.float32
        assert ad.float_power(np.array([2]), -1).tolist() == [0.5]


class TestLimits:
    @pytest.mark.parametrize(
        ("f", "x", "want"),
        [
            (ad.sqrt, 0.0, INF),
            (ad.cbrt, 0.0, INF),
            (lambda x: x**0.5, 0.0, INF),
            (lambda x: x**-1.0, INF, -0.0),
            (ad.square, 0.0, 0.0),
        ],
    )
    def test_one_sided(self, f, x, want):
        with np.errstate(all="raise"):
            assert slope(f, x) == want

    def test_division_by_0_warns_as_numpy_does(self):
        for f in (ad.reciprocal, lambda x: 1 / x):
            with pytest.warns(RuntimeWarning, match="divide by zero"):
                assert slope(f, 0.0) == -INF

    @pytest.mark.parametrize("f", [ad.absolute, ad.fabs, abs, np.abs])
    def test_abs_is_flat_at_its_kink(self, f):
        assert [slope(f, x) for x in (-2.0, 0.0, 2.0)] == [-1.0, 0.0, 1.0]

    def test_hypot_is_flat_at_its_kink(self):
        with np.errstate(all="raise"):
            assert slopes(ad.hypot, 0.0, 0.0) == (0.0, 0.0)
            assert slopes(ad.hypot, 3.0, -4.0) == (0.6, -0.8)
            assert slopes(ad.hypot, 3e200, 4e200) == pytest.approx((0.6, 0.8), rel=1e-15)
            assert slopes(ad.hypot, 0.0, 2.0) == (0.0, 1.0)

    def test_copysign(self):
        assert slopes(ad.copysign, 2.0, -0.0) == (-1.0, 0.0)
        assert slopes(ad.copysign, -2.0, 0.0) == (-1.0, 0.0)
        assert slopes(ad.copysign, 0.0, -1.0) == (0.0, 0.0)


class TestRemainders:
    @pytest.mark.parametrize(("a", "b"), [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0)])
    def test_slopes_are_1_and_minus_the_quotient(self, a, b):
        assert slopes(ad.mod, a, b) == (1.0, -np.floor(a / b))
        assert slopes(ad.fmod, a, b) == (1.0, -np.trunc(a / b))
        assert slopes(lambda a, b: a % b, a, b) == (1.0, -np.floor(a / b))
        assert slopes(lambda a, b: a // b, a, b) == (0.0, 0.0)

    def test_divmod(self):
        x = ad.tensor([7.5, -7.5])
        quotient, rest = np.divmod(x, 2.0)
        assert ad.gradients(quotient, x, np.ones(2)).tolist() == [0.0, 0.0]
        assert ad.gradients(rest, x, np.ones(2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("f", [np.sign, np.floor, np.ceil, np.trunc, np.fix, np.rint, np.round, np.around])
def test_steps_are_recorded_with_slope_0(f):
    x = ad.tensor([-1.5, 0.0, 0.3, 2.0])
    out = f(x)
    assert not out.constant
    out.sum().backward()
    assert x.grad.tolist() == [0.0] * 4
    np.testing.assert_array_equal(out.data, f(x.data))


class TestSequences:
    def test_zeros_among_the_factors(self):
        product = lambda a, b, c: ad.multiply_sequence([a, b, c])  # noqa: E731
        assert slopes(product, 0.0, 2.0, 3.0) == (6.0, 0.0, 0.0)
        assert slopes(product, 0.0, 0.0, 3.0) == (0.0, 0.0, 0.0)

    def test_one_operand_that_comes_twice(self):
        assert slopes(lambda a: ad.add_sequence([a, a, 1.0]), 2.0) == (2.0,)
        assert slopes(lambda a: ad.multiply_sequence([a, a, a]), 2.0) == (12.0,)

    @pytest.mark.parametrize("f", [ad.add_sequence, ad.multiply_sequence])
    def test_plain_arrays(self, f):
        a, b, c = np.arange(3.0), np.ones((2, 1)), 2
        want = a + b + c if f is ad.add_sequence else a * b * c
        np.testing.assert_array_equal(f([a, b, c]), want)

    @pytest.mark.parametrize("f", [ad.add_sequence, ad.multiply_sequence])
    def test_an_empty_sequence_is_refused(self, f):
        with pytest.raises(OperandError, match="empty"):
            f([])


def test_second_names_are_the_same_functions():
    for name, second in [
        ("absolute", "abs"),
        ("divide", "true_divide"),
        ("power", "pow"),
        ("mod", "remainder"),
        ("trunc", "fix"),
        ("round", "around"),
    ]:
        assert getattr(ad, name) is getattr(ad, second)


def test_ufunc_options_are_refused():
    with pytest.raises(UnsupportedError, match="where="):
        np.sqrt(ad.tensor([1.0]), where=np.array([True]))
    with pytest.raises(UnsupportedError, match="out="):
        np.round(ad.tensor([1.0]), out=np.zeros(1))


# --- Scalars ---------------------------------------------------------------------------------------------

NAMES = [name for name in closures.RULES if name != "power_constant"]
BINARY = {"add", "subtract", "multiply", "divide", "power", "maximum", "minimum"}


@pytest.mark.parametrize("name", NAMES)
def test_a_scalar_gets_the_answers_of_a_tensor(name):
    f = getattr(ad, name)
    rng = np.random.default_rng(NAMES.index(name))
    for _ in range(20):
        values = rng.uniform(0.2, 2.0, 2 if name in BINARY else 1)
        scalars = [ad.Scalar(value, name=k) for k, value in enumerate(values)]
        tensors = [ad.tensor(value) for value in values]
        ours, theirs = f(*scalars), f(*tensors)
        assert isinstance(ours, ad.Scalar)
        assert ours.value == pytest.approx(theirs.item(), rel=1e-15)
        got = ours.grad()
        for k, want in enumerate(ad.gradients(theirs, tensors)):
            assert got[k] == pytest.approx(float(want), rel=1e-14)


@pytest.mark.parametrize("name", sorted({*NAMES} - {"power", "sqrt", "log"} - BINARY))
def test_a_negative_scalar_too(name):
    for value in (-1.7, -0.3):
        x, t = ad.Scalar(value, name="x"), ad.tensor(value)
        f = getattr(ad, name)
        assert f(x).grad()["x"] == pytest.approx(float(ad.gradients(f(t), t)), rel=1e-14)


def test_the_special_points_of_scalars():
    for f, point in [
        (ad.absolute, (0.0,)),
        (ad.relu, (0.0,)),
        (ad.maximum, (1.0, 1.0)),
        (ad.minimum, (1.0, 1.0)),
        (ad.power, (0.0, 2.0)),
        (ad.power, (0.0, 0.0)),
    ]:
        scalars = [ad.Scalar(value, name=k) for k, value in enumerate(point)]
        assert tuple(f(*scalars).grad().values()) == slopes(f, *point)
    x = ad.Scalar(-2.0, name="x")
    assert ad.power(x, 3).grad() == {"x": 12.0}
    assert ad.power(2, x).grad()["x"] == pytest.approx(0.25 * np.log(2.0), rel=1e-15)
    assert ad.multiply_sequence([x, x, 2.0]).grad() == {"x": -8.0}


def test_what_a_scalar_has_not_is_refused():
    with pytest.raises(UnsupportedError, match="a Scalar has no cbrt"):
        ad.cbrt(ad.Scalar(1.0))

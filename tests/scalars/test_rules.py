"""Values and slopes of every Scalar operation, as tables."""

import cmath
import math
import operator
from fractions import Fraction

import numpy as np
import pytest

from autodiff import ClosureScalar, GradientError, Scalar
from autodiff.closures import RULES
from autodiff.errors import DomainError, OperandError

STEP = 1e-20


def complex_step(f, points, which):
    """df/d(points[which]), exact to rounding for analytic f."""
    moved = [complex(p, STEP if k == which else 0.0) for k, p in enumerate(points)]
    return f(*moved).imag / STEP


# name, on Scalars, on complex numbers, operand values
ANALYTIC = [
    ("add", lambda x, y: x + y, lambda x, y: x + y, [(1.5, -2.0), (0.0, 0.0)]),
    ("subtract", lambda x, y: x - y, lambda x, y: x - y, [(1.5, -2.0), (3.0, 3.0)]),
    ("multiply", lambda x, y: x * y, lambda x, y: x * y, [(1.5, -2.0), (0.0, 4.0)]),
    ("divide", lambda x, y: x / y, lambda x, y: x / y, [(1.5, -2.0), (0.0, 4.0)]),
    (
        "power",
        lambda x, y: x**y,
        lambda x, y: cmath.exp(y * cmath.log(x)),
        [(1.5, -2.0), (2.0, 0.5), (0.3, 3.0)],
    ),
    ("negative", lambda x: -x, lambda x: -x, [(1.5,), (0.0,)]),
    ("positive", lambda x: (+x) * 1.0, lambda x: x, [(1.5,)]),
    ("square", lambda x: x.square(), lambda x: x * x, [(1.5,), (-2.0,), (0.0,)]),
    ("sqrt", lambda x: x.sqrt(), cmath.sqrt, [(1.5,), (1e-6,)]),
    ("exp", lambda x: x.exp(), cmath.exp, [(1.5,), (-3.0,), (0.0,)]),
    ("log", lambda x: x.log(), cmath.log, [(1.5,), (1e-3,)]),
    ("sin", lambda x: x.sin(), cmath.sin, [(1.5,), (-3.0,)]),
    ("cos", lambda x: x.cos(), cmath.cos, [(1.5,), (-3.0,)]),
    ("tanh", lambda x: x.tanh(), cmath.tanh, [(1.5,), (-2.0,), (0.0,)]),
    ("sigmoid", lambda x: x.sigmoid(), lambda x: 1 / (1 + cmath.exp(-x)), [(1.5,), (-2.0,), (0.0,)]),
    ("softplus", lambda x: x.softplus(), lambda x: cmath.log(1 + cmath.exp(x)), [(1.5,), (-2.0,), (0.0,)]),
    ("relu", lambda x: x.relu(), lambda x: x if x.real > 0 else 0j, [(1.5,), (-2.0,)]),
    ("absolute", abs, lambda x: x if x.real > 0 else -x, [(1.5,), (-2.0,)]),
    (
        "maximum",
        lambda x, y: x.maximum(y),
        lambda x, y: x if x.real > y.real else y,
        [(1.5, -2.0), (-2.0, 1.5)],
    ),
    (
        "minimum",
        lambda x, y: x.minimum(y),
        lambda x, y: x if x.real < y.real else y,
        [(1.5, -2.0), (-2.0, 1.5)],
    ),
    # a plain number on either side
    ("x + 3", lambda x: x + 3, lambda x: x + 3, [(1.5,)]),
    ("3 + x", lambda x: 3 + x, lambda x: 3 + x, [(1.5,)]),
    ("x - 3", lambda x: x - 3, lambda x: x - 3, [(1.5,)]),
    ("3 - x", lambda x: 3 - x, lambda x: 3 - x, [(1.5,)]),
    ("x * 3", lambda x: x * 3, lambda x: x * 3, [(1.5,)]),
    ("3 * x", lambda x: 3 * x, lambda x: 3 * x, [(1.5,)]),
    ("x / 3", lambda x: x / 3, lambda x: x / 3, [(1.5,)]),
    ("3 / x", lambda x: 3 / x, lambda x: 3 / x, [(1.5,), (-0.5,)]),
    ("x ** 3", lambda x: x**3, lambda x: x * x * x, [(1.5,), (-2.0,), (0.0,)]),
    ("x ** -1", lambda x: x**-1, lambda x: 1 / x, [(1.5,), (-2.0,)]),
    ("x ** 0.5", lambda x: x**0.5, cmath.sqrt, [(1.5,)]),
    ("x ** Scalar(3)", lambda x: x ** Scalar(3.0), lambda x: x * x * x, [(1.5,), (-2.0,), (0.0,)]),
    ("3 ** x", lambda x: 3**x, lambda x: cmath.exp(x * math.log(3)), [(1.5,), (-2.0,)]),
    ("max(x, 1)", lambda x: x.maximum(1), lambda x: x if x.real > 1 else 1 + 0j, [(1.5,), (-2.0,)]),
    ("min(x, 1)", lambda x: x.minimum(1), lambda x: x if x.real < 1 else 1 + 0j, [(1.5,), (-2.0,)]),
]


@pytest.mark.parametrize(
    ("on_scalars", "on_complex", "values"),
    [pytest.param(f, z, v, id=f"{name} at {v}") for name, f, z, table in ANALYTIC for v in table],
)
def test_value_and_slopes(on_scalars, on_complex, values):
    g = 0.1 + np.random.default_rng(len(values)).random()
    leaves = [Scalar(v, name=k) for k, v in enumerate(values)]
    out = on_scalars(*leaves)
    assert out.value == pytest.approx(on_complex(*map(complex, values)).real, rel=1e-15, abs=1e-15)
    for k, slope in out.grad(g).items():
        assert slope == pytest.approx(g * complex_step(on_complex, values, k), rel=1e-13, abs=1e-15)
    assert set(out.grad(g)) == set(range(len(values)))


def test_every_rule_has_a_case():
    named = {name for name, *_ in ANALYTIC} | {"power_constant"}  # x ** 3 and its like
    assert set(RULES) <= named


# What calculus leaves open: function, point, value, slope.
KINKS = [
    ("abs at 0", abs, 0.0, 0.0, 0.0),
    ("relu at 0", lambda x: x.relu(), 0.0, 0.0, 0.0),
    ("maximum(x, 0) at 0", lambda x: x.maximum(0.0), 0.0, 0.0, 0.5),
    ("minimum(x, 0) at 0", lambda x: x.minimum(0), 0.0, 0.0, 0.5),
    ("maximum(x, x)", lambda x: x.maximum(x), 2.0, 2.0, 1.0),
    ("minimum(x, x)", lambda x: x.minimum(x), 2.0, 2.0, 1.0),
    ("x ** 0 at 0", lambda x: x**0, 0.0, 1.0, 0.0),
    ("x ** 1 at 0", lambda x: x**1, 0.0, 0.0, 1.0),
    ("x ** 2 at 0", lambda x: x**2, 0.0, 0.0, 0.0),
    ("x ** 3 at 0", lambda x: x**3, 0.0, 0.0, 0.0),
    ("x ** 0 below 0", lambda x: x**0, -3.0, 1.0, 0.0),
    ("x ** 1 below 0", lambda x: x**1, -3.0, -3.0, 1.0),
    ("x ** 2 below 0", lambda x: x**2, -3.0, 9.0, -6.0),
    ("x ** 3 below 0", lambda x: x**3, -3.0, -27.0, 27.0),
    ("sigmoid at 1000", lambda x: x.sigmoid(), 1000.0, 1.0, 0.0),
    ("sigmoid at -1000", lambda x: x.sigmoid(), -1000.0, 0.0, 0.0),
    ("tanh at 1000", lambda x: x.tanh(), 1000.0, 1.0, 0.0),
    ("tanh at -1000", lambda x: x.tanh(), -1000.0, -1.0, 0.0),
    ("softplus at 1000", lambda x: x.softplus(), 1000.0, 1000.0, 1.0),
    ("softplus at -1000", lambda x: x.softplus(), -1000.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("f", "at", "value", "slope"), [pytest.param(*c[1:], id=c[0]) for c in KINKS])
def test_kinks_and_edges(f, at, value, slope):
    out = f(Scalar(at, name="x"))
    assert (out.value, out.grad()) == (value, {"x": slope})


@pytest.mark.parametrize(
    ("x", "y", "by_x", "by_y"),
    [
        (0.0, 2.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (-2.0, 3.0, 12.0, math.nan),
        (2.0, 3.0, 12.0, 8 * math.log(2)),
    ],
)
def test_power_of_two_variables(x, y, by_x, by_y):
    got = (Scalar(x, name="x") ** Scalar(y, name="y")).grad()
    assert got == pytest.approx({"x": by_x, "y": by_y}, rel=1e-15, nan_ok=True)


DOMAIN = [
    (
        "negative base, fractional exponent",
        lambda x: x**0.5,
        -2.0,
        DomainError,
        r"power\(-2\.0, 0\.5\).*fractional",
    ),
    (
        "negative base, Scalar exponent",
        lambda x: x ** Scalar(0.5, "y"),
        -2.0,
        DomainError,
        r"power\(-2\.0, 0\.5\)",
    ),
    ("number base, fractional exponent", lambda x: (-2) ** x, 0.5, DomainError, r"power\(-2\.0, 0\.5\)"),
    ("log of 0", lambda x: x.log(), 0.0, DomainError, r"log\(0\.0\)"),
    ("log below 0", lambda x: x.log(), -1.0, DomainError, r"log\(-1\.0\)"),
    ("sqrt below 0", lambda x: x.sqrt(), -1.0, DomainError, r"sqrt\(-1\.0\)"),
    ("x / 0", lambda x: x / 0, 1.0, ZeroDivisionError, r"divide\(1\.0, 0\.0\)"),
    ("1 / x at 0", lambda x: 1 / x, 0.0, ZeroDivisionError, r"divide\(1\.0, 0\.0\)"),
    ("0 ** -1", lambda x: x**-1, 0.0, ZeroDivisionError, r"power\(0\.0, -1\.0\)"),
    ("exp of 1000", lambda x: x.exp(), 1000.0, OverflowError, r"exp\(1000\.0\)"),
    ("1e200 ** 2", lambda x: x**2, 1e200, OverflowError, r"power\(1e\+200, 2\.0\)"),
    (
        "slope of sqrt at 0",
        lambda x: x.sqrt().grad(),
        0.0,
        ZeroDivisionError,
        r"the derivative of sqrt\(0\.0\)",
    ),
    (
        "slope of x ** 0.5 at 0",
        lambda x: (x**0.5).grad(),
        0.0,
        ZeroDivisionError,
        r"derivative of power\(0\.0, 0\.5\)",
    ),
]


@pytest.mark.parametrize(("f", "at", "kind", "message"), [pytest.param(*c[1:], id=c[0]) for c in DOMAIN])
def test_outside_the_domain(f, at, kind, message):
    with pytest.raises(kind, match=message):
        f(Scalar(at, name="x"))


@pytest.mark.parametrize(
    "number",
    [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), Fraction(1, 2)],
    ids=lambda n: type(n).__name__,
)
@pytest.mark.parametrize(
    "op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow], ids=lambda f: f.__name__
)
def test_real_numbers_join_on_both_sides(op, number):
    x = Scalar(3.0, name="x")
    right, left = op(x, number), op(number, x)
    assert (type(right), right.value) == (Scalar, op(3.0, float(number)))
    assert (type(left), left.value) == (Scalar, op(float(number), 3.0))
    assert type(right.value) is type(left.value) is float
    assert set(right.grad()) == set(left.grad()) == {"x"}


@pytest.mark.parametrize(
    "wrong", ["3", None, 1j, [1.0], np.ones(3), np.array(2.0), 10**400], ids=lambda w: type(w).__name__
)
@pytest.mark.parametrize(
    "use",
    [
        Scalar,
        lambda w: Scalar(1.0, "x") + w,
        lambda w: w * Scalar(1.0, "x"),
        lambda w: w - Scalar(1.0, "x"),
        lambda w: Scalar(1.0, "x") < w,
        lambda w: Scalar(1.0, "x").maximum(w),
        lambda w: Scalar(1.0, "x").grad(w),
    ],
    ids=["Scalar(w)", "x + w", "w * x", "w - x", "x < w", "x.maximum(w)", "grad(w)"],
)
def test_other_operands_are_refused(use, wrong):
    with pytest.raises(OperandError, match=r"takes (real )?numbers"):
        use(wrong)


def test_an_array_on_the_left_names_its_shape_and_the_way_out():
    with pytest.raises(OperandError, match=r"array of shape \(2, 3\).*loop over the entries"):
        np.ones((2, 3)) * Scalar(1.0, name="x")


def test_a_scalar_is_not_wrapped_twice():
    with pytest.raises(OperandError, match=r"take its \.value"):
        Scalar(Scalar(1.0))


def test_a_number_for_the_lectures_class_must_be_wrapped():
    with pytest.raises(OperandError, match=r"multiply takes ClosureScalars.*ClosureScalar\(2\)"):
        ClosureScalar(1.0, name="x") * 2
    assert issubclass(OperandError, GradientError)
    assert issubclass(OperandError, TypeError)


def test_comparisons_go_by_value_and_equality_by_identity():
    x, y, twin = Scalar(1.0, name="x"), Scalar(2.0, name="y"), Scalar(1.0, name="x")
    assert (x < y, x <= twin, y > x, y >= 2, x < 1.0, x > 0) == (True, True, True, True, False, True)
    assert x != twin
    assert len({x, twin}) == 2

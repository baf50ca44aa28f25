"""The course's table of accuracy, f = eˣ·sin x at 1.3, reproduced."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from autodiff.checks import finite_difference, numerical_gradient
from autodiff.errors import NumericalCheckError

X = 1.3


def f(x):
    return np.exp(x) * np.sin(x)


def series(x, first, power):
    """x**power/power! with alternating signs, every second power: sin for power 1, cos for power 0."""
    total, term, k = first, first, power
    while abs(term) > Decimal("1e-70"):
        term = -term * x * x / ((k + 1) * (k + 2))
        total, k = total + term, k + 2
    return total


def decimal_f(x):
    return x.exp() * series(x, x, 1)


def true_slope(x):
    with localcontext() as context:
        context.prec = 60
        x = Decimal(x)
        return x.exp() * (series(x, x, 1) + series(x, Decimal(1), 0))


def error(slope, x=X):
    with localcontext() as context:
        context.prec = 60
        return float(abs(Decimal(float(slope)) / true_slope(x) - 1))


# h, error of the central difference as printed in the course
TRUNCATION = [(1e-2, 1.9e-5), (1e-4, 1.9e-9), (1e-5, 1.9e-11)]


@pytest.mark.parametrize(("h", "printed"), TRUNCATION)
def test_central_difference_where_truncation_rules(h, printed):
    (slope,) = finite_difference(f, X, back_grad=1.0, h=h)
    assert error(slope) == pytest.approx(printed, rel=0.5)  # rounding adds up to 1e-11 to the last row


# h, error of the central difference: a matter of luck at one x, so the median around 1.3 is held to
# the rounding of f, 2.2e-16 · |f| / (h · |f'|), within a factor of ten both ways
ROUNDING = [(1e-6, 1e-10), (1e-8, 1e-8), (1e-12, 1e-4)]


@pytest.mark.parametrize(("h", "order"), ROUNDING)
def test_central_difference_where_rounding_rules(h, order):
    around = np.linspace(1.25, 1.35, 101)
    median = np.median([error(finite_difference(f, x, back_grad=1.0, h=h)[0], x) for x in around])
    assert order / 10 < median < order * 10


def test_the_default_step_is_near_the_best():
    (slope,) = finite_difference(f, X, back_grad=1.0)
    assert error(slope) < 1e-10


@pytest.mark.parametrize("h", [1e-16, 1e-20])
def test_central_difference_where_the_step_is_lost(h):
    # the bare formula gives 0, an error of 1; here it is refused
    with pytest.raises(NumericalCheckError, match="vanishes"):
        finite_difference(f, X, back_grad=1.0, h=h)


COMPLEX = [(1e-4, 1.9e-9), (1e-5, 1.9e-11), (1e-6, 1.9e-13)]


@pytest.mark.parametrize(("h", "printed"), COMPLEX)
def test_complex_step_where_truncation_rules(h, printed):
    (slope,) = numerical_gradient(f, X, back_grad=1.0, h=h)
    assert error(slope) == pytest.approx(printed, rel=0.05)  # two digits are printed


def test_a_complex_step_that_is_too_large_is_caught():
    with pytest.raises(NumericalCheckError, match="disagree"):  # the error of 1.9e-5 is more than 1e-6
        numerical_gradient(f, X, back_grad=1.0, h=1e-2)


@pytest.mark.parametrize("h", [1e-8, 1e-12, 1e-16, 1e-20])
def test_complex_step_is_exact_to_rounding(h):
    (slope,) = numerical_gradient(f, X, back_grad=1.0, h=h)
    assert error(slope) < 4.5e-16  # two units in the last place: "0" in the table


def test_decimal_difference_is_exact_to_rounding():
    seen = []

    def spy(x):
        seen.append((x, decimal_f(x)))
        return seen[-1][1]

    (slope,) = finite_difference(spy, X, back_grad=1.0, as_decimal=True)
    assert error(slope) < 1.2e-16  # the nearest float
    # before it was rounded to a float: 1.9e-17 in the table
    (above, f_above), (below, f_below) = seen
    with localcontext() as context:
        context.prec = 60
        assert float(abs((f_above - f_below) / (above - below) / true_slope(X) - 1)) < 1e-16

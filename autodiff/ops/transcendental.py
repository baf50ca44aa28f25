"""Exponentials, logarithms, trigonometry: functions of one or two numbers, entry by entry.

Needs pointwise.py. Each row has its rule beside it; a reciprocal such as sec is composed. Read in U10.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.ops.choices import where
from autodiff.ops.pointwise import NOT_ZERO, absolute, hypot, sqrt
from autodiff.ops.pointwise import log as log
from autodiff.primitive import FUNCTIONS, POSITIVE, Domain, Function, composed, elementwise

_LOG2, _LOG10 = math.log(2.0), math.log(10.0)
_INSIDE: Domain = ((-1.0, 1.0),)

# --- exponentials and logarithms -------------------------------------------------------------------------

exp = elementwise("exp", "exp", np.exp, a=lambda g, out: g * out)
exp2 = elementwise("exp2", "2^", np.exp2, a=lambda g, out: g * (_LOG2 * out))
expm1 = elementwise("expm1", "exp−1", np.expm1, a=lambda g, out: g * (out + 1.0))
log2 = elementwise("log2", "log₂", np.log2, domain=POSITIVE, a=lambda g, a: g / (_LOG2 * a))
log10 = elementwise("log10", "log₁₀", np.log10, domain=POSITIVE, a=lambda g, a: g / (_LOG10 * a))
log1p = elementwise("log1p", "log1+", np.log1p, domain=((-1.0, np.inf),), a=lambda g, a: g / (1.0 + a))


def _sigmoid(a: Any) -> Any:
    e = np.exp(-np.abs(a))  # never above 1: nothing overflows
    return np.where(np.greater_equal(a, 0), 1.0, e) / (1.0 + e)


sigmoid = elementwise(
    "sigmoid",
    "σ",
    _sigmoid,
    doc="1/(1 + e⁻ᵃ), without overflow.",
    a=lambda g, out: g * (out * (1.0 - out)),
)
softplus = elementwise(
    "softplus",
    "softplus",
    lambda a: np.maximum(a, 0) + np.log1p(np.exp(-np.abs(a))),  # np.logaddexp takes half as long again
    doc="log(1 + eᵃ), without overflow.",
    a=lambda g, a: g * sigmoid(a),
)


@composed()
def logit(a: Any) -> Any:
    """log(a/(1 − a)), which sigmoid undoes; a lies between 0 and 1.

    >>> logit(np.array([0.5, 1.0 / (1.0 + np.exp(-2.0))]))
    array([0., 2.])
    """
    return log(a) - log1p(-a)


def _lead(a: Any, b: Any) -> Any:
    """a − b, and 0 where both are the same infinity: then each gets half of the gradient."""
    return where((a == b) & (absolute(a) == np.inf), 0.0, a - b)


logaddexp = elementwise(
    "logaddexp",
    "log(e+e)",
    np.logaddexp,
    doc="log(eᵃ + eᵇ), without overflow; −inf is the logarithm of 0.",
    a=lambda g, a, b: g * sigmoid(_lead(a, b)),
    b=lambda g, a, b: g * sigmoid(_lead(b, a)),
)
logaddexp2 = elementwise(
    "logaddexp2",
    "log₂(2^+2^)",
    np.logaddexp2,
    doc="log₂(2ᵃ + 2ᵇ), without overflow; −inf is the logarithm of 0.",
    a=lambda g, a, b: g * sigmoid(_LOG2 * _lead(a, b)),
    b=lambda g, a, b: g * sigmoid(_LOG2 * _lead(b, a)),
)


def _xlogy(a: Any, b: Any) -> Any:
    return a * np.log(np.where(np.equal(a, 0) & ~np.isnan(b), 1.0, b))


xlogy = elementwise(
    "xlogy",
    "a·log b",
    _xlogy,
    domain={"b": POSITIVE},
    doc="a·log b, and 0 where a is 0; where both are, the slopes are the limits −inf (for a) and 0 (for b).",
    a=lambda g, b: g * log(b),
    b=lambda g, a, b: g * (a / where((a == 0) & (b == 0), 1.0, b)),
)

# --- trigonometry ----------------------------------------------------------------------------------------

sin: Function = elementwise("sin", "sin", np.sin, a=lambda g, a: g * cos(a))
cos: Function = elementwise("cos", "cos", np.cos, a=lambda g, a: -g * sin(a))
tan = elementwise(
    "tan", "tan", np.tan, domain=((-math.pi / 2, math.pi / 2),), a=lambda g, out: g * (1.0 + out * out)
)
# (1 − a)·(1 + a) for 1 − a²: exact near the ends, where the slope is steep.
arcsin = elementwise(
    "arcsin", "arcsin", np.arcsin, domain=_INSIDE, a=lambda g, a: g / sqrt((1.0 - a) * (1.0 + a))
)
arccos = elementwise(
    "arccos", "arccos", np.arccos, domain=_INSIDE, a=lambda g, a: -g / sqrt((1.0 - a) * (1.0 + a))
)
arctan = elementwise("arctan", "arctan", np.arctan, a=lambda g, a: g / (1.0 + a * a))


def _turn(g: Any, along: Any, a: Any, b: Any) -> Any:
    """g · along/(a² + b²): squares of large numbers overflow, the length doesn't."""
    length = hypot(a, b)
    return g * (along / length) / length


arctan2 = elementwise(
    "arctan2",
    "arctan2",
    np.arctan2,
    domain=NOT_ZERO,
    doc="The angle of the point (b, a), from −π to π.",
    a=lambda g, a, b: _turn(g, b, a, b),
    b=lambda g, a, b: -_turn(g, a, a, b),
)
deg2rad = elementwise(
    "deg2rad",
    "rad",
    np.deg2rad,
    numpy=(np.radians,),
    a=lambda g: g * (math.pi / 180),
    doc="`a` degrees in radians.",
)
rad2deg = elementwise(
    "rad2deg",
    "deg",
    np.rad2deg,
    numpy=(np.degrees,),
    a=lambda g: g * (180 / math.pi),
    doc="`a` radians in degrees.",
)

# --- hyperbolic functions --------------------------------------------------------------------------------

sinh: Function = elementwise("sinh", "sinh", np.sinh, a=lambda g, a: g * cosh(a))
cosh: Function = elementwise("cosh", "cosh", np.cosh, a=lambda g, a: g * sinh(a))
tanh = elementwise("tanh", "tanh", np.tanh, a=lambda g, out: g * (1.0 - out * out))
arcsinh = elementwise("arcsinh", "arcsinh", np.arcsinh, a=lambda g, a: g / hypot(a, 1.0))
arccosh = elementwise(
    "arccosh",
    "arccosh",
    np.arccosh,
    domain=((1.0, np.inf),),
    a=lambda g, a: g / (sqrt(a - 1.0) * sqrt(a + 1.0)),
)
arctanh = elementwise(
    "arctanh", "arctanh", np.arctanh, domain=_INSIDE, a=lambda g, a: g / ((1.0 - a) * (1.0 + a))
)
# Rows, not 1/cosh and 1/sinh: the gradient would be 0·inf from ±711 on, where these overflow.
sech = elementwise(
    "sech", "sech", lambda a: 1.0 / np.cosh(a), doc="1/cosh a.", a=lambda g, a, out: -g * out * tanh(a)
)
csch = elementwise(
    "csch",
    "csch",
    lambda a: 1.0 / np.sinh(a),
    domain=NOT_ZERO,
    doc="1/sinh a.",
    a=lambda g, a, out: -g * out / tanh(a),
)

# --- what is composed ------------------------------------------------------------------------------------


@composed()
def sec(a: Any) -> Any:
    """1/cos a."""
    return 1.0 / cos(a)


@composed()
def csc(a: Any) -> Any:
    """1/sin a."""
    return 1.0 / sin(a)


@composed()
def cot(a: Any) -> Any:
    """cos a / sin a."""
    return cos(a) / sin(a)


@composed()
def coth(a: Any) -> Any:
    """1/tanh a."""
    return 1.0 / tanh(a)


@composed()
def arcsec(a: Any) -> Any:
    """The angle from 0 to π with secant a; |a| ≥ 1."""
    return arccos(1.0 / a)


@composed()
def arccsc(a: Any) -> Any:
    """The angle from −π/2 to π/2 with cosecant a; |a| ≥ 1."""
    return arcsin(1.0 / a)


@composed()
def arccot(a: Any) -> Any:
    """The angle between 0 and π with cotangent a: continuous at 0, unlike arctan(1/a).

    >>> arccot(np.array([-1.0, 0.0, 1.0])) / np.pi
    array([0.75, 0.5 , 0.25])
    """
    return arctan2(1.0, a)


@composed()
def arcsech(a: Any) -> Any:
    """The number ≥ 0 with hyperbolic secant a; 0 < a ≤ 1."""
    return arccosh(1.0 / a)


@composed()
def arccsch(a: Any) -> Any:
    """The number with hyperbolic cosecant a; a ≠ 0."""
    return arcsinh(1.0 / a)


@composed()
def arccoth(a: Any) -> Any:
    """The number with hyperbolic cotangent a; |a| > 1."""
    return arctanh(1.0 / a)


# NumPy's second names.
FUNCTIONS.update(asin=arcsin, acos=arccos, atan=arctan, atan2=arctan2)
FUNCTIONS.update(asinh=arcsinh, acosh=arccosh, atanh=arctanh, radians=deg2rad, degrees=rad2deg)

"""Arithmetic on arrays, entry by entry: each row with its rules beside it.

Needs primitive.py and choices.py. Operands broadcast; whoever hands a gradient on sums it back to the
operand's shape, so no rule has to. Read in U10 and U11.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.errors import OperandError
from autodiff.ops.choices import where
from autodiff.ops.shapes import cast
from autodiff.primitive import FUNCTIONS, POSITIVE, Domain, Function, Like, composed, elementwise, variadic

NOT_ZERO: Domain = ((-np.inf, 0.0), (0.0, np.inf))

# --- the four operations ---------------------------------------------------------------------------------

add = elementwise("add", "+", np.add, a=lambda g: g, b=lambda g: g)
subtract = elementwise("subtract", "−", np.subtract, a=lambda g: g, b=lambda g: -g)
multiply = elementwise("multiply", "×", np.multiply, a=lambda g, b: g * b, b=lambda g, a: g * a)
divide = elementwise(
    "divide",
    "÷",
    np.divide,
    domain={"b": NOT_ZERO},
    a=lambda g, b: g / b,
    b=lambda g, b, out: -(g / b) * out,
)
negative = elementwise("negative", "−", np.negative, a=lambda g: -g)
positive = elementwise("positive", "+", np.positive, a=lambda g: g)
reciprocal = elementwise("reciprocal", "1/", np.reciprocal, domain=NOT_ZERO, a=lambda g, out: -g * out * out)


def _fold(join: Function, operands: Sequence[Any]) -> Any:
    if len(operands) == 0:
        raise OperandError("a sequence of one operand or more is needed; got an empty one")
    return functools.reduce(join, operands) if len(operands) > 1 else np.positive(operands[0])


add_sequence = variadic(
    "add_sequence",
    "Σ",
    lambda operands: _fold(np.add, operands),
    doc="a + b + c + … of a sequence of operands, in one node.",
    each=lambda g: g,
)


@composed()
def multiply_sequence(operands: Sequence[Any]) -> Any:
    """a · b · c · … of a sequence of operands; the gradient is right at zeros, as nothing is divided.

    >>> multiply_sequence([np.array([1.0, 2.0]), 3.0, 2.0])
    array([ 6., 12.])
    """
    return _fold(multiply, operands)


# --- powers ----------------------------------------------------------------------------------------------

log = elementwise("log", "log", np.log, domain=POSITIVE, a=lambda g, a: g / a)  # here, as power needs it


def _power(a: Any, b: Any) -> Any:
    return a**b if type(a) is np.ndarray else np.power(a, b)  # a**2 multiplies, np.power(a, 2) is slower


power = elementwise(
    "power",
    "**",
    _power,
    numpy=(np.power,),
    domain={"a": POSITIVE},
    doc="`a**b`. A constant exponent asks for no logarithm of a, so a may be 0 or negative.",
    # b == 0 apart: 0 · a**-1 is nan at a = 0, where the slope is plainly 0.
    a=lambda g, a, b: g * b * a ** ((b != 0) * (b - 1)),
    # 0**b stays 0 for b > 0, and 0**0 is taken to have slope 0: log 1 in the place of log 0.
    b=lambda g, a, b, out: g * out * log(where((a == 0) & (b >= 0), 1.0, a)),
)


@composed(np.float_power)
def float_power(a: Any, b: Any) -> Any:
    """`a**b`, computed in float64.

    >>> float_power(2, -1)
    np.float64(0.5)
    """
    return power(cast(a, like=Like((), np.dtype(np.float64))), b)


square = elementwise("square", "²", np.square, a=lambda g, a: 2.0 * g * a)
sqrt = elementwise("sqrt", "√", np.sqrt, domain=POSITIVE, a=lambda g, out: 0.5 * g / out)
cbrt = elementwise("cbrt", "∛", np.cbrt, domain=NOT_ZERO, a=lambda g, out: g / (3.0 * out * out))

# --- steps: flat wherever they have a derivative ---------------------------------------------------------

sign = elementwise("sign", "sign", np.sign, domain=NOT_ZERO, a=lambda g: g * 0.0)
floor = elementwise("floor", "⌊⌋", np.floor, a=lambda g: g * 0.0)
ceil = elementwise("ceil", "⌈⌉", np.ceil, a=lambda g: g * 0.0)
trunc = elementwise("trunc", "trunc", np.trunc, numpy=(np.fix,), a=lambda g: g * 0.0)
rint = elementwise("rint", "rint", np.rint, a=lambda g: g * 0.0)
round = elementwise(
    "round",
    "round",
    lambda a, decimals=0: np.round(a, decimals),
    numpy=(np.round, np.around),
    doc="`a` to this many decimals, ties to even.",
    a=lambda g: g * 0.0,
)
floor_divide = elementwise(
    "floor_divide",
    "//",
    np.floor_divide,
    domain={"b": NOT_ZERO},
    a=lambda g: g * 0.0,
    b=lambda g: g * 0.0,
)

# --- remainders: a less a whole number of b's ------------------------------------------------------------

mod = elementwise(
    "mod",
    "mod",
    np.mod,
    domain={"b": NOT_ZERO},
    doc="a − b·⌊a/b⌋, with the sign of b.",
    a=lambda g: g,
    b=lambda g, a, b: -g * floor_divide(a, b),
)
fmod = elementwise(
    "fmod",
    "fmod",
    np.fmod,
    domain={"b": NOT_ZERO},
    doc="a − b·trunc(a/b), with the sign of a.",
    a=lambda g: g,
    b=lambda g, a, b, out: -g * rint((a - out) / b),
)


@composed(np.divmod)
def divmod(a: Any, b: Any) -> tuple[Any, Any]:
    """`a // b` and `a % b`.

    >>> divmod(np.array([7.0]), 2.0)
    (array([3.]), array([1.]))
    """
    return floor_divide(a, b), mod(a, b)


# --- sizes: slope 0 at the kink --------------------------------------------------------------------------

absolute = elementwise("absolute", "abs", np.absolute, domain=NOT_ZERO, a=lambda g, a: g * sign(a))
fabs = elementwise("fabs", "abs", np.fabs, domain=NOT_ZERO, a=lambda g, a: g * sign(a))
copysign = elementwise(
    "copysign",
    "±",
    np.copysign,
    domain=NOT_ZERO,
    doc="|a| with the sign of b.",
    a=lambda g, a, out: g * (sign(a) * sign(out)),
    b=lambda g: g * 0.0,
)


def _part(a: Any, length: Any) -> Any:
    return a / where(length == 0, 1.0, length)


hypot = elementwise(
    "hypot",
    "hypot",
    np.hypot,
    domain=NOT_ZERO,
    doc="√(a² + b²), without overflow on the way; slope 0 where both are 0.",
    a=lambda g, a, out: g * _part(a, out),
    b=lambda g, b, out: g * _part(b, out),
)

# NumPy's second names.
FUNCTIONS.update(abs=absolute, true_divide=divide, pow=power, remainder=mod, fix=trunc, around=round)

"""Choosing between entries: where, maximum and minimum, clip, and what stands in for nan.

Needs primitive.py. The gradient goes to the entry that was chosen; what ties share, and what an active
bound gets, is said at each row. Read in U11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.errors import OptionError
from autodiff.primitive import Function, composed, elementwise


def _where(condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition, x, y)


where: Function = elementwise(
    "where",
    "where",
    _where,
    numpy=(np.where,),
    doc="`x` where `condition` holds, else `y`. The side that wasn't chosen gets 0, and an infinite slope "
    "behind it makes nan of that: mask its operand too, where(c, f(where(c, x, safe)), y).",
    condition=None,
    x=lambda g, condition: where(condition, g, 0.0),
    y=lambda g, condition: where(condition, 0.0, g),
)


def _share(g: Any, wins: Any, loses: Any) -> Any:
    """All of g for the winner, half of it at a tie (where neither wins: nan, too), else 0."""
    half = 0.5 * g
    return half * wins + half * ~loses


maximum = elementwise(
    "maximum",
    "max",
    np.maximum,
    doc="The larger of two, nan if either is; a tie shares the gradient evenly.",
    a=lambda g, a, b: _share(g, a > b, a < b),
    b=lambda g, a, b: _share(g, a < b, a > b),
)
minimum = elementwise(
    "minimum",
    "min",
    np.minimum,
    doc="The smaller of two, nan if either is; a tie shares the gradient evenly.",
    a=lambda g, a, b: _share(g, a < b, a > b),
    b=lambda g, a, b: _share(g, a > b, a < b),
)
# nan loses against any number: it is the only value that differs from itself.
fmax = elementwise(
    "fmax",
    "max",
    np.fmax,
    doc="The larger of two, a number rather than nan; a tie shares the gradient evenly.",
    a=lambda g, a, b: _share(g, (a > b) | (b != b), (a < b) | (a != a)),
    b=lambda g, a, b: _share(g, (a < b) | (a != a), (a > b) | (b != b)),
)
fmin = elementwise(
    "fmin",
    "min",
    np.fmin,
    doc="The smaller of two, a number rather than nan; a tie shares the gradient evenly.",
    a=lambda g, a, b: _share(g, (a < b) | (b != b), (a > b) | (a != a)),
    b=lambda g, a, b: _share(g, (a > b) | (a != a), (a < b) | (b != b)),
)
relu = elementwise(
    "relu",
    "relu",
    lambda a: np.maximum(a, 0),
    doc="max(a, 0), with slope 0 at 0.",
    a=lambda g, a: g * (a > 0),
)


def _at_least(a: Any, bound: Any) -> Any:  # np.maximum itself belongs to the row that splits ties
    return np.maximum(a, bound)


def _at_most(a: Any, bound: Any) -> Any:
    return np.minimum(a, bound)


at_least = elementwise(
    "at_least",
    "≥",
    _at_least,
    doc="max(a, bound); where a equals its bound, all of the gradient is a's.",
    a=lambda g, a, bound: g * (a >= bound),
    bound=lambda g, a, bound: g * (a < bound),
)
at_most = elementwise(
    "at_most",
    "≤",
    _at_most,
    doc="min(a, bound); where a equals its bound, all of the gradient is a's.",
    a=lambda g, a, bound: g * (a <= bound),
    bound=lambda g, a, bound: g * (a > bound),
)


@composed(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """min(max(a, a_min), a_max); None is no bound. Bounds may be arrays, and variables.

    The gradient is a's between the bounds and on them, the bound's where a was moved to it.

    >>> clip(np.array([-1.0, 0.5, 2.0]), 0.0, 1.0)
    array([0. , 0.5, 1. ])
    """
    for old, new, name in ((a_min, min, "min"), (a_max, max, "max")):
        if old is not None and new is not None:
            raise OptionError(f"clip was given both a_{name} and {name}, which are one bound: drop one")
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    out = a if low is None else at_least(a, low)
    out = out if high is None else at_most(out, high)
    return np.positive(a) if out is a else out  # a value of its own, as NumPy's


nan_to_num = elementwise(
    "nan_to_num",
    "nan→",
    lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    numpy=(np.nan_to_num,),
    doc="`x` with numbers in the place of nan, inf, −inf; no gradient passes where one was put.",
    x=lambda g, x: where(np.isfinite(x), g, 0.0),
)

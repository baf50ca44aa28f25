"""Many entries into one: mean, var, std, max, min, logsumexp, and those that skip nan.

Needs shapes.py, where `sum` and `stretch` stand, choices.py and pointwise.py; `prod` stands in scans.py, as
its gradient is two running products. Read in U10.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.ops.choices import where
from autodiff.ops.shapes import _stretch, stretch, sum
from autodiff.ops.transcendental import exp
from autodiff.primitive import FUNCTIONS, Array, Axis, Function, Shape, composed, linear, operation

_add: Function = np.add.reduce  # a third of the cost of np.sum, as for the two others
_max: Function = np.maximum.reduce
_min: Function = np.minimum.reduce
_EXACT = "fdg"  # types in which NumPy's mean and var compute as they stand; it widens the others


# --- mean and spread: each is the other's reverse --------------------------------------------------------


def _count(shape: Shape, axis: Axis) -> int:
    """How many entries become one."""
    if axis is None:
        return math.prod(shape)
    return math.prod(shape[k] for k in axis) if isinstance(axis, tuple) else shape[axis]


def _mean(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    a = np.asarray(a)
    if a.dtype.char not in _EXACT:
        return np.mean(a, axis=axis, keepdims=keepdims)
    return _add(a, axis=axis, keepdims=keepdims) / _count(a.shape, axis)


mean: Function = linear(
    "mean",
    "mean",
    _mean,
    numpy=(np.mean,),
    doc="The sum over `axis` (all axes by default), divided by the number of entries.",
    like="a",
    a=lambda g, a, axis, keepdims: spread(g, like=a, axis=axis, keepdims=keepdims),
)


def _spread(a: Any, like: Any, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Any:
    freedom = _count(like.shape, axis) - ddof
    share = a / freedom if freedom > 0 else np.divide(a, 0)  # NumPy's answer where there are too few entries
    return _stretch(share, like, axis, keepdims)


spread: Function = linear(
    "spread",
    "÷↔",
    _spread,
    doc="`a`/(n − ddof), repeated to the shape of `like`: n entries of it are one of a's along `axis`.",
    a=lambda g, like, axis, keepdims, ddof: sum(
        spread(g, like=like, axis=axis, keepdims=True, ddof=ddof), axis=axis, keepdims=keepdims
    ),
)

# --- how far entries lie from their mean -----------------------------------------------------------------


def _var(a: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Any:
    a = np.asarray(a)
    if a.dtype.char not in _EXACT:
        return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    total = _add(a, axis=axis, keepdims=True)
    count = _count(a.shape, axis)
    apart = np.asarray(a - total / count)
    np.multiply(apart, apart, out=apart)
    return _add(apart, axis=axis, keepdims=keepdims) / (count - ddof if count > ddof else 0)


def _deviation(g: Any, a: Any, axis: Axis, ddof: float, keepdims: bool) -> Any:
    """g·(a − mean)/(n − ddof)."""
    share = spread(g, like=a, axis=axis, keepdims=keepdims, ddof=ddof)
    return share * (a - mean(a, axis=axis, keepdims=True))


var: Function = operation(
    "var",
    "var",
    _var,
    numpy=(np.var,),
    doc="Σ(a − mean)²/(n − ddof) over `axis`.",
    a=lambda g, a, axis, ddof, keepdims: _deviation(2.0 * g, a, axis, ddof, keepdims),
)


def _std_rule(g: Any, a: Any, out: Any, axis: Axis, ddof: float, keepdims: bool) -> Any:
    # Equal entries may miss their rounded mean, so a spread of 0 doesn't show in `out`, but here.
    is_flat = max(a, axis=axis, keepdims=keepdims) == min(a, axis=axis, keepdims=keepdims)
    slope = where(is_flat, 0.0, g) / where(is_flat, 1.0, out)
    return _deviation(slope, a, axis, ddof, keepdims)


std: Function = operation(
    "std",
    "std",
    lambda a, axis=None, ddof=0, keepdims=False: np.sqrt(_var(a, axis, ddof, keepdims)),
    numpy=(np.std,),
    doc="√var over `axis`; its gradient is 0 where all entries are equal.",
    a=_std_rule,
)

# --- one of the entries: the gradient is split evenly among those that tie -------------------------------


def _evenly(g: Any, chosen: Array, like: Any, axis: Axis, keepdims: bool) -> Any:
    count = _add(chosen, axis=axis, keepdims=True, dtype=like.dtype)
    return stretch(g, like=like, axis=axis, keepdims=keepdims) * (chosen / (count + (count == 0)))


def _is_best(a: Any, out: Any, axis: Axis, keepdims: bool) -> Any:
    return a == stretch(out, like=a, axis=axis, keepdims=keepdims)


def _extreme_rule(g: Any, a: Any, out: Any, axis: Axis, keepdims: bool) -> Any:
    chosen = _is_best(a, out, axis, keepdims) | np.isnan(a)  # nan wins against any number
    return _evenly(g, chosen, a, axis, keepdims)


max = operation(
    "max",
    "max",
    lambda a, axis=None, keepdims=False: _max(a, axis=axis, keepdims=keepdims),
    numpy=(np.max, np.amax),
    doc="The largest entry along `axis`; ties share the gradient evenly, and nan makes it nan.",
    a=_extreme_rule,
)
min = operation(
    "min",
    "min",
    lambda a, axis=None, keepdims=False: _min(a, axis=axis, keepdims=keepdims),
    numpy=(np.min, np.amin),
    doc="The smallest entry along `axis`; ties share the gradient evenly, and nan makes it nan.",
    a=_extreme_rule,
)
FUNCTIONS.update(amax=max, amin=min)


@composed(np.ptp)
def ptp(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest entry minus the smallest, along `axis`.

    >>> ptp(np.array([1.0, 5.0, 3.0]))
    np.float64(4.0)
    """
    return max(a, axis=axis, keepdims=keepdims) - min(a, axis=axis, keepdims=keepdims)


# --- a sum of exponentials -------------------------------------------------------------------------------


def _logsumexp(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    a = np.asarray(a)
    a = a if a.dtype.kind == "f" else a.astype(float)
    top = _max(a, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)  # -inf - -inf would be nan
    with np.errstate(divide="ignore", over="ignore"):  # log 0 is meant where all entries are -inf
        out = np.log(_add(np.exp(a - top), axis=axis, keepdims=True)) + top
    return out if keepdims else np.squeeze(out, axis)


def _logsumexp_rule(g: Any, a: Any, out: Any, axis: Axis, keepdims: bool) -> Any:
    total = where(out == -np.inf, 0.0, out)
    lifted, g = (stretch(each, like=a, axis=axis, keepdims=keepdims) for each in (total, g))
    return g * exp(a - lifted)


logsumexp = operation(
    "logsumexp",
    "logΣexp",
    _logsumexp,
    doc="log Σ exp(a) along `axis`, without overflow; its gradient is softmax(a), 0 where all are −inf.",
    a=_logsumexp_rule,
)

# --- without the entries that are nan: these get no gradient ---------------------------------------------


def _nan_extreme_rule(g: Any, a: Any, out: Any, axis: Axis, keepdims: bool) -> Any:
    return _evenly(g, _is_best(a, out, axis, keepdims), a, axis, keepdims)


nansum = operation(
    "nansum",
    "Σ",
    lambda a, axis=None, keepdims=False: np.nansum(a, axis=axis, keepdims=keepdims),
    numpy=(np.nansum,),
    doc="The sum along `axis` of the entries that aren't nan.",
    a=lambda g, a, axis, keepdims: stretch(g, like=a, axis=axis, keepdims=keepdims) * ~np.isnan(a),
)
nanmean = operation(
    "nanmean",
    "mean",
    lambda a, axis=None, keepdims=False: np.nanmean(a, axis=axis, keepdims=keepdims),
    numpy=(np.nanmean,),
    doc="The mean along `axis` of the entries that aren't nan.",
    a=lambda g, a, axis, keepdims: _evenly(g, ~np.isnan(a), a, axis, keepdims),
)
nanmax = operation(
    "nanmax",
    "max",
    lambda a, axis=None, keepdims=False: np.nanmax(a, axis=axis, keepdims=keepdims),
    numpy=(np.nanmax,),
    doc="The largest entry along `axis` of those that aren't nan; ties share the gradient evenly.",
    a=_nan_extreme_rule,
)
nanmin = operation(
    "nanmin",
    "min",
    lambda a, axis=None, keepdims=False: np.nanmin(a, axis=axis, keepdims=keepdims),
    numpy=(np.nanmin,),
    doc="The smallest entry along `axis` of those that aren't nan; ties share the gradient evenly.",
    a=_nan_extreme_rule,
)

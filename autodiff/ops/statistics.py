"""Medians, quantiles and averages, composed from sorting, picking and sums.

Needs reduce.py, select.py and sorting.py. A quantile lies between two sorted entries, so its gradient goes to
these two; entries that tie share it. Read in U12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from autodiff.errors import OperandError, OptionError, ShapeError
from autodiff.ops.choices import where
from autodiff.ops.layout import moveaxis, operand, reshape
from autodiff.ops.reduce import mean
from autodiff.ops.select import index
from autodiff.ops.shapes import sum
from autodiff.ops.sorting import sort
from autodiff.primitive import ENGINES, Array, Axis, composed

# How a quantile q of n entries lies between two of them, as alpha and beta of Hyndman and Fan, The American
# Statistician 50 (1996): at n·q + alpha + q·(1 − alpha − beta) − 1, counted from 0. "linear", with 1 and 1,
# is (n − 1)·q.
_BETWEEN = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ONE_ENTRY = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}


def _sorted_lines(a: Any, axis: Axis) -> tuple[Any, int, tuple[int, ...]]:
    """`a` sorted along a last axis that holds all of `axis`; how long it is; the axes that went there."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    a = moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    rest = a.shape[: a.ndim - len(axes)]
    count = int(np.prod([a.shape[k] for k in range(len(rest), a.ndim)], dtype=int))
    return sort(reshape(a, (*rest, count)), axis=-1), count, axes


def _kept(out: Any, like: Any, axes: tuple[int, ...], lead: int = 0) -> Any:
    """`out` with the axes that were taken away back, of length 1, behind the first `lead` ones."""
    shape = [1 if k in axes else size for k, size in enumerate(like.shape)]
    return reshape(out, (*out.shape[:lead], *shape))


def _or_nan(out: Any, lines: Any) -> Any:
    """nan where a line holds one: sorting puts it last."""
    spoilt = np.isnan(_plain(index(lines, (..., -1))))
    return where(spoilt, np.nan, out) if spoilt.any() else out


def _plain(value: Any) -> Array:
    return np.asarray(value.data if type(value) in ENGINES else value)


@composed(np.median)
def median(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The middle entry along `axis`, or the mean of the middle two; nan if one entry is.

    >>> median(np.array([3.0, 1.0, 10.0, 2.0]))
    np.float64(2.5)
    """
    a = operand(a)
    lines, count, axes = _sorted_lines(a, axis)
    if count == 0:
        return mean(a, axis=axis, keepdims=keepdims)  # nan, with NumPy's warning
    middle = index(lines, (..., slice((count - 1) // 2, count // 2 + 1)))
    out = _or_nan(mean(middle, axis=-1), lines)
    return _kept(out, a, axes) if keepdims else out


@composed(np.quantile)
def quantile(a: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """The value below which the share q of the entries along `axis` lies; several q give a first axis.

    `method` says where it lies between two entries: NumPy's linear, lower, higher, nearest, midpoint,
    hazen, weibull, median_unbiased, normal_unbiased, interpolated_inverted_cdf. q is a plain number or
    array. Errors: OptionError for a q outside 0 … 1 or another method.

    >>> quantile(np.array([0.0, 1.0, 10.0]), [0.5, 0.75])
    array([1. , 5.5])
    """
    is_number = type(q) in (int, float)  # which takes the dtype of the array that it meets
    a, q = operand(a), _shares(q)
    lines, count, axes = _sorted_lines(a, axis)
    if count == 0:
        raise ShapeError(f"no entries to take a quantile of: shape {a.shape}, axis {axis}")
    below, above, t = _places(q, count, method)
    out, high = (moveaxis(index(lines, (..., k)), range(-q.ndim, 0), range(q.ndim)) for k in (below, above))
    if method not in _ONE_ENTRY:
        t = float(t) if is_number else np.reshape(t, q.shape + (1,) * (out.ndim - q.ndim))
        # From the nearer end, as NumPy does: then t = 1 gives exactly the upper entry.
        out = where(t < 0.5, out + (high - out) * t, high - (high - out) * (1 - t))
    out = _or_nan(out, lines)
    return _kept(out, a, axes, q.ndim) if keepdims else out


@composed(np.percentile)
def percentile(a: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """`quantile` with q in hundredths.

    >>> percentile(np.array([0.0, 1.0, 10.0]), [50, 75])
    array([1. , 5.5])
    """
    share = q / 100 if type(q) in (int, float) else _plain_shares(q) / 100
    return quantile(a, share, axis=axis, method=method, keepdims=keepdims)


def _plain_shares(q: Any) -> Array:
    if type(q) in ENGINES and not getattr(q, "constant", True):
        raise OperandError("quantile takes no gradient to q: give numbers, e.g. q.detach()")
    shares = np.array(_plain(q))
    return shares if shares.dtype.kind == "f" else shares.astype(float)


def _shares(q: Any) -> Array:
    shares = _plain_shares(q)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise OptionError(f"a quantile lies between 0 and 1 (a percentile between 0 and 100); got {q}")
    return shares


def _places(q: Array, count: int, method: str) -> tuple[Array, Array, Any]:
    """The sorted entries below and above each quantile, and how far it lies between them, from 0 to 1."""
    last = count - 1
    at = np.asarray(q * last)
    if method in _ONE_ENTRY:
        at = _ONE_ENTRY[method](at)
    elif method == "midpoint":
        at = (np.floor(at) + np.ceil(at)) / 2
    elif method in _BETWEEN:
        alpha, beta = _BETWEEN[method]
        at = np.clip(count * q + (alpha + q * (1 - alpha - beta)) - 1, 0, last)
    elif method != "linear":
        known = ", ".join(["linear", *_ONE_ENTRY, "midpoint", *_BETWEEN])
        raise OptionError(f"quantile has no method {method!r}; it has {known}")
    below = np.floor(at).astype(int)
    return below, np.minimum(below + 1, last), np.asarray(at - below, dtype=q.dtype)


@composed(np.average)
def average(
    a: Any, axis: Axis = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """Σ weights·a / Σ weights along `axis`; the mean without weights. Both may be Tensors.

    The weights have the shape of a, or its lengths along `axis`. With `returned` the sum of the weights
    comes, too. Errors: ShapeError; ZeroDivisionError for weights that sum to 0.

    >>> average(np.array([1.0, 4.0]), weights=np.array([2.0, 1.0]))
    np.float64(2.0)
    """
    a = operand(a)
    if weights is None:
        out = mean(a, axis=axis, keepdims=keepdims)
        total = np.full(out.shape, a.size / max(out.size, 1), dtype=out.dtype)
    else:
        weights = _weights(a, axis, operand(weights))
        total = sum(weights, axis=axis, keepdims=keepdims)
        if (_plain(total) == 0).any():
            raise ZeroDivisionError("average: the weights sum to 0, so they can't be shares of a whole")
        out = sum(a * weights, axis=axis, keepdims=keepdims) / total
        total = total + np.zeros(out.shape, dtype=total.dtype)
    return (out, total) if returned else out


def _weights(a: Any, axis: Axis, weights: Any) -> Any:
    if weights.shape == a.shape:
        return weights
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim)
    if axes is None or weights.shape != tuple(a.shape[k] for k in axes):
        raise ShapeError(
            f"weights of shape {weights.shape} for an array of shape {a.shape}, axis {axis}: they need the "
            "array's shape, or its lengths along the axis"
        )
    order = np.argsort(axes)
    aligned = weights.transpose(tuple(order)) if len(axes) > 1 else weights
    return reshape(aligned, [size if k in axes else 1 for k, size in enumerate(a.shape)])

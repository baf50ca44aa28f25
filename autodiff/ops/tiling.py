"""Entries several times over, and arrays made around them: repeat, tile, pad, insert, linspace, meshgrid.

Needs join.py, layout.py (broadcasting) and select.py (indexing): all but two are composed of their rows. Read
in U12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodiff.errors import OperandError, OptionError, UnsupportedError
from autodiff.ops import layout
from autodiff.ops.join import at, concatenate
from autodiff.ops.layout import (
    astype,
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    moveaxis,
    operand,
    reshape,
)
from autodiff.ops.select import index
from autodiff.ops.shapes import sum
from autodiff.primitive import Array, Shape, composed, linear, operation


def _along(a: Any, axis: int | None) -> tuple[Any, int]:
    """The operand and the axis, from the front; without an axis, all entries along one."""
    a = operand(a)
    return (layout.vector(a), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))


# --- several times over ----------------------------------------------------------------------------------


@composed(np.repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each entry along `axis` (None: of all of them) `repeats` times: one count, or one for each.

    >>> repeat(np.array([1.0, 2.0]), [2, 1])
    array([1., 1., 2.])
    """
    a, axis = _along(a, axis)
    counts = np.asarray(repeats)
    if counts.size != 1:
        return index(a, at(axis, np.repeat(np.arange(a.shape[axis]), counts)))
    if counts.dtype.kind not in "iu":
        raise OperandError(f"repeat takes whole numbers of times; got {counts.item()!r}")
    front, size, back, times = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :], counts.item()
    several = broadcast_to(expand_dims(a, axis + 1), (*front, size, times, *back))
    return reshape(several, (*front, size * times, *back))


@composed(np.tile)
def tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
    """Copies of A side by side, reps[k] along axis k; the shorter of reps and A's shape gets 1s in front.

    >>> tile(np.array([1.0, 2.0]), 2)
    array([1., 2., 1., 2.])
    """
    a = operand(A)
    times = tuple(reps) if np.ndim(reps) else (reps,)
    rank = max(a.ndim, len(times))
    times, shape = (1,) * (rank - len(times)) + times, (1,) * (rank - a.ndim) + a.shape
    apart = reshape(a, [n for size in shape for n in (1, size)])
    several = broadcast_to(apart, [n for pair in zip(times, shape, strict=True) for n in pair])
    return reshape(several, [math.prod(pair) for pair in zip(times, shape, strict=True)])


@composed(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: int | Shape | None = None) -> Any:
    """`fill_value` (or what broadcasts) in the shape and the dtype of `a`; no gradient goes to `a`."""
    a = operand(a)
    full = broadcast_to(fill_value, a.shape if shape is None else shape)
    return astype(full, a.dtype if dtype is None else dtype)


@composed(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    """Vectors as the coordinates of a grid, an axis for each; "xy" lets the first two change places.

    `sparse` leaves the axes of size 1 that broadcasting would stretch.
    """
    if indexing not in ("xy", "ij"):
        raise OptionError(f"indexing={indexing!r}: 'xy' or 'ij'")
    grids = []
    for k, x in enumerate(xi):
        axis = 1 - k if indexing == "xy" and k < 2 <= len(xi) else k
        grids.append(reshape(x, [-1 if j == axis else 1 for j in range(len(xi))]))
    full = tuple(grids) if sparse else broadcast_arrays(*grids)
    return tuple(layout.copy(x) for x in full) if copy else full


# --- around and between ----------------------------------------------------------------------------------

_MIRRORS = ("edge", "reflect", "symmetric", "wrap")


def _inside(widths: Sequence[tuple[int, int]]) -> tuple[slice, ...]:
    """The key that takes the padding away."""
    return tuple(slice(before, -after if after else None) for before, after in widths)


def _framed(a: Any, widths: Any, values: Any) -> Array:
    """`a` within constants; a number has no axis to pad, and NumPy would miss its widths' dtype."""
    return np.pad(a, widths, constant_values=values) if widths else np.array(a)


_pad = linear(
    "pad",
    "▣",
    lambda a, widths: _framed(a, widths, 0),
    doc="`a` with zeros around it.",
    a=lambda g, widths: index(g, _inside(widths)),
)


@composed(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """`array` with so many entries before and after along each axis: constants, or its own.

    Modes: constant, edge, reflect, symmetric, wrap. Entries used several times get the sum of the gradients.

    >>> pad(np.array([1.0, 2.0]), (1, 2), mode="edge")
    array([1., 1., 2., 2., 2.])
    """
    a = operand(array)
    widths = _widths(pad_width, a.ndim)
    if mode == "constant":
        frame = _framed(np.zeros(a.shape, a.dtype), widths, constant_values)
        return _pad(a, widths=widths) + frame if frame.any() else _pad(a, widths=widths)
    if mode not in _MIRRORS:
        raise UnsupportedError(f"pad of mode {mode!r} has no rule; there are constant, {', '.join(_MIRRORS)}")
    if np.any(np.asarray(constant_values)):
        raise OptionError(f"pad: mode {mode!r} takes no constant_values")
    for axis, width in enumerate(widths):
        if any(width):
            a = index(a, at(axis, np.pad(np.arange(a.shape[axis]), width, mode=mode)))  # type: ignore[call-overload]
    return a


def _widths(given: Any, rank: int) -> tuple[tuple[int, int], ...]:
    """How many entries go before and after, for each axis."""
    if isinstance(given, dict):
        widths = np.zeros((rank, 2), int)
        for axis, width in given.items():
            widths[axis] = width
    else:
        widths = np.broadcast_to(np.asarray(given), (rank, 2))
    if widths.dtype.kind not in "iu" or np.any(widths < 0):
        raise OptionError(
            f"pad_width counts entries, 0 or more, (before, after) for each axis; got {given!r}"
        )
    return tuple((before, after) for before, after in widths.tolist())


@composed(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """`arr` without the entries `obj` (an index, several, a slice or a mask) along `axis`."""
    a, axis = _along(arr, axis)
    return index(a, at(axis, np.delete(np.arange(a.shape[axis]), obj)))


@composed(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """`arr` with `values` put in before the indices `obj` along `axis`; indices count in `arr`.

    >>> insert(np.array([1.0, 2.0]), 1, 9.0)
    array([1., 9., 2.])
    """
    a, axis = _along(arr, axis)
    size, values = a.shape[axis], operand(values)
    values = reshape(values, (1,) * (a.ndim - values.ndim) + values.shape)
    places = np.arange(size)[obj] if isinstance(obj, slice) else np.asarray(obj)
    if places.dtype.kind == "b":
        places = np.flatnonzero(places)
    if places.ndim == 0:
        values = moveaxis(values, 0, axis)
    count = values.shape[axis] if places.size == 1 else places.size
    new = broadcast_to(values, (*a.shape[:axis], count, *a.shape[axis + 1 :]))
    order = np.insert(np.arange(size), places, np.arange(size, size + count))
    return index(concatenate([a, astype(new, a.dtype)], axis), at(axis, order))


# --- between two ends ------------------------------------------------------------------------------------


def _way(num: int, endpoint: bool) -> Array:
    """How far each of the numbers is on its way from start to stop: from 0 to 1."""
    return np.linspace(0.0, 1.0, num, endpoint)


linspace = operation(
    "linspace",
    "⋯",
    lambda start, stop, num=50, endpoint=True, axis=0: np.linspace(start, stop, num, endpoint, axis=axis),
    numpy=(np.linspace,),
    doc="`num` numbers from start to stop, evenly spaced: start·(1 − t) + stop·t, along a new axis.",
    start=lambda g, num, endpoint, axis: sum(moveaxis(g, axis, -1) * (1.0 - _way(num, endpoint)), axis=-1),
    stop=lambda g, num, endpoint, axis: sum(moveaxis(g, axis, -1) * _way(num, endpoint), axis=-1),
)

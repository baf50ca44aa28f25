"""Sorting: the gradient of an entry goes back to the place that it was taken from.

Adds `sort` and `partition`, and the pair of linear rows behind them. Needs primitive.py. Where entries tie,
none of them came first: they share evenly what arrives at their places, and the sum stays. Read in U12.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.primitive import Array, Function, linear, operation


def _lines(a: Any, axis: int | None) -> Array:
    """`a` with `axis` last (None: flattened)."""
    return np.reshape(a, -1) if axis is None else np.moveaxis(np.asarray(a), axis, -1)


def _evenly(a: Array, keys: Array) -> Array:
    """`a` with the mean over each run in place of its entries; a run is where `keys` stays the same."""
    starts = np.ones(keys.shape, bool)
    np.not_equal(keys[..., 1:], keys[..., :-1], out=starts[..., 1:])
    if starts.all():
        return a
    first = np.flatnonzero(starts)
    counts = np.diff(first, append=starts.size)
    means = np.add.reduceat(a.reshape(-1), first) / counts.astype(a.dtype)
    return np.repeat(means, counts).reshape(a.shape)


def _sort_by(a: Any, b: Any, axis: int | None = -1) -> Array:
    a, b = _lines(a, axis), _lines(b, axis)
    order = np.argsort(b, axis=-1, kind="stable")
    line = _evenly(np.take_along_axis(a, order, -1), np.take_along_axis(b, order, -1))
    return line if axis is None else np.moveaxis(line, -1, axis)


def _unsort_by(a: Any, b: Any, axis: int | None = -1) -> Array:
    a, keys = _lines(a, axis), _lines(b, axis)
    order = np.argsort(keys, axis=-1, kind="stable")
    line = np.empty_like(a)
    np.put_along_axis(line, order, _evenly(a, np.take_along_axis(keys, order, -1)), -1)
    return np.reshape(line, np.shape(b)) if axis is None else np.moveaxis(line, -1, axis)


sort_by = linear(
    "sort_by",
    "⇅",
    _sort_by,
    doc="`a` along `axis` in the order that sorts `b`; where entries of `b` tie, the mean of those in `a`.",
    a=lambda g, b, axis: unsort_by(g, b, axis=axis),
    b=None,
)

unsort_by: Function = linear(
    "unsort_by",
    "⇅⁻¹",
    _unsort_by,
    doc="The reverse of `sort_by`: `a` along `axis` at the places from which sorting `b` took them.",
    a=lambda g, b, axis: sort_by(g, b, axis=axis),
    b=None,
)

sort = operation(
    "sort",
    "sort",
    lambda a, axis=-1, kind=None, stable=None: np.sort(a, axis=axis, kind=kind, stable=stable),
    numpy=(np.sort,),
    doc="The entries along `axis` (None: all, flattened) in rising order; ties share the gradient evenly.",
    a=lambda g, a, axis: unsort_by(g, a, axis=axis),
)

# How partition arranges either side is its own affair: where g belongs is found by rank, in out as in a.
partition = operation(
    "partition",
    "partition",
    lambda a, kth, axis=-1: np.partition(a, kth, axis=axis),
    numpy=(np.partition,),
    doc="The entries along `axis`, that of rank `kth` at its place: smaller ones before it, larger behind.",
    a=lambda g, a, out, axis: unsort_by(sort_by(g, out, axis=axis), a, axis=axis),
)

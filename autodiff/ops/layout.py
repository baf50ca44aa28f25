"""The same entries in another order or shape: reshape, transpose, flip, roll; each with its reverse.

Adds the rows that move entries without computing, and `astype` and `copy`, which keep them in place. Needs
shapes.py. A result may be a view of its operand's array. Read in U12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.errors import ShapeError, UnsupportedError
from autodiff.ops.shapes import cast, unbroadcast
from autodiff.primitive import ENGINES, Array, Function, Shape, composed, linear


def operand(a: Any) -> Any:
    """`a` as something with a shape: a value of an engine as it is, anything else as an array."""
    return a if type(a) in ENGINES else np.asarray(a)


# --- another shape: the reverse gives each entry back to the shape that it came from ---------------------


def _reshape(a: Any, shape: int | Shape, order: str = "C") -> Array:
    return np.reshape(a, shape, _read(order))


def _read(order: Any) -> Any:
    """The order in which entries are read; "A" and "K" would follow the memory, which values don't show."""
    if order not in ("C", "F"):
        raise UnsupportedError(
            f"order={order!r} is not supported: 'C' (the last axis fastest) or 'F' (the first)"
        )
    return order


def _flat(a: Any, order: str = "C") -> Array:
    return np.ravel(a, _read(order))


def _flat_copy(a: Any, order: str = "C") -> Array:
    return np.asarray(a).flatten(_read(order))


reshape_as: Function = linear(
    "reshape_as",
    "▭",
    lambda a, like, order="C": np.reshape(a, like.shape, order),
    doc="The entries of `a`, in the same order, in the shape of `like`.",
    like="a",
    a=lambda g, a, order: reshape_as(g, like=a, order=order),
)

reshape = linear(
    "reshape",
    "▭",
    _reshape,
    numpy=(np.reshape,),
    doc="The entries of `a`, in the same order, in another shape; one length may be -1: what is left.",
    like="a",
    a=lambda g, a, order: reshape_as(g, like=a, order=order),
)

ravel = linear(
    "ravel",
    "▭₁",
    _flat,
    numpy=(np.ravel,),
    doc="All entries along one axis.",
    like="a",
    a=lambda g, a, order: reshape_as(g, like=a, order=order),
)

flatten = linear(
    "flatten",
    "▭₁",
    _flat_copy,
    doc="All entries along one axis, in an array of their own.",
    like="a",
    a=lambda g, a, order: reshape_as(g, like=a, order=order),
)

squeeze = linear(
    "squeeze",
    "▭₋",
    np.squeeze,
    numpy=(np.squeeze,),
    doc="`a` without its axes of size 1, or without those named in `axis`.",
    like="a",
    a=lambda g, a: reshape_as(g, like=a),
)

expand_dims = linear(
    "expand_dims",
    "▭₊",
    np.expand_dims,
    numpy=(np.expand_dims,),
    doc="`a` with new axes of size 1, at the places `axis` of the result.",
    like="a",
    a=lambda g, a: reshape_as(g, like=a),
)


def vector(a: Any) -> Any:
    """All entries of `a` along one axis; a vector as it is."""
    a = operand(a)
    return a if a.ndim == 1 else ravel(a)


# For a rank wanted and a rank given: the places of the new axes.
_NEW_AXES: dict[int, dict[int, Shape]] = {
    1: {0: (0,)},
    2: {0: (0, 1), 1: (0,)},
    3: {0: (0, 1, 2), 1: (0, 2), 2: (2,)},
}


def _at_least(rank: int, arrays: Sequence[Any]) -> Any:
    arrays = [operand(a) for a in arrays]
    grown = tuple(a if a.ndim >= rank else expand_dims(a, _NEW_AXES[rank][a.ndim]) for a in arrays)
    return grown[0] if len(grown) == 1 else grown


@composed(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """Each operand with one axis or more: a number becomes shape (1,). Several give a tuple."""
    return _at_least(1, arys)


@composed(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """Each operand with two axes or more: (n,) becomes (1, n). Several give a tuple."""
    return _at_least(2, arys)


@composed(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """Each operand with three axes or more: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1)."""
    return _at_least(3, arys)


broadcast_to = linear(
    "broadcast_to",
    "↔",
    np.broadcast_to,
    numpy=(np.broadcast_to,),
    doc="`a` repeated to `shape`, as an operation with an array of that shape would.",
    like="a",
    a=lambda g, a: unbroadcast(g, like=a),
)


@composed(np.broadcast_arrays)
def broadcast_arrays(*args: Any) -> tuple[Any, ...]:
    """All operands, repeated to the shape that they have in common."""
    arrays = [operand(a) for a in args]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, shape) for a in arrays)


# --- another order: the reverse is a move of the same kind -----------------------------------------------


def _undone(axes: Sequence[int] | None) -> Shape | None:
    """The order of axes that takes `transpose(a, axes)` back to a."""
    return None if axes is None else tuple(int(k) for k in np.argsort([k % len(axes) for k in axes]))


transpose: Function = linear(
    "transpose",
    "ᵀ",
    np.transpose,
    numpy=(np.transpose,),
    doc="The axes in another order: axis k of the result is axis `axes[k]` of a; reversed by default.",
    a=lambda g, axes: transpose(g, axes=_undone(axes)),
)

swapaxes: Function = linear(
    "swapaxes",
    "ᵀ",
    np.swapaxes,
    numpy=(np.swapaxes,),
    doc="`a` with two axes interchanged.",
    a=lambda g, axis1, axis2: swapaxes(g, axis1=axis1, axis2=axis2),
)

moveaxis: Function = linear(
    "moveaxis",
    "ᵀ",
    np.moveaxis,
    numpy=(np.moveaxis,),
    doc="`a` with axes moved from `source` to `destination`; the others keep their order.",
    a=lambda g, source, destination: moveaxis(g, source=destination, destination=source),
)


@composed()
def permute_dims(a: Any, axes: Sequence[int] | None = None) -> Any:
    """The axes in another order: another name of `transpose`."""
    return transpose(a, axes=axes)


@composed(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any) -> Any:
    """The last two axes interchanged."""
    if operand(x).ndim < 2:
        raise ShapeError(f"matrix_transpose needs two axes or more; got shape {operand(x).shape}")
    return swapaxes(x, -1, -2)


@composed(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """`a` with `axis` moved to stand before the axis `start`; `moveaxis` says it more plainly."""
    rank = operand(a).ndim
    axis = axis + rank if axis < 0 else axis
    before = start + rank if start < 0 else start
    if not 0 <= before <= rank:
        raise ShapeError(f"start={start} for an operand with {rank} axes: from {-rank} to {rank}")
    return moveaxis(a, axis, before - (axis < before))


flip: Function = linear(
    "flip",
    "⇄",
    np.flip,
    numpy=(np.flip,),
    doc="`a` with the entries along `axis` (one, several, or all) in reversed order.",
    a=lambda g, axis: flip(g, axis=axis),
)


@composed(np.fliplr)
def fliplr(m: Any) -> Any:
    """The second axis reversed: left becomes right."""
    return flip(m, axis=1)


@composed(np.flipud)
def flipud(m: Any) -> Any:
    """The first axis reversed: up becomes down."""
    return flip(m, axis=0)


rot90: Function = linear(
    "rot90",
    "↺",
    np.rot90,
    numpy=(np.rot90,),
    doc="`a` turned k times by 90° in the plane of two axes, from the first towards the second.",
    a=lambda g, k, axes: rot90(g, k=-k, axes=axes),
)


def _backwards(shift: Any) -> Any:
    return -int(shift) if np.ndim(shift) == 0 else tuple(-int(k) for k in shift)


roll: Function = linear(
    "roll",
    "↻",
    np.roll,
    numpy=(np.roll,),
    doc="Entries moved on by `shift` along `axis`; what falls off the end comes in again at the beginning.",
    a=lambda g, shift, axis: roll(g, _backwards(shift), axis=axis),
)


# --- the same entries, where they are --------------------------------------------------------------------


def _astype(a: Any, dtype: Any, copy: bool = True) -> Array:
    if np.dtype(dtype).kind not in "fiub":
        raise UnsupportedError(f"astype to {np.dtype(dtype)}: floats, integers and booleans are supported")
    return np.asarray(a).astype(dtype, copy=copy)


astype = linear(
    "astype",
    "→",
    _astype,
    numpy=(np.astype,),
    doc="`a` in another dtype; in integers or booleans it is a constant.",
    like="a",
    a=lambda g, a: cast(g, like=a),
)

copy = linear(
    "copy",
    "⧉",
    lambda a: np.array(a, copy=True),
    numpy=(np.copy,),
    doc="`a` in an array of its own.",
    a=lambda g: g,
)

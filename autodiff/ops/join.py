"""Joining and splitting: concatenate, stack and their kin, and the pieces of an array by index.

The reverse of a join gives each operand its piece of the gradient; the reverse of a piece puts it back in its
place. Needs select.py (pieces are indexed) and layout.py. Read in U12.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodiff.errors import OperandError, ShapeError
from autodiff.ops.layout import atleast_1d, atleast_2d, atleast_3d, operand, reshape, vector
from autodiff.ops.select import index
from autodiff.primitive import composed, variadic


def at(axis: int, place: Any) -> tuple[Any, ...]:
    """The key that takes `place` along `axis`, whatever the number of axes."""
    if axis >= 0:
        return (*(slice(None),) * axis, place)
    return (..., place, *(slice(None),) * (-axis - 1))


# --- joining ---------------------------------------------------------------------------------------------

# cuts[i] is where piece i begins: found once, where each piece would else add up all sizes before it.
_concatenate = variadic(
    "concatenate",
    "⧺",
    lambda operands, axis, cuts: np.concatenate(operands, axis),
    doc="The operands one behind the other along an axis.",
    each=lambda g, i, axis, cuts: index(g, at(axis, slice(cuts[i], cuts[i + 1]))),
)

_stack = variadic(
    "stack",
    "☰",
    lambda operands, axis=0: np.stack(operands, axis),
    doc="The operands side by side along a new axis.",
    each=lambda g, i, axis: index(g, at(axis, i)),
)


@composed(np.concatenate)
def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    """The operands one behind the other along `axis`; None joins all their entries.

    >>> concatenate([np.array([1.0, 2.0]), np.array([3.0])])
    array([1., 2., 3.])
    """
    arrays = [operand(a) for a in arrays]
    if axis is None:
        arrays, axis = [vector(a) for a in arrays], 0
    if not arrays or any(a.ndim != arrays[0].ndim for a in arrays) or arrays[0].ndim == 0:
        shapes = ", ".join(str(a.shape) for a in arrays) or "nothing"
        raise ShapeError(
            f"concatenate joins operands of one number of axes, at least one; got {shapes}. "
            "stack makes a new axis, axis=None joins all entries"
        )
    axis = normalize_axis_index(axis, arrays[0].ndim)
    cuts = tuple(itertools.accumulate((a.shape[axis] for a in arrays), initial=0))
    return _concatenate(arrays, axis=axis, cuts=cuts)


@composed()
def concat(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    """Another name of `concatenate`."""
    return concatenate(arrays, axis)


@composed(np.stack)
def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Operands of one shape, side by side along a new axis, which the result has at `axis`."""
    return _stack([operand(a) for a in arrays], axis=axis)


@composed(np.vstack)
def vstack(tup: Sequence[Any]) -> Any:
    """The operands below each other; vectors become rows."""
    return concatenate([atleast_2d(a) for a in tup], axis=0)


@composed(np.hstack)
def hstack(tup: Sequence[Any]) -> Any:
    """The operands beside each other: along the second axis, vectors along their only one."""
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


@composed(np.dstack)
def dstack(tup: Sequence[Any]) -> Any:
    """The operands behind each other, along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], axis=2)


@composed(np.column_stack)
def column_stack(tup: Sequence[Any]) -> Any:
    """Vectors as the columns of a matrix; matrices are joined as they are."""
    arrays = [operand(a) for a in tup]
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], axis=1)


@composed(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`values` behind `arr`, along `axis`; without it, all entries of both."""
    return concatenate([arr, values], axis)


@composed(np.block)
def block(arrays: Any) -> Any:
    """Nested lists of blocks as one array: the innermost lists along the last axis, outer ones before it."""
    depths, ranks = zip(*_leaves(arrays), strict=True)
    if len(set(depths)) > 1:
        raise ShapeError(
            f"block: all blocks stand equally deep in the lists; got depths {sorted(set(depths))}"
        )
    return _block(arrays, depths[0], max(depths[0], *ranks))


def _leaves(tree: Any, depth: int = 0) -> list[tuple[int, int]]:
    """Depth in the lists, and number of axes, of each block."""
    if isinstance(tree, tuple):
        raise OperandError("block takes nested lists of arrays; got a tuple among them")
    if not isinstance(tree, list):
        return [(depth, operand(tree).ndim)]
    if not tree:
        raise ShapeError("block: a list is empty; each holds one block or more")
    return [leaf for branch in tree for leaf in _leaves(branch, depth + 1)]


def _block(tree: Any, depth: int, rank: int) -> Any:
    if isinstance(tree, list):
        return concatenate([_block(branch, depth - 1, rank) for branch in tree], axis=-depth)
    tree = operand(tree)
    return reshape(tree, (1,) * (rank - tree.ndim) + tree.shape)


# --- splitting -------------------------------------------------------------------------------------------


def _pieces(a: Any, where: Any, axis: int) -> list[Any]:
    """`a` cut along `axis`: at the indices `where`, or into so many pieces, the first ones longer."""
    size = a.shape[axis]
    if np.ndim(where):
        cuts = [0, *where, size]
    elif where > 0:
        least, longer = divmod(size, where)
        cuts = [k * least + min(k, longer) for k in range(where + 1)]
    else:
        raise ShapeError(f"an array splits into one piece or more; got {where}")
    return [index(a, at(axis, slice(begin, end))) for begin, end in itertools.pairwise(cuts)]


def _equal_pieces(a: Any, where: Any, axis: int, rank: int = 1) -> list[Any]:
    if a.ndim < rank:
        raise ShapeError(f"this split needs {rank} axes or more; got shape {a.shape}. split takes an axis")
    if np.ndim(where) == 0 and where > 0 and a.shape[axis] % where:
        raise ShapeError(
            f"an axis of {a.shape[axis]} entries has no {where} equal pieces; array_split makes unequal ones"
        )
    return _pieces(a, where, axis)


@composed(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """`ary` in so many pieces along `axis` (the first ones longer by 1 if need be), or cut at these indices.

    >>> array_split(np.array([1.0, 2.0, 3.0]), 2)
    [array([1., 2.]), array([3.])]
    """
    return _pieces(operand(ary), indices_or_sections, axis)


@composed(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """`ary` in so many equal pieces along `axis`, or cut at these indices."""
    return _equal_pieces(operand(ary), indices_or_sections, axis)


@composed(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the first of two axes or more: from top to bottom."""
    return _equal_pieces(operand(ary), indices_or_sections, 0, rank=2)


@composed(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the second axis, of a vector along its only one: from left to right."""
    a = operand(ary)
    return _equal_pieces(a, indices_or_sections, 1 if a.ndim > 1 else 0)


@composed(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the third axis."""
    return _equal_pieces(operand(ary), indices_or_sections, 2, rank=3)


@composed(np.unstack)
def unstack(x: Any, *, axis: int = 0) -> tuple[Any, ...]:
    """The slices of `x` along `axis`, which they no longer have: the reverse of `stack`."""
    x = operand(x)
    if x.ndim == 0:
        raise ShapeError("unstack needs one axis or more; got a single number")
    return tuple(index(x, at(axis, k)) for k in range(x.shape[axis]))

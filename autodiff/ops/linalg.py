"""Products of vectors and matrices: matmul and tensordot, and what is composed from them.

Needs layout.py. The rules ask for numbers of axes, never for sizes. Read in U10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.ops.layout import expand_dims, operand, reshape, squeeze, transpose, vector
from autodiff.ops.pointwise import multiply
from autodiff.primitive import Function, composed, linear

# --- matmul: a gradient with fewer axes than the one operand tells that the other is a vector ------------


def _to_left(g: Any, b: Any) -> Any:
    """The gradient of a in a @ b."""
    if b.ndim == 1:
        return g * b if g.ndim == 0 else expand_dims(g, -1) * b
    if g.ndim < b.ndim:  # a is a vector
        return b @ g if b.ndim == 2 else squeeze(b @ expand_dims(g, -1), -1)
    return g @ b.mT


def _to_right(g: Any, a: Any, b: Any) -> Any:
    """The gradient of b in a @ b."""
    if a.ndim == 1:
        return g * a if g.ndim == 0 else expand_dims(a, -1) * expand_dims(g, -2)
    if a.ndim > 2 and b.ndim <= 2:  # a batch is summed within the product: no matrix for each of its members
        batch = tuple(range(a.ndim - 1))
        return tensordot(a, g, axes=(batch, batch))
    return a.mT @ g


matmul: Function = linear(
    "matmul",
    "@",
    np.matmul,
    numpy=(np.linalg.matmul,),
    doc="The matrix product over the last two axes; a vector is a row on the left, a column on the right.",
    a=_to_left,
    b=_to_right,
)


@composed(np.dot)
def dot(a: Any, b: Any) -> Any:
    """Σ over the last axis of a and the last but one of b (its only one, if b is a vector); a number scales.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.float64(11.0)
    """
    a, b = operand(a), operand(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return matmul(a, b) if b.ndim <= 2 else tensordot(a, b, axes=(-1, -2))


@composed(np.inner)
def inner(a: Any, b: Any) -> Any:
    """Σ over the last axes of both; a number scales."""
    a, b = operand(a), operand(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return matmul(a, b) if a.ndim == b.ndim == 1 else tensordot(a, b, axes=(-1, -1))


@composed(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """Σ a·b over all entries, both taken as vectors."""
    return matmul(vector(a), vector(b))


@composed(np.outer)
def outer(a: Any, b: Any) -> Any:
    """The products of every entry of a with every entry of b, in a matrix.

    >>> outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    return multiply(expand_dims(vector(a), 1), vector(b))


@composed(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Every entry of a replaced by its product with b: a matrix of blocks."""
    a, b = operand(a), operand(b)
    rank = max(a.ndim, b.ndim)
    a, b = (reshape(x, (1,) * (rank - x.ndim) + x.shape) for x in (a, b))
    pairs = multiply(
        expand_dims(a, tuple(range(1, 2 * rank, 2))), expand_dims(b, tuple(range(0, 2 * rank, 2)))
    )
    return reshape(pairs, tuple(m * n for m, n in zip(a.shape, b.shape, strict=True)))


# --- tensordot: axes in pairs are multiplied and summed; those left stand a's first, then b's ------------

Pairs = tuple[list[int], list[int]]


def _listed(axes: Any) -> list[list[int]]:
    return [[int(axis)] if isinstance(axis, int | np.integer) else list(axis) for axis in axes]


def _pairs(axes: Any, rank_a: int, rank_b: int) -> Pairs:
    """The axes of a and those of b that are summed together, counted from the front."""
    if isinstance(axes, int | np.integer):
        return list(range(rank_a - axes, rank_a)), list(range(axes))
    at_a, at_b = _listed(axes)
    return [k % rank_a for k in at_a], [k % rank_b for k in at_b]


def _count(axes: Any) -> int:
    return int(axes) if isinstance(axes, int | np.integer) else len(_listed(axes)[0])


def _others(rank: int, taken: Sequence[int]) -> list[int]:
    return [k for k in range(rank) if k not in taken]


def _ordered(d: Any, places: Sequence[int]) -> Any:
    """`d` with its axis k moved to places[k]."""
    return d if list(places) == sorted(places) else transpose(d, axes=tuple(np.argsort(places).tolist()))


def _tensordot_left(g: Any, b: Any, axes: Any) -> Any:
    """The gradient of a: b's free axes are summed, so a's own remain, and those that b was summed over."""
    rank = g.ndim - b.ndim + 2 * _count(axes)
    at_a, at_b = _pairs(axes, rank, b.ndim)
    free_a, free_b = _others(rank, at_a), _others(b.ndim, at_b)
    d = tensordot(g, b, axes=(list(range(len(free_a), g.ndim)), free_b))
    return _ordered(d, free_a + [at_a[k] for k in np.argsort(at_b)])


def _tensordot_right(g: Any, a: Any, axes: Any) -> Any:
    """The gradient of b: a's free axes are summed, so those that a was summed over remain, and b's own."""
    rank = g.ndim - a.ndim + 2 * _count(axes)
    at_a, at_b = _pairs(axes, a.ndim, rank)
    free_a, free_b = _others(a.ndim, at_a), _others(rank, at_b)
    d = tensordot(a, g, axes=(free_a, list(range(len(free_a)))))
    return _ordered(d, [at_b[k] for k in np.argsort(at_a)] + free_b)


tensordot: Function = linear(
    "tensordot",
    "⊗",
    lambda a, b, axes=2: np.tensordot(a, b, axes),
    numpy=(np.tensordot, np.linalg.tensordot),
    doc="Σ over pairs of axes: the last `axes` of a with the first of b, or two lists, a's and b's.",
    a=_tensordot_left,
    b=_tensordot_right,
)

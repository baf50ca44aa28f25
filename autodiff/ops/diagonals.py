"""Diagonals and triangles of matrices, and of stacks of matrices.

Adds the rows `diagonal`, its reverse `place_diagonal`, `tril` and `triu`, and from them `diag` and `trace`.
Needs shapes.py. Read in U12.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.errors import ShapeError
from autodiff.ops.shapes import sum
from autodiff.primitive import Array, Function, Like, composed, linear


def _add_on_diagonal(buffer: Array, g: Any, offset: int, axis1: int, axis2: int) -> None:
    view = np.diagonal(buffer, offset, axis1, axis2)
    view.flags.writeable = True  # NumPy hands it out read-only; the buffer is ours
    view += g


def _place_diagonal(a: Any, like: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    a = np.asarray(a)
    buffer = np.zeros(like.shape, a.dtype)
    _add_on_diagonal(buffer, a, offset, axis1, axis2)
    return buffer


diagonal = linear(
    "diagonal",
    "⟍",
    lambda a, offset=0, axis1=0, axis2=1: np.diagonal(a, offset, axis1, axis2),
    numpy=(np.diagonal,),
    doc="The entries [i, i + offset] of the matrices that lie in axis1 and axis2, as a last axis.",
    like="a",
    into=lambda buffer, g, kept: _add_on_diagonal(buffer, g, *kept[2:]),
    a=lambda g, a, offset, axis1, axis2: place_diagonal(g, like=a, offset=offset, axis1=axis1, axis2=axis2),
)

place_diagonal: Function = linear(
    "place_diagonal",
    "⟍←",
    _place_diagonal,
    doc="Zeros of the shape of `like` with `a` on a diagonal: the reverse of `diagonal`.",
    a=lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2),
)


@composed(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    """A square matrix with the list `v` on its k-th diagonal; of a matrix `v`, its k-th diagonal.

    >>> diag(np.array([1.0, 2.0]), k=1)
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    v = v if hasattr(v, "dtype") else np.asarray(v)
    if v.ndim == 2:
        return diagonal(v, offset=k)
    if v.ndim != 1:
        raise ShapeError(
            f"diag takes one axis or two; got shape {v.shape}. For stacks: diagonal(v, 0, -2, -1)"
        )
    size = v.shape[0] + abs(k)
    return place_diagonal(v, like=Like((size, size), v.dtype), offset=k)


@composed(np.trace)
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum along a diagonal: Σ a[i, i + offset] over the matrices that lie in axis1 and axis2.

    >>> trace(np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.float64(5.0)
    """
    return sum(diagonal(a, offset=offset, axis1=axis1, axis2=axis2), axis=-1)


tril: Function = linear(
    "tril",
    "◣",
    lambda a, k=0: np.tril(a, k),
    numpy=(np.tril,),
    doc="The entries on and below the k-th diagonal of the last two axes; 0 above it.",
    a=lambda g, k: tril(g, k=k),
)

triu: Function = linear(
    "triu",
    "◥",
    lambda a, k=0: np.triu(a, k),
    numpy=(np.triu,),
    doc="The entries on and above the k-th diagonal of the last two axes; 0 below it.",
    a=lambda g, k: triu(g, k=k),
)

"""Shapes and their reversal: what a stretched array's gradient becomes on the way back.

Adds `reduce_broadcast` and the rows `unbroadcast`, `sum` and their reverse `stretch`. Needs
primitive.py and NumPy's broadcasting: two shapes are aligned from the right, missing axes and axes of size 1
are stretched. Read in U11.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import ArrayLike

from autodiff.errors import ShapeError
from autodiff.primitive import Array, Axis, Function, Shape, linear, operation

_add: Function = np.add.reduce  # a third of the cost of np.sum


def reduce_broadcast(grad: ArrayLike, var_shape: Shape) -> Array:
    """Sum `grad` over every axis along which a variable of shape `var_shape` was stretched.

    A number that was used n times receives the sum of its n gradients: var[j] gets Σ grad[i] over the
    places i that read j. The answer is an array of shape `var_shape` with the dtype of `grad`; where the
    shapes are equal it is `grad` itself, so don't add in place into it. ShapeError (a ValueError) where no
    broadcast leads from `var_shape` to the shape of `grad`.

    >>> reduce_broadcast(np.ones((5, 2, 3)), (2, 1))
    array([[15.],
           [15.]])
    """
    grad = np.asarray(grad)
    var_shape = tuple(var_shape)
    if grad.shape == var_shape:
        return grad
    if not var_shape:  # all of it, without a look at each axis
        return np.asarray(_add(grad, axis=None, dtype=grad.dtype))
    lead = grad.ndim - len(var_shape)
    if lead < 0:
        raise ShapeError(
            f"a gradient of shape {grad.shape} has fewer axes than its variable, of shape {var_shape}; "
            "broadcasting only adds axes. Is the gradient already summed (keepdims=True keeps the axis), "
            "or are the two swapped?"
        )
    stretched = list(range(lead))  # axes that the variable didn't have
    for axis, size in enumerate(var_shape, start=lead):
        if size == grad.shape[axis]:
            continue
        if size != 1:
            raise ShapeError(
                f"a gradient of shape {grad.shape} can't belong to a variable of shape {var_shape}: its "
                f"axis {axis} has size {grad.shape[axis]}, but only size 1 stretches, and the variable has "
                f"{size} there. A gradient has the shape of the operation's result: print both"
            )
        stretched.append(axis)
    # dtype: NumPy would widen small integers. keepdims, then reshape: an array even where one number is left.
    total: Array = grad.sum(axis=tuple(stretched), keepdims=True, dtype=grad.dtype)
    return total.reshape(var_shape)


unbroadcast = linear(
    "unbroadcast",
    "Σ↓",
    lambda a, like: reduce_broadcast(a, like.shape),
    doc="`a` summed over the axes along which something of the shape of `like` was stretched to it.",
    like="a",
    a=lambda g, a: stretch(g, like=a),
)


def _stretch(a: Any, like: Any, axis: Axis = None, keepdims: bool = True) -> Array:
    shape = like.shape
    if np.ndim(a) == 0:  # np.broadcast_to takes five times as long
        return np.ndarray(shape, a.dtype, np.asarray(a), 0, (0,) * len(shape))
    if not keepdims and shape:
        gone = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
        a = np.reshape(a, [1 if k in gone else size for k, size in enumerate(shape)])
    return np.broadcast_to(a, shape)


stretch: Function = linear(
    "stretch",
    "↔",
    _stretch,
    doc="`a` repeated to the shape of `like`; without keepdims, axes that a sum took away return.",
    like="a",
    a=lambda g, a, axis, keepdims: unbroadcast(g, like=a) if keepdims else sum(g, axis=axis),
)


def _sum(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return _add(a, axis=axis, keepdims=keepdims)


sum: Function = operation(
    "sum",
    "Σ",
    _sum,
    kind="linear",
    numpy=(np.sum,),
    doc="The sum over `axis` (all of them by default).",
    like="a",
    a=lambda g, a, axis, keepdims: stretch(g, like=a, axis=axis, keepdims=keepdims),
)

cast: Function = linear(
    "cast",
    "→",
    lambda a, like: np.asarray(a, dtype=like.dtype),
    doc="`a` in the dtype of `like`.",
    like="a",
    a=lambda g, a: cast(g, like=a),
)

alias = linear("alias", "=", lambda a: a, doc="`a` itself, as a value of its own.", a=lambda g: g)

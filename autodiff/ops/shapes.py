"""Shapes and their reversal: what a stretched array's gradient becomes on the way back.

Adds `reduce_broadcast`. Needs errors.py and NumPy's broadcasting: two shapes are aligned from the right,
missing axes and axes of size 1 are stretched. Read in U11.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.errors import ShapeError

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]
Axis: TypeAlias = int | tuple[int, ...] | None


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

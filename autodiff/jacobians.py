"""All first or second derivatives of a function at once, and products with them that never build the matrix.

Needs functional.py and variables.py. Adds jacobian, hessian, hvp, ggnvp. Read in U13 and U14.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.functional import grad, jvp, vjp
from autodiff.ops import FUNCTIONS
from autodiff.primitive import Function
from autodiff.tensors import Tensor
from autodiff.variables import Variables, move, outputs, pull


def jacobian(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """The function that returns d f[i]/d x[j] for all i and j: an array of the shape of f(x), then of x.

    In reverse mode it takes a pass for each entry of the result, in forward mode one for each entry of the
    arguments: whichever are fewer. Nests of arrays give nests: as the result, then as the argument.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    @functools.wraps(f)
    def evaluate(*args: Any, **kwargs: Any) -> Any:
        variables = Variables(f, args, argnums)
        outs, rebuild = outputs(f, variables, kwargs)
        rows = sum(out.size for out in outs)
        columns = sum(variable.size for variable in variables.flat)
        blocks = _by_rows(outs, variables) if rows <= columns else _by_columns(outs, variables)
        variables.close()
        return rebuild([variables.rebuild(block) for block in blocks])

    return evaluate


def _by_rows(outs: Sequence[Tensor], variables: Variables) -> list[list[Any]]:
    """Reverse mode: the gradient of each entry of each result."""
    blocks = []
    for out in outs:
        passes = [pull(out, unit, variables.flat, None) for unit in _units(out)]
        blocks.append(
            [_stacked([each[k] for each in passes], 0, out, x) for k, x in enumerate(variables.flat)]
        )
    return blocks


def _by_columns(outs: Sequence[Tensor], variables: Variables) -> list[list[Any]]:
    """Forward mode: how the results move with each entry of each argument."""
    still = [np.zeros(x.shape, x.dtype) for x in variables.flat]
    blocks: list[list[Any]] = [[] for _ in outs]
    for k, x in enumerate(variables.flat):
        passes = [move(outs, variables, [*still[:k], unit, *still[k + 1 :]]) for unit in _units(x)]
        for i, out in enumerate(outs):
            blocks[i].append(_stacked([each[i] for each in passes], -1, out, x))
    return blocks


def _units(like: Tensor) -> Iterator[Any]:
    """Arrays of the shape of `like`, 1 at one entry and 0 elsewhere."""
    for place in np.ndindex(like.shape):
        unit = np.zeros(like.shape, like.dtype)
        unit[place] = 1
        yield unit


def _stacked(parts: list[Any], axis: int, out: Tensor, x: Tensor) -> Any:
    shape = (*out.shape, *x.shape)
    if not parts:
        return np.zeros(shape, x.dtype)
    recorded = any(isinstance(part, Tensor) for part in parts)
    return (FUNCTIONS["stack"] if recorded else np.stack)(parts, axis=axis).reshape(shape)


def hessian(f: Function, argnums: int = 0) -> Function:
    """The function that returns all second derivatives of f (which returns one number): shape of x, twice.

    >>> hessian(lambda x: (x * x * x).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(grad(f, argnums), argnums)


def hvp(f: Function, argnums: int = 0) -> Function:
    """The function (*args, v) -> H·v, the Hessian of f (which returns one number) times v; H is never built.

    The gradient is recorded, and ⟨gradient, v⟩ differentiated: the cost of a few gradients, whatever the
    size. `v` is like the argument.

    >>> hvp(lambda x: (x * x * x).sum())(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """

    @functools.wraps(f)
    def multiply(*args: Any) -> Any:
        *point, v = args

        def slope(x: Any) -> Any:
            return grad(f, argnums)(*point[:argnums], x, *point[argnums + 1 :])

        return vjp(slope, point[argnums])[1](v)

    return multiply


def _half_square(y: Any) -> Any:
    return (y * y).sum() * 0.5


def ggnvp(f: Function, loss: Function = _half_square, argnums: int = 0) -> Function:
    """The function (*args, v) -> Jᵀ·H·J·v, J of f, H of `loss` at f's value: the Gauss-Newton product.

    It is the curvature of loss(f(x)) without f's own second derivatives, so it never points uphill where
    `loss` is convex. By default loss(y) = ½·Σ y², and H is 1. Source: Schraudolph, Neural Computation 14
    (2002).

    >>> ggnvp(lambda x: x * x)(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 16.])
    """

    @functools.wraps(f)
    def multiply(*args: Any) -> Any:
        *point, v = args

        def inner(x: Any) -> Any:
            return f(*point[:argnums], x, *point[argnums + 1 :])

        value, pull_back = vjp(inner, point[argnums])
        moved = jvp(inner, (point[argnums],), (v,))[1]
        return pull_back(hvp(loss)(value, moved))

    return multiply

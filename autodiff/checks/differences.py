"""Central differences, in floats or in Decimals: all entries nudged at once, or one by one.

Adds `finite_difference` and `numerical_gradient_full`. Needs evaluation.py (f at a point) and ops/shapes.py.
Used from U1 on, read in U13.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, getcontext, localcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.checks.evaluation import Function, Gradients, Point, Vary, check_step
from autodiff.errors import NumericalCheckError
from autodiff.ops.shapes import reduce_broadcast
from autodiff.primitive import Array

FLOAT_STEP = (
    6e-6  # about the cube root of 2.2e-16: truncation (h²) and rounding (1/h) are equally small there
)
DECIMAL_STEP = Decimal(1) / Decimal(10**8)  # 28 digits: h² and 1e-28/h leave about 17 right ones
DECIMAL_DIGITS = 28


def default_step(x: Array) -> Array:
    """h = 6e-6·max(1, |x|) for each entry: far from 0 floats lie further apart."""
    return np.asarray(FLOAT_STEP * np.maximum(1.0, np.abs(x)))


def bracket(x: Array, h: Any) -> tuple[Array, Array, Array]:
    """x + h, x − h, and the distance between them as it came out after rounding, entry by entry."""
    upper, lower = np.asarray(x + h), np.asarray(x - h)
    step = np.asarray(upper - lower)  # not 2h: x + h was rounded
    lost = step == 0
    if lost.any():
        place = tuple(int(k) for k in np.argwhere(lost)[0])
        raise NumericalCheckError(
            f"the step h={np.broadcast_to(h, x.shape)[place]} vanishes beside x={x[place]}: "
            "x + h and x - h are the same number. Take a larger h, or leave it out"
        )
    return upper, lower, step


@contextlib.contextmanager
def _digits(as_decimal: bool) -> Iterator[None]:
    """Decimal arithmetic with at least 28 digits, whatever the caller's context says."""
    with localcontext() if as_decimal else contextlib.nullcontext():
        if as_decimal:
            getcontext().prec = max(DECIMAL_DIGITS, getcontext().prec)
        yield


def _step(x: Array, h: Any, as_decimal: bool) -> Any:
    if h is None:
        return DECIMAL_STEP if as_decimal else default_step(x)
    check_step(h)
    return Decimal(h) if as_decimal else float(h)


def central(point: Point, i: int, h: Any) -> Array:
    """(f(x+h) − f(x−h)) / 2h with all entries of argument i nudged at once, in the shape of f's result."""
    upper, lower, step = bracket(point.values[i], h)
    rise = point(i, upper) - point(i, lower)
    point.require_map(i, np.shape(rise))
    return np.asarray(rise / step)


def _at_once(point: Point, i: int, h: Any) -> Array:
    return reduce_broadcast(point.g * central(point, i, h), point.values[i].shape)


def _one_by_one(point: Point, i: int, h: Any) -> Array:
    x = point.values[i]
    upper, lower, step = bracket(x, h)
    gradient = np.empty_like(x)
    for place in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[place], below[place] = upper[place], lower[place]
        gradient[place] = np.sum(point.g * (point(i, above) - point(i, below))) / step[place]
    return gradient


def _differentiate(method: Callable[[Point, int, Any], Array], point: Point, h: Any) -> Gradients:
    gradients: list[Array | None] = [None] * len(point.values)
    with _digits(point.as_decimal):
        for i in point.vary:
            step = _step(point.values[i], h, point.as_decimal)
            gradients[i] = method(point, i, step).astype(np.float64)
    return tuple(gradients)


def finite_difference(
    f: Function,
    *args: ArrayLike,
    back_grad: ArrayLike,
    vary_ind: Vary = None,
    h: float | Decimal | None = None,
    as_decimal: bool = False,
    kwargs: Mapping[str, Any] | None = None,
) -> Gradients:
    """The gradient of each argument by a central difference, all its entries nudged at once.

    reduce_broadcast(back_grad · (f(x+h) − f(x−h)) / 2h, x.shape): right only where f maps over entries;
    for sums, matmul and the like use `numerical_gradient_full`. `back_grad` has the shape of f's result, or
    is one number. The answer is a tuple of float64 arrays (0-d for a number), None for what isn't in
    `vary_ind`. h is 6e-6·max(1, |x|), for a relative error of about 1e-10; with `as_decimal` it is 1e-8 and
    all digits of a float are right. Errors: ShapeError; OperandError (complex, bool, object arguments);
    OptionError (h, vary_ind); NumericalCheckError (f itself).

    >>> finite_difference(lambda x, n: x**n, [1.0, 2.0], 3, back_grad=1, vary_ind=0, as_decimal=True)
    (array([ 3., 12.]), None)
    """
    return _differentiate(_at_once, Point(f, args, back_grad, vary_ind, kwargs, as_decimal), h)


def numerical_gradient_full(
    f: Function,
    *args: ArrayLike,
    back_grad: ArrayLike,
    vary_ind: Vary = None,
    h: float | Decimal | None = None,
    as_decimal: bool = False,
    kwargs: Mapping[str, Any] | None = None,
) -> Gradients:
    """The gradient of each argument by central differences, one entry at a time: right for every smooth f.

    grad[k] = Σ back_grad · (f(x + h·e_k) − f(x − h·e_k)) / 2h: two calls of f for each entry. Shapes,
    steps, the answer and the errors are those of `finite_difference`.

    >>> numerical_gradient_full(np.matmul, np.eye(2), [1.0, 2.0], back_grad=[1, 10], as_decimal=True)
    (array([[ 1.,  2.],
           [10., 20.]]), array([ 1., 10.]))
    """
    return _differentiate(_one_by_one, Point(f, args, back_grad, vary_ind, kwargs, as_decimal), h)

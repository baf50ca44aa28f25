"""The complex step: a derivative without a difference, exact to rounding; and a second opinion beside it.

Adds `numerical_gradient`. Needs differences.py: where f isn't analytic (abs, norm, conj, a real cast) the
complex step is wrong without a word, so a central difference has to agree. Read in U13.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning
from numpy.typing import ArrayLike

from autodiff.checks.differences import central, default_step
from autodiff.checks.evaluation import Function, Gradients, Point, Vary, check_step
from autodiff.errors import NumericalCheckError
from autodiff.ops.shapes import reduce_broadcast
from autodiff.primitive import Array

UNDERFLOW = 1e-280  # a slope below 1e-308 / 1e-20 leaves no imaginary part
# Steps of a second look, in default steps. The ratio √50 isn't a fraction, so that two differences of a
# few rounding units each can't agree by chance.
RATIO = 50**0.5
STEPS = tuple(RATIO**k for k in (3, 2, 1, 0, -1, -2, -3, -4, -5))
AGREE = 1e-6  # a central difference keeps about 1e-10; a function that isn't analytic is off by its own size


def numerical_gradient(
    f: Function,
    *args: ArrayLike,
    back_grad: ArrayLike,
    vary_ind: Vary = None,
    h: float = 1e-20,
    kwargs: Mapping[str, Any] | None = None,
) -> Gradients:
    """The gradient of each argument by the complex step, exact to rounding where f is analytic.

    f(x + ih) = f(x) + ih·f'(x) − …, so f'(x) = Im f(x + ih) / h: nothing is subtracted, h can be tiny. All
    entries are nudged at once, so f has to map over entries; shapes and the answer are those of
    `finite_difference`. One central difference per argument must agree, else NumericalCheckError names both
    numbers and the place; it is also raised where f doesn't take complex numbers. Formula: Squire and Trapp,
    SIAM Review 40 (1998).

    >>> numerical_gradient(np.sin, 0.0, back_grad=2.0)
    (array(2.),)
    """
    check_step(h)
    point = Point(f, args, back_grad, vary_ind, kwargs)
    gradients: list[Array | None] = [None] * len(args)
    for i in point.vary:
        with np.errstate(all="ignore"):  # x ± h may leave f's domain where x doesn't
            # First: an error that f raises on real numbers is its own, and goes to the caller as it is.
            witness = central(point, i, _uneven_step(point.values[i]))
        derivative = _complex_step(point, i, float(h))
        _require_agreement(point, i, derivative, witness)
        gradients[i] = reduce_broadcast(point.g * derivative, point.values[i].shape)
    return tuple(gradients)


def _complex_step(point: Point, i: int, h: float) -> Array:
    nudged = point.values[i] + np.asarray(1j * h)
    try:
        with np.errstate(under="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error", ComplexWarning)  # NumPy's note that an imaginary part was dropped
            out = point(i, np.asarray(nudged))
    except Exception as problem:
        arithmetic = isinstance(problem, ArithmeticError | RuntimeWarning)
        if arithmetic and not isinstance(problem, ComplexWarning):
            raise  # overflow and the like have nothing to do with complex numbers
        raise NumericalCheckError(
            f"f takes real numbers but failed on complex ones (argument {i}): {type(problem).__name__}: "
            f"{problem}. The complex step needs f to be made of analytic operations (not arctan2, floor, "
            "float(), astype): use finite_difference or numerical_gradient_full"
        ) from problem
    return np.asarray(out.imag / h)


def _uneven_step(x: Array) -> Array:
    """The default step times a factor of its own for each entry, so that a mixed result can't agree."""
    # Whole-array nudging is wrong where f mixes entries. With equal steps a difference repeats that mistake.
    return default_step(x) * np.random.default_rng(0).uniform(1.0, 2.0, x.shape)


def _require_agreement(point: Point, i: int, derivative: Array, witness: Array) -> None:
    agree = _close(derivative, witness)
    if not agree.all():
        agree |= _second_look(point, i, derivative)
    if agree.all():
        return
    place = tuple(int(k) for k in np.argwhere(~agree)[0])
    where = f", entry {list(place)} of its result" if place else ""
    raise NumericalCheckError(
        f"two derivatives of f disagree (argument {i}{where}): complex step {float(derivative[place])!r}, "
        f"central difference {float(witness[place])!r}. Either f isn't analytic there (abs, norm, conj, a "
        "real cast, a comparison, a kink within the step): use finite_difference; or f mixes entries of "
        "the argument: use numerical_gradient_full"
    )


def _close(derivative: Array, witness: Array, doubt: Any = 0.0) -> Array:
    """Where the two agree; both nan counts, and so does a witness of exactly 0 beside mere rounding."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(derivative), np.abs(witness))
        # A large doubt excuses nothing, unless both are so small that only rounding is left of them.
        allowed = AGREE * size + np.minimum(doubt, np.maximum(0.01 * size, 1e-8)) + UNDERFLOW
        near = np.abs(derivative - witness) <= allowed
        rounding = (witness == 0) & (np.abs(derivative) <= 1e-12)
        return np.asarray(
            near | (derivative == witness) | (np.isnan(derivative) & np.isnan(witness)) | rounding
        )


def _second_look(point: Point, i: int, derivative: Array) -> Array:
    """Where the derivative agrees with the best of several steps; rare, so it may cost a few more calls.

    A steep f (log near 0, sin(1e6·x)) needs a smaller step than the default one, a small slope on a large
    value (1e10 + x) a larger one. The pair of steps whose answers lie closest together is the one to
    believe, and their distance says how far.
    """
    x = point.values[i]
    uneven = _uneven_step(x)
    relative = np.where(np.abs(x) < 1e-200, 1e-3, np.minimum(1.0, np.abs(x)))  # 6e-6·|x| however small x is
    with np.errstate(all="ignore"):
        tries = [central(point, i, uneven * k) for k in (*STEPS, relative, relative / RATIO)]
        slopes = np.stack(tries)
        gaps = np.abs(np.diff(slopes, axis=0))
    # Twice exactly 0 means a step too small for f to notice, if another step did see a slope.
    unnoticed = (slopes[1:] == 0) & (slopes[:-1] == 0) & (slopes != 0).any(axis=0)
    gaps[unnoticed | np.isnan(gaps)] = np.inf
    best = np.argmin(gaps, axis=0)[np.newaxis]
    witness = np.take_along_axis(slopes, best, axis=0)[0]
    doubt = np.take_along_axis(gaps, best, axis=0)[0]
    return _close(derivative, witness, np.where(np.isinf(doubt), 0.0, 10.0 * doubt))

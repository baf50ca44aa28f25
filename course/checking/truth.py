"""What is right, worked out where an answer is judged: never stored, never sent to a graded process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

from autodiff import numerical_gradient, numerical_gradient_full
from autodiff.errors import GradientError, NumericalCheckError, ShapeError
from course.checking.exercise import Verdict, compare

Function = Callable[..., Any]

EXACT = 1e-12  # rtol where the truth has all its digits: by complex step, or by Decimals
MEASURED = 1e-6  # and where central differences are all there is
_STEPS = (3e-4, 4.2e-5, 6e-6, 8.5e-7)
_TINY = 1e-20  # the complex step: nothing is subtracted, so it can be this small
_AGREE = 1e-6  # a central difference keeps about 1e-10; a function that isn't analytic is off by its own size
_KINK = 1e-3  # how far the slopes on both sides may lie apart; a smooth function stays near 1e-5


@dataclass(frozen=True)
class Truth:
    """The right gradient of one argument; `shown` is the central difference that a report shows."""

    value: Any
    shown: Any
    rtol: float = EXACT

    def against(self, family: str, got: Any, where: str) -> Verdict:
        """The verdict on an answer."""
        size = 1.0 if self.rtol == EXACT else max(1.0, float(np.abs(self.value).max(initial=0.0)))
        return compare(
            family, got, self.value, where, rtol=self.rtol, atol=self.rtol * size, shown=self.shown
        )


def true_gradients(f: Function, *points: Any, g: Any = 1.0) -> list[Truth]:
    """The gradient of Σ g · f in each argument, numbers and arrays of floats, in their shapes.

    By complex step where f is analytic (rtol 1e-12): every entry is compared with a central difference
    before it's trusted. Else (abs, a comparison on the argument) by Decimals where f takes them (rtol 1e-12),
    else by central differences at several h that agree (rtol 1e-6). `f` may leave arguments out; constants
    and integers it closes over. NumericalCheckError where no slope is found: at a kink, off the domain.
    """
    g = np.asarray(g, dtype=np.float64)
    value = np.asarray(f(*map(_copy, points)))
    if g.shape not in ((), value.shape):
        raise ShapeError(f"g has shape {g.shape}, f's result {value.shape}: give one number, or that shape")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", ComplexWarning)  # a part that is lost shows: the slopes disagree
        return [_truth(f, points, k, g, float(np.sum(g * value))) for k in range(len(points))]


def _copy(point: Any) -> Any:
    return np.array(point) if np.ndim(point) else point


def _truth(f: Function, points: Sequence[Any], k: int, g: Any, here: float) -> Truth:
    x = np.asarray(points[k], dtype=np.float64)
    value, shown = np.empty(x.shape), np.empty(x.shape)
    rtol = EXACT
    for place in np.ndindex(x.shape):
        along, at = _entry(f, points, k, place, g), float(x[place])
        shown[place] = nudged = _central(along, at, here, f"argument {k}, entry {list(place)}")
        slope = _complex_step(along, at, nudged) if rtol == EXACT else None
        if slope is None:
            rtol = MEASURED
        else:
            value[place] = slope
    if rtol == MEASURED:  # not analytic somewhere
        value, rtol = _measured(f, points, k, g)
    if x.ndim == 0:
        return Truth(float(value), float(shown), rtol)
    return Truth(value, shown, rtol)


def _entry(f: Function, points: Sequence[Any], k: int, place: tuple[int, ...], g: Any) -> Function:
    """Σ g · f as a function of one entry of argument k."""

    def along(value: Any) -> Any:
        given = [_copy(point) for point in points]
        given[k] = value
        if np.ndim(points[k]):
            given[k] = np.array(points[k], dtype=np.result_type(value, np.float64))
            given[k][place] = value
        return np.sum(g * np.asarray(f(*given)))

    return along


def _central(along: Function, at: float, here: float, where: str) -> float:
    """The central difference. At a kink two wrong ways may agree, and what is right is a convention."""
    h = _STEPS[2] * max(1.0, abs(at))
    right, left = float(along(at + h)), float(along(at - h))
    gap = abs((right - here) - (here - left)) / h
    if not gap <= _KINK * max(1.0, abs(here), abs(right - left) / h):
        raise NumericalCheckError(
            f"f has a kink ({where}): its slopes on both sides of {at!r} differ by {gap:.3g}. Judge at least "
            f"ten steps ({10 * h:.2g}) away from it"
        )
    return (right - left) / ((at + h) - (at - h))


def _complex_step(along: Function, at: float, nudged: float) -> float | None:
    """The slope to all digits, if f is analytic there; a second opinion has the last word."""
    try:
        slope = float(np.imag(along(complex(at, _TINY))) / _TINY)
    except (TypeError, ValueError, AttributeError):  # no complex numbers taken
        return None
    if abs(slope - nudged) <= _AGREE * max(abs(slope), abs(nudged)):
        return slope
    try:  # steep, or tiny beside f's value, or not analytic: this looks twice
        (found,) = numerical_gradient(along, at, back_grad=1.0)
    except GradientError:
        return None
    return float(np.asarray(found))


def _measured(f: Function, points: Sequence[Any], k: int, g: Any) -> tuple[Any, float]:
    """By Decimals, or by the two steps whose central differences lie closest together."""
    try:
        value = numerical_gradient_full(f, *points, back_grad=g, vary_ind=k, as_decimal=True)[k]
        return value, EXACT
    except (GradientError, TypeError, ValueError, AttributeError, ArithmeticError):
        pass
    tries = [numerical_gradient_full(f, *points, back_grad=g, vary_ind=k, h=h)[k] for h in _STEPS]
    slopes = np.stack([np.asarray(t) for t in tries])
    gaps = np.abs(np.diff(slopes, axis=0))
    best = np.argmin(gaps, axis=0)[np.newaxis]
    value = np.take_along_axis(slopes, best + 1, axis=0)[0]
    doubt = np.take_along_axis(gaps, best, axis=0)[0]
    if not (doubt <= 0.1 * MEASURED * np.maximum(1.0, np.abs(value))).all():
        raise NumericalCheckError(
            f"the differences of f disagree (argument {k}): no slope can be told. Judge at another point"
        )
    return value, MEASURED

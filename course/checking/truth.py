"""What is right, worked out where an answer is judged: never stored, never sent to a graded process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff import numerical_gradient, numerical_gradient_full
from autodiff.errors import GradientError, NumericalCheckError
from course.checking.exercise import Verdict, compare

Function = Callable[..., Any]

EXACT = 1e-12  # rtol where the truth has all its digits: by complex step, or by Decimals
MEASURED = 1e-6  # and where central differences are all there is
_STEPS = (3e-4, 4.2e-5, 6e-6, 8.5e-7)
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
    central = numerical_gradient_full(f, *points, back_grad=g)
    return [_truth(f, points, k, g, shown) for k, shown in enumerate(central)]


def _truth(f: Function, points: Sequence[Any], k: int, g: Any, shown: Any) -> Truth:
    _require_smooth(
        f, points, k, g
    )  # at a kink two wrong ways may agree; what is right there is a convention
    try:
        value, rtol = _complex_step(f, points, k, g), EXACT
    except (GradientError, TypeError, ValueError, AttributeError):  # not analytic: no complex numbers taken
        value, rtol = _measured(f, points, k, g)
    number = np.ndim(points[k]) == 0
    return Truth(float(value), float(shown), rtol) if number else Truth(value, shown, rtol)


def _entry(f: Function, points: Sequence[Any], k: int, place: tuple[int, ...], g: Any) -> Function:
    """Σ g · f as a function of one entry of argument k."""

    def along(value: Any) -> Any:
        given = [np.array(p) if np.ndim(p) else p for p in points]
        given[k] = value
        if np.ndim(points[k]):
            given[k] = np.array(points[k], dtype=np.result_type(value, np.float64))
            given[k][place] = value
        return np.sum(np.asarray(g) * np.asarray(f(*given))) + 0 * value  # 0: f may leave the argument out

    return along


def _complex_step(f: Function, points: Sequence[Any], k: int, g: Any) -> Any:
    x = np.asarray(points[k], dtype=np.float64)
    value = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        (slope,) = numerical_gradient(_entry(f, points, k, place, g), float(x[place]), back_grad=1.0)
        value[place] = float(np.asarray(slope))
    return value


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


def _require_smooth(f: Function, points: Sequence[Any], k: int, g: Any) -> None:
    x = np.asarray(points[k], dtype=np.float64)
    h = _STEPS[2]
    for place in np.ndindex(x.shape):
        along, at = _entry(f, points, k, place, g), float(x[place])
        here, left, right = float(along(at)), float(along(at - h)), float(along(at + h))
        gap = abs((right - here) - (here - left)) / h
        if not gap <= _KINK * max(1.0, abs(here), abs(right - left) / h):
            raise NumericalCheckError(
                f"f has a kink (argument {k}, entry {list(place)}): its slopes on both sides of {at!r} "
                f"differ by {gap:.3g}. Judge at least ten steps ({10 * h:g}) away from it"
            )

"""Tells finite differences from derivatives by the error that they leave, and gives that mistake its name.

A one-sided difference is off by about h, a central one by h², higher orders by less; once h is small, all of
them by rounding. So the answer itself says how it was found: only the right formula at the right step
repeats its error. Nothing is guessed: an answer whose error no formula repeats gets no name from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.checking.exercise import Answer, Case, Raised, Signature, numbers_of
from course.checking.truth import true_gradients

Slopes = Callable[..., Sequence[Any]]  # (f, *points, g=1.0) -> the gradient of g · f in each point
Predict = Callable[[Case, Slopes], Mapping[str, Any]]
Line = Callable[[Any], Any]


def _central(f: Line, x: Any, h: Any) -> Any:
    return (f(x + h) - f(x - h)) / (2 * h)


# The same numbers in another order are rounded in another way: the usual ways to write each.
FORMULAS: dict[str, tuple[Callable[[Line, Any, Any], Any], ...]] = {
    "one-sided-difference": (
        lambda f, x, h: (f(x + h) - f(x)) / h,
        lambda f, x, h: (f(x) - f(x - h)) / h,
        lambda f, x, h: (-3 * f(x) + 4 * f(x + h) - f(x + 2 * h)) / (2 * h),
    ),
    "central-difference": (_central, lambda f, x, h: (f(x + h / 2) - f(x - h / 2)) / h),
    "higher-order-difference": (
        lambda f, x, h: (-f(x + 2 * h) + 8 * f(x + h) - 8 * f(x - h) + f(x - 2 * h)) / (12 * h),
        lambda f, x, h: (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h),
        lambda f, x, h: (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h),
        lambda f, x, h: (4 * _central(f, x, h / 2) - _central(f, x, h)) / 3,
        lambda f, x, h: (4 * _central(f, x, h) - _central(f, x, 2 * h)) / 3,
        lambda f, x, h: (
            (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) + f(x + 3 * h) - f(x - 3 * h))
            / (60 * h)
        ),
    ),
}
ORDERS = {"one-sided-difference": 1, "central-difference": 2, "higher-order-difference": 4}
_EPS = float(np.finfo(np.float64).eps)
STEPS = (
    *(10.0**-k for k in range(1, 13)),
    *(6e-6, _EPS**0.5, _EPS ** (1 / 3), _EPS**0.25, _EPS**0.2),
)
SCALES: dict[str, Callable[[float], float]] = {
    "h": lambda x: 1.0,
    "h·max(1, |x|)": lambda x: max(1.0, abs(x)),
    "h·|x|": lambda x: abs(x) or 1.0,
}


@dataclass(frozen=True)
class Scheme:
    """A way to difference: which formula, at which step, scaled how."""

    order: str
    formula: int
    h: float
    scale: str = "h"

    def __call__(self, f: Callable[..., Any], *points: Any, g: Any = 1.0) -> list[Any]:
        """The gradient of Σ g · f in each point (a number or an array), entry by entry."""
        return [self._one(f, points, k, g) for k in range(len(points))]

    def _one(self, f: Callable[..., Any], points: Sequence[Any], k: int, g: Any) -> Any:
        x = np.asarray(points[k], dtype=np.float64)
        slopes = np.empty(x.shape)
        for place in np.ndindex(x.shape):

            def line(value: Any, place: tuple[int, ...] = place) -> Any:
                given = [np.array(p) if np.ndim(p) else p for p in points]
                if np.ndim(points[k]):
                    given[k][place] = value
                else:
                    given[k] = value
                return f(*given)

            at = float(x[place])
            h = self.h * SCALES[self.scale](at)
            slopes[place] = np.sum(g * FORMULAS[self.order][self.formula](line, at, h))
        return slopes if np.ndim(points[k]) else float(slopes)


def exact(f: Callable[..., Any], *points: Any, g: Any = 1.0) -> list[Any]:
    """The right gradients, in the same form."""
    return [truth.value for truth in true_gradients(f, *points, g=g)]


def difference_signatures(*predicts: Predict) -> list[Signature]:
    """Three signatures: one-sided, central, and higher-order differences in place of a derivative.

    `predict(case, slopes)` gives the answers of a case by key, made with slopes(f, *points, g=1.0). It's
    called with right slopes and with differences; give one `predict` for each place where a student may
    difference (the whole function, or each operation's own rule). An answer is explained by a scheme that
    repeats its error, and the same scheme has to explain every failing case.
    """
    return [Signature(order, _recogniser(order, predicts), narrows=True) for order in FORMULAS]


def _recogniser(order: str, predicts: Sequence[Predict]) -> Callable[..., set[Any]]:
    def recognise(case: Case, answer: Answer | Raised, among: set[Any] | None = None) -> set[Any]:
        if isinstance(answer, Raised):
            return set()
        found: set[Any] = set()
        for number, predict in enumerate(predicts):
            right = predict(case, exact)
            if not _nearly(answer, right):
                continue
            got, true = _flat(answer, right), _flat(right, right)
            if among is None:
                schemes: Iterable[Scheme] = _schemes(order, predict, case, got, true)
            else:
                schemes = [scheme for one, scheme in among if one == number]
            found |= {
                (number, scheme)
                for scheme in schemes
                if _repeats(got, true, _flat(predict(case, scheme), right))
            }
        return found

    return recognise


def _schemes(order: str, predict: Predict, case: Case, got: Any, true: Any) -> Iterator[Scheme]:
    """The schemes that could be it: usual steps, and the step that the error itself tells."""
    for formula in range(len(FORMULAS[order])):
        for scale in SCALES:
            for h in (*STEPS, *_fitted(order, formula, scale, predict, case, got, true)):
                yield Scheme(order, formula, h, scale)


def _fitted(
    order: str, formula: int, scale: str, predict: Predict, case: Case, got: Any, true: Any
) -> tuple[float, ...]:
    """The step, to two digits, at which the leading error would be the one there is."""
    trial = 1e-2
    off = _flat(predict(case, Scheme(order, formula, trial, scale)), None) - true
    worst = int(np.argmax(np.abs(off)))
    if not abs(off[worst]) > 1e-9:
        return ()  # exact at any step: nothing to fit
    ratio = (got[worst] - true[worst]) / off[worst]
    return (float(f"{trial * ratio ** (1 / ORDERS[order]):.1e}"),) if 1e-18 < ratio < 1e3 else ()


def _nearly(answer: Answer, right: Mapping[str, Any]) -> bool:
    """Whether all is right to a digit, and something isn't right to rounding: the mark of a difference."""
    for key, value in right.items():
        given = numbers_of(answer.get(key))
        if given is None or given.shape != np.shape(value) or not np.isfinite(given).all():
            return False
    got, true = _flat(answer, right), _flat(right, right)
    error, size = np.abs(got - true), np.maximum(1e-3, np.abs(true))
    single = np.array_equal(got, got.astype(np.float32))  # too little precision is another mistake
    return bool((error <= 0.2 * size).all() and (error > 30 * _EPS * size).any() and not single)


def _flat(answers: Mapping[str, Any], like: Mapping[str, Any] | None) -> Any:
    keys = answers if like is None else like
    return np.concatenate([np.ravel(np.asarray(answers[key], dtype=np.float64)) for key in keys])


def _repeats(got: Any, true: Any, predicted: Any) -> bool:
    """Whether the prediction is off as the answer is: to a fiftieth of the error, and rounding."""
    return bool((np.abs(got - predicted) <= 0.02 * np.abs(got - true) + 4 * _EPS * np.abs(got)).all())

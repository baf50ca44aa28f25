"""Slopes along a line: what a value does as the argument moves by t·direction, and how far to trust that.

Needs differences.py (the step) and problem.py. Adds the numbers that an engine's answers are compared with:
central differences or the complex step, a second look where they disagree, kinks told apart. Read in U13.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.exceptions import ComplexWarning

from autodiff.checks.differences import FLOAT_STEP
from autodiff.checks.problem import Arrays, Problem
from autodiff.primitive import Array, Shape

Line: TypeAlias = Callable[[float], Array]  # t → the value at x + t·direction

COMPLEX_STEP = 1e-20
EXACT = 1e-9  # relative tolerance beside a complex step
CENTRAL = 1e-6  # and beside a central difference, which keeps about 1e-10
ROOT = 7.0  # the steps of a second look lie this factor apart


@dataclass(frozen=True)
class Precision:
    """What follows from how finely f computes: the step, the tolerance, the noise of a difference."""

    step: float
    rtol: float
    noise: float  # of one difference quotient of a value of size 1, with a margin of 50

    @classmethod
    def of(cls, epsilon: float, rtol: float | None) -> Precision:
        """`epsilon` is the distance of floats near 1: h ~ ε^⅓, error ~ ε^⅔, noise ~ ε/h."""
        step = FLOAT_STEP * (epsilon / float(np.finfo(np.float64).eps)) ** (1 / 3)
        return cls(step, rtol or max(CENTRAL, 100 * epsilon ** (2 / 3)), 50 * epsilon / step)


def dot(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Σ a·b over all entries of all arrays."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += float(np.vdot(x, y))
    return total


def size(g: Arrays, outs: Arrays) -> float:
    """How large the terms of Σ g·out are: what rounding is proportional to."""
    return float(np.sqrt(sum(float(np.sum(np.square(x * y))) for x, y in zip(g, outs, strict=True))))


def shift(x: Arrays, t: float, v: Arrays) -> Arrays:
    """x + t·v."""
    return [a + t * b for a, b in zip(x, v, strict=True)]


def central(line: Line, h: float) -> Array:
    """(line(h) − line(−h)) / 2h."""
    return np.asarray((line(h) - line(-h)) / (2 * h))


# --- entry by entry --------------------------------------------------------------------------------------


def entry_slopes(
    problem: Problem, g: Arrays, j: int, places: Sequence[tuple[int, ...]], h: float | None
) -> list[float]:
    """d(Σ g·f)/d(entry) of argument j at `places`: central with the relative step h, complex without h."""
    xs, found, values = list(problem.x), [], problem.values
    x = problem.x[j]
    for place in places:
        here = float(x[place])
        if h is None:
            xs[j] = moved = x.astype(np.complex128)
            moved[place] += 1j * COMPLEX_STEP
            found.append(dot(g, [out.imag for out in values(xs)]) / COMPLEX_STEP)
        else:
            step = h * max(1.0, abs(here))
            upper, lower = here + step, here - step
            xs[j] = moved = x.copy()
            moved[place] = upper
            above = values(xs)
            moved[place] = lower
            found.append(_rise(g, above, values(xs)) / (upper - lower))  # not 2h: x + h was rounded
    if not np.isfinite(found).all():
        raise problem.outside()
    return found


def _rise(g: Arrays, above: Arrays, below: Arrays) -> float:
    """Σ g·(above − below), where what doesn't change adds no rounding."""
    return dot(g, [a - b for a, b in zip(above, below, strict=True)])


def entries_line(problem: Problem, g: Arrays, j: int, places: Sequence[tuple[int, ...]]) -> Line:
    """Σ g·(f − f(x)) as one entry moves by t·max(1, |x|), over that factor: a value for each of `places`."""
    base, x = problem.values(problem.x), problem.x[j]

    def line(t: float) -> Array:
        xs, found = list(problem.x), []
        for place in places:
            factor = max(1.0, abs(x[place]))
            xs[j] = x.copy()
            xs[j][place] += t * factor
            found.append(_rise(g, problem.values(xs), base) / factor)
        return np.array(found)

    return line


def own_slopes(problem: Problem, j: int, h: float) -> Array:
    """The diagonal of the Jacobian of f's first output by argument j, of the same shape."""
    x, slopes = problem.x[j], np.zeros(problem.x[j].shape)
    for place in np.ndindex(x.shape):
        xs = list(problem.x)
        xs[j] = moved = x.copy()
        moved[place] = x[place] + h
        above = problem.values(xs)[0][place]
        moved[place] = x[place] - h
        slopes[place] = (above - problem.values(xs)[0][place]) / (2 * h)
    return slopes


def is_analytic(problem: Problem, g: Arrays, v: Arrays, witness: float, noise: float) -> bool:
    """Whether f takes complex numbers, and its complex slope along v is that of a central difference."""
    nudged = [a + 1j * COMPLEX_STEP * b for a, b in zip(problem.x, v, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ComplexWarning)
        try:
            outs = problem.values(nudged)
        except Exception:  # whatever a function does to a number that it wasn't written for
            return False
    slope = dot(g, [out.imag for out in outs]) / COMPLEX_STEP
    near = abs(slope - witness) <= CENTRAL * abs(witness) + noise
    return near and noise <= 1e-3 * abs(witness)


# --- a second look ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SecondLook:
    """Where several steps bear `got` out; where left and right slope stay apart, and what they are."""

    agrees: Array
    kink: Array
    left: Array
    right: Array


def look_again(line: Line, got: Array, allowed: Array, h: float, noise: Any) -> SecondLook:
    """Entries of `got` that didn't fit the difference at step h: was it the step, or is there a kink?

    A steep f (sin(1e4·x)) needs a smaller step, a small slope on a large value a larger one: two neighbouring
    steps that both fit are believed. The gap between left and right slope shrinks with the step where f is
    smooth, and stays where it has a kink.
    """
    fits = []
    for k in (3, 2, 1, -1, -2, -3, -4):
        off, rounding = np.abs(central(line, h * ROOT**k) - got), noise * ROOT**-k
        telling = np.asarray(k > 0) | (rounding <= 1e-3 * np.abs(got))
        fits.append(telling & (off <= allowed + rounding))
    agrees = np.logical_or.reduce([a & b for a, b in pairwise(fits)])
    base = line(0.0)

    def sides(step: float) -> tuple[Array, Array]:
        return np.asarray((base - line(-step)) / step), np.asarray((line(step) - base) / step)

    (left, right), (close_left, close_right) = sides(h), sides(h / ROOT)
    gap, close = np.abs(right - left), np.abs(close_right - close_left)
    slope = np.maximum(np.abs(close_left), np.abs(close_right))
    kink = (close > 0.5 * gap) & (close > 1e-3 * slope + 4 * ROOT * noise)
    return SecondLook(agrees, kink, close_left, close_right)


def positions(shape: Shape, limit: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """All places of an array of this shape; `limit` of them, drawn, where there are more."""
    count = int(np.prod(shape))
    if count <= limit:
        return list(np.ndindex(shape))
    drawn = np.sort(rng.choice(count, limit, replace=False))
    return [tuple(int(k) for k in np.unravel_index(i, shape)) for i in drawn]

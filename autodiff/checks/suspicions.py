"""Where to look: what the pattern of a wrong derivative says about the rule behind it, in words.

Needs NumPy only. Adds `suspect`, which compares the answers of an engine with the right ones, and the
sentences of the checks that ask the engine again. Read in U13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from autodiff.primitive import Array

SAME = 1e-5  # relative: a pattern is recognised where the numbers agree this well

ALMOST = "almost right: a rounded constant in a rule, or float32 somewhere?"
IGNORES_UPSTREAM = (
    "it doesn't follow the upstream gradient: a rule forgets to multiply by g, or applies something to g "
    "that isn't linear"
)
NOT_LINEAR = "twice the tangent doesn't move the result twice as far: a rule forgets to multiply by g"
OWN_EFFECT_ONLY = (
    "each entry's effect on its own place of the result is there, that on the other places is missing: only "
    "the diagonal of the Jacobian was used"
)
ONLY_FORWARD = "only forward mode differs: look at the row's jvp, and whether its kind says what it is"
ONLY_REVERSE = "only reverse mode differs: look at the vjp rule; the row's jvp is right"
ONLY_SECOND = (
    "the first derivative is right: a rule computes it from what isn't recorded (NumPy on .data, a constant "
    "made from an operand), so its own derivative is lost"
)
ONLY_FORWARD_SECOND = "only forward over reverse differs: look at the jvp of the rows that the rule uses"
SKIPPED_SECOND = "second derivatives weren't looked at: put the first ones right before"


def suspect(got: Array, want: Array, x: Array | None = None, counts: Mapping[int, str] | None = None) -> str:
    """What the pattern of `got` beside `want` says; "" where it says nothing.

    `x` is the argument itself, where entry k of both belongs to entry k of it. `counts` are the numbers by
    which a sum and a mean may differ, each with its name.
    """
    if got.shape != want.shape:
        return f"shape {got.shape}, but the argument has {want.shape}: sum over the stretched axes missing?"
    with np.errstate(all="ignore"):
        return next(_patterns(got, want, x, counts or {}), "")


def of_error(problem: Exception) -> str:
    """What an error of the engine says about where to look."""
    if isinstance(problem, ValueError) and "shape" in f"{problem}{type(problem).__name__}".lower():
        return (
            "shape: a rule's answer doesn't fit its operand. Is the sum over a stretched axis missing, or "
            "the stretch of a summed one?"
        )
    return "the engine stopped with this error"


def is_same(a: Array, b: Array) -> bool:
    """Whether two answers agree well enough to recognise a pattern."""
    scale = float(np.max(np.abs(b), initial=0.0))
    return bool(np.all(np.abs(a - b) <= SAME * np.abs(b) + 1e-3 * SAME * scale))


def _patterns(got: Array, want: Array, x: Array | None, counts: Mapping[int, str]) -> Iterator[str]:
    if not np.isfinite(got).all():
        yield (
            "nan or inf: a rule divides by 0 or takes the log of it, perhaps in a branch that where() didn't "
            "select. autodiff.trace_nonfinite() names the row"
        )
        return
    if is_same(got, want):
        yield ALMOST
    if not got.any():
        yield (
            "got is 0: no gradient arrives. A rule returns zeros, or the value was detached, rounded or "
            "turned into a plain array on the way"
        )
    yield from _ratios(got, want, x, counts)
    yield from _places(got, want)
    yield from _subsets(got, want, x)


def _ratios(got: Array, want: Array, x: Array | None, counts: Mapping[int, str]) -> Iterator[str]:
    if is_same(got, -want):
        yield "sign differs: got is minus what was expected"
    if is_same(got, 2 * want):
        yield "got is twice what was expected: counted twice, or a factor 2 left over"
    if is_same(2 * got, want):
        yield "got is half of what was expected: one of two uses was missed, or a factor 2"
    for n, what in counts.items():
        if n > 2 and is_same(got, n * want):
            yield f"got is {n} times what was expected, and {n} is {what}: mean or sum?"
        if n > 2 and is_same(n * got, want):
            yield f"got is 1/{n} of what was expected, and {n} is {what}: mean or sum?"
    if x is not None:
        if is_same(got, want * x):
            yield "got is the expected number times the argument: one factor too many"
        if is_same(got * x, want):
            yield "got is the expected number divided by the argument: one factor is missing"
    solid = np.abs(want) > 1e-3 * np.max(np.abs(want), initial=0.0)
    ratio = got[solid] / want[solid]
    if ratio.size > 1 and is_same(got, want * ratio[0]):
        yield f"got is {ratio[0]:.6g} times what was expected, everywhere: a constant factor"


def _places(got: Array, want: Array) -> Iterator[str]:
    if got.ndim >= 2 and got.shape[-1] == got.shape[-2] and is_same(got, np.swapaxes(want, -1, -2)):
        yield "the transposed gradient would fit: operands swapped, a transpose too many or one missing"
    if got.size > 2 and is_same(np.sort(got, axis=None), np.sort(want, axis=None)):
        yield (
            "the right numbers, in other places: a permutation that wasn't inverted, or reshape where "
            "transpose is due"
        )


def _subsets(got: Array, want: Array, x: Array | None) -> Iterator[str]:
    right = np.abs(got - want) <= SAME * np.max(np.abs(want), initial=0.0)
    if not right.any() or right.all():
        return
    nothing = " Got is 0 there" if not got[~right].any() else ""
    if right.ndim == 2 and np.array_equal(right, np.eye(*right.shape, dtype=bool)):
        yield f"right on the diagonal, wrong off it.{nothing}"
    if x is not None and x.shape == right.shape:
        if np.array_equal(right, x >= 0):
            yield f"wrong only where the argument is negative.{nothing}"
        if np.array_equal(right, x <= 0):
            yield f"wrong only where the argument is positive.{nothing}"
    for axis in range(right.ndim):
        other = tuple(k for k in range(right.ndim) if k != axis)
        wrong = np.flatnonzero(~right.any(axis=other))
        if right.ndim > 1 and len(wrong) and right.all(axis=other).sum() + len(wrong) == right.shape[axis]:
            at = ", ".join(map(str, wrong[:5]))
            yield f"wrong only at {at} along axis {axis}, right elsewhere.{nothing}"
    yield f"{int((~right).sum())} of {right.size} entries are wrong, the others right.{nothing}"

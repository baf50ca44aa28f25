"""Two derivatives side by side: which entries are wrong, which lie at a kink, and which one is worst.

Needs lines.py (a second look) and findings.py. Adds Comparison, which turns numbers into one Finding of a
report. Read in U13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff.checks.findings import FLAT, KINK, RIGHT, WRONG, Finding
from autodiff.checks.lines import Line, SecondLook, look_again
from autodiff.primitive import Array


@dataclass(frozen=True)
class Comparison:
    """What the engine got and what numbers want, of one shape, and how to look at an entry more closely."""

    argument: str
    mode: str
    order: int
    checked: str
    got: Array
    want: Array
    allowed: Array  # the difference that passes, entry by entry
    coarse: Array  # the difference that a central difference lets pass
    noise: Any  # the part of it that grows as the step shrinks
    step: float
    line_for: Callable[[Array], Line]  # flat positions → their values along the line
    hints: Callable[[Array, Array], list[str]]  # got, want → where to look
    name: Callable[[int], str]  # what the entry at a flat position is called

    def finding(self) -> Finding:
        """The verdict, at the entry that is furthest off."""
        got, want, allowed = np.ravel(self.got), np.array(self.want).ravel(), np.ravel(self.allowed)
        if not got.size:
            return Finding(self.argument, self.mode, self.order, RIGHT, self.checked)
        wrong, kink = ~(np.abs(got - want) <= allowed), np.zeros(got.shape, bool)
        look: list[str] = []
        suspects = np.flatnonzero(wrong)
        if suspects.size:
            second = self._second_look(suspects, got[suspects], want[suspects])
            valid = second.kink & _between(got[suspects], second, allowed[suspects])
            want[suspects[second.agrees]] = got[suspects[second.agrees]]
            kink[suspects] = valid & ~second.agrees
            wrong[suspects] = ~(second.agrees | valid)
            look = self._look(suspects, second, wrong, got, want)
        verdict = WRONG if wrong.any() else KINK if kink.any() else FLAT if self._is_flat() else RIGHT
        among = wrong if wrong.any() else kink if kink.any() else np.ones(got.shape, bool)
        off = np.nan_to_num(np.abs(got - want), nan=np.inf) / np.maximum(allowed, np.finfo(float).tiny)
        at = int(np.argmax(np.where(among, off, -1.0)))
        numbers = float(got[at]), float(want[at]), float(allowed[at])
        return Finding(
            self.argument, self.mode, self.order, verdict, self.checked, self.name(at), *numbers, tuple(look)
        )

    def _second_look(self, suspects: Array, got: Array, want: Array) -> SecondLook:
        noise = np.broadcast_to(self.noise, self.got.shape).ravel()[suspects]
        coarse = np.ravel(self.coarse)[suspects]
        second = look_again(self.line_for(suspects), got, coarse, self.step, noise)
        # Closer than differences can tell: the complex step, which can, has the last word.
        return replace(second, agrees=second.agrees & ~(np.abs(got - want) <= coarse))

    def _is_flat(self) -> bool:
        """Whether the slopes are more than f's rounding but less than that of a difference of it."""
        if self.allowed is not self.coarse:
            return False  # the complex step subtracts nothing
        top, noise = float(np.max(np.abs(self.got))), float(np.max(self.noise))
        return noise * self.step < top < 0.1 * noise

    def _look(self, suspects: Array, second: SecondLook, wrong: Array, got: Array, want: Array) -> list[str]:
        look = []
        if wrong.any():
            shape = self.got.shape
            look = [hint for hint in self.hints(got.reshape(shape), want.reshape(shape)) if hint]
        told = np.flatnonzero(second.kink & ~second.agrees & (wrong[suspects] == wrong.any()))
        for i in told[:1]:
            look.append(
                f"{self.name(int(suspects[i]))} is at a kink or a tie: slope {second.left[i]:.6g} from "
                f"the left, {second.right[i]:.6g} from the right; got lies "
                + ("outside of them" if wrong.any() else "between them, a valid choice")
            )
        return look


def _between(got: Array, second: SecondLook, allowed: Array) -> Array:
    """Where got is a slope that a kink has to offer: between those from the left and from the right."""
    low, high = np.minimum(second.left, second.right), np.maximum(second.left, second.right)
    margin = allowed + 1e-4 * np.maximum(np.abs(low), np.abs(high))  # a one-sided difference errs by ~h
    return np.asarray((low - margin <= got) & (got <= high + margin))


def entries_of(count: int, size: int) -> str:
    """How many entries were compared."""
    words = "1 entry" if count == 1 else f"{count} entries"
    return words if count == size else f"{count} of {size} entries, drawn"


def joined(outs: Sequence[Any]) -> Array:
    """f's result as one array: as it is if there is one, else all entries in a row."""
    if len(outs) == 1:
        return np.asarray(outs[0])
    return np.concatenate([np.ravel(out) for out in outs])


def place_of(shapes: Sequence[tuple[int, ...]], i: int, alone: str = "the result") -> str:
    """What entry i of several arrays in a row is called."""
    k = 0
    while i >= (length := int(np.prod(shapes[k]))):
        i, k = i - length, k + 1
    index = [int(n) for n in np.unravel_index(i, shapes[k])]
    which = f"result {k} " if len(shapes) > 1 else ""
    return f"{which}{index}" if index else which.strip() or alone

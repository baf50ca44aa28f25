"""Does an engine's derivative agree with numbers? Every entry or a random direction, both modes, order 2.

Needs problem.py (f, plain and recorded), lines.py (slopes by numbers), suspicions.py (where to look) and
findings.py (the report). Adds `check_gradients`. Read in U13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.checks import lines, suspicions
from autodiff.checks.comparison import Comparison, entries_of, joined, place_of
from autodiff.checks.evaluation import Function, Vary, check_step
from autodiff.checks.findings import WRONG, Finding, Report
from autodiff.checks.lines import Line, Precision, dot, shift
from autodiff.checks.problem import Arrays, Problem
from autodiff.errors import NumericalCheckError, OptionError
from autodiff.primitive import Array

EVERY_ENTRY = 2048  # with so many entries at most, each one is checked
SMALL = 64  # so few that the diagonal of a Jacobian costs next to nothing
SAMPLE = 200  # entries of an argument to look at where a random direction was wrong
MODES = ("reverse", "forward")
RAISED = "the engine raised an error"


def check_gradients(
    f: Function,
    *args: Any,
    order: int = 1,
    modes: Sequence[str] = MODES,
    back_grad: Any = None,
    vary_ind: Vary = None,
    every_entry: bool | None = None,
    rtol: float | None = None,
    seed: int = 0,
    kwargs: Mapping[str, Any] | None = None,
) -> Report:
    """Whether the engine differentiates f rightly at `args`: a report, true if nothing is wrong.

    f takes and returns arrays, numbers, or nests of them. The gradient of Σ g·f, g random (or `back_grad`),
    is compared entry by entry with the complex step where f is analytic, else with central differences;
    above 2048 entries (or with `every_entry=False`) along one random direction: two evaluations, whatever
    the size. `order=2` compares second derivatives with differences of the first. float32 is checked on
    float64 copies; integers stay fixed. `rtol`: 1e-9 beside the complex step, 1e-6 beside differences.
    Errors: OptionError, OperandError, ShapeError; NumericalCheckError (f isn't finite there).

    >>> bool(check_gradients(lambda w, x: w @ x, np.eye(2), np.array([1.0, 2.0]), order=2))
    True
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or any(mode not in MODES for mode in modes):
        raise OptionError(f"modes are any of {', '.join(MODES)}; got {modes!r}")
    if order not in (1, 2):
        raise OptionError(f"order is 1 or 2; got {order!r}. For a third derivative check grad(f) to order 2")
    if rtol is not None:
        check_step(rtol)
    problem = Problem(f, args, vary_ind, kwargs)
    with np.errstate(all="ignore"):  # a step may leave f's domain where its arguments don't
        return _report(problem, order, modes, back_grad, every_entry, rtol, seed)


def _report(
    problem: Problem,
    order: int,
    modes: Sequence[str],
    back_grad: Any,
    every_entry: bool | None,
    rtol: float | None,
    seed: int,
) -> Report:
    check = _Check(problem, back_grad, rtol, np.random.default_rng(seed))
    every = sum(x.size for x in problem.x) <= EVERY_ENTRY if every_entry is None else every_entry
    asks = {"reverse": check.reverse, "forward": check.forward}
    findings = _compare_modes([finding for mode in modes for finding in asks[mode](every)], modes, order=1)
    notes: tuple[str, ...] = ()
    if order == 2 and any(each.verdict == WRONG for each in findings):
        notes = (suspicions.SKIPPED_SECOND,)
    elif order == 2:
        second = [finding for mode in modes for finding in check.second(mode)]
        findings += _compare_modes(second, modes, order=2)
    return Report(problem.name, tuple(findings), notes)


def _compare_modes(findings: list[Finding], modes: Sequence[str], order: int) -> list[Finding]:
    """The findings; where one of two modes is wrong, or the second order alone, the wrong ones say so."""
    wrong = {each.mode for each in findings if each.verdict == WRONG}
    hints = (suspicions.ONLY_SECOND,) if order == 2 else ()
    if len(modes) > 1 and len(wrong) == 1:
        first = {"forward": suspicions.ONLY_FORWARD, "reverse": suspicions.ONLY_REVERSE}
        second = {"forward": suspicions.ONLY_FORWARD_SECOND}
        hint = (first if order == 1 else second).get(*wrong)
        hints = (hint,) if hint else hints
    clear = [each.verdict == WRONG and suspicions.ALMOST not in each.look for each in findings]
    return [
        replace(x, look=(*x.look, *hints)) if wide else x for x, wide in zip(findings, clear, strict=True)
    ]


class _Check:
    """The questions to the engine. One random direction is evaluated at the start; it serves both modes."""

    def __init__(
        self, problem: Problem, back_grad: Any, rtol: float | None, rng: np.random.Generator
    ) -> None:
        self.problem, self.rtol, self.rng = problem, rtol, rng
        root = sum(x.size for x in problem.x) ** 0.5 or 1.0  # so that a step along v is as long as one of h
        self.v = [rng.standard_normal(x.shape) * np.maximum(1.0, np.abs(x)) / root for x in problem.x]
        before = problem.epsilon
        self.precision = Precision.of(before, rtol)
        self.above, self.slopes = self._along(self.v)
        if problem.epsilon != before:  # f computes in float32: a wider step
            self.precision = Precision.of(problem.epsilon, rtol)
            self.above, self.slopes = self._along(self.v)
        self.g = problem.upstream(back_grad, self.above, rng)
        self.noise = self.precision.noise * lines.size(self.g, self.above)

    def _along(self, v: Arrays) -> tuple[Arrays, Arrays]:
        """f a step ahead along v, and its slopes along v: two evaluations."""
        h, x = self.precision.step, self.problem.x
        above = self.problem.finite(shift(x, h, v))
        below = self.problem.finite(shift(x, -h, v))
        return above, [np.asarray((a - b) / (2 * h)) for a, b in zip(above, below, strict=True)]

    def _compare(
        self,
        question: tuple[str, str, int, str],
        got: Array,
        want: Array,
        *,
        noise: Any,
        line_for: Callable[[Array], Line],
        hints: Callable[[Array, Array], list[str]],
        name: Callable[[int], str],
        scale: float | None = None,
        exact: bool = False,
    ) -> Finding:
        """The finding of a comparison with differences (`exact`: with the complex step) of this noise."""
        scale = float(np.max(np.abs(want), initial=0.0)) if scale is None else scale
        coarse = allowed = np.asarray(self.precision.rtol * np.abs(want) + 1e-9 * scale + noise)
        if exact:  # nothing is subtracted, so only the rounding of f itself is left
            allowed = np.asarray((self.rtol or lines.EXACT) * np.abs(want) + 1e-12 * scale + 1e-5 * noise)
        step = self.precision.step
        return Comparison(*question, got, want, allowed, coarse, noise, step, line_for, hints, name).finding()

    # --- reverse mode ------------------------------------------------------------------------------

    def reverse(self, every: bool) -> list[Finding]:
        """Each argument entry by entry; or all of them along one direction, and entries if that is wrong."""
        problem = self.problem
        try:
            gradient = problem.gradient(problem.x, self.g)
        except Exception as error:
            return [_raised("reverse", 1, error)]
        witness = dot(self.g, self.slopes)
        along = [] if every else [self._direction(gradient, witness)]
        if along and along[0].verdict != WRONG:
            return along
        exact = lines.is_analytic(problem, self.g, self.v, witness, self.noise)
        limits = [x.size if every else SAMPLE for x in problem.x]
        found = [self._entries(j, gradient[j], exact, limit) for j, limit in enumerate(limits)]
        # A sample may miss the entries that were wrong along the direction.
        return found if every or any(each.verdict == WRONG for each in found) else along

    def _direction(self, gradient: list[Any], witness: float) -> Finding:
        def line(t: float) -> Array:
            return np.array([dot(self.g, self.problem.values(shift(self.problem.x, t, self.v)))])

        return self._compare(
            ("all arguments", "reverse", 1, "a direction, central difference"),
            np.array([dot(gradient, self.v)]),
            np.array([witness]),
            scale=dot([np.abs(d) for d in gradient], [np.abs(v) for v in self.v]),
            noise=self.noise,
            line_for=lambda _: line,
            hints=lambda got, want: [suspicions.suspect(got, want)],
            name=lambda _: "Σ gradient·direction",
        )

    def _entries(self, j: int, gradient: Array, exact: bool, limit: int) -> Finding:
        """Argument j entry by entry, or a sample of `limit` entries."""
        problem, x = self.problem, self.problem.x[j]
        places = lines.positions(x.shape, limit, self.rng)
        at = ... if len(places) == x.size else tuple(np.array(places).T)
        got, values = np.asarray(gradient)[at], x[at]
        step = None if exact else self.precision.step
        want = np.array(lines.entry_slopes(problem, self.g, j, places, step)).reshape(got.shape)

        def hints(got: Array, want: Array) -> list[str]:
            turned = np.asarray(problem.gradient(problem.x, [-3 * g for g in self.g])[j])
            if np.isfinite(got).all() and not suspicions.is_same(turned[at], -3 * got):
                return [suspicions.IGNORES_UPSTREAM]
            if not suspicions.is_same(got, want) and self._counts_own_effect_only(j, got):
                return [suspicions.OWN_EFFECT_ONLY]
            return [suspicions.suspect(got, want, values, self._counts())]

        method = "complex step" if exact else "central difference"
        return self._compare(
            (problem.labels[j], "reverse", 1, f"{entries_of(len(places), x.size)}, {method}"),
            got,
            want,
            exact=exact,
            noise=self.noise / np.maximum(1.0, np.abs(values)),
            line_for=lambda which: lines.entries_line(problem, self.g, j, [places[i] for i in which]),
            hints=hints,
            name=lambda i: str(list(places[i])) if places[i] else "the number",
        )

    def _counts_own_effect_only(self, j: int, got: Array) -> bool:
        """Whether the gradient is that of each entry's effect on its own place of the result."""
        x = self.problem.x[j]
        if not 1 < x.size <= SMALL or [out.shape for out in self.above] != [x.shape] or not got.any():
            return False
        own = self.g[0] * lines.own_slopes(self.problem, j, self.precision.step)
        return got.shape == x.shape and suspicions.is_same(got, own)

    def _counts(self) -> dict[int, str]:
        """Numbers that a sum and a mean may differ by."""
        counts: dict[int, str] = {}
        problem = self.problem
        named = [*zip(problem.labels, problem.x, strict=True), *(("the result", each) for each in self.above)]
        for name, array in named:
            counts.setdefault(array.size, f"the number of entries of {name}")
        for name, array in named:
            for axis, length in enumerate(array.shape):
                counts.setdefault(length, f"the length of axis {axis} of {name}")
        return counts

    # --- forward mode ------------------------------------------------------------------------------

    def forward(self, every: bool) -> list[Finding]:
        """J·v, v in one argument at a time; or in all of them at once, and one by one if that is wrong."""
        count = len(self.problem.x)
        if not every or count == 1:
            together = self._moved(None if count > 1 else 0)
            if count == 1 or together.verdict != WRONG or together.checked == RAISED:
                return [together]
        found = [self._moved(j) for j in range(count)]
        return found if every or any(each.verdict == WRONG for each in found) else [together]

    def _moved(self, j: int | None) -> Finding:
        """Every entry of f's result as argument j (None: all of them) moves in a random direction."""
        problem = self.problem
        v = [v if j in (k, None) else np.zeros(v.shape) for k, v in enumerate(self.v)]
        try:
            got = joined(problem.tangent(problem.x, v))
        except Exception as error:
            return _raised("forward", 1, error)
        slopes = self.slopes if j is None or len(v) == 1 else self._along(v)[1]

        def hints(got: Array, want: Array) -> list[str]:
            turned = joined(problem.tangent(problem.x, [-3 * each for each in v]))
            if np.isfinite(got).all() and not suspicions.is_same(turned, -3 * got):
                return [suspicions.NOT_LINEAR]
            return [suspicions.suspect(got, want, None, self._counts())]

        checked = f"a direction, {entries_of(got.size, got.size)} of the result, central difference"
        return self._compare(
            ("all arguments" if j is None else problem.labels[j], "forward", 1, checked),
            got,
            joined(slopes),
            noise=self.precision.noise * np.abs(joined(self.above)),
            line_for=lambda which: lambda t: np.ravel(joined(problem.values(shift(problem.x, t, v))))[which],
            hints=hints,
            name=lambda i: place_of([out.shape for out in self.above], i),
        )

    # --- second order ------------------------------------------------------------------------------

    def second(self, mode: str) -> list[Finding]:
        """H·w for a random w, entry by entry of each argument, beside differences of the gradient."""
        problem, h = self.problem, self.precision.step

        def gradient(t: float) -> list[Any]:
            return problem.gradient(shift(problem.x, t, self.v), self.g)

        try:
            moved = problem.second(mode, self.g, self.v)
        except Exception as error:
            return [_raised(mode, 2, error)]
        pairs = zip(moved, gradient(h), gradient(-h), strict=True)
        return [self._bent(mode, j, gradient, *three) for j, three in enumerate(pairs)]

    def _bent(
        self, mode: str, j: int, gradient: Callable[[float], list[Any]], got: Any, above: Any, below: Any
    ) -> Finding:
        """Argument j of `second`: how its gradient changes along w."""
        want = np.asarray((above - below) / (2 * self.precision.step))
        if not np.isfinite(want).all():
            raise NumericalCheckError(
                f"the gradient of {self.problem.name} is nan or inf near its arguments, so no difference of "
                "it can be taken. Move the arguments away from there"
            )
        checked = f"a direction, {entries_of(want.size, want.size)}, difference of gradients"
        return self._compare(
            (self.problem.labels[j], mode, 2, checked),
            np.asarray(got),
            want,
            noise=self.precision.noise * float(np.max(np.abs(above), initial=0.0)),
            line_for=lambda which: lambda t: np.ravel(gradient(t)[j])[which],
            hints=lambda got, want: [suspicions.suspect(got, want)],
            name=lambda i: place_of([want.shape], i, "the number"),
        )


def _raised(mode: str, order: int, error: Exception) -> Finding:
    told = f"{type(error).__name__}: {error}"
    return Finding("all arguments", mode, order, WRONG, RAISED, look=(told, suspicions.of_error(error)))

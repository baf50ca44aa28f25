"""What a student reads after a check: first what works, then the smallest thing that doesn't."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.checking.evaluate import Failure, Result
from course.checking.exercise import STATUSES, Exercise, Raised, Signature, Verdict
from course.checking.explanations import STATUSES as STATUS_HINTS
from course.checking.explanations import explain, place_of

LOCAL_NOTE = "Checked here, in your own session (isolation L0): for you to learn from, no mark comes from it."


def shorten(value: Any, limit: int = 160) -> str:
    """A value on one line, with its shape where it's an array; control characters shown, never sent on."""
    if isinstance(value, (bool, np.bool_)) or value is None:
        return str(value)
    if isinstance(value, (int, float, np.generic)):
        return f"{float(value):.10g}" if isinstance(value, (int, float, np.number)) else str(value)
    if isinstance(value, np.ndarray):
        body = np.array2string(value, precision=6, threshold=12, separator=", ").replace("\n", " ")
        text = f"{body} of shape {value.shape}"
    else:
        text = str(value)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True)
class Report:
    """A result in words; `hints` says how many of the three hints are shown.

    It's a student's unless it's `full`, the instructor's: of hidden cases a student reads the family and the
    status in words, and a mistake's title only if the cases that aren't hidden give it away; codes like M16
    are the instructor's.
    """

    exercise: Exercise
    result: Result
    hints: int = 1
    note: str = LOCAL_NOTE
    more: str = 'check("{id}", hints={hints})'
    full: bool = False

    def families(self) -> list[tuple[bool, str, str, float, float]]:
        """Passed, name, what it looks at, points, most points: passed ones first."""
        rows = [
            (f.status == "pass", f.name, self.exercise.labels[f.name], f.points, f.max_points)
            for f in self.result.families
        ]
        return sorted(rows, key=lambda row: not row[0])

    def findings(self) -> list[str]:
        """The first failing case, both numbers, the mistake's name, the hints: one sentence each."""
        result = self.result
        if result.failure is None:
            good = result.points == result.max_points and result.status == "pass"
            told = ["All of it is right."] if good else [STATUSES[result.status].capitalize() + "."]
            meaning = [f"What that means: {explain(result.problem)}"] if result.problem else []
            return [*(result.notes or told), *meaning]
        lines = [*result.notes, *self._cases()]
        mistake = self._mistake()
        if mistake is not None:
            code = f" ({mistake.name})" if self.full else ""
            lines.append(f"A known mistake gives just these answers{code}: it {mistake.title}.")
        return [*lines, *self._hints()]

    def _visible(self) -> list[Failure]:
        return [f for f in self.result.failures if self.full or not f.case.hidden]

    def _mistake(self) -> Signature | None:
        return self.result.mistake if self.full else self.result.told

    def _cases(self) -> list[str]:
        """The first failing case that may be shown; of hidden ones the family and the status in words."""
        visible = self._visible()
        lines = describe(visible[0]) if visible else []
        shown = {v.family for f in visible for v in f.verdicts}
        for failure in self.result.failures:
            for verdict in failure.verdicts:
                if verdict.family not in shown:
                    shown.add(verdict.family)
                    lines.append(
                        f"A case that isn't shown fails in {verdict.family} "
                        f"({self.exercise.labels[verdict.family]}): {STATUSES[verdict.status]}."
                    )
        return lines

    def _hints(self) -> list[str]:
        """A known mistake's hint, else one for each failed family; then as many more as asked for."""
        mistake = self._mistake()
        own = {"": mistake.hint} if mistake is not None else self._family_hints()
        more = [hint for hint in self.exercise.hints if hint not in own.values()]
        later = more[: self.hints - 1] if own else more[: self.hints]
        if len(own) > 1:
            lines = [f"Hint for {family}: {text}" for family, text in own.items()]
            lines += [f"Hint {k}: {text}" for k, text in enumerate(later, 2)]
        else:
            lines = [f"Hint {k}: {text}" for k, text in enumerate([*own.values(), *later], 1)]
        if self.hints < 3 and self.more:
            call = self.more.format(id=self.exercise.id, hints=self.hints + 1)
            lines.append(f"For another hint: {call}")
        return lines

    def _family_hints(self) -> dict[str, str]:
        """By family; where the forward family fails, for that alone: the others wait for it."""
        exercise, visible = self.exercise, self._visible()
        failed = [f.name for f in self.result.families if f.status != "pass"]
        forward = next(iter(exercise.families))
        found: dict[str, str] = {}
        for family in [forward] if self._failing(forward, visible) else failed:
            failure = self._failing(family, visible)
            hint = exercise.family_hints.get(family, exercise.hints[0])
            if failure is not None and isinstance(failure.answer, Raised):
                hint = explain(failure.answer)
            elif failure is not None:
                status = next(v.status for v in failure.verdicts if v.family == family)
                hint = STATUS_HINTS.get(status, hint)
            if hint not in found.values():
                found[family] = hint
        return found

    @staticmethod
    def _failing(family: str, failures: list[Failure]) -> Failure | None:
        return next((f for f in failures if any(v.family == family for v in f.verdicts)), None)

    def __str__(self) -> str:
        result = self.result
        lines = [f"{result.exercise}: {result.points:g} of {result.max_points:g} points"]
        width = max(map(len, self.exercise.labels.values()))
        for passed, name, label, points, most in self.families():
            lines.append(f"  {'✓' if passed else '✗'} {name:<8} {label:<{width}}  {points:.2f} of {most:.2f}")
        return "\n".join([*lines, *self.findings(), self.note])

    def to_html(self) -> str:
        """The same in HTML: no script, no style of the page's changed, everything escaped."""
        badge = "color:#fff;padding:.1em .5em;border-radius:.3em;white-space:nowrap;background-color:"
        good, bad = f"{badge}#00795b", f"{badge}#b34700"  # with a ground of their own: readable on any theme
        rows = "".join(
            f'<tr><td style="text-align:left"><span style="{good if passed else bad};font-weight:bold">'
            f"{'✓ passed' if passed else '✗ not yet'}</span></td>"
            f'<td style="text-align:left"><b>{html.escape(name)}</b>: {html.escape(label)}</td>'
            f"<td>{points:.2f} of {most:.2f}</td></tr>"
            for passed, name, label, points, most in self.families()
        )
        sentences = "".join(f"<p style='margin:.3em 0'>{html.escape(line)}</p>" for line in self.findings())
        result = self.result
        return (
            f"<div role='region' aria-label='Check of {html.escape(result.exercise)}'>"
            f"<p><b>{html.escape(result.exercise)}: {result.points:g} of {result.max_points:g} points</b></p>"
            f"<table><tbody>{rows}</tbody></table>{sentences}"
            f"<p style='opacity:.75;margin:.3em 0'><small>{html.escape(self.note)}</small></p></div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": str(self)}


def describe(failure: Failure) -> list[str]:
    """The failing case in one or two sentences: what was asked, your answer, the right one."""
    verdict, answer = failure.verdict, failure.answer
    asked = f"First case that fails: {failure.case.name}."
    if isinstance(answer, Raised):
        told = f"{answer.type}: {shorten(answer.message, 300)}" if answer.message else answer.type
        return [asked, f"{STATUSES[answer.status].capitalize()}{place_of(answer)}: {told}"]
    if verdict.status == "nondeterministic":
        return [asked, STATUSES["nondeterministic"].capitalize() + "."]
    kind = "" if verdict.status == "wrong_value" else f" ({STATUSES[verdict.status]})"
    where = verdict.where[:1].upper() + verdict.where[1:]
    return [asked, f"{where}: yours {_yours(verdict)}{kind}, right {shorten(verdict.want)}."]


def _yours(verdict: Verdict) -> str:
    """The answer, with all its digits where ten don't show the difference."""
    got, want = verdict.got, verdict.want
    if type(got) is float and type(want) is float and shorten(got) == shorten(want):
        return f"{got!r}, which is right to some digits only"
    return shorten(got)

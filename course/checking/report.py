"""What a student reads after a check: first what works, then the smallest thing that doesn't."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.checking.evaluate import Failure, Result
from course.checking.exercise import STATUSES, Exercise, Raised

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
    """A result in words; `hints` says how many of the three hints are shown."""

    exercise: Exercise
    result: Result
    hints: int = 1
    note: str = LOCAL_NOTE
    more: str = 'check("{id}", hints={hints})'

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
            return list(result.notes) or (
                ["All of it is right."] if good else [STATUSES[result.status].capitalize() + "."]
            )
        lines = [*result.notes, *describe(result.failure)]
        if result.mistake is not None:
            mistake = result.mistake
            lines.append(f"A known mistake gives just these answers ({mistake.name}): it {mistake.title}.")
        shown = list(self.exercise.hints[: self.hints])
        if result.mistake is not None:
            shown = [result.mistake.hint, *self.exercise.hints[: self.hints - 1]]
        lines += [f"Hint {k}: {text}" for k, text in enumerate(shown, 1)]
        if self.hints < 3:
            call = self.more.format(id=self.exercise.id, hints=self.hints + 1)
            lines.append(f"For another hint: {call}")
        return lines

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
        place = f" (line {answer.line} of your code)" if answer.line else ""
        told = f"{answer.type}: {shorten(answer.message, 300)}" if answer.message else answer.type
        return [asked, f"{STATUSES[answer.status].capitalize()}{place}: {told}"]
    if verdict.status == "nondeterministic":
        return [asked, STATUSES["nondeterministic"].capitalize() + "."]
    kind = "" if verdict.status == "wrong_value" else f" ({STATUSES[verdict.status]})"
    where = verdict.where[:1].upper() + verdict.where[1:]
    return [asked, f"{where}: yours {shorten(verdict.got)}{kind}, right {shorten(verdict.want)}."]

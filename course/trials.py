"""Every exercise against its named answers, each graded as a student's submission would be.

The solution must earn all points, the blank and a mere import none, each named wrong solution must be
rejected by its family and called by its name, each accepted variant must pass; at two pairs of seeds,
the first of them twice with the same outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import course.units
from course.authoring.percent import read
from course.authoring.regions import blanked
from course.checking.evaluate import Result
from course.checking.exercise import Answer, Case, Exercise, Verdict
from course.checking.seeds import judging_seeds
from course.grading.extract import Extracted, Script
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.question import Desk, grade
from course.grading.unit import Unit

SECRETS = ("first", "second")


@dataclass(frozen=True)
class Trial:
    """One answer to an exercise and what must come of it."""

    unit: Unit
    exercise: Exercise
    kind: str  # solution, blank, import, wrong, right
    name: str
    family: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Outcome:
    """What came of a trial: its results at the two pairs of seeds, and what isn't as it must be."""

    trial: Trial
    results: tuple[Result, ...]
    faults: tuple[str, ...]
    answers: tuple[
        tuple[str, Answer], ...
    ] = ()  # with the names of their cases, in the order they were judged


def trials(unit: Unit) -> Iterator[Trial]:
    """Every trial of a unit, in the order of its sources."""
    folder = Path(course.units.__path__[0]) / unit.name
    cells = read(folder / "exercises.py")
    mistakes = read(folder / "mistakes.py")
    for place, cell in enumerate(cells):
        if cell.role != "exercise":
            continue
        exercise = unit.exercises[cell.id]
        before = [(c.id, c.source) for c in cells[:place] if c.type == "code" and c.role != "check"]
        answers = [
            ("solution", "", "", cell.source),
            ("blank", "", "", blanked(cell)),
            ("import", "", "", f"from autodiff import {', '.join(exercise.needs)}"),
        ]
        for other in mistakes:
            if other.keys["exercise"] == exercise.id:
                answers.append(
                    (other.keys["kind"], other.keys["name"], other.keys.get("family", ""), other.source)
                )
        for kind, name, family, text in answers:
            yield Trial(unit, exercise, kind, name, family, (*before, (exercise.id, text)))


def run(trial: Trial, launcher: Launcher) -> Outcome:
    """Grade the trial at two pairs of seeds, and at the first pair once more."""

    answers: list[tuple[str, Answer]] = []

    def judge(case: Case, answer: Answer) -> list[Verdict]:
        answers.append((case.name, answer))
        return trial.exercise.judge(case, answer)

    def once(secret: str) -> Result:
        seeds = judging_seeds(trial.unit.build, trial.exercise.id, "validation", 0, secret)
        desk = Desk.of({}, launcher.limits)
        extracted = Extracted((Script(trial.cells),))
        return grade(trial.unit, replace(trial.exercise, judge=judge), extracted, seeds, desk, launcher)[0]

    first, second, again = once(SECRETS[0]), once(SECRETS[1]), once(SECRETS[0])
    faults = [fault for result in (first, second) for fault in _faults(trial, result)]
    if _summary(first) != _summary(again):
        faults.append("two runs with the same seeds differ")
    return Outcome(trial, (first, second), tuple(dict.fromkeys(faults)), tuple(answers))


def _faults(trial: Trial, result: Result) -> Iterator[str]:
    most = trial.exercise.points
    if trial.kind in ("solution", "right"):
        if result.points != most:
            lost = ", ".join(f.name for f in result.families if f.status != "pass")
            yield f"{result.points:g} of {most:g} points, {result.status} in {lost}"
        return
    if trial.kind == "blank" and (result.points, result.status) != (0, "missing"):
        yield f"a blank got {result.points:g} points and the status {result.status}"
    if trial.kind == "import" and (result.points, result.status) != (0, "forbidden_import"):
        yield f"an import got {result.points:g} points and the status {result.status}"
    if trial.kind != "wrong":
        return
    if result.points >= most or result.status == "pass":
        yield "a wrong solution got all points"
    named = (result.mistake.name, *result.mistake.same_as) if result.mistake else ("no name",)
    if trial.name not in named:
        yield f"called {named[0]}"
    if trial.family and all(f.status == "pass" for f in result.families if f.name == trial.family):
        yield f"the family {trial.family} let it pass"


def _summary(result: Result) -> tuple[object, ...]:
    name = result.mistake.name if result.mistake else ""
    return result.points, result.status, name, tuple((f.name, f.status) for f in result.families)


def run_all(
    units: Iterable[Unit], jobs: int = 2, advance: Callable[[str], None] | None = None
) -> list[Outcome]:
    """Run every trial of the units, in order."""
    every = [trial for unit in units for trial in trials(unit)]
    with Launcher(Limits()) as launcher, ThreadPoolExecutor(jobs) as pool:

        def one(trial: Trial) -> Outcome:
            outcome = run(trial, launcher)
            if advance is not None:
                advance(trial.exercise.id)
            return outcome

        return list(pool.map(one, every))

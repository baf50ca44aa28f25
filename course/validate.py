"""`course validate`: would the checks notice? Every exercise against its named wrong solutions.

The solution must earn all points, the blank and a mere import none, each named wrong solution must be
rejected by its family and called by its name, each accepted variant must pass; at two pairs of seeds,
the first of them twice with the same outcome. All of it runs as a student's submission would.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import course.units
from course.authoring.percent import read
from course.authoring.regions import blanked
from course.checking.evaluate import Result
from course.checking.exercise import Exercise
from course.checking.seeds import judging_seeds
from course.console import paint, progress
from course.grading.extract import Extracted, Script
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.question import Desk, grade
from course.grading.unit import Unit, load_units

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

    def once(secret: str) -> Result:
        seeds = judging_seeds(trial.unit.build, trial.exercise.id, "validation", 0, secret)
        desk = Desk.of({}, launcher.limits.budget)
        extracted = Extracted((Script(trial.cells),))
        return grade(trial.unit, trial.exercise, extracted, seeds, desk, launcher)[0]

    first, second, again = once(SECRETS[0]), once(SECRETS[1]), once(SECRETS[0])
    faults = [fault for result in (first, second) for fault in _faults(trial, result)]
    if _summary(first) != _summary(again):
        faults.append("two runs with the same seeds differ")
    return Outcome(trial, (first, second), tuple(dict.fromkeys(faults)))


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
    named = result.mistake.name if result.mistake else "no name"
    if named != trial.name:
        yield f"called {named}"
    if trial.family and all(f.status == "pass" for f in result.families if f.name == trial.family):
        yield f"the family {trial.family} let it pass"


def _summary(result: Result) -> tuple[object, ...]:
    name = result.mistake.name if result.mistake else ""
    return result.points, result.status, name, tuple((f.name, f.status) for f in result.families)


def validate(
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


def table(outcomes: Sequence[Outcome]) -> str:
    """The kill matrix: a row a trial, a column a family."""
    families = list(dict.fromkeys(f.name for o in outcomes for f in o.results[0].families))
    head = f"{'':<2}{'exercise':<16}{'answer':<26}{'points':>8}  {'  '.join(families)}  said"
    rows = [head, "-" * len(head)]
    for outcome in outcomes:
        trial, result = outcome.trial, outcome.results[0]
        by_name = {f.name: "✓" if f.status == "pass" else "✗" for f in result.families}
        marks = "  ".join(f"{by_name.get(name, ' '):<{len(name)}}" for name in families)
        said = result.mistake.name if result.mistake else result.status
        answer = f"{trial.kind} {trial.name}".strip()
        rows.append(
            f"{'✗ ' if outcome.faults else '  '}{trial.exercise.id:<16}{answer:<26}"
            f"{result.points:>8g}  {marks}  {said}"
        )
        rows += [f"    {paint(fault, 'red')}" for fault in outcome.faults]
    return "\n".join(rows)


def main(argv: list[str]) -> int:
    """Print the kill matrix; 0 when all is as it must be, 1 when something isn't."""
    parser = argparse.ArgumentParser(prog="course validate", description=__doc__.splitlines()[0])
    parser.add_argument("unit", nargs="*", help="the units to validate, as u05 (default: all)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="trials at a time (%(default)s)")
    options = parser.parse_args(argv)
    units = load_units(options.unit)
    total = sum(1 for unit in units for _ in trials(unit))
    with progress("validating", total) as advance:
        outcomes = validate(units, options.jobs, advance)
    print(table(outcomes))
    wrong = [o for o in outcomes if o.trial.kind == "wrong"]
    right = [o for o in outcomes if o.trial.kind == "right"]
    bad = [o for o in outcomes if o.faults]
    print(
        f"\n{len(wrong)} named wrong solutions, {len([o for o in wrong if not o.faults])} caught and named; "
        f"{len(right)} accepted variants, {len([o for o in right if not o.faults])} passed."
    )
    if bad:
        print(f"{len(bad)} of {len(outcomes)} answers were not judged as they must be (marked ✗).")
    return 1 if bad else 0

"""`course check u05 [FILE]`: the check of a notebook or a script, in a terminal."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autodiff.errors import OptionError
from course.checking.evaluate import Result, without_answers
from course.checking.exercise import Exercise, Raised
from course.checking.explanations import place_of
from course.checking.local import check_namespace, raised
from course.checking.registry import exercises, find, unit_of
from course.checking.report import Report
from course.console import command, paint
from course.grading.limits import Limits
from course.grading.magics import plain_python
from course.grading.reader import Document, UnreadableError, read

FOLDERS = ("work/exercises", "exercises")


def main(argv: list[str]) -> int:
    """Check a unit's exercises, or one; 0 when all of it is right, 1 when not, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="course check", description=__doc__)
    parser.add_argument("what", help="a unit or an exercise: u05, u05-multiply")
    parser.add_argument(
        "file", nargs="?", type=Path, help="your notebook or script (default: the newest in work/exercises)"
    )
    parser.add_argument("--hints", type=int, choices=(1, 2, 3), default=1, help="how many hints to show")
    options = parser.parse_args(argv)
    try:
        unit = unit_of(options.what)
        chosen = [find(options.what)] if "-" in options.what else list(exercises(unit).values())
        path = options.file or default_file(unit)
        document = read(path.name, path.read_bytes(), Limits().notebook)
    except (OptionError, OSError, UnreadableError) as problem:
        print(f"course check: {problem}")
        return 2
    print(f"{path}:")
    namespace, problems = run_cells(document)
    done = True
    for exercise in chosen:
        result = check_namespace(exercise, namespace)
        if result.status == "missing":
            result = why_missing(exercise, result, problems)
        report = Report(exercise, result, options.hints, more=command("check {id} --hints {hints}"))
        print(f"\n{report}" if exercise is not chosen[0] else report)
        done &= report.result.points == exercise.points
    return 0 if done else 1


def why_missing(exercise: Exercise, result: Result, problems: Mapping[str, tuple[str, Raised]]) -> Result:
    """A name that isn't there because its cell raised an error: the error, and what it means."""
    if exercise.id not in problems:
        return result
    label, problem = problems[exercise.id]
    told = f"{label.capitalize()}{place_of(problem, 'of the cell')} raised {problem.type}: {problem.message}"
    return without_answers(exercise, problem.status, told, problem=problem)


def default_file(unit: str) -> Path:
    """The newest of the student's files of that unit; a script and a notebook may both be there."""
    there = [p for folder in FOLDERS for p in Path(folder).glob(f"{unit}.*") if p.suffix in (".ipynb", ".py")]
    work = [p for p in there if p.parts[0] == "work"] or there
    if not work and not Path("work").is_dir():
        raise OptionError(
            f"there is no folder work/ in {Path.cwd()}. Your notebooks are in one, and checks run beside it. "
            f"Make it with: {command('start')}; or change into the folder that holds yours; "
            f"or name your file: {command(f'check {unit[:3]} FILE')}"
        )
    if not work:
        raise OptionError(
            f"no file of {unit} in {' or '.join(FOLDERS)}. Name yours: {command(f'check {unit[:3]} FILE')}, "
            f"or make one with: {command('start')}"
        )
    return max(work, key=lambda p: p.stat().st_mtime_ns)


def run_cells(document: Document) -> tuple[dict[str, Any], dict[str, tuple[str, Raised]]]:
    """Run the code cells in one namespace, as a notebook would: an error is told, the next cell goes on.

    Also returns the errors by the cell's id, with what the cell is called.
    """
    problems: dict[str, tuple[str, Raised]] = {}
    namespace: dict[str, Any] = {"__name__": "__main__", "check": lambda *_, **__: None}
    for number, cell in enumerate(document.cells, 1):
        if cell.source.strip().startswith("check("):
            continue  # its exercise is checked below
        source, _ = plain_python(cell.source)
        label = f"cell {number}"
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, f"<{label}>", "exec"), namespace)
        except (Exception, SystemExit) as problem:
            told = raised(problem)
            problems[cell.id] = label, told
            line = f", line {told.line}" if told.line else ""
            print(paint(f"{label}{line} raised {told.type}: {told.message}", "yellow"))
        if printed.getvalue():
            print(printed.getvalue(), end="")
    return namespace, problems

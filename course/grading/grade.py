"""`course grade`: grades a folder of submissions into a gradebook, tables and pages.

Student code runs in processes of its own; nothing of it is imported here, and what it sends is judged as
plain numbers. Interrupt and start again: finished work stays.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from autodiff.errors import OptionError
from course.console import progress
from course.grading.feedback import dashboard, student_html, student_markdown
from course.grading.intake import IntakeError, Opened, safe_name
from course.grading.launch import Launcher
from course.grading.levels import advice
from course.grading.limits import LEVELS, Isolation, Limits
from course.grading.outcome import Job, Outcome
from course.grading.outputs import csv_text, json_text, print_table, row_of, visible, write
from course.grading.plan import GRADER, Entry, jobs, survey, versions
from course.grading.run import Run, with_manual
from course.grading.secret import SecretError, master_secret
from course.grading.store import Store, StoreError
from course.grading.supervisor import Units
from course.grading.unit import Unit, load_units

_SOURCES = "FOLDER/<student>/*.ipynb|*.py, a zip of it, a download from a learning platform, or one file"
USAGE, TOO_LOW, UNGRADABLE = 2, 3, 4


class IsolationTooLowError(RuntimeError):
    """This machine can't hold student code as firmly as was asked for."""


@dataclass(frozen=True)
class Graded:
    """What a run came to."""

    outcomes: tuple[Outcome, ...]
    isolation: Isolation
    notes: tuple[str, ...]
    handed_in: str = ""  # what the folder or zip was recognised as

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of grades.csv."""
        return [row_of(outcome) for outcome in self.outcomes]

    @property
    def code(self) -> int:
        """The exit code: 4 if something was ungradable."""
        return UNGRADABLE if any(o.status == "ungradable" for o in self.outcomes) else 0


def grade_folder(
    folder: Path,
    out: Path,
    *,
    units: Units | None = None,
    unit_names: Sequence[str] = (),
    slots: int | None = None,
    limits: Limits | None = None,
    secret: str | None = None,
    secret_file: Path | None = None,
    require: str = "L2",
) -> Graded:
    """Grade FOLDER/<student>/… (or a zip of it) into `out`; finished questions aren't graded again.

    `unit_names` says which units, or `units`, a function of a module, makes them (each process that judges
    calls it); without them they are those that some submission has cells of. Raises
    IntakeError, SecretError, StoreError, OptionError or IsolationTooLowError, each saying what to do.
    """
    limits = limits or Limits()
    out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_alone(out))
        launcher = stack.enter_context(Launcher(limits))
        _insist(launcher.isolation, require)
        secret = secret or master_secret(out, secret_file)
        handed = stack.enter_context(Opened(folder, limits)).handed
        units = units or partial(load_units, tuple(unit_names))
        known = list(units())
        entries, touched = survey(handed, known, limits)
        chosen = known if unit_names else touched
        if not chosen:
            raise IntakeError(_nothing(folder, known))
        store = stack.enter_context(Store(out / "gradebook.sqlite"))
        plan = _plan(store, entries, chosen, secret, launcher)
        times = stack.enter_context(open(out / "times.jsonl", "a", encoding="utf-8"))
        exercises = {name: exercise for unit in chosen for name, exercise in unit.exercises.items()}
        launcher.kill_all()  # those that judge start their own
        found = _work(Run(units, exercises, limits, store, launcher.stand, times), plan, slots)
        outcomes = with_manual(_dated(found, plan), store.manual())
        store.note(f"{folder}: taken as {handed.form}, students: {len(entries)}")
        notes = [*handed.notes, *(f"{e.student}: {note}" for e in entries for note in e.notes)]
        graded = Graded(tuple(outcomes), launcher.isolation, tuple(notes), handed.form)
        _write(out, graded)
        return graded


def _insist(isolation: Isolation, require: str) -> None:
    if not isolation.reaches(require):
        raise IsolationTooLowError(
            f"isolation {require} was required, and this machine reaches {isolation}.\n"
            f"To mend it: {advice(isolation)}\nOr, on a machine made for this alone: "
            f"--require-isolation {isolation.level}."
        )


def _plan(
    store: Store, entries: Sequence[Entry], units: Sequence[Unit], secret: str, launcher: Launcher
) -> list[tuple[Entry, list[Job]]]:
    store.take_over()
    level = launcher.isolation.level
    environment, policy = str(versions()), f"{launcher.limits} {level}"
    for unit in units:
        store.add_build(unit.name, unit.build, GRADER, environment, level)
    return [(entry, jobs(entry, units, store, secret, policy, environment)) for entry in entries]


def _work(run: Run, plan: Sequence[tuple[Entry, list[Job]]], slots: int | None) -> dict[str, Outcome]:
    statuses: Counter[str] = Counter()
    with progress("grading", sum(len(made) for _, made in plan)) as step:

        def tell(outcome: Outcome) -> None:
            statuses[outcome.status] += 1
            step(", ".join(f"{count} {status}" for status, count in sorted(statuses.items())))

        return run.all(plan, slots or os.cpu_count() or 1, tell)


def _dated(found: Mapping[str, Outcome], plan: Sequence[tuple[Entry, list[Job]]]) -> list[Outcome]:
    """The outcomes in order, with what the platform says of the time in this run's download."""
    return [
        replace(found[job.key], received=entry.place.received, late=entry.place.late)
        for entry, made in plan
        for job in made
    ]


def _nothing(folder: Path, known: Sequence[Unit]) -> str:
    ids = ", ".join(name for unit in known for name in unit.exercises)
    return (
        f"no submission in {folder} has a cell of an exercise ({ids}); "
        "name the unit with --unit to grade cells by what they define"
    )


def _write(out: Path, graded: Graded) -> None:
    isolation = graded.isolation
    write(out / "grades.csv", csv_text(graded.rows))
    write(out / "grades.json", json_text(graded.outcomes, versions(), isolation.as_dict(), graded.handed_in))
    for student in sorted({o.student for o in graded.outcomes}):
        own = [o for o in graded.outcomes if o.student == student]
        name = safe_name(student)
        write(out / "feedback" / f"{name}.html", student_html(student, own, isolation))
        write(out / "feedback" / f"{name}.md", student_markdown(student, own, isolation))
    write(out / "dashboard.html", dashboard(graded.outcomes, graded.notes, isolation))


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[None]:
    """One grader at a time in an output folder; the lock goes with the process, however it ends."""
    with open(out / ".lock", "a+b") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            told = (
                f"another `course grade` is at work in {out}; wait for it, or choose another folder with -o"
            )
            raise StoreError(told) from problem
        yield


def main(argv: list[str] | None = None) -> int:
    """Grade; 0 done, 2 usage, 3 isolation too low, 4 something ungradable, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="course grade", description="Grade a folder of submissions.")
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help=_SOURCES)
    add("-o", "--out", type=Path, required=True, metavar="OUT", help="where the gradebook goes")
    add("--unit", action="append", default=[], metavar="u05", help="grade this unit (repeatable)")
    add("--jobs", type=_count, metavar="N", help="students at a time (default: as many as processors)")
    add("--secret-file", type=Path, metavar="FILE", help="the master secret (else COURSE_SECRET)")
    lowest = "stop with exit code 3 where student code can't be held this firmly (%(default)s)"
    add("--require-isolation", choices=LEVELS[1:], default="L2", help=lowest)
    options = parser.parse_args(argv)
    try:
        graded = grade_folder(
            options.folder,
            options.out,
            unit_names=options.unit,
            slots=options.jobs,
            secret_file=options.secret_file,
            require=options.require_isolation,
        )
    except IsolationTooLowError as problem:
        print(f"course grade: {problem}", file=sys.stderr)
        return TOO_LOW
    except (IntakeError, SecretError, StoreError, OptionError, OSError) as problem:
        print(f"course grade: {problem}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        command = f"course grade {options.folder} -o {options.out}"
        print(f"\ninterrupted; what is finished stays. To go on: {command}", file=sys.stderr)
        return 130
    _report(graded, options.out)
    return graded.code


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1000:
        raise argparse.ArgumentTypeError(f"a number of students at a time, from 1; got {text!r}")
    return int(text)


def _report(graded: Graded, out: Path) -> None:
    print(f"{graded.handed_in}, students: {len({o.student for o in graded.outcomes})}")
    print_table(graded.rows)
    for note in graded.notes:
        print(f"note: {visible(note)}")
    print(f"\nIsolation {graded.isolation}")
    print(f"{out / 'dashboard.html'}, {out / 'grades.csv'}, {out / 'feedback'}")

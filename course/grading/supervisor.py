"""A supervisor for each slot: a process of ours that reads one student's work, asks it, judges the answers.

It starts the children that hold student code and runs none itself. Processes, not threads: judging is
arithmetic in Python, and one student's long diagnosis must not hold up another's question. What travels is
our own: a submission's bytes, a job, an outcome; what a child sends ends here.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from course.checking.evaluate import without_answers
from course.grading.extract import Reading, extract, read_submission
from course.grading.intake import Submission
from course.grading.launch import Launcher, Stand
from course.grading.limits import Limits
from course.grading.outcome import Job, Outcome, outcome_of
from course.grading.question import Desk, grade
from course.grading.unit import Unit

Units = Callable[[], Sequence[Unit]]
_PATIENCE = 5.0  # seconds for a supervisor to end its children


@dataclass(frozen=True)
class Orders:
    """What every supervisor of a run begins with. `units` is called in each: a function of a module."""

    units: Units
    limits: Limits
    stand: Stand


@dataclass(frozen=True)
class Task:
    """One student's work, until the next comes."""

    submission: Submission
    notes: tuple[str, ...]  # of the intake, for every outcome


@dataclass(frozen=True)
class Judged:
    """What came of a question: how many children it took, and the grader's own fault, if it was one."""

    outcome: Outcome
    children: int
    fault: str = ""


class SupervisorLostError(RuntimeError):
    """The process ended in the middle of its work: the machine's fault, or ours."""


class Supervisor:
    """A supervisor as the run sees it: `take` a student's work, then `judge` one question after the other."""

    def __init__(self, orders: Orders) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_main, args=(theirs, orders), daemon=True)
        self._process.start()
        theirs.close()

    def take(self, task: Task) -> None:
        """Begin with a student."""
        self._send(task)

    def judge(self, job: Job) -> Judged:
        """One question of the student at hand."""
        self._send(job)
        try:
            judged: Judged = self._connection.recv()
        except (EOFError, OSError) as problem:
            raise SupervisorLostError("the process that judges ended") from problem
        return judged

    def _send(self, message: Task | Job) -> None:
        try:
            self._connection.send(message)
        except OSError as problem:
            raise SupervisorLostError("the process that judges has ended") from problem

    def close(self) -> None:
        """End it and its children; whoever waits for it is told."""
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._connection.close()


def _main(connection: Connection, orders: Orders) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with Launcher(orders.limits, orders.stand) as launcher:
        bench = Bench({name: unit for unit in orders.units() for name in unit.exercises}, launcher)
        while True:
            try:
                message = connection.recv()
            except (EOFError, OSError):
                return
            if isinstance(message, Task):
                bench.take(message)
            else:
                connection.send(bench.judge(message))


def _end(*details: object) -> NoReturn:
    sys.exit(1)  # in an orderly way: children and folders go, too


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


class Bench:
    """Where the work of one student lies, and what judges it."""

    def __init__(self, units: dict[str, Unit], launcher: Launcher) -> None:
        self._units, self._launcher = units, launcher
        self._task: Task | None = None
        self._desk: Desk | None = None
        self._reading: Reading | None = None

    def take(self, task: Task) -> None:
        """Another student's work in place of the last one's."""
        self._task, self._desk, self._reading = task, None, None

    def judge(self, job: Job) -> Judged:
        """A question; the grader's own fault costs no student a point unseen."""
        unit = self._units[job.exercise]
        exercise, notes, fault = unit.exercises[job.exercise], list[str](), ""
        started = self._desk.children if self._desk else 0
        try:
            desk, reading = self._open()
            extracted = extract(reading, job.exercise, exercise.needs, unit.given)
            result, notes = grade(unit, exercise, extracted, job.seeds, desk, self._launcher)
        except Exception as problem:
            told = traceback.format_exception_only(problem)[-1].strip()
            result = without_answers(exercise, "ungradable", f"The grader itself failed: {told}")
            place = traceback.extract_tb(problem.__traceback__)[-1]
            fault = f"{job.student} {job.exercise}: {told} ({Path(place.filename).name}:{place.lineno})"
        more = [*(self._task.notes if self._task else ()), *(self._desk.notes if self._desk else ())]
        root = self._desk.root if self._desk else ""
        outcome = outcome_of(job, exercise, result, self._launcher.isolation, [*more, *notes], root)
        return Judged(outcome, (self._desk.children if self._desk else 0) - started, fault)

    def _open(self) -> tuple[Desk, Reading]:
        """The desk with the student's files, and what their notebooks say; made once."""
        if self._desk is None or self._reading is None:
            if self._task is None:
                raise RuntimeError("a question came before any student's work")
            limits = self._launcher.limits
            self._reading = read_submission(self._task.submission, limits)
            self._desk = Desk.of(self._task.submission.files, limits)
        return self._desk, self._reading

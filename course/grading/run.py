"""Works through the plan: some students at a time, one's questions in order, each recorded at once."""

from __future__ import annotations

import json
import queue
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import IO

from course.checking.evaluate import without_answers
from course.grading.extract import Reading, extract, read_submission
from course.grading.intake import submission
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.outcome import Job, Outcome, outcome_of
from course.grading.plan import Entry
from course.grading.question import Desk, grade
from course.grading.store import TRIES, Store
from course.grading.unit import Unit


@dataclass
class Run:
    """One run over a folder."""

    units: Mapping[str, Unit]  # by the exercise
    limits: Limits
    store: Store
    launcher: Launcher
    times: IO[str]

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._done: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def all(
        self, plan: Sequence[tuple[Entry, list[Job]]], slots: int, tell: Callable[[Outcome], None]
    ) -> dict[str, Outcome]:
        """The outcome of every job by its key. An interrupt ends the children, and the rest stays undone."""
        found: dict[str, Outcome] = {}
        with ThreadPoolExecutor(slots, thread_name_prefix="grade") as pool:
            futures = [pool.submit(self._student, entry, jobs, found) for entry, jobs in plan]
            try:
                for _ in range(sum(len(jobs) for _, jobs in plan)):
                    told = self._next(futures)
                    if told is None:
                        break
                    tell(told)
                for future in futures:
                    future.result()
            except BaseException:
                self._stop.set()
                for future in futures:
                    future.cancel()
                self.launcher.kill_all()
                raise
        return found

    def _next(self, futures: Sequence[object]) -> Outcome | None:
        """The next outcome; waits in short turns, so that Ctrl-C is heard everywhere."""
        while True:
            try:
                return self._done.get(timeout=0.2)
            except queue.Empty:
                continue

    def _student(self, entry: Entry, jobs: Sequence[Job], found: dict[str, Outcome]) -> None:
        try:
            self._questions(entry, jobs, found)
        except BaseException:
            self._stop.set()
            self._done.put(None)  # so that whoever waits looks at the futures
            raise

    def _questions(self, entry: Entry, jobs: Sequence[Job], found: dict[str, Outcome]) -> None:
        desk: Desk | None = None
        reading: Reading | None = None
        for job in jobs:
            if self._stop.is_set():
                return
            outcome = self.store.outcome(job.key)
            if outcome is None:
                if desk is None or reading is None:
                    handed_in = submission(entry.place, self.limits)
                    reading = read_submission(handed_in, self.limits)
                    desk = Desk.of(handed_in.files, self.limits)
                outcome = self._question(job, entry, desk, reading)
                if outcome is None:
                    return
            found[job.key] = outcome
            self._done.put(outcome)

    def _question(self, job: Job, entry: Entry, desk: Desk, reading: Reading) -> Outcome | None:
        """Grade one question and record it; None when the run is being interrupted."""
        unit = self.units[job.exercise]
        exercise = unit.exercises[job.exercise]
        began, started = time.monotonic(), desk.children
        notes: list[str] = []
        if not self.store.claim(job.key):
            result = without_answers(
                exercise, "ungradable", f"The grader itself ended {TRIES} times over this."
            )
        else:
            try:
                extracted = extract(reading, job.exercise, exercise.needs, unit.given)
                result, notes = grade(unit, exercise, extracted, job.seeds, desk, self.launcher)
            except Exception as problem:  # the grader's own fault costs no student a point unseen
                told = traceback.format_exception_only(problem)[-1].strip()
                result = without_answers(exercise, "ungradable", f"The grader itself failed: {told}")
                place = traceback.extract_tb(problem.__traceback__)[-1]
                self.store.note(f"{job.student} {job.exercise}: {told} ({place.filename}:{place.lineno})")
        if self._stop.is_set():
            self.store.release(job.key)
            return None
        notes = [*entry.notes, *desk.notes, *notes]
        outcome = outcome_of(job, exercise, result, self.launcher.isolation, notes, desk.root)
        self.store.commit(job, outcome)
        self._time(job, time.monotonic() - began, desk.children - started)
        return outcome

    def _time(self, job: Job, seconds: float, children: int) -> None:
        row = {"student": job.student, "exercise": job.exercise, "seconds": round(seconds, 3)}
        line = json.dumps({**row, "children": children, "at": round(time.time(), 3)})
        with self._lock:
            self.times.write(line + "\n")
            self.times.flush()


def with_manual(
    outcomes: Sequence[Outcome], given: Mapping[tuple[str, str], tuple[float, str]]
) -> list[Outcome]:
    """Outcomes with a person's points in place of the grader's, where there are any."""
    return [
        o.with_manual(*given[o.student, o.exercise]) if (o.student, o.exercise) in given else replace(o)
        for o in outcomes
    ]

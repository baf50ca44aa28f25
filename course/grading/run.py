"""Works through the plan: a supervisor a slot, one student's questions in order, each recorded at once."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import IO

from course.checking.evaluate import without_answers
from course.checking.exercise import Exercise
from course.grading.intake import submission
from course.grading.launch import Stand
from course.grading.limits import Limits
from course.grading.outcome import Job, Outcome, outcome_of
from course.grading.plan import Entry
from course.grading.store import TRIES, Store
from course.grading.supervisor import Judged, Orders, Supervisor, SupervisorLostError, Task, Units


@dataclass
class Run:
    """One run over a folder."""

    units: Units
    exercises: Mapping[str, Exercise]
    limits: Limits
    store: Store
    stand: Stand
    times: IO[str]

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._done: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._slots: list[_Slot] = []

    def all(
        self, plan: Sequence[tuple[Entry, list[Job]]], slots: int, tell: Callable[[Outcome], None]
    ) -> dict[str, Outcome]:
        """The outcome of every job by its key. An interrupt ends the children, and the rest stays undone."""
        found: dict[str, Outcome] = {}
        slots = max(1, min(slots, len(plan)))
        idle: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        with contextlib.ExitStack() as stack:
            for place in range(slots):
                orders = Orders(self.units, self.limits, replace(self.stand, place=place, of=slots))
                self._slots.append(_Slot(orders))
                stack.callback(self._slots[-1].close)
                idle.put(self._slots[-1])
            pool = stack.enter_context(ThreadPoolExecutor(slots, thread_name_prefix="grade"))
            futures = [pool.submit(self._student, entry, jobs, found, idle) for entry, jobs in plan]
            try:
                for _ in range(sum(len(jobs) for _, jobs in plan)):
                    told = self._next()
                    if told is None:
                        break
                    tell(told)
                for future in futures:
                    future.result()
            except BaseException:
                self._stop.set()
                for future in futures:
                    future.cancel()
                for slot in self._slots:
                    slot.close()
                raise
        return found

    def _next(self) -> Outcome | None:
        """The next outcome; waits in short turns, so that Ctrl-C is heard everywhere."""
        while True:
            try:
                return self._done.get(timeout=0.2)
            except queue.Empty:
                continue

    def _student(
        self,
        entry: Entry,
        jobs: Sequence[Job],
        found: dict[str, Outcome],
        idle: queue.SimpleQueue[_Slot],
    ) -> None:
        slot = idle.get()
        try:
            self._questions(entry, jobs, found, slot)
        except BaseException:
            self._stop.set()
            self._done.put(None)  # so that whoever waits looks at the futures
            raise
        finally:
            idle.put(slot)

    def _questions(self, entry: Entry, jobs: Sequence[Job], found: dict[str, Outcome], slot: _Slot) -> None:
        task: Task | None = None
        for job in jobs:
            if self._stop.is_set():
                return
            outcome = self.store.outcome(job.key)
            if outcome is None:
                task = task or Task(submission(entry.place, self.limits), entry.notes)
                outcome = self._question(job, task, slot)
                if outcome is None:
                    return
            found[job.key] = outcome
            self._done.put(outcome)

    def _question(self, job: Job, task: Task, slot: _Slot) -> Outcome | None:
        """Grade one question and record it; None when the run is being interrupted."""
        began = time.monotonic()
        judged = None
        while judged is None:
            if not self.store.claim(job.key):
                judged = self._given_up(job, task)
                break
            with contextlib.suppress(SupervisorLostError):
                judged = slot.judge(task, job)
            if self._stop.is_set():
                self.store.release(job.key)
                return None
        if judged.fault:
            self.store.note(judged.fault)
        self.store.commit(job, judged.outcome)
        self._time(job, time.monotonic() - began, judged.children)
        return judged.outcome

    def _given_up(self, job: Job, task: Task) -> Judged:
        told = f"The grader itself ended {TRIES} times over this."
        exercise = self.exercises[job.exercise]
        result = without_answers(exercise, "ungradable", told)
        outcome = outcome_of(job, exercise, result, self.stand.isolation, task.notes)
        return Judged(outcome, 0, f"{job.student} {job.exercise}: {told}")

    def _time(self, job: Job, seconds: float, children: int) -> None:
        row = {"student": job.student, "exercise": job.exercise, "seconds": round(seconds, 3)}
        line = json.dumps({**row, "children": children, "at": round(time.time(), 3)})
        with self._lock:
            self.times.write(line + "\n")
            self.times.flush()


class _Slot:
    """A supervisor, and another one in its place when it is lost."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._lock = threading.Lock()
        self._closed = False
        self._task: Task | None = None
        self._supervisor = Supervisor(orders)

    def judge(self, task: Task, job: Job) -> Judged:
        """One question; SupervisorLostError if it took the process down, and then there is a new one."""
        try:
            if self._task is not task:
                self._supervisor.take(task)
                self._task = task
            return self._supervisor.judge(job)
        except SupervisorLostError:
            with self._lock:
                self._supervisor.close()
                self._task = None
                if not self._closed:
                    self._supervisor = Supervisor(self._orders)
            raise

    def close(self) -> None:
        """End it for good."""
        with self._lock:
            self._closed = True
            self._supervisor.close()


def with_manual(
    outcomes: Sequence[Outcome], given: Mapping[tuple[str, str], tuple[float, str]]
) -> list[Outcome]:
    """Outcomes with a person's points in place of the grader's, where there are any."""
    return [
        o.with_manual(*given[o.student, o.exercise]) if (o.student, o.exercise) in given else replace(o)
        for o in outcomes
    ]

"""The gradebook: one SQLite file, one writer. A job's result and its state change together or not at all.

Grading is done at least once and recorded once: a job that was claimed and never finished is claimed again
by the next run; after three tries without an end it is `ungradable`. A person's points stand in a table of
their own and always win.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from course.grading.outcome import Job, Outcome

VERSION, TRIES = 1, 3
_LEASE = 3600.0
_TABLES = """
CREATE TABLE IF NOT EXISTS build (
    unit TEXT, build TEXT, grader TEXT, environment TEXT, isolation TEXT, at REAL,
    PRIMARY KEY (unit, build, grader, environment, isolation));
CREATE TABLE IF NOT EXISTS submission (hash TEXT, student TEXT, received REAL, PRIMARY KEY (hash, student));
CREATE TABLE IF NOT EXISTS job (key TEXT PRIMARY KEY, state TEXT, lease REAL, tries INTEGER);
CREATE TABLE IF NOT EXISTS result (
    job TEXT, exercise TEXT, family TEXT, status TEXT, points REAL, seed TEXT, mistake TEXT,
    PRIMARY KEY (job, family));
CREATE TABLE IF NOT EXISTS outcome (job TEXT PRIMARY KEY, document TEXT);
CREATE TABLE IF NOT EXISTS manual (
    student TEXT, exercise TEXT, points REAL, comment TEXT, "by" TEXT, at REAL,
    PRIMARY KEY (student, exercise));
CREATE TABLE IF NOT EXISTS audit (at REAL, event TEXT);
"""


class StoreError(RuntimeError):
    """The gradebook can't be used."""


class Store:
    """The gradebook of one output folder; close it, or use it as a context."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        try:
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            self._open(path)
        except sqlite3.Error as problem:
            raise StoreError(
                f"{path} can't be used as a gradebook: {problem}; choose another folder"
            ) from problem

    def _open(self, path: Path) -> None:
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            self._database.close()
            raise StoreError(
                f"{path} is a gradebook of version {version}; this grader writes version {VERSION}"
            )
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.executescript(_TABLES)
        self._database.execute(f"PRAGMA user_version={VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def take_over(self) -> int:
        """Free the jobs that an earlier run left unfinished; for the one writer, at its start."""
        with self._transaction() as database:
            return database.execute("UPDATE job SET state='new', lease=NULL WHERE state='run'").rowcount

    def add_build(self, unit: str, build: str, grader: str, environment: str, isolation: str) -> None:
        """Note what judges a unit in this run."""
        row = (unit, build, grader, environment, isolation, time.time())
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO build VALUES (?, ?, ?, ?, ?, ?)", row)

    def add_submission(self, student: str, submission: str) -> int:
        """Note a submission; its attempt: 1 for the student's first, 2 for the next that differs."""
        with self._transaction() as database:
            row = (submission, student, time.time())
            database.execute("INSERT OR IGNORE INTO submission VALUES (?, ?, ?)", row)
            hashes = database.execute(
                "SELECT hash FROM submission WHERE student=? ORDER BY rowid", (student,)
            )
            return [one for (one,) in hashes].index(submission) + 1

    def claim(self, key: str) -> bool:
        """Take a job; False if it was tried too often without an end."""
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO job VALUES (?, 'new', NULL, 0)", (key,))
            taken = database.execute(
                "UPDATE job SET state='run', lease=?, tries=tries+1 WHERE key=? AND tries<?",
                (time.time() + _LEASE, key, TRIES),
            )
            return taken.rowcount == 1

    def release(self, key: str) -> None:
        """Give a claimed job back, as if it had never been tried: the grader was interrupted."""
        with self._transaction() as database:
            database.execute("UPDATE job SET state='new', lease=NULL, tries=tries-1 WHERE key=?", (key,))

    def commit(self, job: Job, outcome: Outcome) -> None:
        """Record an outcome and finish its job. What is ungradable stays open for a later run."""
        state = "failed" if outcome.status == "ungradable" else "done"
        with self._transaction() as database:
            known = database.execute("SELECT state FROM job WHERE key=?", (job.key,)).fetchone()
            if known is not None and known[0] == "done":
                return
            database.execute("DELETE FROM result WHERE job=?", (job.key,))  # of an earlier failure
            database.execute("DELETE FROM outcome WHERE job=?", (job.key,))
            for family in outcome.families:
                row = (family["name"], family["status"], family["points"], outcome.seed, outcome.mistake)
                database.execute(
                    "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?)", (job.key, job.exercise, *row)
                )
            database.execute("INSERT INTO outcome VALUES (?, ?)", (job.key, outcome.to_json()))
            # A try that ended, even badly, isn't one that took the grader down with it.
            database.execute("UPDATE job SET state=?, lease=NULL, tries=0 WHERE key=?", (state, job.key))

    def outcome(self, key: str) -> Outcome | None:
        """What was recorded for a finished job."""
        query = "SELECT document FROM outcome JOIN job ON job.key=outcome.job WHERE job=? AND state='done'"
        with self._lock:
            row = self._database.execute(query, (key,)).fetchone()
        return Outcome.from_json(row[0]) if row else None

    def set_manual(self, student: str, exercise: str, points: float, comment: str, by: str) -> None:
        """A person's points for an exercise, from now on and over any automatic ones."""
        with self._transaction() as database:
            row = (student, exercise, points, comment, by, time.time())
            database.execute("INSERT OR REPLACE INTO manual VALUES (?, ?, ?, ?, ?, ?)", row)
        self.note(f"{by} gave {student} {points:g} points for {exercise}")

    def manual(self) -> dict[tuple[str, str], tuple[float, str]]:
        """Points and comment by (student, exercise)."""
        with self._lock:
            rows = self._database.execute("SELECT student, exercise, points, comment FROM manual").fetchall()
        return {(student, exercise): (points, comment) for student, exercise, points, comment in rows}

    def note(self, event: str) -> None:
        """One line for the audit."""
        with self._transaction() as database:
            database.execute("INSERT INTO audit VALUES (?, ?)", (time.time(), event))

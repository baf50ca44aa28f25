"""What is to be graded: the students, the units they handed in, a key for each question."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from course.checking.seeds import judging_seeds
from course.grading.extract import Reading, read_submission, touches
from course.grading.intake import IntakeError, Submission, students, submission, unpack
from course.grading.limits import Limits
from course.grading.outcome import Job
from course.grading.store import Store
from course.grading.unit import Unit

GRADER = "1"  # raise it when the same submission may come to another result


@dataclass(frozen=True)
class Entry:
    """A student in the plan; the files are read again when their turn comes."""

    student: str
    hash: str
    stated: str
    notes: tuple[str, ...]


def versions() -> dict[str, str]:
    """What a result may depend on besides the submission."""
    try:
        package = importlib.metadata.version("autodiff-course")
    except importlib.metadata.PackageNotFoundError:
        package = "not installed"
    return {
        "autodiff-course": package,
        "grader": GRADER,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def open_folder(folder: Path, scratch: Path, limits: Limits) -> tuple[Path, list[str]]:
    """The folder of student folders, unpacked into `scratch` where it's a zip; and what was refused."""
    if folder.is_dir():
        return folder, []
    if not folder.is_file():
        raise IntakeError(f"{folder} isn't there; give a folder of student folders, or a zip of one")
    if folder.suffix.lower() != ".zip":
        raise IntakeError(
            f"{folder.name} is a single file; expected a folder of student folders, or a .zip of one"
        )
    notes = unpack(folder, scratch, limits)
    return scratch, notes


def survey(folder: Path, units: Sequence[Unit], limits: Limits) -> tuple[list[Entry], list[Unit]]:
    """Every student, and the units of which some submission has cells."""
    entries, touched = [], set[str]()
    for student in students(folder):
        handed_in = submission(folder, student, limits)
        reading = read_submission(handed_in, limits)
        entries.append(Entry(student, handed_in.hash, reading.stated, _notes(handed_in, reading)))
        touched.update(unit.name for unit in units if touches(reading, unit.exercises))
    return entries, [unit for unit in units if unit.name in touched]


def _notes(handed_in: Submission, reading: Reading) -> tuple[str, ...]:
    notes = [*handed_in.notes, *(f"could not be read: {text}" for text in reading.unreadable)]
    if reading.stated and reading.stated != handed_in.student:
        notes.append(f'the notebook says STUDENT = "{reading.stated}", the folder says otherwise')
    return tuple(notes)


def jobs(
    entry: Entry, units: Sequence[Unit], store: Store, secret: str, policy: str, environment: str
) -> list[Job]:
    """The questions of a student, in order."""
    attempt = store.add_submission(entry.student, entry.hash)
    made = []
    for unit in units:
        for name in unit.exercises:
            seeds = judging_seeds(unit.build, name, entry.student, attempt, secret)
            origin = (unit.build, unit.probes, ",".join(unit.provides), name)
            work = (entry.student, entry.hash, str(attempt), f"{seeds[0]:x}")
            parts = (*origin, *work, GRADER, environment, policy)
            text = "\x1f".join(f"{len(part)}:{part}" for part in parts)
            key = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
            made.append(Job(key, entry.student, unit.name.split("_")[0], name, attempt, seeds, unit.build))
    return made

"""What is to be graded: the students, the units they handed in, a key for each question."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from course.checking.seeds import judging_seeds
from course.grading.extract import Reading, read_submission, touches
from course.grading.intake import Handed, Place, Submission, submission
from course.grading.limits import Limits
from course.grading.outcome import Job
from course.grading.store import Store
from course.grading.unit import Unit

GRADER = "2"  # raise it when the same submission may come to another result


@dataclass(frozen=True)
class Entry:
    """A student in the plan; the files are read again when their turn comes."""

    place: Place
    hash: str
    stated: str
    notes: tuple[str, ...]

    @property
    def student(self) -> str:
        """The student's name in every output."""
        return self.place.student


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


def survey(handed: Handed, units: Sequence[Unit], limits: Limits) -> tuple[list[Entry], list[Unit]]:
    """Every student, and the units of which some submission has cells."""
    entries, touched = [], set[str]()
    for place in handed.places:
        taken = submission(place, limits)
        reading = read_submission(taken, limits)
        entries.append(Entry(place, taken.hash, reading.stated, _notes(place, taken, reading)))
        touched.update(unit.name for unit in units if touches(reading, unit.exercises))
    return _shared_keys(entries), [unit for unit in units if unit.name in touched]


def _notes(place: Place, taken: Submission, reading: Reading) -> tuple[str, ...]:
    notes = [*place.notes, *taken.notes, *(f"could not be read: {text}" for text in reading.unreadable)]
    platform = place.person or place.received or place.late  # its ids aren't the keys of `course start`
    if reading.stated and reading.stated != place.student and not platform:
        notes.append(
            f'the notebook says STUDENT = "{reading.stated}", the name of what was handed in doesn\'t'
        )
    return tuple(notes)


def _shared_keys(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, with a note where two students state one key: a variant is one person's."""
    stated = Counter(entry.stated for entry in entries if entry.stated)
    told = "another student's notebook says STUDENT = {!r} as well"
    return [
        replace(e, notes=(*e.notes, told.format(e.stated))) if stated[e.stated] > 1 else e for e in entries
    ]


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
            key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            made.append(Job(key, entry.student, unit.name.split("_")[0], name, attempt, seeds, unit.build))
    return made

"""Compares a class: for each exercise the passages that two submissions share and few others have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from course.authoring.notebooks import for_students
from course.authoring.percent import Cell, read
from course.grading.extract import extract, read_submission
from course.grading.intake import Handed as Taken
from course.grading.intake import submission
from course.grading.limits import Limits
from course.grading.unit import Unit
from course.similarity.fingerprints import Places, fingerprints, runs

LEAST_SHARED = 3  # fingerprints: less may be chance


@dataclass(frozen=True)
class Handed:
    """A student's text for one exercise, and its fingerprints."""

    student: str
    exercise: str
    source: str
    prints: Places


@dataclass(frozen=True)
class Match:
    """What two submissions share in one exercise: fingerprints, of how many, on which lines of each."""

    exercise: str
    shared: int
    least: int  # fingerprints of the shorter one
    lines: tuple[tuple[tuple[int, int], ...], ...]
    sources: tuple[str, ...]

    @property
    def share(self) -> float:
        """The part of the shorter one that stands in the other as well."""
        return self.shared / self.least


@dataclass(frozen=True)
class Pair:
    """Two students whose submissions have passages in common."""

    students: tuple[str, str]
    matches: tuple[Match, ...]
    least: int  # fingerprints of the shorter one in every exercise that both handed in

    @property
    def share(self) -> float:
        """Over all exercises that both handed in."""
        return sum(match.shared for match in self.matches) / self.least


@dataclass(frozen=True)
class Compared:
    """What came of a class: its pairs, the most alike first, and what couldn't be compared."""

    pairs: tuple[Pair, ...]
    students: int
    common: int
    notes: tuple[str, ...]


def given_runs(folder: Path) -> frozenset[int]:
    """The runs of the blanks and of everything else that a unit hands out as code."""
    cells = [cell for name in ("exercises.py", "lesson.py") for cell in _cells(folder / name)]
    found: set[int] = set()
    for cell in cells:
        if cell.type == "code":
            found |= runs(cell.source)
    return frozenset(found)


def _cells(path: Path) -> Sequence[Cell]:
    return for_students(read(path)) if path.is_file() else []


def collect(taken: Taken, units: Sequence[Unit], homes: Path, notes: list[str]) -> list[Handed]:
    """Every exercise cell of a class folder, by the grader's own intake; nothing of it is run."""
    limits, found = Limits(), []
    given = {unit.name: given_runs(homes / unit.name) for unit in units}
    for place in taken.places:
        student = place.student
        reading = read_submission(submission(place, limits), limits)
        notes += [f"{student}: {text}" for text in reading.unreadable]
        for unit in units:
            for name, exercise in unit.exercises.items():
                scripts = extract(reading, name, exercise.needs, unit.given).scripts
                source = "\n".join(dict.fromkeys(script.cells[-1][1] for script in scripts))
                prints = fingerprints(source, given[unit.name])
                if prints is None:
                    notes.append(f"{student}: {name} is no Python, so it isn't compared")
                elif prints:
                    found.append(Handed(student, name, source, prints))
    return found


def compare(handed: Sequence[Handed], common: int, notes: Sequence[str] = ()) -> Compared:
    """The pairs; a passage that more than `common` students have counts for nobody."""
    holders: dict[tuple[str, int], list[str]] = defaultdict(list)
    for one in handed:
        for number in one.prints:
            holders[one.exercise, number].append(one.student)
    rare = {key: names for key, names in holders.items() if len(names) <= common}
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    shared: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for (exercise, number), names in rare.items():
        for name in names:
            sizes[name, exercise] += 1
        for pair in combinations(sorted(names), 2):
            shared[pair][exercise].append(number)
    texts = {(one.student, one.exercise): one for one in handed}
    found = (_pair(students, by, sizes, texts) for students, by in shared.items())
    pairs = sorted((pair for pair in found if pair.matches), key=lambda p: (-p.share, p.students))
    return Compared(tuple(pairs), len({one.student for one in handed}), common, tuple(notes))


def _pair(
    students: tuple[str, str],
    shared: Mapping[str, Sequence[int]],
    sizes: Mapping[tuple[str, str], int],
    texts: Mapping[tuple[str, str], Handed],
) -> Pair:
    a, b = students
    both = [exercise for student, exercise in texts if student == a and (b, exercise) in texts]
    least = {exercise: min(sizes[a, exercise], sizes[b, exercise]) for exercise in both}
    matches = []
    for exercise, numbers in sorted(shared.items()):
        if len(numbers) >= LEAST_SHARED:
            ours = texts[a, exercise], texts[b, exercise]
            lines = tuple(joined(place for n in numbers for place in one.prints[n]) for one in ours)
            sources = tuple(one.source for one in ours)
            matches.append(Match(exercise, len(numbers), least[exercise], lines, sources))
    return Pair(students, tuple(matches), sum(least.values()))


def joined(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Lines as ranges: those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(found)

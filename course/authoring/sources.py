"""A unit's sources, read and checked: unit.toml, lesson.py, exercises.py, mistakes.py, and the registry."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from course.authoring import rules
from course.authoring.errors import BuildError
from course.authoring.percent import Cell, read
from course.authoring.unit import Unit, read_unit
from course.checking import registry

_FOLDER = re.compile(r"u\d\d_[a-z0-9_]+")
_SIGNS = ("unit.toml", "lesson.py", "exercises.py")


@dataclass(frozen=True)
class Sources:
    """One unit's cells; an empty list where it has no such file (yet)."""

    unit: Unit
    lesson: list[Cell]
    exercises: list[Cell]


def find_units(folder: Path) -> list[Path]:
    """The units' folders in order."""
    found = sorted(f for f in folder.iterdir() if f.is_dir() and any((f / sign).is_file() for sign in _SIGNS))
    for unit in found:
        if not _FOLDER.fullmatch(unit.name):
            raise BuildError(f"{unit} holds a unit, but a unit's folder is named like u05_scalar. Rename it.")
    return found


def choose(folders: list[Path], wanted: Iterable[str]) -> list[Path]:
    """The folders that `wanted` names, as u05 or u05_scalar; all of them when it names none."""
    names = list(wanted)
    for name in names:
        if not any(name in (f.name, f.name.split("_")[0]) for f in folders):
            there = ", ".join(f.name for f in folders) or "none"
            raise BuildError(f"there is no unit {name!r}. There are: {there}.")
    return [f for f in folders if not names or f.name in names or f.name.split("_")[0] in names]


def read_sources(folder: Path) -> Sources:
    """Read and check one unit; SourceError at the first thing that's wrong."""
    unit = read_unit(folder)
    lesson = _cells(folder / "lesson.py")
    rules.check_lesson(lesson, unit.prefix)
    exercises = _cells(folder / "exercises.py")
    rules.check_exercises(exercises, unit.prefix)
    names = {cell.id for cell in exercises if cell.role == "exercise"}
    rules.check_mistakes(_cells(folder / "mistakes.py"), names)
    for cell in (*lesson, *exercises):
        if strange := sorted(set(cell.tracks) - set(unit.tracks)):
            mend = f"unit.toml has tracks = {list(unit.tracks)}; name it there too, or take it out."
            raise cell.error(f"cell {cell.id} is for the track {strange[0]!r}", mend)
    _agree(unit, exercises)
    return Sources(unit, lesson, exercises)


def _cells(path: Path) -> list[Cell]:
    return read(path) if path.is_file() else []


def _agree(unit: Unit, cells: list[Cell]) -> None:
    """Each exercise has its Exercise in checks.py and the other way round, with the same points."""
    path = unit.folder / "checks.py"
    if not path.is_file():
        if cells:
            mend = "Write it: EXERCISES = [Exercise(…), …]."
            raise BuildError(f"{path} is missing, so nothing judges the exercises of {unit.name}. {mend}")
        return
    try:
        known = dict(registry.exercises(unit.name))
    except Exception as problem:  # whatever the author's module raises on import
        told = f"{type(problem).__name__}: {problem}"
        raise BuildError(f"{path} can't be imported: {told}") from problem
    for cell in cells:
        if cell.role != "check":
            continue
        name = cell.id.removesuffix("-check")
        exercise = known.pop(name, None)
        if exercise is None:
            raise cell.error(f"{name} has no Exercise in checks.py", "Add one to EXERCISES, or mend the id.")
        if exercise.points != cell.points:
            mend = "The check cell's points= is the source: change checks.py."
            found = f"{name} has {cell.points:g} points here and {exercise.points:g} in checks.py"
            raise cell.error(found, mend)
    if known:
        names = ", ".join(known)
        raise BuildError(
            f"{path} has {names}, which no cell of exercises.py checks. Add the cells, or drop it."
        )

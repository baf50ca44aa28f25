"""A unit as the grader needs it: its exercises, and the two things that stand beside graded code."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from autodiff.errors import OptionError
from course.authoring.percent import read
from course.authoring.regions import blanked
from course.checking.exercise import Exercise
from course.checking.registry import build_id, exercises, unit_names, unit_of
from course.grading.extract import Given


@dataclass(frozen=True)
class Unit:
    """Exercises by id, modules of `autodiff` that may be imported, the text of probes.py."""

    name: str
    exercises: Mapping[str, Exercise]
    provides: tuple[str, ...]
    probes: str
    build: str
    given: tuple[Given, ...] = ()  # the code cells as students got them

    def probe_name(self, exercise: str) -> str:
        """The function of probes.py that asks; ValueError if the exercise's probe is no such function."""
        probe = self.exercises[exercise].probe
        name = getattr(probe, "__name__", "")
        if not name.isidentifier() or f"def {name}(" not in self.probes:
            raise ValueError(f"{exercise}: its probe {probe!r} is no function of probes.py; write it there")
        return name


def load_unit(name: str) -> Unit:
    """The unit of a folder's name: u05_scalar."""
    folder = files(f"course.units.{name}")
    told = tomllib.loads((folder / "unit.toml").read_text(encoding="utf-8"))
    return Unit(
        name,
        exercises(name),
        tuple(told.get("provides", ())),
        (folder / "probes.py").read_text(encoding="utf-8"),
        build_id(name),
        given_cells(Path(str(folder)) / "exercises.py"),
    )


def given_cells(path: Path) -> tuple[Given, ...]:
    """The code cells of a unit's exercises, blanks in them, checks left out."""
    cells = [cell for cell in read(path) if cell.type == "code" and cell.role != "check"]
    return tuple(Given(cell.id, blanked(cell), cell.role == "exercise") for cell in cells)


def load_units(wanted: Iterable[str] = ()) -> list[Unit]:
    """The units named (u05), or every unit that has exercises; OptionError names those there are."""
    names = sorted({unit_of(name) for name in wanted}) or unit_names()
    with_checks = [n for n in names if (files(f"course.units.{n}") / "checks.py").is_file()]
    if not with_checks:
        raise OptionError(f"no exercises in {', '.join(names) or 'course/units'}: nothing can be graded")
    return [load_unit(name) for name in with_checks]

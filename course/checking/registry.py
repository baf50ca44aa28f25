"""Where exercises are found: course/units/uNN_name/checks.py, each with a list EXERCISES."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import pkgutil
import re
from functools import cache
from importlib.resources import files

import course.units
from autodiff.errors import OptionError
from course.checking.exercise import Exercise


def unit_names() -> list[str]:
    """The units' folders, in order: u04_paths, u05_scalar …"""
    return sorted(m.name for m in pkgutil.iter_modules(course.units.__path__) if m.ispkg)


def unit_of(identifier: str) -> str:
    """The folder of a unit or an exercise: "u05", "u5" and "u05-multiply" give u05_scalar."""
    names = unit_names()
    identifier = re.sub(r"^u(\d)(?!\d)", r"u0\1", identifier)
    found = [name for name in names if name == identifier or name[:3] == identifier[:3]]
    if len(identifier) < 3 or not found:
        raise OptionError(f"there is no unit {identifier!r}; there are {', '.join(n[:3] for n in names)}")
    return found[0]


@cache
def exercises(unit: str) -> dict[str, Exercise]:
    """The exercises of a unit by id."""
    module = importlib.import_module(f"course.units.{unit}.checks")
    return {exercise.id: exercise for exercise in module.EXERCISES}


def find(identifier: str) -> Exercise:
    """The exercise of that id, or an error that names the closest."""
    every = {e.id: e for name in unit_names() for e in exercises(name).values()}
    if identifier not in every:
        close = difflib.get_close_matches(identifier, every, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else f" There are {', '.join(every)}."
        raise OptionError(f"there is no exercise {identifier!r}.{hint}")
    return every[identifier]


@cache
def build_id(unit: str) -> str:
    """Twelve hex digits that change whenever what judges a unit changes."""
    digest = hashlib.sha256()
    for name in ("exercises.py", "probes.py", "checks.py"):
        path = files(f"course.units.{unit}") / name
        if path.is_file():  # a release carries no exercises.py
            digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]

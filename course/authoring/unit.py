"""unit.toml: what a unit is about, for whom, how long it takes."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.authoring.errors import SourceError

_NEEDED = ("title", "objectives", "prerequisites", "minutes", "tracks")
_KNOWN = (*_NEEDED, "terms", "provides")


@dataclass(frozen=True)
class Unit:
    """A unit's folder and what its unit.toml says."""

    folder: Path
    title: str
    objectives: tuple[str, ...]
    prerequisites: tuple[str, ...]
    minutes: int
    tracks: tuple[str, ...]
    terms: dict[str, str] = field(default_factory=dict)  # a term and what it means ("" where only listed)
    provides: tuple[str, ...] = ()  # modules of autodiff that exist beside graded code

    @property
    def name(self) -> str:
        """The folder's name, u05_scalar, which is also that of its notebooks."""
        return self.folder.name

    @property
    def prefix(self) -> str:
        """What every id of the unit begins with: u05."""
        return self.name.split("_")[0]

    @property
    def heading(self) -> str:
        """Number and title: "U5 The Scalar class"."""
        number = re.fullmatch(r"u(\d\d)", self.prefix)
        return f"U{int(number[1])} {self.title}" if number else self.title


def read_unit(folder: Path) -> Unit:
    """The unit of a folder; SourceError where unit.toml isn't as it should be."""
    path = folder / "unit.toml"
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        mend = f"Write one with {', '.join(_NEEDED)}."
        raise SourceError(path, 1, "there is no such file", mend) from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        place = re.search(r"at line (\d+)", str(problem))
        line = int(place[1]) if place else 1
        raise SourceError(path, line, f"no TOML: {problem}", "See toml.io for the format.") from problem
    _check_names(told, path)
    return Unit(
        folder,
        _typed(told, "title", str, path),
        _texts(told, "objectives", path),
        _texts(told, "prerequisites", path),
        _typed(told, "minutes", int, path),
        _texts(told, "tracks", path),
        _terms(told, path),
        _texts(told, "provides", path),
    )


def _check_names(told: dict[str, Any], path: Path) -> None:
    for key in told:
        if key not in _KNOWN:
            close = difflib.get_close_matches(key, _KNOWN, n=1)
            mend = f"Did you mean {close[0]}?" if close else f"There are {', '.join(_KNOWN)}."
            raise SourceError(path, _line(path, key), f"unknown key {key!r}", mend)
    for key in _NEEDED:
        if key not in told:
            raise SourceError(path, 1, f"{key} is missing", f"A unit says {', '.join(_NEEDED)}.")


def _typed(told: dict[str, Any], key: str, kind: type, path: Path) -> Any:
    value = told[key]
    if type(value) is not kind or not value:
        mend = {"title": 'Write a text: title = "…".', "minutes": "Write a whole number: minutes = 130."}[key]
        raise SourceError(path, _line(path, key), f"{key} is {value!r}", mend)
    return value


def _texts(told: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = told.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise SourceError(path, _line(path, key), f"{key} is {value!r}", f'Write a list: {key} = ["…", "…"].')
    return tuple(value)


def _terms(told: dict[str, Any], path: Path) -> dict[str, str]:
    value = told.get("terms", {})
    if isinstance(value, dict) and all(isinstance(text, str) for text in value.values()):
        return dict(value)
    if isinstance(value, list):
        return dict.fromkeys(_texts(told, "terms", path), "")
    mend = 'Write a list of terms, or a table: [terms], then  gradient = "…".'
    raise SourceError(path, _line(path, "terms"), f"terms is {value!r}", mend)


def _line(path: Path, key: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    pattern = re.compile(rf"\s*\[*\s*{re.escape(key)}\b")
    return next((k for k, line in enumerate(lines, 1) if pattern.match(line)), 1)

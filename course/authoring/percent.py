"""Percent format: a Python file whose comment lines `# %%` begin the cells of a notebook.

    # %% [markdown] id=u05-why
    # Text, each line a comment.

    # %% id=u05-multiply role=exercise
    def multiply(a, b):
        ...

A value with spaces stands in quotes: alt="two roads from t to y". rules.py says which keys go together.
"""

from __future__ import annotations

import ast
import difflib
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from course.authoring.errors import SourceError

KEYS = ("id", "role", "points", "tracks", "alt", "kind", "exercise", "name", "family")
_MARK = re.compile(r"#\s*%%")
_HEADER = re.compile(r"# %%(?: \[(?P<type>[^\]]*)\])?(?P<keys>(?: .*)?)$")


@dataclass(frozen=True)
class Cell:
    """One cell of a source file; `line` is its header's, `first_line` that of its first line of text."""

    path: Path
    line: int
    first_line: int
    type: str  # "code" or "markdown"
    source: str
    keys: dict[str, str]

    @property
    def id(self) -> str:
        """The cell's id; "" in mistakes.py, where cells have none."""
        return self.keys.get("id", "")

    @property
    def role(self) -> str:
        """ "exercise", "check" or "" """
        return self.keys.get("role", "")

    @property
    def points(self) -> float:
        """The points of a check cell, 0 for any other."""
        return float(self.keys.get("points", 0))

    @property
    def tracks(self) -> tuple[str, ...]:
        """The tracks that this cell belongs to; none means every track."""
        return tuple(t for t in self.keys.get("tracks", "").split(",") if t)

    @property
    def alt(self) -> str:
        """What the cell's figure shows, in words."""
        return self.keys.get("alt", "")

    def error(self, found: str, mend: str, line: int | None = None) -> SourceError:
        """An error at this cell's header, or at another line of the file."""
        return SourceError(self.path, line or self.line, found, mend)


def read(path: Path) -> list[Cell]:
    """The cells of a percent-format file."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise SourceError(
            path, 1, f"the file isn't UTF-8 ({problem.reason})", "Save it as UTF-8."
        ) from problem
    return parse(text, path)


def parse(text: str, path: Path) -> list[Cell]:
    """The cells of a text in percent format; what stands before the first may only be a docstring."""
    lines = text.replace("\r\n", "\n").split("\n")
    marks = [k for k, line in enumerate(lines) if _MARK.match(line)]
    if not marks:
        raise SourceError(path, 1, "there is no cell here", 'Begin one with a line "# %% id=…".')
    _refuse_code("\n".join(lines[: marks[0]]), path)
    bounds = [*marks, len(lines)]
    return [_cell(path, start, lines[start:end]) for start, end in pairwise(bounds)]


def _refuse_code(preamble: str, path: Path) -> None:
    try:
        body = ast.parse(preamble).body
    except SyntaxError as problem:
        raise SourceError(
            path, problem.lineno or 1, "text before the first cell", "Put it into a cell, or in a docstring."
        ) from problem
    for place, statement in enumerate(body):
        constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if place or not constant:
            found = "code before the first cell, so it would be in no notebook"
            raise SourceError(
                path, statement.lineno, found, "Move it into a cell; only a docstring stands here."
            )


def _cell(path: Path, start: int, lines: list[str]) -> Cell:
    line = start + 1
    header = _HEADER.match(lines[0].rstrip())
    if header is None:
        mend = 'A cell begins with "# %% id=…" or "# %% [markdown] id=…", blanks as here.'
        raise SourceError(path, line, f"a cell header that can't be read: {lines[0]!r}", mend)
    kind = header["type"]
    if kind not in (None, "markdown"):
        mend = "Write [markdown] for text, nothing for code."
        raise SourceError(path, line, f"an unknown kind of cell [{kind}]", mend)
    keys = dict(_keys(header["keys"], path, line))
    body = lines[1:]
    first = next((k for k, text in enumerate(body) if text.strip()), None)
    if first is None:
        raise SourceError(path, line, "an empty cell", "Write something in it, or take it out.")
    body = body[first:]
    while not body[-1].strip():
        body.pop()
    first_line = line + 1 + first
    if kind == "markdown":
        body = _uncommented(body, path, first_line)
    return Cell(path, line, first_line, kind or "code", "\n".join(body), keys)


def _uncommented(lines: list[str], path: Path, first_line: int) -> list[str]:
    for number, text in enumerate(lines, first_line):
        if text.strip() and not re.match(r"#( |$)", text):
            mend = 'Each line of text begins with "# "; code goes into a cell of its own.'
            raise SourceError(path, number, f"a line of a markdown cell that is no comment: {text!r}", mend)
    return [text[2:].rstrip(" ") if not text.endswith("  ") else text[2:] for text in lines]


def _keys(text: str, path: Path, line: int) -> Iterator[tuple[str, str]]:
    try:
        words = shlex.split(text)
    except ValueError as problem:
        mend = 'A value with spaces stands in quotes: alt="…"; an apostrophe needs them too.'
        raise SourceError(path, line, f"a quote that isn't closed in {text.strip()!r}", mend) from problem
    seen = set()
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value:
            mend = 'Write key=value, no blank around "="; quote a value with spaces.'
            raise SourceError(path, line, f"{word!r} in a cell header is no key=value", mend)
        if key not in KEYS:
            close = difflib.get_close_matches(key, KEYS, n=1)
            mend = f"Did you mean {close[0]}?" if close else f"There are {', '.join(KEYS)}."
            raise SourceError(path, line, f"unknown key {key!r} in a cell header", mend)
        if key in seen:
            raise SourceError(path, line, f"the key {key!r} stands twice", "Keep one.")
        if key == "points" and not _is_positive(value):
            raise SourceError(path, line, f"points={value}", "Points are a number above 0, such as points=5.")
        seen.add(key)
        yield key, value


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False

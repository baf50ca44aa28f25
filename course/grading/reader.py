"""Reads what students hand in, as text: notebooks of any age, percent scripts, plain scripts.

Tolerant of encodings, versions and missing ids; strict about size, depth and keys that stand twice.
Nothing is imported or run, and `nbformat` isn't asked: it refuses much of what students send.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_PERCENT = re.compile(r"#\s*%%(?P<rest>.*)$")
_IN = re.compile(r"# In\s*\[[ \d*]*\]:\s*$")  # what nbconvert writes above a cell
_KEY = re.compile(r"(\w+)=(\"[^\"]*\"|'[^']*'|\S+)")


class UnreadableError(ValueError):
    """A file that can't be read; the message names the place."""


@dataclass(frozen=True)
class Cell:
    """A code cell of a submission."""

    document: str
    index: int  # counted from 0 among all cells
    source: str
    id: str = ""
    grade_id: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.document}, cell {self.index + 1}"


@dataclass(frozen=True)
class Document:
    """The code cells of one file, in order."""

    name: str
    cells: tuple[Cell, ...]


def read(name: str, data: bytes, limit: int) -> Document:
    """The document in `data`; UnreadableError where there is none."""
    if len(data) > limit:
        raise UnreadableError(
            f"{name}: {len(data)} bytes, at most {limit} are read; clear the outputs and save again"
        )
    notebook = name.lower().endswith(".ipynb")
    text = _notebook_text(name, data) if notebook else _script_text(name, data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Document(name, tuple(_notebook(name, text) if notebook else _script(name, text)))


def _notebook_text(name: str, data: bytes) -> str:
    encoding = next((e for mark, e in _BOMS if data.startswith(mark)), "")
    if not encoding:  # JSON starts with an ASCII letter, so a zero byte tells UTF-16 and its order
        encoding = {b"\0": "utf-16-be"}.get(data[:1], "utf-16-le" if data[1:2] == b"\0" else "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise UnreadableError(
            f"{name}: not {encoding} at byte {problem.start}; save it as UTF-8"
        ) from problem


def _script_text(name: str, data: bytes) -> str:
    if any(data.startswith(mark) for mark, _ in _BOMS):
        return _notebook_text(name, data)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as problem:
        raise UnreadableError(f"{name}: {problem}; save it as UTF-8") from problem


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UnreadableError(f"the key {key[:60]!r} stands twice in one place")
        found[key] = value
    return found


def _notebook(name: str, text: str) -> Iterator[Cell]:
    try:
        notebook = json.loads(text, object_pairs_hook=_unique)
    except UnreadableError as problem:
        raise UnreadableError(f"{name}: {problem}") from None
    except RecursionError:
        raise UnreadableError(f"{name}: nested too deeply to be a notebook") from None
    except ValueError as problem:  # also numbers of more digits than Python reads
        raise UnreadableError(f"{name}: no notebook: {str(problem)[:200]}") from None
    for index, cell in enumerate(_raw_cells(name, notebook)):
        if not isinstance(cell, dict):
            raise UnreadableError(f"{name}: cell {index + 1} is no cell but a {type(cell).__name__}")
        if cell.get("cell_type") == "code":
            yield _code_cell(name, index, cell)


def _raw_cells(name: str, notebook: Any) -> list[Any]:
    if not isinstance(notebook, dict):
        raise UnreadableError(f"{name}: a notebook is an object; this is a {type(notebook).__name__}")
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):  # nbformat 3
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        cells = [c for sheet in sheets for c in _as_list(sheet.get("cells"))]
    if not isinstance(cells, list):
        raise UnreadableError(f"{name}: there is no list of cells in it (nbformat 3 and 4 are read)")
    return cells


def _code_cell(name: str, index: int, cell: dict[str, Any]) -> Cell:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise UnreadableError(f"{name}: the source of cell {index + 1} is neither a text nor a list of lines")
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    nbgrader = metadata.get("nbgrader")
    grade_id = nbgrader.get("grade_id", "") if isinstance(nbgrader, dict) else ""
    cell_id = cell.get("id", metadata.get("id", ""))
    return Cell(name, index, source, _text(cell_id), _text(grade_id))


def _script(name: str, text: str) -> Iterator[Cell]:
    lines = text.split("\n")
    marks = [k for k, line in enumerate(lines) if _PERCENT.match(line) or _IN.match(line)]
    if not marks:
        yield Cell(name, 0, text)
        return
    preamble = "\n".join(lines[: marks[0]])
    if preamble.strip():
        yield Cell(name, 0, preamble)
    for index, (start, end) in enumerate(zip(marks, [*marks[1:], len(lines)], strict=True), 1):
        header = _PERCENT.match(lines[start])
        rest = header["rest"] if header else ""
        if "[markdown]" in rest or "[md]" in rest or "[raw]" in rest:
            continue
        keys = {key: value.strip("\"'") for key, value in _KEY.findall(rest)}
        yield Cell(
            name, index, "\n".join(lines[start + 1 : end]), keys.get("id", ""), keys.get("grade_id", "")
        )


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

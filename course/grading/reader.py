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
from itertools import islice
from typing import Any

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_PERCENT = re.compile(r"#\s*%%(?P<rest>.*)$")
_IN = re.compile(r"# In\s*\[[ \d*]*\]:\s*$")  # what nbconvert writes above a cell
_KEY = re.compile(r"(\w+)=(\"[^\"]*\"|'[^']*'|\S+)")
_NOTEBOOK = re.compile(r".*\.ipynb(\.json|\.txt)?", re.I | re.S)  # as browsers and mail programs rename them
_CONFLICT = re.compile(r"^(<{7}|>{7})( |$)", re.M)
# A coding line may name any codec of Python's: some give no text, one takes hours over a megabyte.
_ENCODINGS = {
    "utf-8", "utf-8-sig", "ascii", "iso8859-1", "iso8859-15", "cp1252", "mac-roman", "cp1250", "cp1251",
    "koi8-r", "gbk", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr",
}  # fmt: skip
_LARGEST_SCRIPT, _MOST_CELLS = 2 << 20, 5000
_MOST_VALUES = 2_000_000  # of a notebook, outputs included: each takes up to a hundred bytes here
_HEADER = 500  # characters of a header that are looked into
_KINDS = ("code", "markdown", "raw")


class UnreadableError(ValueError):
    """A file that can't be read; the message names the place."""


@dataclass(frozen=True)
class Cell:
    """A cell of a submission."""

    document: str
    index: int  # counted from 0 among all cells
    source: str
    id: str = ""
    grade_id: str = ""
    kind: str = "code"

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.document}, cell {self.index + 1}"


@dataclass(frozen=True)
class Document:
    """The cells of one file, in order: the code, and the rest, where code may have got by a slip."""

    name: str
    cells: tuple[Cell, ...]
    others: tuple[Cell, ...] = ()


def is_document(name: str) -> bool:
    """Whether a file of this name is read for cells."""
    return name.lower().endswith(".py") or _is_notebook(name)


def read(name: str, data: bytes, limit: int) -> Document:
    """The document in `data`; UnreadableError where there is none."""
    notebook = _is_notebook(name)
    limit = limit if notebook else min(limit, _LARGEST_SCRIPT)
    if len(data) > limit:
        how = "clear the outputs and save again" if notebook else "keep data in a file of its own"
        raise UnreadableError(f"{name}: {len(data)} bytes, at most {limit} are read; {how}")
    if not data.strip(b"\0 \r\n\t") and notebook:
        raise UnreadableError(f"{name}: the file is empty, so it is no notebook; save it again")
    text = _lines(_notebook_text(name, data) if notebook else _script_text(name, data))
    cells = list(islice(_notebook(name, text) if notebook else _script(name, text), _MOST_CELLS + 1))
    if len(cells) > _MOST_CELLS:
        raise UnreadableError(f"{name}: more than {_MOST_CELLS} cells")
    code = tuple(cell for cell in cells if cell.kind == "code")
    return Document(name, code, tuple(cell for cell in cells if cell.kind != "code"))


def conflict(text: str) -> int:
    """The line of the first mark that git leaves where two versions meet; 0 if there is none."""
    found = _CONFLICT.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _is_notebook(name: str) -> bool:
    return _NOTEBOOK.fullmatch(name) is not None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook_text(name: str, data: bytes) -> str:
    encoding = next((e for mark, e in _BOMS if data.startswith(mark)), "")
    if not encoding:  # JSON starts with an ASCII letter, so a zero byte tells UTF-16 and its order
        encoding = {b"\0": "utf-16-be"}.get(data[:1], "utf-16-le" if data[1:2] == b"\0" else "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise UnreadableError(
            f"{name}: not {encoding} at byte {problem.start} (line {line}); save it as UTF-8"
        ) from problem


def _script_text(name: str, data: bytes) -> str:
    if any(data.startswith(mark) for mark, _ in _BOMS):
        return _notebook_text(name, data)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(encoding).name not in _ENCODINGS:
            raise UnreadableError(f"{name}: its coding line says {encoding[:40]!r}; save it as UTF-8")
        return data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as problem:
        raise UnreadableError(f"{name}: {problem}; save it as UTF-8") from problem


class _Doubled(dict[str, Any]):
    """An object in which a key stands twice: which one counts, readers don't agree on."""

    key = ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled = _Doubled(found)
    seen: set[str] = set()
    doubled.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return doubled


def _number(text: str) -> int:
    """Every number as 0: none is needed, so none can be too long, infinite or not a number."""
    return 0


def _notebook(name: str, text: str) -> Iterator[Cell]:
    if sum(text.count(mark) for mark in "[{,") > _MOST_VALUES:
        raise UnreadableError(f"{name}: more than {_MOST_VALUES} values; clear the outputs and save again")
    hooks: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), _number)
    try:
        notebook = json.loads(text, object_pairs_hook=_object, **hooks)
    except RecursionError:
        raise UnreadableError(f"{name}: nested too deeply to be a notebook") from None
    except json.JSONDecodeError as problem:
        raise UnreadableError(f"{name}: {_no_json(text, problem)}") from None
    cells = _raw_cells(name, notebook)
    _refuse_doubled(name, "the notebook", {key: value for key, value in notebook.items() if key != "cells"})
    for index, cell in enumerate(cells):
        if not isinstance(cell, dict):
            raise UnreadableError(f"{name}: cell {index + 1} is no cell but a {type(cell).__name__}")
        _refuse_doubled(name, f"cell {index + 1}", cell)
        yield _cell(name, index, cell)


def _no_json(text: str, problem: json.JSONDecodeError) -> str:
    if line := conflict(text):
        return (
            f"no notebook: git left two versions in it (line {line}); choose one of them, then hand in again"
        )
    if re.match(r"\s*<(!doctype|html)", text, re.I):
        return "no notebook but a web page; download the notebook itself"
    if not text.lstrip().startswith(("{", "[")):
        return f"no notebook: it begins with {text.strip()[:20]!r}, not with an opening brace"
    cells = text.count('"cell_type"', 0, problem.pos)
    place = f"line {problem.lineno}" + (f", in cell {cells} or just after" if cells else "")
    cut = not text[problem.pos :].strip() or problem.msg.startswith("Unterminated string")
    ends = "it was cut off, and ends within the notebook" if cut else problem.msg
    return f"no notebook: {ends} ({place}); open it in Jupyter and save it again"


def _refuse_doubled(name: str, place: str, tree: Any) -> None:
    """UnreadableError if a key stands twice anywhere in a tree; recursion is bounded by what json reads."""
    todo = [(place, tree)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, _Doubled):
            raise UnreadableError(f"{name}: the key {value.key[:60]!r} stands twice in {place}")
        if isinstance(value, dict):
            todo += [
                (f"{place}, {key[:40]}", one) for key, one in value.items() if isinstance(one, dict | list)
            ]
        elif isinstance(value, list):
            todo += [(place, one) for one in value if isinstance(one, dict | list)]


def _raw_cells(name: str, notebook: Any) -> list[Any]:
    if not isinstance(notebook, dict):
        raise UnreadableError(f"{name}: a notebook is an object; this is a {type(notebook).__name__}")
    if isinstance(notebook, _Doubled):
        raise UnreadableError(f"{name}: the key {notebook.key[:60]!r} stands twice at its top")
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):  # nbformat 3
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        cells = [c for sheet in sheets for c in _as_list(sheet.get("cells"))]
    if not isinstance(cells, list):
        raise UnreadableError(f"{name}: there is no list of cells in it (nbformat 3 and 4 are read)")
    return cells


def _cell(name: str, index: int, cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    if not isinstance(kind, str):
        raise UnreadableError(f"{name}: the type of cell {index + 1} is no text")
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        lined = len(source) > 1 and not any("\n" in line for line in source)
        source = ("\n" if lined else "").join(source)
    if not isinstance(source, str):
        raise UnreadableError(f"{name}: the source of cell {index + 1} is neither a text nor a list of lines")
    metadata = _as_dict(cell.get("metadata"))
    grade_id = _text(_as_dict(metadata.get("nbgrader")).get("grade_id")) or _text(metadata.get("name"))
    cell_id = _text(cell.get("id", metadata.get("id")))
    return Cell(name, index, _lines(source), cell_id, grade_id, kind if kind in _KINDS else "raw")


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
        body = "\n".join(lines[start + 1 : end])
        kind = next((kind for mark, kind in _TYPES.items() if mark in rest), "code")
        keys = {key: value.strip("\"'") for key, value in _KEY.findall(rest[:_HEADER])}
        yield Cell(name, index, body, keys.get("id", ""), keys.get("grade_id", ""), kind)


_TYPES = {"[markdown]": "markdown", "[md]": "markdown", "[raw]": "raw"}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

"""Searches a release for any line of a solution, wherever it may stand: cells, outputs, strings, the wheel.

Lines are compared without blanks and comment signs. `autodiff/` isn't searched: the engine is part of the
release, and marks don't rest on its secrecy. Nor does a line count that says nothing: `else:`, `return out`.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from course.authoring.notebooks import for_students
from course.authoring.percent import read
from course.authoring.regions import regions

SECRET_FILES = ("mistakes.py", "private.py")  # of a unit; exercises.py is searched for its regions
_UNSHIPPED = {*SECRET_FILES, "exercises.py"}
_TEXTS = {".py", ".pyi", ".md", ".txt", ".toml", ".json", ".csv", ".css", ".js", ".lock", ".j2", ""}
_PICTURES = {".png", ".svg"}
_PUNCTUATION = set("()[]{}:,.;")
# alone, such a line gives nothing away
_HEADS = ("for", "while", "if", "elif", "else", "with", "try", "except", "def", "class", "import", "from")
_LEAST = 4  # names, numbers and signs in a line that says something


@dataclass(frozen=True)
class Leak:
    """A line of a release that stands in a solution as well."""

    place: str
    line: str
    origin: str

    def __str__(self) -> str:
        return f"{self.place}: {self.line.strip()!r} stands in {self.origin}"


def normalised(line: str) -> str:
    """The line without blanks, a comment behind it, or a comment sign before it."""
    return re.sub(r"\s+", "", re.sub(r"(?<=\S)\s+#.*$", "", line.strip().lstrip("#")))


def is_telling(line: str) -> bool:
    """Whether a line says something of a solution: not a bare header, not a name alone."""
    words = _words(line.strip().lstrip("#").strip())
    return len(words) >= _LEAST and words[0] not in _HEADS


def _words(line: str) -> list[str]:
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP):
                found.append(token.string)
    except (tokenize.TokenError, IndentationError):
        pass  # a bracket that goes on in the next line: what came before it is there
    return [word for word in found if word not in _PUNCTUATION]


def secret_lines(folder: Path) -> dict[str, str]:
    """The telling lines of a unit's solutions, normalised, each with the place it comes from."""
    found: dict[str, str] = {}
    shown: set[str] = set()
    source = folder / "exercises.py"
    cells = read(source) if source.is_file() else []
    for cell in for_students(cells):
        shown.update(map(normalised, cell.source.split("\n")))
    for cell in cells:
        if cell.role == "exercise":
            lines = cell.source.split("\n")
            for begin, end in regions(cell):
                _add(found, lines[begin + 1 : end], source, cell.first_line + begin + 1)
        elif cell.role == "why":
            _add(found, cell.source.split("\n"), source, cell.first_line)
    for name in SECRET_FILES:
        if (folder / name).is_file():
            _add(found, (folder / name).read_text(encoding="utf-8").split("\n"), folder / name, 1)
    return {line: origin for line, origin in found.items() if line not in shown}


def _add(found: dict[str, str], lines: Iterable[str], path: Path, first: int) -> None:
    for number, line in enumerate(lines, first):
        if is_telling(line) and not line.startswith(("# %%", "#")):
            found.setdefault(normalised(line), f"{path.parent.name}/{path.name}:{number}")


def leaks(files: Mapping[str, bytes], secrets: Mapping[str, str]) -> Iterator[Leak]:
    """Each place of a release where a line of a solution stands, or a file that no student may have."""
    for name, data in files.items():
        path = PurePosixPath(name)
        if path.name in _UNSHIPPED and "units" in path.parts:
            yield Leak(name, path.name, "the instructor's part of a unit, as a file")
        if path.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                inner = {f"{name}!/{each}": packed.read(each) for each in packed.namelist()}
            yield from leaks(inner, secrets)
        elif not _is_engine(path):
            for place, line in _lines(name, data):
                if (origin := secrets.get(normalised(line))) is not None:
                    yield Leak(place, line, origin)


def _is_engine(path: PurePosixPath) -> bool:
    inside = str(path).rpartition("!/")[2]
    return inside.startswith("autodiff/")


def _lines(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    suffix = PurePosixPath(name).suffix
    if suffix in _PICTURES:
        return
    text = data.decode("utf-8", "replace")
    if suffix == ".ipynb":
        yield from _notebook_lines(name, text)
        return
    if suffix not in _TEXTS and "\0" in text:
        yield name, text  # no text: nothing to compare with lines
        return
    for number, line in enumerate(text.split("\n"), 1):
        yield f"{name}:{number}", line
    if suffix == ".py":
        yield from _string_lines(name, text)


def _notebook_lines(name: str, text: str) -> Iterator[tuple[str, str]]:
    notebook = json.loads(text)
    for number, cell in enumerate(notebook["cells"], 1):
        for found in _strings(cell):
            for line in found.split("\n"):
                yield f"{name}, cell {number} ({cell.get('id', '')})", line
    for found in _strings(notebook["metadata"]):
        for line in found.split("\n"):
            yield f"{name}, its metadata", line


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            yield "".join(value)  # as notebooks keep a text: line by line
        else:
            for each in value:
                yield from _strings(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key != "image/png":
                yield from _strings(each)


def _string_lines(name: str, text: str) -> Iterator[tuple[str, str]]:
    """The lines within a program's texts: a solution could be kept in one."""
    try:
        module = ast.parse(text)
    except SyntaxError:
        return  # its lines were compared as they stand
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            for line in node.value.split("\n"):
                yield f"{name}:{node.lineno}", line

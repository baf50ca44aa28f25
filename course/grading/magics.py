"""IPython's own syntax in a cell, made harmless: shell lines and magics do nothing, with a notice."""

from __future__ import annotations

import ast
import re
import warnings

_KEPT = {"time", "timeit", "capture", "prun"}  # cell magics whose body is the student's own Python
_LINE = re.compile(r"^(?P<indent>\s*)(?P<magic>[%!?].*)$")
_ASSIGNED = re.compile(r"^(?P<indent>\s*)(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<magic>[%!].*)$")
_HELP = re.compile(r"^(?P<indent>\s*)(?P<magic>[\w.]+\?{1,2})\s*$")
_TIMED = re.compile(r"^\s*%(?:time|timeit)\s+(?P<statement>[^-].*)$")


def plain_python(source: str) -> tuple[str, list[str]]:
    """The cell as plain Python, line for line, and a notice for each thing left out."""
    lines = source.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        name = lines[first][2:].split()[0] if lines[first][2:].split() else ""
        notice = f"the cell magic {lines[first].strip()[:60]} was left out"
        if name not in _KEPT:
            return "pass", [notice]
        lines[first] = "pass"
        source = "\n".join(lines)
        if parses(source):
            return source, [notice]
    if parses(source):
        return source, []
    notices: list[str] = []
    plain = "\n".join(_plain_line(line, notices) for line in lines)
    return (plain, notices) if notices else (source, [])


def parses(source: str) -> bool:
    """Whether a text is Python by its form."""
    return tree(source) is not None


def tree(source: str) -> ast.Module | None:
    """The syntax tree of a student's text, or None; whatever the parser makes of odd input stays here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's "\d" is no warning of ours
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _plain_line(line: str, notices: list[str]) -> str:
    if timed := _TIMED.match(line):
        notices.append(f"{line.strip()[:60]}: run without the magic")
        return line[: len(line) - len(line.lstrip())] + timed["statement"]
    if found := _ASSIGNED.match(line):
        notices.append(f"{found['magic'][:60]} was left out")
        return f"{found['indent']}{found['name']} = None"
    if found := _LINE.match(line) or _HELP.match(line):
        notices.append(f"{found['magic'][:60]} was left out")
        return f"{found['indent']}pass"
    return line

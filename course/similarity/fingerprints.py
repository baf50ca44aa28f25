"""What stays of a program when names, comments and layout are changed: runs of its syntax tree.

The tree is read in order as one word per node, names and texts as a sign that they're there. Each run of
`LENGTH` words is hashed; of each `WINDOW` neighbouring hashes the smallest is kept (winnowing), so that any
passage of LENGTH + WINDOW - 1 words that two programs share leaves at least one hash in both.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from course.grading.magics import tree

LENGTH, WINDOW = 10, 4  # a short statement has about ten words
_LAYOUT = (ast.Module, ast.Expr, ast.Load, ast.Store, ast.Del, ast.Pass, ast.arguments)
_HIDDEN = ("annotation", "returns", "type_comment", "type_params", "decorator_list")

Places = Mapping[int, tuple[tuple[int, int], ...]]  # a hash, and the lines (first, last) where it stands


@dataclass(frozen=True)
class Word:
    """A node of the syntax tree in one word, and its line."""

    text: str
    line: int


def words(module: ast.Module) -> Iterator[Word]:
    """The words of a program, in the order of its text; docstrings and annotations left out."""
    stack: list[tuple[ast.AST, int]] = [(module, 1)]
    while stack:  # no recursion: a student's nesting may be deep
        node, line = stack.pop()
        line = getattr(node, "lineno", line)
        if word := _word(node):
            yield Word(word, line)
        stack += [(child, line) for child in reversed(list(_children(node)))]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in _HIDDEN:
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST) and not _is_docstring(each):
                yield each


def _is_docstring(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text and isinstance(node.value.value, str)  # type: ignore[attr-defined]  # just looked at


def _word(node: ast.AST) -> str:
    if isinstance(node, _LAYOUT):
        return ""
    if isinstance(node, ast.Constant):
        number = isinstance(node.value, int | float | complex)
        return f"number {hash(node.value)}" if number else "text"  # 2 and 2.0 are the same
    if isinstance(node, ast.AnnAssign):
        return "Assign"
    return type(node).__name__


def runs(source: str) -> frozenset[int]:
    """The hashes of every run of a program; none for a text that is no Python."""
    module = tree(source)
    return frozenset(number for number, _ in _hashes(list(words(module)))) if module else frozenset()


def _hashes(program: list[Word]) -> list[tuple[int, tuple[int, int]]]:
    made = []
    for start in range(max(1, len(program) - LENGTH + 1) if program else 0):
        run = program[start : start + LENGTH]
        text = " ".join(word.text for word in run)
        number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        spread = [word.line for word in run]
        made.append((number, (min(spread), max(spread))))
    return made


def fingerprints(source: str, given: Collection[int] = frozenset()) -> Places | None:
    """The kept hashes of a program and their lines, without those in `given`; None if it's no Python."""
    module = tree(source)
    if module is None:
        return None
    every = _hashes(list(words(module)))
    kept: dict[int, dict[tuple[int, int], None]] = {}
    for start in range(max(1, len(every) - WINDOW + 1) if every else 0):
        number, lines = min(every[start : start + WINDOW])
        if number not in given:
            kept.setdefault(number, {})[lines] = None
    return {number: tuple(lines) for number, lines in kept.items()}

"""IPython's own syntax in a cell, made harmless: shell lines and magics do nothing, with a notice.

IPython says what is a magic and what only looks like one; its TransformerManager turns text into text, needs
no kernel and runs nothing. It reads a cell once more for every magic, so very much of it is refused.
"""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator

LARGEST = 256 << 10  # characters of a cell that is looked into: a tree takes hundreds of bytes for each
EFFORT = 500_000  # of a cell: some seconds
_KEPT = {"time", "timeit", "capture", "prun"}  # cell magics whose body is the student's own Python
_TIMED = {"time"}
_SIGNS = ("%", "!", "?", ",", ";", "/")
_CALLS = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
_quiet = threading.Lock()  # the filters of warnings are the whole process's


def plain_python(source: str) -> tuple[str, list[str]]:
    """The cell as plain Python, line for line, and a notice for each thing left out."""
    if len(source) > LARGEST or parses(source):
        return source, []
    lines = source.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    notices = []
    if lines[first].startswith("%%"):
        words = lines[first][2:].split()
        notices.append(f"the cell magic {lines[first].strip()[:60]} was left out")
        if not words or words[0] not in _KEPT:
            return "pass", notices
        lines[first] = "pass"
        source = "\n".join(lines)
        if parses(source):
            return source, notices
    if effort(source) > EFFORT:
        return source, [*notices, "so many magics in one cell weren't looked into"]
    text, more = _without_magics(source)
    return text, [*notices, *more]


def effort(source: str) -> int:
    """What IPython's reading of a cell costs, in characters that it looks at."""
    lines = [line.strip() for line in source.split("\n")]
    marked = sum(line.startswith(_SIGNS) or line.endswith("?") or _assigned(line) for line in lines)
    # Its search for a final "?" tries every character of a line against all that follow.
    return len(source) * (marked + 2) + sum(len(line) ** 2 // 50 for line in lines)


def _assigned(line: str) -> bool:
    return "=" in line and line.partition("=")[2].lstrip().startswith(("%", "!"))


def parses(source: str) -> bool:
    """Whether a text is Python by its form."""
    return tree(source) is not None


def tree(source: str) -> ast.Module | None:
    """The syntax tree of a student's text, or None; whatever the parser makes of odd input stays here."""
    if len(source) > LARGEST:
        return None
    try:
        with _quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's "\d" is no warning of ours
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _without_magics(source: str) -> tuple[str, list[str]]:
    text = _transformed(source)
    module = tree(text)
    if module is None:
        return source, []
    lines = text.split("\n")
    notices = []
    for node in sorted(_magic_calls(module), key=lambda n: (n.lineno, n.col_offset), reverse=True):
        plain, notice = _instead(node)
        line = lines[node.lineno - 1].encode()  # columns are counted in bytes
        if node.end_lineno == node.lineno:
            kept = line[: node.col_offset] + plain.encode() + line[node.end_col_offset :]
            lines[node.lineno - 1] = kept.decode()
        notices.append(notice)
    return "\n".join(lines), notices[::-1]


def _transformed(source: str) -> str:
    """IPython's translation; the text itself where IPython isn't there, or can't."""
    try:
        # Here, not above: it takes half a second, and few submissions need it.
        from IPython.core.inputtransformer2 import TransformerManager

        with _quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text: str = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
    except Exception:  # broken cells raise errors of the tokenizer's and of IPython's own
        return source
    return text if source.endswith("\n") else text.removesuffix("\n")


def _magic_calls(module: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("get_ipython")), attr=name)):
                if name in _CALLS:
                    yield node


def _instead(node: ast.Call) -> tuple[str, str]:
    """What stands in place of a magic, and the notice."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    sign = {"run_line_magic": "%", "run_cell_magic": "%%"}.get(name, "!")
    shown = f"{sign}{' '.join(words)}"[:60].strip()
    if sign == "%" and len(words) == 2 and words[0] in _TIMED and "\n" not in words[1] and parses(words[1]):
        return words[1].strip() or "None", f"{shown}: run without the magic"
    return "None", f"{shown} was left out"

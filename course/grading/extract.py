"""From a submission's files to the cells that an exercise needs, by text alone.

A cell is found by its id, then by nbgrader's grade_id, then by what it defines. Check cells, points and
flags of the submission are never looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from course.grading.intake import Submission
from course.grading.limits import Limits
from course.grading.magics import plain_python, tree
from course.grading.reader import Cell, Document, UnreadableError, read


@dataclass(frozen=True)
class Script:
    """The cells to replay for one exercise, the last being the exercise's own."""

    cells: tuple[tuple[str, str], ...]  # a label for tracebacks, the text
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extracted:
    """What a submission holds for one exercise: usually one script, two where ids are ambiguous."""

    scripts: tuple[Script, ...]
    status: str = ""  # missing or unreadable where there is no script, ambiguous where there are two
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A submission read: its documents, what couldn't be read, and the student that it states."""

    documents: tuple[Document, ...]
    unreadable: tuple[str, ...] = ()
    stated: str = ""
    names: Mapping[tuple[str, int], frozenset[str]] = field(default_factory=dict)  # what each cell defines


def read_submission(submission: Submission, limits: Limits) -> Reading:
    """Read every notebook and script of a submission."""
    documents, unreadable = [], []
    for name in sorted(submission.files):
        if name.lower().endswith((".ipynb", ".py")):
            try:
                documents.append(read(name, submission.files[name], limits.notebook))
            except UnreadableError as problem:
                unreadable.append(str(problem))
    names = {(c.document, c.index): _defined(c.source) for d in documents for c in d.cells}
    stated = next((s for d in documents if d.cells and (s := _stated(d.cells[0].source))), "")
    return Reading(tuple(documents), tuple(unreadable), stated, names)


def touches(reading: Reading, exercises: Iterable[str]) -> bool:
    """Whether any cell claims to be one of these exercises."""
    wanted = set(exercises)
    return any(c.id in wanted or c.grade_id in wanted for d in reading.documents for c in d.cells)


def extract(reading: Reading, exercise: str, needs: Sequence[str]) -> Extracted:
    """The script or scripts of an exercise."""
    found, notes = _find(reading, exercise, frozenset(needs))
    if not found:
        unreadable = tuple(f"Could not be read: {text}" for text in reading.unreadable)
        status = "unreadable" if unreadable else "missing"
        return Extracted((), status, unreadable or (f"No cell {exercise!r} was handed in.",))
    different = {cell.source.strip(): cell for cell in found}
    if len(different) == 1:
        return Extracted((_script(reading, found[0]),), "", notes)
    first, last = found[0], found[-1]
    told = (
        f"Several cells claim to be {exercise} and differ ({first.place}; {last.place}): the better counts."
    )
    return Extracted((_script(reading, first), _script(reading, last)), "ambiguous", (*notes, told))


def _find(reading: Reading, exercise: str, needs: frozenset[str]) -> tuple[list[Cell], tuple[str, ...]]:
    cells = [cell for document in reading.documents for cell in document.cells]
    found = [c for c in cells if c.id == exercise] or [c for c in cells if c.grade_id == exercise]
    defining = [c for c in cells if needs and needs <= reading.names[c.document, c.index]]
    if found and any(needs & reading.names[c.document, c.index] for c in found):
        return found, ()
    texts = {c.source.strip() for c in defining}
    if len(texts) == 1 and defining[0] not in found:
        why = "its cell defines none of the names" if found else "no cell bears its id"
        place = defining[0].place
        return defining[:1], (f"{exercise}: {why}; taken from where they are defined ({place}).",)
    return found, ()


def _script(reading: Reading, cell: Cell) -> Script:
    document = next(d for d in reading.documents if d.name == cell.document)
    cells, notes = [], []
    for one in document.cells:
        if one.index > cell.index:
            break
        text, told = plain_python(one.source)
        notes += [f"{one.place}: {notice}" for notice in told]
        cells.append((f"<{one.id or f'cell {one.index + 1}'}>", text))
    return Script(tuple(cells), tuple(notes))


def _defined(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level."""
    module = tree(plain_python(source)[0])
    names: set[str] = set()
    for node in module.body if module else []:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
    return frozenset(names)


def _stated(source: str) -> str:
    """The key in `STUDENT = "key"`, read without running anything."""
    module = tree(source)
    for node in module.body if module else []:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [t.id for t in node.targets if isinstance(t, ast.Name)]
            if "STUDENT" in names and isinstance(node.value.value, str):
                return node.value.value[:200]
    return ""

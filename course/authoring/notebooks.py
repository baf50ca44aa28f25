"""Cells to notebooks: the same sources always give the same bytes, as JupyterLab would save them.

A lesson is whole; exercises have nbgrader's stubs in place of the solutions and its release metadata,
checksums among them; solutions are whole and are what nbgrader calls its source.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import nbformat
from nbformat import NotebookNode

from course.authoring.percent import Cell
from course.authoring.regions import blanked
from course.authoring.unit import Unit

STUDENT_LINE = 'STUDENT = ""'
# no version of Python: the notebooks don't depend on who built them
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def lesson(unit: Unit, cells: Iterable[Cell]) -> NotebookNode:
    """The lesson, not yet executed."""
    return _notebook(unit, unit.heading, [_plain(cell) for cell in cells])


def exercises(unit: Unit, cells: Iterable[Cell]) -> NotebookNode:
    """The exercises as a student gets them."""
    made = [_released(_graded(cell)) for cell in for_students(with_student(unit, cells))]
    return _notebook(unit, f"{unit.heading}: exercises", made)


def solutions(unit: Unit, cells: Iterable[Cell]) -> NotebookNode:
    """The exercises with their solutions, markers and all."""
    made = [_graded(cell) for cell in with_student(unit, cells)]
    return _notebook(unit, f"{unit.heading}: solutions", made)


def script(unit: Unit, cells: Iterable[Cell]) -> str:
    """The exercises as a percent-format file, for those who'd rather use an editor: it runs as it is."""
    told = f"Write your code in place of each blank, then: course check {unit.prefix} FILE"
    title = f'"""{unit.heading}: exercises. {told}"""'
    parts = [title]
    for cell in for_students(with_student(unit, cells)):
        mark = "# %% [markdown]" if cell.type == "markdown" else "# %%"
        keys = " ".join(f"{key}={shlex.quote(value)}" for key, value in cell.keys.items())
        text = cell.source
        if cell.type == "markdown":
            text = "\n".join(f"# {line}" if line.strip() else "#" for line in text.split("\n"))
        parts.append(f"{mark} {keys}\n{text}")
    return "\n\n".join(parts) + "\n"


def to_text(notebook: NotebookNode) -> str:
    """The notebook's file: sorted keys, one blank of indentation, a newline at the end."""
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


def with_student(unit: Unit, cells: Iterable[Cell]) -> list[Cell]:
    """The cells with the one before them that holds the student's key."""
    path = unit.folder / "exercises.py"
    return [Cell(path, 1, 1, "code", STUDENT_LINE, {"id": f"{unit.prefix}-student"}), *cells]


def for_students(cells: Iterable[Cell]) -> list[Cell]:
    """The cells with a stub in place of each solution region, and without what explains the solutions."""
    shown = (cell for cell in cells if cell.role != "why")
    return [replace(c, source=blanked(c)) if c.role == "exercise" else c for c in shown]


def checksum(cell: dict[str, Any]) -> str:
    """What nbgrader recognises an unchanged cell by."""
    grader = cell["metadata"]["nbgrader"]
    parts: list[Any] = [cell["source"], cell["cell_type"]]
    parts += [grader[key] for key in ("grade", "solution", "locked", "grade_id")]
    if grader["grade"]:
        parts.append(float(grader["points"]))
    return hashlib.md5("".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def _notebook(unit: Unit, title: str, cells: list[dict[str, Any]]) -> NotebookNode:
    metadata = {
        "course": {"unit": unit.name},
        "kernelspec": _KERNEL,
        "language_info": _LANGUAGE,
        "title": title,
    }
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return nbformat.from_dict(made)  # type: ignore[no-untyped-call,no-any-return]


def _plain(cell: Cell) -> dict[str, Any]:
    ours: dict[str, Any] = {}
    if cell.tracks:
        ours["tracks"] = list(cell.tracks)
    if cell.alt:
        ours["alt"] = cell.alt
    made: dict[str, Any] = {
        "cell_type": cell.type,
        "id": cell.id,
        "metadata": {"course": ours} if ours else {},
        "source": cell.source,
    }
    if cell.type == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def _graded(cell: Cell) -> dict[str, Any]:
    made = _plain(cell)
    if cell.role not in ("exercise", "check"):
        return made
    check = cell.role == "check"
    grader = {
        "schema_version": 3,
        "grade": check,
        "grade_id": cell.id,
        "locked": check,
        "solution": not check,
        "task": False,
    }
    if check:
        grader["points"] = int(cell.points) if cell.points.is_integer() else cell.points
    made["metadata"]["nbgrader"] = grader
    return made


def _released(cell: dict[str, Any]) -> dict[str, Any]:
    """What nbgrader adds at release: a checksum; no cell can be deleted, no check edited."""
    grader = cell["metadata"].get("nbgrader")
    if grader is None:
        return cell
    grader |= {"checksum": checksum(cell), "cell_type": cell["cell_type"]}
    cell["metadata"]["deletable"] = False
    if grader["locked"]:
        cell["metadata"]["editable"] = False
    return cell

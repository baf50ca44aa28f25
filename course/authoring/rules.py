"""Which cells may stand in which file: lesson.py, exercises.py, mistakes.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from course.authoring.percent import Cell
from course.authoring.regions import regions

_ID = re.compile(r"[a-z0-9-]{1,64}")
_LESSON = {"id", "tracks", "alt"}
_EXERCISES = {"id", "role", "points", "tracks", "alt"}
_MISTAKES = {"kind", "exercise", "name", "family"}


def check_lesson(cells: list[Cell], prefix: str) -> None:
    """A lesson has no exercises: each cell an id, no roles, no solution regions."""
    _check_each(cells, prefix, _LESSON, "lesson.py")
    for cell in cells:
        _refuse_regions(cell)


def check_exercises(cells: list[Cell], prefix: str) -> None:
    """Every exercise has a region and, later, its check; every check its exercise and points."""
    _check_each(cells, prefix, _EXERCISES, "exercises.py")
    reserved = f"{prefix}-student"
    exercises: dict[str, Cell] = {}
    checked: set[str] = set()
    for cell in cells:
        if cell.id == reserved:
            raise cell.error(f"the id {reserved}", "The build adds that cell; take this one out.")
        _ROLES.get(cell.role, _check_role)(cell, exercises)
        if cell.role == "exercise":
            exercises[cell.id] = cell
        elif cell.role == "check":
            checked.add(cell.id.removesuffix("-check"))
    for name, cell in exercises.items():
        if name not in checked:
            raise cell.error(
                f"exercise {name} has no check", f"Add a cell id={name}-check role=check points=…."
            )


def check_mistakes(cells: list[Cell], exercises: set[str]) -> None:
    """Each cell says whether it's wrong or right, of which exercise, under which name."""
    seen: set[tuple[str, str]] = set()
    for cell in cells:
        if cell.type == "markdown":
            continue
        _check_keys(cell, _MISTAKES, "mistakes.py")
        kind, exercise, name = (cell.keys.get(key, "") for key in ("kind", "exercise", "name"))
        if kind not in ("wrong", "right"):
            raise cell.error(f"kind={kind or '(none)'}", "A cell of mistakes.py is kind=wrong or kind=right.")
        if exercise not in exercises:
            mend = f"exercises.py has {', '.join(sorted(exercises))}."
            raise cell.error(f"exercise={exercise or '(none)'}", mend)
        if not name:
            raise cell.error("a cell without a name", "Give it name=M16, or a word for an accepted variant.")
        if kind == "wrong" and "family" not in cell.keys:
            raise cell.error(f"the mistake {name} without a family", "Say which must fail: family=values.")
        if (exercise, name) in seen:
            raise cell.error(f"{name} stands twice for {exercise}", "Name one of them otherwise.")
        seen.add((exercise, name))
        _refuse_regions(cell)


def _check_each(cells: list[Cell], prefix: str, known: set[str], file: str) -> None:
    seen: dict[str, int] = {}
    for cell in cells:
        _check_keys(cell, known, file)
        if not cell.id:
            mend = f"Add id={prefix}-… to the header: it's the cell's key everywhere."
            raise cell.error("a cell without an id", mend)
        if not _ID.fullmatch(cell.id):
            mend = "An id has 1 to 64 of a-z, 0-9 and -, no other letter."
            raise cell.error(f"the id {cell.id!r}", mend)
        if not cell.id.startswith(f"{prefix}-"):
            raise cell.error(f"the id {cell.id!r}", f"Ids of this unit begin with {prefix}-.")
        if cell.id in seen:
            mend = f"Line {seen[cell.id]} has it already; every cell has its own."
            raise cell.error(f"the id {cell.id!r} stands twice", mend)
        seen[cell.id] = cell.line
        if (cell.role == "why") != (cell.type == "markdown" and "role" in cell.keys):
            mend = "Text for solutions only is a markdown cell with role=why; other roles are for code."
            raise cell.error(f"role={cell.role} on a {cell.type} cell", mend)
        if cell.type == "markdown" and (extra := {"points", "alt"} & cell.keys.keys()):
            mend = "These keys are for code cells; a picture in the text has its alt text in the text."
            raise cell.error(f"{', '.join(sorted(extra))} on a markdown cell", mend)
        if cell.type == "code":
            parsed(cell)


def parsed(cell: Cell) -> ast.Module:
    """The cell as Python."""
    try:
        return ast.parse(cell.source)
    except SyntaxError as problem:
        line = cell.first_line + (problem.lineno or 1) - 1
        raise cell.error(f"no Python: {problem.msg}", "Cells are Python, no magics.", line) from problem


def _check_keys(cell: Cell, known: set[str], file: str) -> None:
    if extra := sorted(set(cell.keys) - known):
        raise cell.error(f"the key {extra[0]!r} in {file}", f"Cells there have {', '.join(sorted(known))}.")


def _refuse_regions(cell: Cell) -> None:
    if found := regions(cell):
        mend = "Regions stand in cells with role=exercise."
        line = cell.first_line + found[0][0]
        raise cell.error("a solution region outside an exercise cell", mend, line)


def _check_role(cell: Cell, exercises: dict[str, Cell]) -> None:
    if cell.role not in ("", "why"):
        raise cell.error(f"role={cell.role}", "There are role=exercise, role=check and role=why.")
    if "points" in cell.keys:
        raise cell.error("points without role=check", "Points stand at the check cell only.")
    _refuse_regions(cell)


def _check_exercise(cell: Cell, exercises: dict[str, Cell]) -> None:
    if "points" in cell.keys:
        raise cell.error("points at an exercise cell", f"They stand at its check, id={cell.id}-check.")
    if cell.id.endswith("-check"):
        raise cell.error(f"the exercise id {cell.id!r}", "The ending -check is for check cells.")
    if not regions(cell):
        mend = "Put the solution between '### BEGIN SOLUTION' and '### END SOLUTION'."
        raise cell.error(f"the exercise {cell.id} without a solution region", mend)


def _check_check(cell: Cell, exercises: dict[str, Cell]) -> None:
    name = cell.id.removesuffix("-check")
    if name == cell.id or name not in exercises:
        mend = "A check's id is <exercise>-check, and it stands after its exercise."
        raise cell.error(f"the check {cell.id} without its exercise", mend)
    if "points" not in cell.keys:
        raise cell.error(f"the check {cell.id} without points", "Add points=… to the header.")
    _refuse_regions(cell)
    if not _ends_in_check(parsed(cell), name):
        mend = f'End it with  check("{name}")  alone: the points are the last line\'s value.'
        raise cell.error(f"the check {cell.id} doesn't end in its call", mend)


def _ends_in_check(module: ast.Module, exercise: str) -> bool:
    match module.body[-1:]:
        case [ast.Expr(ast.Call(func=ast.Name("check"), args=[ast.Constant(value), *_]))]:
            return bool(value == exercise)
    return False


_ROLES: dict[str, Callable[[Cell, dict[str, Cell]], None]] = {
    "exercise": _check_exercise,
    "check": _check_check,
}

"""From a submission's files to the cells that an exercise needs, by text alone.

A cell is found by its id, then by nbgrader's grade_id or the cell's name, then by what it defines. Check
cells, points and flags of the submission are never looked at. What can't be told apart is tried both ways.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from course.grading.intake import Submission
from course.grading.limits import Limits
from course.grading.magics import effort, parses, plain_python, tree
from course.grading.reader import Cell, Document, UnreadableError, conflict, is_document, read

_LOOKED_INTO = 2 << 20  # characters of a submission's cells that are parsed
_EFFORT = 1_000_000  # of a submission: a few seconds, whatever it holds
_ALIKE = 0.1  # how much more like the blank a cell must be than the next, to be taken for it


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
class Given:
    """A code cell as students got it: its id, its text, whether it's an exercise."""

    id: str
    source: str
    exercise: bool = False


@dataclass(frozen=True)
class Known:
    """A cell looked into: as plain Python, with notices, and the names that it binds at its top level."""

    plain: str
    notices: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reading:
    """A submission read: its documents, what couldn't be read, and the student that it states."""

    documents: tuple[Document, ...]
    unreadable: tuple[str, ...] = ()
    stated: str = ""
    known: Mapping[tuple[str, int], Known] = field(default_factory=dict)

    def of(self, cell: Cell) -> Known:
        """What is known of a cell."""
        return self.known.get((cell.document, cell.index)) or Known(cell.source)


def read_submission(submission: Submission, limits: Limits) -> Reading:
    """Read every notebook and script of a submission."""
    documents, unreadable = [], list(submission.unreadable)
    for name in sorted(submission.files):
        if is_document(name):
            try:
                documents.append(read(name, submission.files[name], limits.notebook))
            except UnreadableError as problem:
                unreadable.append(str(problem))
    known: dict[tuple[str, int], Known] = {}
    characters, work = _LOOKED_INTO, _EFFORT
    for cell in (c for d in documents for c in d.cells):
        characters -= len(cell.source)
        if characters < 0:
            break
        cost = 0 if parses(cell.source) else effort(cell.source)
        if cost <= work:
            work -= cost
            plain, notices = plain_python(cell.source)
            known[cell.document, cell.index] = Known(plain, tuple(notices), defined(plain))
    stated = next((s for d in documents if d.cells and (s := _stated(d.cells[0].source))), "")
    return Reading(tuple(documents), tuple(unreadable), stated, known)


def touches(reading: Reading, exercises: Iterable[str]) -> bool:
    """Whether any cell claims to be one of these exercises."""
    wanted = set(exercises)
    cells = (c for d in reading.documents for c in (*d.cells, *d.others))
    return any(c.id in wanted or c.grade_id in wanted for c in cells)


def extract(reading: Reading, exercise: str, needs: Sequence[str], given: Sequence[Given] = ()) -> Extracted:
    """The script or scripts of an exercise; `given` are the unit's code cells as students got them."""
    search = _Search(reading, exercise, frozenset(needs), given)
    found, notes = search.find()
    torn = [c for c in found if conflict(c.source) and not parses(c.source)]
    if torn and len(torn) == len(found):
        line = conflict(torn[0].source)
        told = f"{torn[0].place}, line {line}: git left two versions in it; choose one of them."
        return Extracted((), "unreadable", (told,))
    if not found:
        unreadable = tuple(f"Could not be read: {text}" for text in reading.unreadable)
        status = "unreadable" if unreadable else "missing"
        return Extracted((), status, unreadable or (f"No cell {exercise!r} was handed in.",))
    different = list({_normal(cell.source): cell for cell in reversed(found) if cell not in torn}.values())[
        ::-1
    ]
    scripts = [search.script(cell) for cell in different]
    if len(scripts) == 1:
        return Extracted((scripts[0],), "", notes)
    first, last = different[0], different[-1]
    told = (
        f"Several cells claim to be {exercise} and differ ({first.place}; {last.place}): the better counts."
    )
    return Extracted((scripts[0], scripts[-1]), "ambiguous", (*notes, told))


class _Search:
    """Looks for one exercise's cell among those of a submission."""

    def __init__(
        self, reading: Reading, exercise: str, needs: frozenset[str], given: Sequence[Given]
    ) -> None:
        self.reading, self.exercise, self.needs = reading, exercise, needs
        self.given = {cell.id: cell for cell in given}
        blank = self.given.get(exercise)
        self.blank = blank.source if blank else ""
        self.cells = [cell for document in reading.documents for cell in document.cells]
        self.places = {c.id: k for k, c in enumerate(given)}

    def find(self) -> tuple[list[Cell], tuple[str, ...]]:
        """The cells that may be it, in order, and why they were taken where that isn't plain."""
        claimed = self._claimed(self.cells)
        notes: tuple[str, ...] = ()
        if not claimed and (retyped := self._retyped()):
            claimed = retyped
            notes = (f"{retyped[0].place}: its type was changed to {retyped[0].kind}; read as code.",)
        own = [c for c in claimed if self._names(c) & self.needs] or [c for c in claimed if self._opaque(c)]
        solved = [c for c in own if not self._is_blank(c)]
        if solved:
            return [c for c in solved if self._names(c) >= self.needs] or solved, notes
        others = self._elsewhere()
        if others:
            why = "no cell bears its id"
            if claimed:
                why = "the blank is as it was" if own else "its cell defines none of the names"
            told = f"{self.exercise}: {why}; taken from where they are defined ({others[0].place})."
            return others, (*notes, told)
        return own or claimed, notes

    def _claimed(self, cells: Iterable[Cell]) -> list[Cell]:
        cells = list(cells)
        return [c for c in cells if c.id == self.exercise] or [
            c for c in cells if c.grade_id == self.exercise
        ]

    def _retyped(self) -> list[Cell]:
        """Cells of the exercise's id that became text by a slip, if they hold its code."""
        others = self._claimed(c for d in self.reading.documents for c in d.others)
        return [replace(c, source=text) for c in others if self.needs & defined(text := _unfenced(c.source))]

    def _elsewhere(self) -> list[Cell]:
        """Cells of no other exercise that define all the names; the one most like the blank, if one is."""
        exercises = {cell.id for cell in self.given.values() if cell.exercise} - {self.exercise}
        cells = [
            c for c in self.cells if self.needs and self._names(c) >= self.needs and not self._is_blank(c)
        ]
        free = [c for c in cells if not {c.id, c.grade_id} & exercises]
        # Another exercise's cell may have swallowed this one; but where both define one class, it hasn't.
        free = free or [c for c in cells if self._swallowed(c)]
        texts = list({_normal(c.source): c for c in reversed(free)}.values())[::-1]
        if len(texts) < 2 or not self.blank:
            return texts
        blank = _features(self.blank)
        ranked = sorted(((_alike(_features(c.source), blank), -k) for k, c in enumerate(texts)), reverse=True)
        if ranked[0][0] - ranked[1][0] >= _ALIKE:
            return [texts[-ranked[0][1]]]
        return texts

    def _swallowed(self, cell: Cell) -> bool:
        blank = self.given.get(cell.id) or self.given.get(cell.grade_id)
        return blank is None or not self.needs <= defined(blank.source)

    def _names(self, cell: Cell) -> frozenset[str]:
        known = self.reading.known.get((cell.document, cell.index))
        return known.names if known and cell.kind == "code" else defined(cell.source)

    def _opaque(self, cell: Cell) -> bool:
        """Whether what a cell defines can't be seen: a broken or an enormous one, still the student's."""
        return tree(self.reading.of(cell).plain) is None and bool(cell.source.strip())

    def _is_blank(self, cell: Cell) -> bool:
        if self.blank and _normal(cell.source) == _normal(self.blank):
            return True
        module = tree(self.reading.of(cell).plain)
        bodies = [n for n in module.body if isinstance(n, ast.FunctionDef)] if module else []
        own = [n for n in bodies if n.name in self.needs]
        return bool(own) and all(_is_stub(function) for function in own) and not self.blank

    def script(self, cell: Cell) -> Script:
        """The cells before it, then it, then what was split off it."""
        document = next(d for d in self.reading.documents if d.name == cell.document)
        before = [one for one in document.cells if one.index < cell.index]
        after = [one for one in document.cells if one.index > cell.index]
        early = [one for one in after if self._came_before(one)]
        cells = [*before, *early]
        notes = [f"{one.place} was moved below {self.exercise}; run before it." for one in early]
        joined, more = self._with_rest(cell, [one for one in after if one not in early], cells)
        run: list[tuple[str, str]] = []
        for one in (*cells, *joined):
            known = _fresh(one) if one in joined and one not in document.cells else self.reading.of(one)
            notes += [f"{one.place}: {notice}" for notice in known.notices]
            run.append((f"<{one.id or f'cell {one.index + 1}'}>", known.plain))
        return Script(tuple(run), (*notes, *more))

    def _came_before(self, cell: Cell) -> bool:
        """Whether a cell that stands below stood above when the notebook was handed out."""
        own, place = self.places.get(self.exercise), self.places.get(cell.id)
        return own is not None and place is not None and place < own

    def _with_rest(
        self, cell: Cell, after: Sequence[Cell], before: Sequence[Cell]
    ) -> tuple[list[Cell], list[str]]:
        """The cell and, where it was split, the cells that hold the rest of it."""
        following = after[0] if after else None
        if following and not following.id.startswith(self.exercise) and _indented(following.source):
            whole = cell.source.rstrip("\n") + "\n" + following.source
            if following.id not in self.given and parses(whole):
                told = f"{following.place} goes on where {cell.place} ends: read as one cell."
                return [replace(cell, source=whole)], [told]
        missing = self.needs - self._names(cell)
        for one in before:
            missing -= self._names(one)
        if not missing or not self._names(cell) & self.needs:
            return [cell], []
        rest: list[Cell] = []
        for one in after:
            rest.append(one)
            missing -= self._names(one)
            if not missing:
                return [cell, *rest], [f"{self.exercise} goes on below its cell: taken up to {one.place}."]
        return [cell], []


def _fresh(cell: Cell) -> Known:
    plain, notices = plain_python(cell.source)
    return Known(plain, tuple(notices))


def _indented(source: str) -> bool:
    first = next((line for line in source.split("\n") if line.strip()), "")
    return first[:1] in (" ", "\t")


def _unfenced(source: str) -> str:
    """Code in a cell of text, without a fence around it."""
    lines = source.strip().split("\n")
    if lines[0].startswith("```") and lines[-1].startswith("```"):
        lines = lines[1:-1]
    return "\n".join(lines)


def _normal(source: str) -> str:
    """Equal for texts that differ in blanks and comments only."""
    module = tree(source)
    try:
        return ast.dump(module) if module else source.strip()
    except RecursionError:
        return source.strip()


def _is_stub(function: ast.FunctionDef) -> bool:
    """Whether a function only raises NotImplementedError, or does nothing."""
    body = [n for n in function.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    match body:
        case [] | [ast.Pass()]:
            return True
        case [ast.Raise(exc=ast.Name("NotImplementedError") | ast.Call(ast.Name("NotImplementedError")))]:
            return True
    return False


def _features(source: str) -> Counter[str]:
    """What a text is made of: kinds of nodes and the names of functions and attributes."""
    module = tree(plain_python(source)[0])
    found: Counter[str] = Counter()
    for node in ast.walk(module) if module else ():
        name = getattr(node, "name", "") or getattr(node, "attr", "")
        found[f"{type(node).__name__} {name}"] += 5 if isinstance(node, ast.FunctionDef) else 1
    return found


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """From 0 to 1: what two texts have in common."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def defined(source: str) -> frozenset[str]:
    """The names that a text binds at its top level."""
    module = tree(source)
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

"""One question: replay a student's cells in a child, ask, judge what comes back."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from course.checking.evaluate import Result, evaluate, without_answers
from course.checking.exercise import Answer, Case, Exercise, Raised, Verdict
from course.checking.oracle import AskError, Questions, no_number
from course.grading.extract import Extracted, Script
from course.grading.frames import Foreign, ProtocolError, answer_of, pack_case, pack_value
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.site import LIBRARIES
from course.grading.talk import Answering, Child, ChildLostError
from course.grading.unit import Unit

_KNOWN = {*sys.stdlib_module_names, *LIBRARIES, "autodiff", "course", "IPython", "_beside", "probes"}
_CODE = {".py", ".pyc", ".pyd", ".so", ".dll", ".dylib"}
_RESTARTS = 3


@dataclass
class Desk:
    """A submission being graded: its files, what is left of its time, cells that ended a child."""

    files: Mapping[str, bytes]
    budget: float
    notes: list[str] = field(default_factory=list)
    culprits: dict[tuple[str, str], str] = field(default_factory=dict)
    children: int = 0
    root: str = ""  # of the last child, to be taken out of messages

    @classmethod
    def of(cls, files: Mapping[str, bytes], limits: Limits) -> Desk:
        """A desk with the files that a child may see; a notebook's cells are sent one by one."""
        desk = cls({}, limits.budget)
        folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
        beside = {}
        for name, data in sorted(files.items()):
            if name.lower().endswith(".ipynb"):
                continue
            if _shadows(name):
                desk.notes.append(f"{name} bears the name of a known module and was left out")
            elif len(data) > limits.file:
                desk.notes.append(f"{name} was left out beside the code: more than {limits.file} bytes")
            elif name in folders:
                desk.notes.append(f"{name} was left out beside the code: a folder bears its name, too")
            else:
                beside[name] = data
        desk.files = beside
        return desk


def _shadows(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix in _CODE and path.parts[0].split(".")[0] in _KNOWN


def grade(
    unit: Unit,
    exercise: Exercise,
    extracted: Extracted,
    seeds: tuple[int, int],
    desk: Desk,
    launcher: Launcher,
) -> tuple[Result, list[str]]:
    """The result of an exercise, the better one where two cells claim to be it; and notes."""
    if not extracted.scripts:
        reason = extracted.notes[0] if extracted.notes else ""
        return without_answers(exercise, extracted.status, reason), list(extracted.notes[1:])
    tried = [_Replay(unit, exercise, s, desk, launcher).result(seeds) for s in extracted.scripts]
    result, notes = max(tried, key=lambda one: one[0].points)  # of equals the first
    if extracted.status and result.points == 0:
        result = dataclasses.replace(result, status=extracted.status)
    return result, [*extracted.notes, *notes]


class _Replay:
    """One script in one child; a new child where an earlier cell brought it down."""

    def __init__(
        self, unit: Unit, exercise: Exercise, script: Script, desk: Desk, launcher: Launcher
    ) -> None:
        self.unit, self.exercise, self.script, self.desk = unit, exercise, script, desk
        self.launcher, self.limits = launcher, launcher.limits
        self.child: Child | None = None
        self.lost: ChildLostError | None = None
        self.spent = 0.0
        self.own: Raised | None = None  # what the exercise's own cell raised
        self.forbidden = ""
        self.notes = list(script.notes)

    def result(self, seeds: tuple[int, int]) -> tuple[Result, list[str]]:
        """Replay, ask, judge."""
        try:
            return self._result(seeds), self.notes
        except ChildLostError as problem:
            return without_answers(self.exercise, problem.status, problem.message), self.notes
        finally:
            if self.child is not None:
                self.child.close()

    def _result(self, seeds: tuple[int, int]) -> Result:
        exercise = self.exercise
        for _ in range(_RESTARTS + 1):
            if self._replayed():
                break
        else:
            return without_answers(exercise, "timeout", "Too many cells before this one end the program.")
        header, _ = self._ask("names", {"needs": list(exercise.needs)})
        missing, taken = header.get("missing"), header.get("taken")
        if header["kind"] != "names" or not isinstance(missing, list) or not isinstance(taken, list):
            raise self._lose("protocol", "The program did not tell which names it has.")
        if missing:
            return self._without(", ".join(n for n in exercise.needs if n in missing))
        if taken:
            names = ", ".join(n for n in exercise.needs if n in taken)
            note = f"Imported, not written: {names}. Write your own in the cell of the exercise."
            return without_answers(exercise, "forbidden_import", note)
        result = evaluate(dataclasses.replace(exercise, judge=self._judge), self._answer, seeds)
        return self._after(result)

    def _without(self, missing: str) -> Result:
        """Why a name isn't there."""
        if self.forbidden:
            return without_answers(self.exercise, "forbidden_import", self.forbidden)
        if self.own is not None and self.own.type != "NotImplementedError":
            line = f" (line {self.own.line})" if self.own.line else ""
            told = f"The cell of the exercise raised {self.own.type}{line}: {self.own.message[:300]}"
            return without_answers(self.exercise, self.own.status, told, problem=self.own)
        return without_answers(self.exercise, "missing", f"Not there: {missing}.")

    def _after(self, result: Result) -> Result:
        if self.lost is not None and result.status == "nondeterministic":  # lost between two equal questions
            return without_answers(self.exercise, self.lost.status, self.lost.message)
        answer = result.failure.answer if result.failure else None
        if isinstance(answer, Raised) and answer.type == "NotImplementedError":
            return without_answers(self.exercise, "missing", "The blank is still there.")
        return result

    def _replayed(self) -> bool:
        """Run the cells in a new child; False if one before the last ended it (it's left out next time)."""
        if self.desk.budget <= 0:
            raise ChildLostError("timeout", f"The {self.limits.budget:g} seconds of a submission are spent.")
        self.child, self.spent, self.own = None, 0.0, None
        self.child = self.launcher.start(self.desk.files, self.unit.provides, self.unit.probes)
        self.desk.children, self.desk.root = self.desk.children + 1, self.child.work
        for number, cell in enumerate(self.script.cells, 1):
            last = number == len(self.script.cells)
            if cell in self.desk.culprits and not last:
                self._note(f"{cell[0]} was left out: {self.desk.culprits[cell]}")
                continue
            try:
                header, _ = self._ask("cell", {"label": cell[0], "source": cell[1]})
            except ChildLostError as problem:
                if last:
                    raise
                self.desk.culprits[cell] = problem.message
                return False
            if header["kind"] != "ok":
                self._raised(cell[0], header, last)
        return True

    def _raised(self, label: str, header: Mapping[str, Any], last: bool) -> None:
        problem = _as_raised(header)
        if problem.status == "forbidden_import":
            self.forbidden = self.forbidden or problem.message
        if last:
            self.own = problem
        line = f", line {problem.line}" if problem.line else ""
        self._note(f"{label}{line} raised {problem.type}: {problem.message[:200]}")

    def _note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 20:
            self.notes.append(text)

    def _ask(
        self, op: str, body: Mapping[str, Any], data: bytes = b"", answering: Answering | None = None
    ) -> tuple[dict[str, Any], bytes]:
        child = self.child
        if child is None:
            raise ChildLostError("no_reply", "There is no program to ask.")
        before = child.waited
        patience = min(self.limits.wall_seconds - self.spent, self.desk.budget)
        try:
            return child.ask(op, body, data, patience, answering)
        finally:
            self.spent += child.waited - before
            self.desk.budget -= child.waited - before

    def _lose(self, status: str, message: str) -> ChildLostError:
        problem = ChildLostError(status, message)
        return problem if self.child is None else self.child.lost(status, message)

    def _answer(self, case: Case) -> Answer | Raised:
        """Ask one case; once the child is lost every further case fails for the same reason."""
        if self.lost is None:
            told, data = pack_case(case)
            needs, probe = list(self.exercise.needs), self.unit.probe_name(self.exercise.id)
            answering = _answering(self.exercise, case) if self.exercise.oracle else None
            body = {**told, "needs": needs, "probe": probe, "asks": answering is not None}
            try:
                header, buffers = self._ask("call", body, data, answering)
                if header["kind"] == "answer":
                    return answer_of(header, buffers)
                if header["kind"] in ("raised", "forbidden"):
                    return _as_raised(header)
                self.lost = self._lose("protocol", "The reply was no answer.")
            except ProtocolError as problem:
                self.lost = self._lose("protocol", f"The answer followed no rule: {problem}.")
            except ChildLostError as problem:
                self.lost = problem
        return Raised("No answer", self.lost.message, self.lost.status)

    def _judge(self, case: Case, answer: Answer) -> list[Verdict]:
        """The exercise's judge; an answer that it can't even look at fails where the answer is odd."""
        try:
            return self.exercise.judge(case, answer)
        except KeyError as problem:
            if problem.args and (problem.args[0] in answer or problem.args[0] in case.data):
                raise
            return [Verdict(f, "protocol", "no such entry", str(problem), case.name) for f in case.families]
        except (TypeError, ValueError, AttributeError, ArithmeticError):
            odd = [str(value) for value in answer.values() if isinstance(value, Foreign)]
            if not odd:
                raise  # numbers in, error out: the judge's own fault
            return [Verdict(f, "wrong_dtype", odd[0], "a number", case.name) for f in case.families]


def _answering(exercise: Exercise, case: Case) -> Answering:
    """What answers the questions that a child puts while this case is asked."""
    questions = Questions(exercise, case)

    def answer(header: Mapping[str, Any], buffers: bytes) -> tuple[Mapping[str, Any], bytes]:
        handle, *arrays = answer_of(header, buffers).values()
        try:
            foreign = [no_number(k, array) for k, array in enumerate(arrays) if isinstance(array, Foreign)]
            if foreign:
                raise foreign[0]
            return pack_value(questions(handle, *arrays))
        except AskError as problem:
            return {"refused": str(problem)}, b""

    return answer


def _as_raised(header: Mapping[str, Any]) -> Raised:
    kind, message, line = header.get("type"), header.get("message"), header.get("line")
    name = kind[:100] if isinstance(kind, str) else "Error"
    status = {"MemoryError": "memory"}.get(name, "raised")
    if header["kind"] == "forbidden":
        status = "forbidden_import"
    text = message[:2000] if isinstance(message, str) else ""
    return Raised(name, text, status, line if type(line) is int and 0 < line < 10**6 else None)

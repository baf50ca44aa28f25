"""`check("u05-multiply")` on the student's own machine: probe and judge run in the same process (L0)."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from typing import Any

import autodiff
import course
from course.checking.evaluate import Result, evaluate, without_answers
from course.checking.exercise import Answer, Case, Exercise, Raised
from course.checking.oracle import put
from course.checking.registry import build_id, find, unit_of
from course.checking.report import Report
from course.checking.seeds import judging_seeds


def check(exercise_id: str, *objects: Any, hints: int = 1) -> float:
    """Check an exercise, show the report, return the points.

    The names that the exercise needs are taken from the notebook, or from `objects` in their order.
    `hints` (1 to 3) says how many hints to show; asking for more costs nothing.
    """
    exercise = find(exercise_id)
    if hints not in (1, 2, 3):
        raise ValueError(f"hints is 1, 2 or 3; got {hints!r}")
    if len(objects) > len(exercise.needs):
        raise TypeError(f"{exercise_id} looks at {', '.join(exercise.needs)}; got {len(objects)} objects")
    namespace = dict(vars(sys.modules["__main__"]))
    namespace.update(zip(exercise.needs, objects, strict=False))
    report = Report(exercise, check_namespace(exercise, namespace), hints)
    show(report)
    return report.result.points


def check_namespace(exercise: Exercise, namespace: Mapping[str, Any]) -> Result:
    """Probe and judge the objects of a namespace, in this process."""
    missing = [name for name in exercise.needs if name not in namespace]
    if missing:
        note = f"Not there yet: {', '.join(missing)}. Run the cell that defines it, then check again."
        return without_answers(exercise, "missing", note)
    taken = [name for name in exercise.needs if _home(namespace[name]) in {"autodiff", "course"}]
    if taken:
        note = f"Imported, not written: {', '.join(taken)}. Write your own in the cell of the exercise."
        return without_answers(exercise, "forbidden_import", note)
    names = {name: namespace[name] for name in exercise.needs}

    def ask(case: Case) -> Answer | Raised:
        try:
            return put(exercise, names, case)
        except (Exception, SystemExit) as problem:
            return raised(problem)

    unit, student = unit_of(exercise.id), str(namespace.get("STUDENT", ""))
    result = evaluate(exercise, ask, judging_seeds(build_id(unit), exercise.id, student, 0, "local"))
    answer = result.failure.answer if result.failure else None
    if isinstance(answer, Raised) and answer.type == "NotImplementedError":
        return without_answers(exercise, "missing", "The blank is still there: write your code in its place.")
    return result


def raised(problem: BaseException) -> Raised:
    """An exception as an answer: type, message, and the line of the student's own code."""
    ours = tuple(os.path.dirname(str(module.__file__)) + os.sep for module in (autodiff, course))
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame.lineno for frame in frames if not frame.filename.startswith(ours)]
    line = own[-1] if own else None
    if isinstance(problem, SyntaxError):  # the cell was read, not run: no frame of it is there
        line = problem.lineno or line
    try:
        message = str(problem)[:2000]
    except Exception:  # a student's own class may fail at that, too
        message = ""
    return Raised(type(problem).__name__, message, line=line)


def _home(thing: Any) -> str:
    home = getattr(thing, "__module__", None) or type(thing).__module__
    return str(home).split(".")[0]


def show(report: Report) -> None:
    """In a notebook as HTML with words beside it, elsewhere as text."""
    if "ipykernel" in sys.modules:
        from IPython.display import display  # only there where it's needed

        display(report)  # type: ignore[no-untyped-call]
        return
    text = str(report)
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))

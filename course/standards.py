"""What an exercise must have besides answers that are judged rightly; each thing it lacks is told."""

from __future__ import annotations

import ast
import contextlib
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import course.units
from course.authoring.sources import Sources
from course.checking.exercise import Answer, Exercise
from course.checking.local import check_namespace
from course.grading.limits import Limits
from course.grading.unit import Unit
from course.release.bundle import search, unbuilt
from course.trials import Outcome, Trial

WRONG, RIGHT = 3, 1  # named wrong solutions and accepted variants, at least
SPARE = 5  # an accepted answer may take this part of a question's CPU limit


@dataclass(frozen=True)
class Finding:
    """Something that an exercise or a release must not be."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def findings(unit: Unit, outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    """What the unit and its exercises lack, by their outcomes."""
    for text in _provided(unit.provides):
        yield Finding(f"{unit.name}/unit.toml", text)
    for exercise in unit.exercises.values():
        own = [o for o in outcomes if o.trial.exercise.id == exercise.id]
        for text in (*_numbers(own), *_hints(exercise), *_names(exercise, own), *_families(exercise, own)):
            yield Finding(exercise.id, text)
        for text in (*_twins(exercise, own), *_times(own)):
            yield Finding(exercise.id, text)


def _provided(provides: Sequence[str]) -> Iterator[str]:
    """Beside graded code there are only these modules of `autodiff`, so they may import no other."""
    for name in provides:
        source = files("autodiff").joinpath(f"{name}.py").read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            home = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else [""]
            if home[0] == "autodiff" and len(home) > 1 and home[1] not in provides:
                yield f"provides has {name}, which imports {home[1]}: add that too"


def leaked(sources: Sequence[Sources]) -> Iterator[Finding]:
    """Lines of solutions that a release of these units would hold."""
    root = Path(course.units.__path__[0]).parents[1]
    for leak in search(root, unbuilt(root, sources)):
        yield Finding(leak.place, f"{leak.line.strip()!r} would be released, and stands in {leak.origin}")


def _numbers(own: Sequence[Outcome]) -> Iterator[str]:
    for kind, least, what in (
        ("wrong", WRONG, "named wrong solutions"),
        ("right", RIGHT, "accepted variants"),
    ):
        count = sum(o.trial.kind == kind for o in own)
        if count < least:
            yield f"{count} {what}, at least {least} are wanted; add cells kind={kind} to mistakes.py"


def _hints(exercise: Exercise) -> Iterator[str]:
    told = [hint.strip() for hint in exercise.hints]
    if len(told) != 3 or not all(told) or len(set(told)) != len(told):
        yield "its hints are three different texts, each telling a little more; write them in checks.py"


def _names(exercise: Exercise, own: Sequence[Outcome]) -> Iterator[str]:
    proved = {o.trial.name for o in own if o.trial.kind == "wrong"}
    for signature in exercise.signatures:
        for name in (signature.name, *signature.same_as):
            if name not in proved:
                yield f"nothing proves the signature of {name}: add a wrong solution of that name"


def _families(exercise: Exercise, own: Sequence[Outcome]) -> Iterator[str]:
    for name in exercise.families:
        if not any(o.trial.kind == "wrong" and _fails(o, name) for o in own):
            yield f"no wrong solution fails the family {name}: add one that does, or drop it"


def _fails(outcome: Outcome, family: str) -> bool:
    return all(f.status != "pass" for r in outcome.results for f in r.families if f.name == family)


def _twins(exercise: Exercise, own: Sequence[Outcome]) -> Iterator[str]:
    answers = {o.trial.name: o.answers for o in own if o.trial.kind == "wrong"}
    for signature in exercise.signatures:
        for other in signature.same_as:
            case = _parting(answers.get(signature.name, ()), answers.get(other, ()))
            if case:
                yield f"{other} is declared same_as {signature.name}, but they part in the case {case!r}"


def _parting(one: Sequence[tuple[str, Answer]], other: Sequence[tuple[str, Answer]]) -> str:
    """The first case in which two answers part; "" where none does."""
    for (case, mine), (theirs_case, theirs) in zip(one, other, strict=False):
        if case != theirs_case or mine.keys() != theirs.keys():
            return case
        if not all(_alike(mine[key], theirs[key]) for key in mine):
            return case
    longer = max(one, other, key=len)
    return longer[min(len(one), len(other))][0] if len(one) != len(other) else ""


def _alike(a: Any, b: Any) -> bool:
    try:
        return bool(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))
    except TypeError:
        return bool(a == b)


def _times(own: Sequence[Outcome]) -> Iterator[str]:
    most = Limits().cpu / SPARE
    for outcome in own:
        if outcome.trial.kind in ("solution", "right") and not outcome.faults:
            spent = cpu_seconds(outcome.trial)
            if spent > most:
                name = f"{outcome.trial.kind} {outcome.trial.name}".strip()
                yield f"the {name} takes {spent:.1f} s of CPU, more than {most:g} s, a fifth of the limit"


def cpu_seconds(trial: Trial) -> float:
    """The CPU time of an answer's cells and of the probe at two seeds, spent by this thread, here.

    That is what a graded process spends on the question; judging, which is done elsewhere, isn't counted.
    """
    spent = 0.0

    def timed(*arguments: Any) -> Answer:
        nonlocal spent
        began = time.thread_time()
        try:
            return trial.exercise.probe(*arguments)
        finally:
            spent += time.thread_time() - began

    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        began = time.thread_time()
        for label, source in trial.cells:
            exec(compile(source, f"<{label}>", "exec"), namespace)
        spent += time.thread_time() - began
        check_namespace(replace(trial.exercise, probe=timed), namespace)
    return spent

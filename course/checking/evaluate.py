"""Ask, judge, count: from answers to families, points and the name of the mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course.checking.exercise import Answer, Case, Exercise, Raised, Signature, Verdict
from course.checking.seeds import generator

Ask = Callable[[Case], Answer | Raised]


@dataclass(frozen=True)
class Failure:
    """A case that failed: what was asked, what came, the first verdict against it."""

    case: Case
    answer: Answer | Raised
    verdict: Verdict


@dataclass(frozen=True)
class Family:
    """One family's outcome: `status` is "pass" or that of its first failing verdict."""

    name: str
    weight: float
    status: str
    points: float
    max_points: float


@dataclass(frozen=True)
class Result:
    """What an exercise came to."""

    exercise: str
    points: float
    max_points: float
    status: str
    families: tuple[Family, ...]
    failure: Failure | None = None
    mistake: Signature | None = None
    notes: tuple[str, ...] = field(default=())


def without_answers(exercise: Exercise, status: str, note: str = "") -> Result:
    """The result when nothing could be asked: no points, one reason."""
    families = tuple(
        Family(name, weight, status, 0.0, _points(exercise.points * weight))
        for name, weight in exercise.families.items()
    )
    return Result(exercise.id, 0.0, exercise.points, status, families, notes=(note,) if note else ())


def evaluate(exercise: Exercise, ask: Ask, seeds: Iterable[int]) -> Result:
    """Ask every case at every seed, the first seed's twice, and judge the answers."""
    verdicts: list[Verdict] = []
    failures: list[Failure] = []
    failing_seeds = 0
    for turn, number in enumerate(seeds):
        failed_before = len(failures)
        for case in exercise.cases(generator(number)):
            answer = ask(case)
            if turn == 0 and not same_answer(answer, ask(case)):
                found = [Verdict(f, "nondeterministic", None, None, case.name) for f in case.families]
            else:
                found = _judge(exercise, case, answer)
            verdicts += found
            bad = next((v for v in found if v.status != "pass"), None)
            if bad is not None:
                failures.append(Failure(case, answer, bad))
        failing_seeds += len(failures) > failed_before
    families = tuple(_family(exercise, name, verdicts) for name in exercise.families)
    if families[0].status != "pass":  # nothing else counts: a blank must not earn "inputs untouched"
        families = tuple(Family(f.name, f.weight, f.status, 0.0, f.max_points) for f in families)
    points = _points(sum(f.points for f in families))
    first = _first(exercise, failures)
    return Result(
        exercise.id,
        points,
        exercise.points,
        "pass" if first is None else first.verdict.status,
        families,
        first,
        diagnose(exercise.signatures, failures) if failing_seeds > 1 else None,
    )


def diagnose(signatures: Iterable[Signature], failures: list[Failure]) -> Signature | None:
    """The one mistake that explains every failing case; None when there's none, or more than one."""
    fitting = [s for s in signatures if failures and all(_recognises(s, f) for f in failures)]
    return fitting[0] if len(fitting) == 1 else None


def same_answer(one: Answer | Raised, other: Answer | Raised) -> bool:
    """Whether two answers are the same, numbers to the bit (an error's text may differ)."""
    if isinstance(one, Raised) or isinstance(other, Raised):
        return isinstance(one, Raised) and isinstance(other, Raised) and one.type == other.type
    return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(isinstance(a, str) and isinstance(b, str) and a == b)
    try:
        one, other = np.asarray(a), np.asarray(b)
        numbers = one.dtype.kind in "fc" and other.dtype.kind in "fc"  # nan stands for itself among these
        return bool(np.array_equal(one, other, equal_nan=numbers))
    except (TypeError, ValueError):
        return False


def _judge(exercise: Exercise, case: Case, answer: Answer | Raised) -> list[Verdict]:
    if isinstance(answer, Raised):
        text = f"{answer.type}: {answer.message}" if answer.message else answer.type
        return [Verdict(family, answer.status, text, "an answer", case.name) for family in case.families]
    found = exercise.judge(case, answer)
    strange = {v.family for v in found} - set(exercise.families)
    if strange or not found:
        raise ValueError(
            f"{exercise.id}, case {case.name!r}: the judge answered for {sorted(strange) or 'nothing'}"
        )
    return found


def _family(exercise: Exercise, name: str, verdicts: list[Verdict]) -> Family:
    weight = exercise.families[name]
    most = exercise.points * weight
    own = [v for v in verdicts if v.family == name]
    if not own:
        raise ValueError(f"{exercise.id}: no case looks at the family {name!r}")
    status = next((v.status for v in own if v.status != "pass"), "pass")
    share = min(v.share for v in own) if status == "pass" else 0.0
    return Family(name, weight, status, most * share, _points(most))


def _first(exercise: Exercise, failures: list[Failure]) -> Failure | None:
    order = list(exercise.families)
    return min(failures, key=lambda f: order.index(f.verdict.family), default=None)


def _recognises(signature: Signature, failure: Failure) -> bool:
    try:
        return bool(signature.recognise(failure.case, failure.answer))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return False  # an answer of another form: not this mistake


def _points(value: float) -> float:
    return round(value + 1e-12, 2)

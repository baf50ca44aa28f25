"""Ask, judge, count: from answers to families, points and the name of the mistake."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course.checking.exercise import Answer, Case, Exercise, Raised, Signature, Verdict
from course.checking.seeds import generator

Ask = Callable[[Case], Answer | Raised]
Given = Answer | Raised

_LOOKS = ("wrong_shape", "wrong_dtype", "not_finite")  # looked at before values


@dataclass(frozen=True)
class Failure:
    """A case that failed: what was asked, what came (twice, if it differed), the verdicts against it."""

    case: Case
    answer: Given
    verdicts: tuple[Verdict, ...]
    again: Given | None = None

    @property
    def verdict(self) -> Verdict:
        """The first verdict against it."""
        return self.verdicts[0]


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
    """What an exercise came to.

    `failures` stand in the order of the probes: what doesn't run, then the forward family, then shapes, kinds
    and finiteness, then values. `mistake` explains all of them; `told` those that aren't hidden, and it's the
    one that a student may read. `problem` is what the exercise's own cell raised, if that's why nothing
    could be asked.
    """

    exercise: str
    points: float
    max_points: float
    status: str
    families: tuple[Family, ...]
    failures: tuple[Failure, ...] = ()
    mistake: Signature | None = None
    told: Signature | None = None
    notes: tuple[str, ...] = field(default=())
    problem: Raised | None = None

    @property
    def failure(self) -> Failure | None:
        """The first failure."""
        return self.failures[0] if self.failures else None


def without_answers(
    exercise: Exercise, status: str, note: str = "", *, problem: Raised | None = None
) -> Result:
    """The result when nothing could be asked: no points, one reason, and the error that was it, if any."""
    families = tuple(
        Family(name, weight, status, 0.0, _points(exercise.points * weight))
        for name, weight in exercise.families.items()
    )
    notes = (note,) if note else ()
    return Result(exercise.id, 0.0, exercise.points, status, families, notes=notes, problem=problem)


def evaluate(exercise: Exercise, ask: Ask, seeds: Iterable[int]) -> Result:
    """Ask every case at every seed, the first seed's twice, and judge the answers.

    Only the first round keeps the order in which the cases were made: an answer that depends on the question
    before it doesn't come twice.
    """
    verdicts: list[Verdict] = []
    failures: list[tuple[int, Failure]] = []
    passed: list[tuple[Case, Given]] = []
    for turn, number in enumerate(seeds):
        cases = exercise.cases(generator(number))
        shuffled = [cases[k] for k in generator(number + 1).permutation(len(cases))]
        answers = _round(ask, shuffled if turn else cases)
        again = answers if turn else _round(ask, shuffled)
        for case in cases:
            answer, other = answers[id(case)], again[id(case)]
            if same_answer(answer, other):
                found, second = _judge(exercise, case, answer), None
            else:
                found = [Verdict(f, "nondeterministic", None, None, case.name) for f in case.families]
                second = other
            verdicts += found
            bad = tuple(v for v in found if v.status != "pass")
            if bad:
                order = sorted(bad, key=lambda v: list(exercise.families).index(v.family))
                failures.append((turn, Failure(case, answer, tuple(order), second)))
            else:
                passed.append((case, answer))
    return _result(exercise, verdicts, failures, passed)


def _round(ask: Ask, cases: Sequence[Case]) -> dict[int, Given]:
    return {id(case): ask(case) for case in cases}


def _result(
    exercise: Exercise,
    verdicts: list[Verdict],
    failures: list[tuple[int, Failure]],
    passed: list[tuple[Case, Given]],
) -> Result:
    families = tuple(_family(exercise, name, verdicts) for name in exercise.families)
    if families[0].status != "pass":  # nothing else counts: a blank must not earn "inputs untouched"
        families = tuple(Family(f.name, f.weight, f.status, 0.0, f.max_points) for f in families)
    ordered = sorted((f for _, f in failures), key=lambda f: _order(exercise, f))
    return Result(
        exercise.id,
        _points(sum(f.points for f in families)),
        exercise.points,
        ordered[0].verdict.status if ordered else "pass",
        families,
        tuple(ordered),
        _named(exercise, failures, passed),
        _named(
            exercise,
            [(turn, f) for turn, f in failures if not f.case.hidden],
            [(case, answer) for case, answer in passed if not case.hidden],
        ),
    )


def _named(
    exercise: Exercise, failures: list[tuple[int, Failure]], passed: list[tuple[Case, Given]]
) -> Signature | None:
    """A name needs failures at two seeds."""
    if len({turn for turn, _ in failures}) < 2:
        return None
    return diagnose(exercise.signatures, [failure for _, failure in failures], passed)


def _order(exercise: Exercise, failure: Failure) -> tuple[int, int]:
    """The order of the probes: it runs, twice alike; the forward value; shape, kind, finiteness; values."""
    place = list(exercise.families).index(failure.verdict.family)
    if isinstance(failure.answer, Raised) or failure.again is not None:
        return 0, place
    if place == 0:
        return 1, place
    return (2 if failure.verdict.status in _LOOKS else 3), place


def diagnose(
    signatures: Iterable[Signature], failures: list[Failure], passed: Sequence[tuple[Case, Given]] = ()
) -> Signature | None:
    """The one mistake that explains every failing case; None when there's none, or more than one.

    One that foretells every answer (`everywhere`) must explain those that passed, too.
    """
    fitting = [
        s
        for s in signatures
        if failures
        and _explains(s, failures)
        and (not s.everywhere or all(_recognises(s, case, answer) for case, answer in passed))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _explains(signature: Signature, failures: list[Failure]) -> bool:
    """Whether it recognises every answer; of explanations that it gives, one has to hold throughout."""
    common: set[Hashable] | None = None
    for failure in failures:
        for answer in (failure.answer, failure.again):
            if answer is None:
                continue
            told = _recognises(signature, failure.case, answer, common)
            if not told:
                return False
            if told is not True:
                common = set(told) if common is None else common & set(told)
    return common is None or bool(common)


def _recognises(
    signature: Signature, case: Case, answer: Given, among: set[Hashable] | None = None
) -> bool | Collection[Hashable]:
    try:
        more = (among,) if signature.narrows else ()
        told = signature.recognise(case, answer, *more)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return False  # an answer of another form: not this mistake
    return told if isinstance(told, Collection) else bool(told)


def same_answer(one: Given, other: Given) -> bool:
    """Whether two answers are the same, numbers to the bit (an error's text may differ)."""
    if isinstance(one, Raised) or isinstance(other, Raised):
        return isinstance(one, Raised) and isinstance(other, Raised) and one.type == other.type
    return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)


def _same(a: Any, b: Any) -> bool:
    if type(a) is float and type(b) is float:
        return a == b or (a != a and b != b)
    if isinstance(a, str) or isinstance(b, str):
        return bool(isinstance(a, str) and isinstance(b, str) and a == b)
    try:
        one, other = np.asarray(a), np.asarray(b)
        numbers = one.dtype.kind in "fc" and other.dtype.kind in "fc"  # nan stands for itself among these
        return one.dtype == other.dtype and bool(np.array_equal(one, other, equal_nan=numbers))
    except (TypeError, ValueError):
        return False


def _judge(exercise: Exercise, case: Case, answer: Given) -> list[Verdict]:
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


def _points(value: float) -> float:
    return round(value + 1e-12, 2)

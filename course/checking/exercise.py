"""What an exercise is: cases, a probe, a judge, families of points, named mistakes, hints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.checking.library import LIBRARY

Answer = Mapping[str, Any]  # flat: numbers, strings, arrays

STATUSES = {
    "pass": "passed",
    "wrong_value": "a wrong number",
    "wrong_shape": "the wrong shape",
    "wrong_dtype": "the wrong kind of value",
    "not_finite": "nan or inf where a finite number was due",
    "raised": "an error was raised",
    "timeout": "the time limit was reached",
    "memory": "the memory limit was reached",
    "output_limit": "too much was printed",
    "no_reply": "the program ended without an answer",
    "protocol": "the answer did not follow the protocol",
    "nondeterministic": "the same question was answered differently the second time",
    "forbidden_import": "imported, not written",
    "missing": "nothing was written yet, or a name is missing",
    "ambiguous": "several cells claim to be this exercise",
    "unreadable": "the file could not be read",
    "ungradable": "the grader itself failed here",
}


@dataclass(frozen=True)
class Case:
    """One question to the student's code: plain data, and the families that fail when no answer comes."""

    name: str
    families: tuple[str, ...]
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Raised:
    """What stands in place of an answer when none came: an error, or a limit."""

    type: str
    message: str
    status: str = "raised"
    line: int | None = None


@dataclass(frozen=True)
class Verdict:
    """One comparison: `status` is a key of STATUSES; `share` below 1 is partial credit within a family."""

    family: str
    status: str
    got: Any
    want: Any
    where: str
    share: float = 1.0


@dataclass(frozen=True)
class Signature:
    """A named mistake, recognised by arithmetic on inputs and answers.

    `same_as` names mistakes that no input can tell apart from this one. Title and hint come from the
    library of mistakes unless they're given.
    """

    name: str
    recognise: Callable[[Case, Answer | Raised], bool]
    title: str = ""
    hint: str = ""
    same_as: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        title, hint = LIBRARY.get(self.name, ("", ""))
        object.__setattr__(self, "title", self.title or title)
        object.__setattr__(self, "hint", self.hint or hint)
        if not (self.title and self.hint):
            raise ValueError(f"mistake {self.name!r} is not in the library: give its title and hint")


@dataclass(frozen=True)
class Exercise:
    """An exercise, complete. `needs` are the names that the student's code must define."""

    id: str
    points: float
    needs: tuple[str, ...]
    cases: Callable[[np.random.Generator], list[Case]]
    probe: Callable[[Mapping[str, Any], Case], Answer]
    judge: Callable[[Case, Answer], list[Verdict]]
    families: Mapping[str, float]
    signatures: Sequence[Signature]
    hints: tuple[str, str, str]
    labels: Mapping[str, str]  # what a family looks at, in a few words for the student

    def __post_init__(self) -> None:
        if not re.fullmatch(r"u\d\d-[a-z0-9-]{1,60}", self.id):
            raise ValueError(f"an exercise id looks like u05-multiply; got {self.id!r}")
        if abs(sum(self.families.values()) - 1) > 1e-9 or next(iter(self.families)) != "forward":
            raise ValueError(
                f"{self.id}: families start with 'forward' and their weights sum to 1: {self.families}"
            )
        if set(self.labels) != set(self.families):
            raise ValueError(f"{self.id}: one label per family; got {sorted(self.labels)}")
        names = [name for s in self.signatures for name in (s.name, *s.same_as)]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.id}: a mistake is named twice: {names}")


def compare(
    family: str,
    got: Any,
    want: float | np.ndarray[Any, Any],
    where: str,
    *,
    rtol: float = 1e-12,
    atol: float = 1e-12,
    shown: Any = None,
) -> Verdict:
    """A verdict on one number or array: kind, shape, finiteness first, then value; passes only if err ≤ tol.

    `shown` is what the student is shown as the right number (a finite difference) where `want` is exact.
    """
    show = want if shown is None else shown
    if isinstance(got, (str, bool, complex)) or got is None:
        return Verdict(family, "wrong_dtype", got, show, where)
    try:
        given = np.asarray(got)
        wanted = np.asarray(want, dtype=np.float64)
    except (ValueError, TypeError):
        return Verdict(family, "wrong_dtype", got, show, where)
    if given.dtype.kind not in "iuf":
        return Verdict(family, "wrong_dtype", got, show, where)
    if given.shape != wanted.shape:
        return Verdict(family, "wrong_shape", got, show, where)
    if not np.isfinite(given).all():
        return Verdict(family, "not_finite", got, show, where)
    close = np.abs(given.astype(np.float64) - wanted) <= atol + rtol * np.abs(wanted)
    return Verdict(family, "pass" if bool(close.all()) else "wrong_value", got, show, where)


def confirm(family: str, holds: Any, where: str, got: str, want: str) -> Verdict:
    """A verdict on a yes-or-no property, in words: `holds` is 1 or True when it does."""
    good = isinstance(holds, (int, float, np.generic)) and float(holds) == 1.0
    return Verdict(family, "pass" if good else "wrong_value", want if good else got, want, where)


def answers_like(predict: Callable[[Case], Mapping[str, float]]) -> Callable[[Case, Answer | Raised], bool]:
    """A recogniser: every number that `predict` gives for a case is the answer's own, to 1e-9."""

    def recognise(case: Case, answer: Answer | Raised) -> bool:
        if isinstance(answer, Raised):
            return False
        predicted = predict(case)
        return bool(predicted) and all(
            key in answer and abs(float(answer[key]) - value) <= 1e-9 * max(1.0, abs(value))
            for key, value in predicted.items()
        )

    return recognise

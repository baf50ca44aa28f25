"""What an exercise is: cases, a probe, a judge, families of points, named mistakes, hints."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
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
    """One question to the student's code: plain data, and the families that fail when no answer comes.

    Of a `hidden` case a student is told the family and the status in words, nothing that came or went.
    """

    name: str
    families: tuple[str, ...]
    data: Mapping[str, Any]
    hidden: bool = False


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


Recogniser = Callable[..., bool | Collection[Hashable]]  # of a case and its Answer or Raised


@dataclass(frozen=True)
class Signature:
    """A named mistake, recognised by arithmetic on inputs and answers.

    `recognise` says whether it explains a failing case; or it gives the set of explanations that do (step
    lengths, say), and then one of them must explain every failing case; one that `narrows` is asked with
    those still possible as a third argument (None at first), and need look at no others. `same_as` names
    mistakes that no input can tell apart from this one. `everywhere` is for one that foretells every
    answer: it has to recognise the cases that pass, too, or else it's another mistake. Title and hint
    come from the library of mistakes unless they're given.
    """

    name: str
    recognise: Recogniser
    title: str = ""
    hint: str = ""
    same_as: tuple[str, ...] = ()
    everywhere: bool = False
    narrows: bool = False

    def __post_init__(self) -> None:
        title, hint = LIBRARY.get(self.name, ("", ""))
        object.__setattr__(self, "title", self.title or title)
        object.__setattr__(self, "hint", self.hint or hint)
        if not (self.title and self.hint):
            raise ValueError(f"mistake {self.name!r} is not in the library: give its title and hint")


@dataclass(frozen=True)
class Exercise:
    """An exercise, complete. `needs` are the names that the student's code must define.

    `family_hints` are first hints for a family that fails without a known mistake. With `oracle`, the probe
    gets a third argument: ask(handle, *arrays), answered by oracle(case)(handle, *arrays) out of the
    student's reach, at most `asks` times a case (oracle.py).
    """

    id: str
    points: float
    needs: tuple[str, ...]
    cases: Callable[[np.random.Generator], list[Case]]
    probe: Callable[..., Answer]  # of names and case; with an oracle of ask, too
    judge: Callable[[Case, Answer], list[Verdict]]
    families: Mapping[str, float]
    signatures: Sequence[Signature]
    hints: tuple[str, str, str]
    labels: Mapping[str, str]  # what a family looks at, in a few words for the student
    family_hints: Mapping[str, str] = field(default_factory=dict)
    oracle: Callable[[Case], Callable[..., Any]] | None = None
    asks: int = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"u\d\d-[a-z0-9-]{1,60}", self.id):
            raise ValueError(f"an exercise id looks like u05-multiply; got {self.id!r}")
        if abs(sum(self.families.values()) - 1) > 1e-9 or next(iter(self.families)) != "forward":
            raise ValueError(
                f"{self.id}: families start with 'forward' and their weights sum to 1: {self.families}"
            )
        if set(self.labels) != set(self.families):
            raise ValueError(f"{self.id}: one label per family; got {sorted(self.labels)}")
        if not set(self.family_hints) <= set(self.families):
            raise ValueError(f"{self.id}: a hint for no family; got {sorted(self.family_hints)}")
        if (self.oracle is None) != (self.asks == 0) or self.asks < 0:
            raise ValueError(f"{self.id}: an oracle goes with asks, how often it answers; got {self.asks}")
        names = [name for s in self.signatures for name in (s.name, *s.same_as)]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.id}: a mistake is named twice: {names}")


_SIZES = (("f", (4, 8)), ("i", (1, 2, 4, 8)), ("u", (1, 2, 4, 8)))
_KINDS = {np.dtype(f"{kind}{size}") for kind, sizes in _SIZES for size in sizes}


def compare(
    family: str,
    got: Any,
    want: float | np.ndarray[Any, Any],
    where: str,
    *,
    rtol: float = 1e-12,
    atol: float = 1e-12,
    shown: Any = None,
    dtype: str = "",
) -> Verdict:
    """A verdict on one number or array: kind, shape, finiteness first, then value; passes only if err ≤ tol.

    Entry by entry err ≤ atol + rtol·|want|. Kinds are those that a grader's channel carries: int, float,
    NumPy's integers, float32 and float64, in arrays that are no subclass; `dtype` asks for one of them. Where
    `want` is inf or nan the answer must be just that. -0.0 is 0.0. An empty `want` has nothing to compare: a
    ValueError. `shown` is what the student is shown as right (a finite difference) where `want` is exact.
    """
    show = want if shown is None else shown
    if type(got) is float and type(want) is float and not dtype and math.isfinite(want):  # most of them
        if not math.isfinite(got):
            return Verdict(family, "not_finite", got, show, where)
        good = abs(got - want) <= atol + rtol * abs(want)
        return Verdict(family, "pass" if good else "wrong_value", got, show, where)
    wanted = np.asarray(want, dtype=np.float64)
    if wanted.size == 0:
        raise ValueError(f"{where}: an empty array passes any comparison; confirm() its shape instead")
    given = numbers_of(got)
    if given is None or (dtype and given.dtype != dtype):
        return Verdict(family, "wrong_dtype", got, show, where)
    if given.shape != wanted.shape:
        return Verdict(family, "wrong_shape", got, show, where)
    finite = np.isfinite(wanted)
    values = given.astype(np.float64)
    if not np.isfinite(values[finite]).all():
        return Verdict(family, "not_finite", got, show, where)
    with np.errstate(all="ignore"):  # a difference that overflows is no pass
        close = np.abs(values - wanted)[finite] <= (atol + rtol * np.abs(wanted))[finite]
    same = np.array_equal(values[~finite], wanted[~finite], equal_nan=True)
    return Verdict(family, "pass" if bool(close.all()) and same else "wrong_value", got, show, where)


def numbers_of(value: Any) -> np.ndarray[Any, Any] | None:
    """A value as an array, if it's a number or an array of them by its exact type; else None."""
    kind = type(value)
    plain = kind in (int, float, np.ndarray) or (kind.__module__ == "numpy" and isinstance(value, np.generic))
    if not plain:
        return None
    array = np.asarray(value)
    return array if array.dtype in _KINDS else None


def confirm(family: str, holds: Any, where: str, got: str, want: str) -> Verdict:
    """A verdict on a yes-or-no property, in words: `holds` is 1 or True when it does."""
    good = isinstance(holds, (int, float, np.generic)) and float(holds) == 1.0
    return Verdict(family, "pass" if good else "wrong_value", want if good else got, want, where)


def answers_like(predict: Callable[[Case], Mapping[str, Any]]) -> Callable[[Case, Answer | Raised], bool]:
    """A recogniser: every number or array that `predict` gives for a case is the answer's own, to 1e-9."""

    def recognise(case: Case, answer: Answer | Raised) -> bool:
        if isinstance(answer, Raised):
            return False
        predicted = predict(case)
        return bool(predicted) and all(_alike(answer.get(key), value) for key, value in predicted.items())

    return recognise


def _alike(got: Any, predicted: Any) -> bool:
    given, wanted = numbers_of(got), np.asarray(predicted, dtype=np.float64)
    if given is None or given.shape != wanted.shape:
        return False
    with np.errstate(all="ignore"):
        near = np.abs(given - wanted) <= 1e-9 * np.maximum(1.0, np.abs(wanted))
    return bool((near | (given == wanted)).all())

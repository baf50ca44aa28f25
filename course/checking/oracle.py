"""`ask`: while a probe runs, student code may put questions to functions that it must not see.

An exercise with an `oracle` gets `probe(names, case, ask)`. `ask(handle, *arrays)` answers with a number or
an array, at most `exercise.asks` times a case. The functions live where `Questions` lives: in the same
process for a student's own check, in the grader's for a mark; there only plain numbers travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from course.checking.exercise import Answer, Case, Exercise

LARGEST = 1 << 20  # entries of all the arrays of one question


class AskError(RuntimeError):
    """A question that gets no answer: one too many, or one that the function can't take."""


class Questions:
    """Answers the questions of one case, and counts them."""

    def __init__(self, exercise: Exercise, case: Case) -> None:
        if exercise.oracle is None:
            raise ValueError(f"{exercise.id} has no oracle: its probe takes names and case only")
        self._answer = exercise.oracle(case)
        self.limit, self.asked = exercise.asks, 0

    def __call__(self, handle: str, *arrays: Any) -> Any:
        """The answer as a float or an array of floats; AskError says why there is none.

        An error of the function's own is told by its type alone: its text may say how it works.
        """
        self.asked += 1
        if self.asked > self.limit:
            raise AskError(f"asked more than {self.limit} times in one case; ask fewer, larger questions")
        if type(handle) is not str or len(handle) > 100:
            raise AskError(f"the first argument says whom you ask, as a string; got {type(handle).__name__}")
        given = [_plain(k, array) for k, array in enumerate(arrays)]
        if sum(np.size(array) for array in given) > LARGEST:
            raise AskError(f"a question holds at most {LARGEST} numbers")
        try:
            with np.errstate(all="ignore"):
                out = self._answer(handle, *given)
        except Exception as problem:  # of a function that is wrong on purpose, or handed what it can't take
            raise AskError(f"{handle!r} gave no answer to that ({type(problem).__name__})") from None
        array = np.asarray(out)
        if array.dtype.kind not in "biuf":
            raise AskError(f"{handle!r} answered with something that is no number")
        return float(array) if array.ndim == 0 else array.astype(np.float64)


def _plain(place: int, value: Any) -> Any:
    """A number or an array of real numbers as a copy of its own; by exact type, as the grader's channel."""
    kind = type(value)
    if kind in (int, float) or (kind.__module__ == "numpy" and np.isscalar(value)):
        if isinstance(value, (int, float, np.integer, np.floating)):
            return float(value)
    elif kind is np.ndarray and value.dtype.kind in "biuf":
        return value.astype(np.float64)
    raise no_number(place, kind.__name__)


def no_number(place: int, got: str) -> AskError:
    """The error for an argument of another kind."""
    return AskError(f"argument {place + 1} of a question is a number or an array of real numbers; got {got}")


def put(exercise: Exercise, names: Mapping[str, Any], case: Case) -> Answer:
    """Run the probe on one case in this process, with `ask` where the exercise has an oracle."""
    if exercise.oracle is None:
        return exercise.probe(names, case)
    return exercise.probe(names, case, Questions(exercise, case))

"""What a Scalar takes for a number: Python's and NumPy's real ones, without importing NumPy.

Needs errors.py. Adds `real`, which says what is wrong with anything else. Read in U5.
"""

from __future__ import annotations

import numbers
from typing import Any

from autodiff.errors import OperandError


def real(value: Any, user: str) -> float:
    """`value` as a Python float, or an error that says what `user` takes.

    >>> real(2, "Scalar")
    2.0
    """
    if type(value) is float:
        return value
    if isinstance(value, (int, numbers.Real)):  # int first: the abstract class takes ten times as long
        try:
            return float(value)
        except OverflowError as problem:
            raise OperandError(
                f"{user} takes numbers that fit a float; this one doesn't: {problem}"
            ) from problem
    shape = getattr(value, "shape", None)
    if shape is not None:
        given = f"an array of shape {shape}"
        advice = "A Scalar is one number: loop over the entries, or pick one with a[i]"
    elif hasattr(value, "value"):
        given, advice = repr(value), "Use it as it is, or take its .value"
    else:
        given, advice = f"{type(value).__name__} {value!r}", "Convert it first, e.g. with float(...)"
    raise OperandError(f"{user} takes real numbers; got {given}. {advice}")

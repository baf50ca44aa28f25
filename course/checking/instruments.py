"""What a probe may hand to student code to see how it works, not only what it answers.

Standard library only, and nothing worth taking: this stands beside graded code, as probes.py does. The
counts are told by the process that runs the student's code, so they show how a gradient was found, to
whoever didn't set out to forge them; what an answer is worth is judged elsewhere. Counts, never times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any


class Counted:
    """A function that counts its calls: one for a backward pass, n and more for n differences.

    >>> f = Counted(lambda x: x * x)
    >>> f(3.0), f.calls
    (9.0, 1)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, and count."""
        self.calls += 1
        return self.function(*args, **kwargs)


class Tally(Counter[str]):
    """Counts the arithmetic done with the numbers that it makes: `+`, `-`, `*`, `/`, `**`.

    >>> tally = Tally()
    >>> x = tally.number(3.0)
    >>> float(x * x + 1), dict(tally)
    (10.0, {'*': 1, '+': 1})
    """

    def number(self, value: float) -> Number:
        """A float whose arithmetic is counted here."""
        made = Number(value)
        made.tally = self
        return made


class Number(float):
    """A float that counts what is done with it and adds no complex number to itself: no complex step.

    It is a float so that code which asks for one takes it; a complex number on the left does, too.
    """

    tally: Tally

    def _with(self, sign: str, left: Any, right: Any) -> Any:
        if isinstance(left, complex) or isinstance(right, complex):
            raise TypeError(f"these numbers are real: {sign} with a complex number is not known here")
        if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
            return NotImplemented  # an array's or an engine's business
        self.tally[sign] += 1
        return self.tally.number(_DO[sign](float(left), float(right)))

    def __add__(self, other: Any) -> Any:
        return self._with("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, self)

    def __pow__(self, other: Any) -> Any:  # type: ignore[override]  # the third argument is for integers
        return self._with("**", self, other)

    def __rpow__(self, other: Any) -> Any:  # type: ignore[override]
        return self._with("**", other, self)

    def __neg__(self) -> Any:
        return self._with("-", 0.0, self)

    def __complex__(self) -> complex:
        raise TypeError("these numbers are real: complex() of one is not known here")


_DO: dict[str, Callable[[float, float], float]] = {
    "+": float.__add__,
    "-": float.__sub__,
    "*": float.__mul__,
    "/": float.__truediv__,
    "**": float.__pow__,
}

# Functions of two numbers (or numbers with a gradient) that have slopes and no complex step: abs() of a
# complex number is real, comparing one is an error, and a count isn't a number to be nudged.
# They need abs, a comparison, or a loop, and + and * besides.
NOT_ANALYTIC: dict[str, Callable[[Any, Any], Any]] = {
    "|x| · y": lambda x, y: abs(x) * y,
    "|x · y| + x": lambda x, y: abs(x * y) + x,
    "x · x where x < y, else x · y": lambda x, y: x * x if x < y else x * y,
    "the larger of x · y and y · y": lambda x, y: x * y if x * y > y * y else y * y,
}


def folded(f: Callable[..., Any]) -> Callable[..., Any]:
    """f of the absolute values of its arguments: analytic nowhere, smooth wherever no argument is 0.

    >>> folded(lambda x, y: x - y)(-3.0, 1.0)
    2.0
    """
    return lambda *args: f(*map(abs, args))

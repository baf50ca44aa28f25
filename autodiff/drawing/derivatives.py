"""Local derivatives and rules as they are written on a blackboard, for the formulas beside a picture.

Needs labels.py. LOCAL holds those of operations that map over numbers or entries, RULES in words those that
move entries about. Read with U3, where they are derived.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# By the name of a rule: ∂out/∂a, ∂out/∂b, fit to stand behind "g ×". [a > 0] is 1 where that holds, else 0.
LOCAL = {
    "add": ("1", "1"),
    "subtract": ("1", "(−1)"),
    "multiply": ("b", "a"),
    "divide": ("(1 ÷ b)", "(−out ÷ b)"),
    "power": ("b × a ** (b − 1)", "out × log(a)"),
    "negative": ("(−1)",),
    "absolute": ("sign(a)",),
    "square": ("2 × a",),
    "sqrt": ("(0.5 ÷ out)",),
    "exp": ("out",),
    "log": ("(1 ÷ a)",),
    "sin": ("cos(a)",),
    "cos": ("(−sin(a))",),
    "tanh": ("(1 − out ** 2)",),
    "sigmoid": ("out × (1 − out)",),
    "softplus": ("σ(a)",),
    "relu": ("[a > 0]",),
    "maximum": ("[a > b, ½ at a tie]", "[b > a, ½ at a tie]"),
    "minimum": ("[a < b, ½ at a tie]", "[b < a, ½ at a tie]"),
}

# What an operand gets, for operations on arrays that don't map over entries.
RULES = {
    "matmul": ("g @ bᵀ", "aᵀ @ g"),
    "sum": ("g, to each entry",),
    "mean": ("g ÷ n, to each of the n entries",),
    "add_sequence": ("g",),
    "reshape": ("g in its old shape",),
    "transpose": ("g with its axes back in place",),
    "index": ("g where it was taken from, 0 elsewhere",),
    "concatenate": ("its piece of g",),
    "stack": ("its piece of g",),
}
LETTERS = re.compile(r"\b(?:a|b|out)(?=\b|ᵀ)")


def written(formula: str, names: Mapping[str, str]) -> str:
    """The formula with names in the place of a, b and out.

    >>> written("b × a ** (b − 1)", {"a": "x", "b": "−2"})
    '(−2) × x ** ((−2) − 1)'
    """
    return LETTERS.sub(lambda letter: bracketed(names[letter[0]]), formula)


def bracketed(text: str) -> str:
    """A negative number in brackets, fit to stand behind a sign.

    >>> bracketed("−2"), bracketed("2")
    ('(−2)', '2')
    """
    return f"({text})" if text.startswith("−") else text

"""The lecture's engine: every value carries a closure that turns an incoming gradient into a dictionary.

Needs errors.py. Adds `combine_dicts`, the local derivatives of one-number functions (`RULES`) and
`ClosureScalar`. Read in U3 (local derivatives), U4 (merging dictionaries) and U5 (the class).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypeVar

from autodiff.errors import DomainError, OperandError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def combine_dicts(a: Mapping[K, V], b: Mapping[K, V], op: Callable[[V, V], V] = operator.add) -> dict[K, V]:
    """Merge two gradient dictionaries: `op` where both have a key, the one value where only one has it.

    Gradients that reach a leaf by different paths add up, hence the default. Neither input is changed.

    >>> combine_dicts({"a": 2, "b": 3, "c": 4}, {"a": 5, "c": 6, "x": 7})
    {'a': 7, 'b': 3, 'c': 10, 'x': 7}
    """
    merged = {**a, **b}
    for key in a.keys() & b.keys():
        merged[key] = op(a[key], b[key])
    return merged


class Rule(NamedTuple):
    """A function of one or two numbers, and its local derivative for each of them.

    `forward(a[, b])` gives the value `out`; `partials(out, a[, b])` gives one derivative per operand.

    >>> RULES["multiply"].partials(6.0, 2.0, 3.0)
    (3.0, 2.0)
    """

    name: str
    symbol: str
    forward: Callable[..., float]
    partials: Callable[..., tuple[float, ...]]

    def __call__(self, *operands: float) -> float:
        """The value; errors of Python's `math` come back with the operation and its operands named."""
        try:
            return self.forward(*operands)
        except (ArithmeticError, ValueError) as problem:
            raise self.named(problem, operands) from problem

    def named(self, problem: Exception, operands: tuple[float, ...], what: str = "") -> Exception:
        """The same kind of error, saying which operation (`what` of it) failed on which operands."""
        shown = ", ".join(repr(value) for value in operands)
        kind = type(problem) if isinstance(problem, ArithmeticError) else DomainError
        return kind(f"{what}{self.name}({shown}): {problem}")


def _power(a: float, b: float) -> float:
    if a < 0 and not b.is_integer():
        raise DomainError(
            "a negative base has no real power with a fractional exponent; "
            "try abs(x) ** y, or a whole exponent"
        )
    return float(a**b)


def _power_by_base(a: float, b: float) -> float:
    # b == 0 apart: 0 · 0**-1 would divide by zero where the slope is plainly 0.
    return 0.0 if b == 0 else float(b * a ** (b - 1.0))


def _power_by_exponent(out: float, a: float, b: float) -> float:
    if a > 0:
        return out * math.log(a)
    return 0.0 if a == 0 else math.nan  # below 0 a**b is real at whole b only: no slope there


def _sigmoid(a: float) -> float:
    if a >= 0:
        return 1.0 / (1.0 + math.exp(-a))
    e = math.exp(a)
    return e / (1.0 + e)


def _softplus(a: float) -> float:
    return max(a, 0.0) + math.log1p(math.exp(-abs(a)))


def _larger(a: float, b: float) -> float:
    return a if a > b or a != a else b  # a != a: nan stays nan on either side


def _smaller(a: float, b: float) -> float:
    return a if a < b or a != a else b


def _share(a_wins: bool, b_wins: bool) -> tuple[float, float]:
    """One winner takes the gradient; a tie splits it evenly, so that the parts always sum to the whole."""
    if a_wins == b_wins:
        return 0.5, 0.5
    return float(a_wins), float(b_wins)


def _sign(a: float) -> float:
    return float((a > 0) - (a < 0))


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("add", "+", operator.add, lambda out, a, b: (1.0, 1.0)),
        Rule("subtract", "−", operator.sub, lambda out, a, b: (1.0, -1.0)),
        Rule("multiply", "×", operator.mul, lambda out, a, b: (b, a)),
        Rule("divide", "÷", operator.truediv, lambda out, a, b: (1.0 / b, -out / b)),
        Rule("power", "**", _power, lambda out, a, b: (_power_by_base(a, b), _power_by_exponent(out, a, b))),
        Rule("negative", "−", operator.neg, lambda out, a: (-1.0,)),
        Rule("absolute", "abs", operator.abs, lambda out, a: (_sign(a),)),
        Rule("square", "square", lambda a: a * a, lambda out, a: (2.0 * a,)),
        Rule("sqrt", "sqrt", math.sqrt, lambda out, a: (0.5 / out,)),
        Rule("exp", "exp", math.exp, lambda out, a: (out,)),
        Rule("log", "log", math.log, lambda out, a: (1.0 / a,)),
        Rule("sin", "sin", math.sin, lambda out, a: (math.cos(a),)),
        Rule("cos", "cos", math.cos, lambda out, a: (-math.sin(a),)),
        Rule("tanh", "tanh", math.tanh, lambda out, a: (1.0 - out * out,)),
        Rule("sigmoid", "σ", _sigmoid, lambda out, a: (out * (1.0 - out),)),
        Rule("softplus", "softplus", _softplus, lambda out, a: (_sigmoid(a),)),
        Rule("relu", "relu", lambda a: _larger(a, 0.0), lambda out, a: (float(a > 0),)),
        Rule("maximum", "max", _larger, lambda out, a, b: _share(a > b, b > a)),
        Rule("minimum", "min", _smaller, lambda out, a, b: _share(a < b, b < a)),
    )
}
# A constant exponent gets no gradient, and no logarithm of the base is taken.
RULES["power_constant"] = RULES["power"]._replace(partials=lambda out, a, b: (_power_by_base(a, b), 0.0))

Gradients = dict[Hashable, Any]


class ClosureScalar:
    """A number that carries a closure `g -> {name: gradient}`: the lecture's class.

    Without a name it is a constant; with one it is a leaf, and leaves of equal name are one variable.
    Each operation calls the closures of its operands and merges what they answer, so a value that is
    used twice is walked twice: 2**n visits on a chain of n doublings. `Scalar` cures that.

    >>> a, b = ClosureScalar(1.0, name="a"), ClosureScalar(2.0, name="b")
    >>> (a * b + ClosureScalar(1.0)).grad(1.0)
    {'a': 2.0, 'b': 1.0}
    """

    __array_ufunc__ = None  # np.float64(2) * x asks x instead of making an array

    def __init__(
        self, value: float, name: Hashable | None = None, grad: Callable[[float], Gradients] | None = None
    ) -> None:
        self.value = value
        self._closure = grad or (lambda g: {} if name is None else {name: g})

    def grad(self, g: float = 1.0) -> Gradients:
        """The gradient `g` that arrives here, handed on to the leaves: a dictionary by name."""
        return self._closure(g)

    def _apply(self, rule: Rule, *others: ClosureScalar) -> ClosureScalar:
        operands = (self, *others)
        for operand in operands:
            if not isinstance(operand, ClosureScalar):
                raise OperandError(
                    f"{rule.name} takes ClosureScalars; got {type(operand).__name__} {operand!r}. "
                    f"Wrap the number: ClosureScalar({operand!r})"
                )
        values = [operand.value for operand in operands]
        out = rule(*values)
        partials = rule.partials(out, *values)  # saved now: changing a value later changes no gradient

        def grad(g: float) -> Gradients:
            merged: Gradients = {}
            for operand, partial in zip(operands, partials, strict=True):
                merged = combine_dicts(merged, operand.grad(g * partial))
            return merged

        return ClosureScalar(out, grad=grad)

    def __add__(self, other: ClosureScalar) -> ClosureScalar:  # self + other
        return self._apply(RULES["add"], other)

    def __mul__(self, other: ClosureScalar) -> ClosureScalar:  # self * other
        return self._apply(RULES["multiply"], other)

    def square(self) -> ClosureScalar:
        """The value times itself."""
        return self._apply(RULES["square"])

    def __repr__(self) -> str:
        return f"ClosureScalar({self.value!r})"

"""Scalar: the calls and answers of ClosureScalar, with recorded nodes, one ordered pass, one dictionary.

Needs closures.py (local derivatives) and graph.py (the order). What it adds: the graph can be looked at,
each node is served once however many paths lead to it, and depth has no limit. Read in U5 and U6.
"""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Hashable
from typing import Any

from autodiff.closures import RULES, Rule
from autodiff.errors import GradientError, ImmutableError, NameClashError, OperandError
from autodiff.graph import topological_order

_ADD, _MULTIPLY, _SUBTRACT, _DIVIDE = (RULES[name] for name in ("add", "multiply", "subtract", "divide"))
_next_order = itertools.count().__next__


def _number(value: Any, user: str) -> float:
    """`value` as a Python float, or an error that says what `user` takes."""
    if type(value) is float:
        return value  # nearly always; isinstance with an abstract class costs ten times as much
    if isinstance(value, numbers.Real):
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
    elif isinstance(value, Scalar):
        given, advice = repr(value), "Use it as it is, or take its .value"
    else:
        given, advice = f"{type(value).__name__} {value!r}", "Convert it first, e.g. with float(...)"
    raise OperandError(f"{user} takes real numbers; got {given}. {advice}")


class Scalar:
    """A number that records how it was computed. With a name it is a leaf, without one a constant.

    `.value` is fixed at the time of making, so gradients are those of the program as it ran. Operands
    may be Scalars or real numbers (NumPy's included). `==` and `hash` go by identity; <, ≤, >, ≥ compare
    values. Functions are methods: `x.exp()`.

    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> (a * b + 1).grad()
    {'a': 2.0, 'b': 1.0}
    """

    # Two operand slots, not a tuple of parents: the garbage collector has one object per operation to visit.
    __slots__ = ("__weakref__", "_a", "_b", "_value", "name", "order", "rule")
    __array_ufunc__ = None  # np.float64(2) * x and np.ones(3) * x ask x instead of making an array

    name: Hashable | None
    rule: Rule | None
    order: int
    _value: float
    _a: Any  # Scalar, plain number or None; Any, so that the pass below needn't prove which
    _b: Any

    def __init__(self, value: float, name: Hashable | None = None) -> None:
        self._value = _number(value, "Scalar")
        self.name = name
        self.rule = self._a = self._b = None
        self.order = _next_order()

    @property
    def value(self) -> float:
        """The number itself."""
        return self._value

    @value.setter
    def value(self, new: Any) -> None:
        raise ImmutableError(
            f"a Scalar's value can't change after it was used to compute others; got {new!r}. "
            f"Make a new leaf for the next step: Scalar({new!r}, name={self.name!r})"
        )

    # --- the graph ---------------------------------------------------------------------------------

    @property
    def operands(self) -> tuple[Scalar | float, ...]:
        """What this value was computed from, in order: Scalars, and plain numbers as they were written."""
        return tuple(operand for operand in (self._a, self._b) if operand is not None)

    @property
    def parents(self) -> tuple[Scalar, ...]:
        """The Scalars among the operands; `x * x` has x twice."""
        a, b = self._a, self._b
        if isinstance(b, Scalar):
            return (a, b) if isinstance(a, Scalar) else (b,)
        return (a,) if isinstance(a, Scalar) else ()

    def local_derivatives(self) -> tuple[float, ...]:
        """The derivative of this value for each of its operands; () at a leaf or a constant.

        >>> (Scalar(2.0, name="x") * 3).local_derivatives()
        (3.0, 2.0)
        """
        rule = self.rule
        if rule is None:
            return ()
        values = tuple(x._value if isinstance(x, Scalar) else x for x in self.operands)
        try:
            return rule.partials(self._value, *values)
        except ArithmeticError as problem:
            raise rule.named(problem, values, what="the derivative of ") from problem

    def gradients(self, g: float = 1.0) -> dict[Scalar, float]:
        """d(g · self)/d(node) for every node that this value was computed from, by object.

        >>> x = Scalar(3.0, name="x")
        >>> y = x * x
        >>> (y * 5).gradients()[y]
        5.0
        """
        g = g if isinstance(g, float) else _number(g, "grad")
        nodes = topological_order(self)
        totals = dict.fromkeys(nodes, 0.0)
        totals[self] = g
        for node in reversed(nodes):
            rule = node.rule
            if rule is None:
                continue
            # A node comes up after all its children, so its total is complete: it is handed on once.
            g, a, b = totals[node], node._a, node._b
            try:
                if b is None:
                    totals[a] += g * rule.partials(node._value, a._value)[0]
                elif type(b) is float:
                    totals[a] += g * rule.partials(node._value, a._value, b)[0]
                elif type(a) is float:
                    totals[b] += g * rule.partials(node._value, a, b._value)[1]
                else:
                    da, db = rule.partials(node._value, a._value, b._value)
                    totals[a] += g * da
                    totals[b] += g * db
            except ArithmeticError:
                node.local_derivatives()  # raises the same error with the operation and its operands named
                raise
        return totals

    def grad(self, g: float = 1.0) -> dict[Hashable, float]:
        """d(g · self)/d(leaf) for every named leaf that this value was computed from, by name.

        Two leaves of one name in one graph are an error: a dictionary can't tell them apart.

        >>> x, y = Scalar(3.0, name="x"), Scalar(4.0, name="y")
        >>> (x * x + x * y).grad()
        {'x': 10.0, 'y': 3.0}
        """
        by_name: dict[Hashable, float] = {}
        leaves: dict[Hashable, Scalar] = {}
        for node, total in self.gradients(g).items():
            if node.name is None:
                continue
            if node.name in leaves:
                raise NameClashError(
                    f"two different leaves of this graph are both named {node.name!r}: "
                    f"{leaves[node.name]!r} and {node!r}. Give each its own name, or use .gradients(), "
                    "which goes by object"
                )
            leaves[node.name] = node
            by_name[node.name] = total
        return by_name

    # --- making nodes ------------------------------------------------------------------------------

    def _unary(self, name: str) -> Scalar:
        rule = RULES[name]
        return _record(rule, rule(self._value), self, None)

    def _binary(self, rule: Rule, other: Any) -> Scalar:  # rule(self, other)
        if not isinstance(other, Scalar):
            other = _number(other, rule.name)
            return _record(rule, rule(self._value, other), self, other)
        return _record(rule, rule(self._value, other._value), self, other)

    def _reflected(self, rule: Rule, other: Any) -> Scalar:  # rule(other, self), other a plain number
        other = _number(other, rule.name)
        return _record(rule, rule(other, self._value), other, self)

    # + and × stand written out: they are nearly all of what a program does, and neither can fail on floats.
    def __add__(self, other: Scalar | float) -> Scalar:  # self + other
        if isinstance(other, Scalar):
            return _record(_ADD, self._value + other._value, self, other)
        other = _number(other, "add")
        return _record(_ADD, self._value + other, self, other)

    def __mul__(self, other: Scalar | float) -> Scalar:  # self * other
        if isinstance(other, Scalar):
            return _record(_MULTIPLY, self._value * other._value, self, other)
        other = _number(other, "multiply")
        return _record(_MULTIPLY, self._value * other, self, other)

    def __sub__(self, other: Scalar | float) -> Scalar:  # self - other
        return self._binary(_SUBTRACT, other)

    def __truediv__(self, other: Scalar | float) -> Scalar:  # self / other
        return self._binary(_DIVIDE, other)

    def __pow__(self, other: Scalar | float) -> Scalar:  # self ** other
        constant = not isinstance(other, Scalar) or (other.rule is None and other.name is None)
        return self._binary(RULES["power_constant" if constant else "power"], other)

    def __radd__(self, other: float) -> Scalar:  # other + self; sum([x, y]) starts from 0 + x
        return self._reflected(_ADD, other)

    def __rmul__(self, other: float) -> Scalar:  # other * self
        return self._reflected(_MULTIPLY, other)

    def __rsub__(self, other: float) -> Scalar:  # other - self
        return self._reflected(_SUBTRACT, other)

    def __rtruediv__(self, other: float) -> Scalar:  # other / self
        return self._reflected(_DIVIDE, other)

    def __rpow__(self, other: float) -> Scalar:  # other ** self
        return self._reflected(RULES["power"], other)

    def __neg__(self) -> Scalar:  # -self
        return self._unary("negative")

    def __pos__(self) -> Scalar:  # +self
        return self

    def __abs__(self) -> Scalar:  # abs(self); slope 0 at 0
        return self._unary("absolute")

    def square(self) -> Scalar:
        """x², slope 2x."""
        return self._unary("square")

    def sqrt(self) -> Scalar:
        """√x for x ≥ 0; its slope at 0 is infinite, so `grad` raises ZeroDivisionError there."""
        return self._unary("sqrt")

    def exp(self) -> Scalar:
        """eˣ, its own slope."""
        return self._unary("exp")

    def log(self) -> Scalar:
        """The natural logarithm of x > 0, slope 1/x."""
        return self._unary("log")

    def sin(self) -> Scalar:
        """Sine of x in radians, slope cos x."""
        return self._unary("sin")

    def cos(self) -> Scalar:
        """Cosine of x in radians, slope −sin x."""
        return self._unary("cos")

    def tanh(self) -> Scalar:
        """Hyperbolic tangent, slope 1 − tanh² x."""
        return self._unary("tanh")

    def sigmoid(self) -> Scalar:
        """1/(1 + e⁻ˣ) without overflow, slope σ(1 − σ)."""
        return self._unary("sigmoid")

    def softplus(self) -> Scalar:
        """log(1 + eˣ) without overflow, slope σ(x)."""
        return self._unary("softplus")

    def relu(self) -> Scalar:
        """x where x > 0, else 0; slope 0 at the kink."""
        return self._unary("relu")

    def maximum(self, other: Scalar | float) -> Scalar:
        """The larger of two; the gradient goes to it, and is split evenly at a tie."""
        return self._binary(RULES["maximum"], other)

    def minimum(self, other: Scalar | float) -> Scalar:
        """The smaller of two; the gradient goes to it, and is split evenly at a tie."""
        return self._binary(RULES["minimum"], other)

    # --- as a number -------------------------------------------------------------------------------

    def __lt__(self, other: Scalar | float) -> bool:
        return self._value < _value_of(other)

    def __le__(self, other: Scalar | float) -> bool:
        return self._value <= _value_of(other)

    def __gt__(self, other: Scalar | float) -> bool:
        return self._value > _value_of(other)

    def __ge__(self, other: Scalar | float) -> bool:
        return self._value >= _value_of(other)

    def __repr__(self) -> str:
        made = "" if self.rule is None else f", by {self.rule.name}"
        named = "" if self.name is None else f", name={self.name!r}"
        return f"Scalar({self._value!r}{named}{made})"

    def __format__(self, spec: str) -> str:
        return format(self._value, spec) if spec else repr(self)

    def __reduce__(self) -> tuple[type[Scalar], tuple[float, Hashable | None]]:
        if self.rule is not None:
            raise GradientError(
                f"only a leaf or a constant can be copied or pickled; {self!r} hangs on its graph. "
                "Copy its number instead: Scalar(x.value)"
            )
        return Scalar, (self._value, self.name)


def _record(
    rule: Rule, value: float, a: Scalar | float, b: Scalar | float | None, _new: Any = Scalar.__new__
) -> Scalar:
    node: Scalar = _new(Scalar)
    node._value = value
    node.name = None
    node.rule = rule
    node._a = a
    node._b = b
    node.order = _next_order()
    return node


def _value_of(other: Any) -> float:
    return other._value if isinstance(other, Scalar) else _number(other, "a comparison")

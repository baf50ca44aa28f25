"""Scalar: the calls and answers of ClosureScalar, with recorded nodes, one ordered pass, one dictionary.

Needs closures.py (local derivatives) and the order that graph.py explains. What it adds: the graph can be
looked at, each node is served once however many paths lead to it, and depth has no limit. Read in U5 and U6.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

from autodiff.closures import RULES, Rule
from autodiff.errors import GradientError, ImmutableError, NameClashError
from autodiff.reals import real
from autodiff.threads import Scope, orders, switch, thread

_ADD, _MULTIPLY, _SUBTRACT, _DIVIDE = (RULES[name] for name in ("add", "multiply", "subtract", "divide"))
_by_order = attrgetter("order")
_scopes: WeakKeyDictionary[Scalar, tuple[Scope, ...]] = (
    WeakKeyDictionary()
)  # of the few that were made in one


class Scalar:
    """A number that records how it was computed. With a name it is a leaf, without one a constant.

    `.value` is fixed at the time of making, so gradients are those of the program as it ran. Operands
    may be Scalars or real numbers (NumPy's included). `==` and `hash` go by identity; <, ≤, >, ≥ compare
    values. Functions are methods: `x.exp()`.

    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> (a * b + 1).grad()
    {'a': 2.0, 'b': 1.0}
    """

    # The garbage collector looks at every slot of every node several times while a graph grows, and that is
    # most of what a node costs. Hence two slots for operands, not a tuple, and no slot for the name: a leaf
    # has no operands, so its name is kept in _a.
    __slots__ = ("__weakref__", "_a", "_b", "_value", "order", "rule")
    __array_ufunc__ = None  # np.float64(2) * x and np.ones(3) * x ask x instead of making an array

    rule: Rule | None
    order: int
    _value: float
    _a: Any  # Scalar, float, or a leaf's name; Any, so that the pass below needn't prove which
    _b: Any  # Scalar, float, or None where there is no second operand

    def __init__(self, value: float, name: Hashable | None = None) -> None:
        self._value = real(value, "Scalar")
        self.rule, self._a, self._b = None, name, None
        self.order = next(orders)

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

    @property
    def name(self) -> Hashable | None:
        """The name of a leaf; None for a constant and for a result."""
        return self._a if self.rule is None else None

    # --- the graph ---------------------------------------------------------------------------------

    @property
    def operands(self) -> tuple[Scalar | float, ...]:
        """What this value was computed from, in order: Scalars, and plain numbers as they were written."""
        return tuple(operand for operand in (self._a, self._b) if operand is not None) if self.rule else ()

    @property
    def scope(self) -> tuple[Scope, ...]:
        """The name scopes that this value was computed in, outermost first."""
        return _scopes.get(self, ())

    @scope.setter
    def scope(self, path: tuple[Scope, ...]) -> None:
        _scopes[self] = path

    @property
    def parents(self) -> tuple[Scalar, ...]:
        """The Scalars among the operands; `x * x` has x twice."""
        if self.rule is None:
            return ()
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
        return self._pass(g, keep=True)

    def grad(self, g: float = 1.0) -> dict[Hashable, float]:
        """d(g · self)/d(leaf) for every named leaf that this value was computed from, by name.

        Two leaves of one name in one graph are an error: a dictionary can't tell them apart.

        >>> x, y = Scalar(3.0, name="x"), Scalar(4.0, name="y")
        >>> (x * x + x * y).grad()
        {'x': 10.0, 'y': 3.0}
        """
        totals = self._pass(g, keep=False)
        leaves: dict[Hashable, Scalar] = {}
        for leaf in sorted(totals, key=_by_order):
            name = leaf.name
            if name in leaves:
                raise NameClashError(
                    f"two different leaves of this graph are both named {name!r}: "
                    f"{leaves[name]!r} and {leaf!r}. Give each its own name, or use .gradients(), "
                    "which goes by object"
                )
            if name is not None:
                leaves[name] = leaf
        return {name: totals[leaf] for name, leaf in leaves.items()}

    def _pass(self, g: float, keep: bool) -> dict[Scalar, float]:
        """Hand `g` back from node to node: the totals of all nodes, or those of the leaves unless `keep`."""
        nodes = _newest_first(self)
        totals = dict.fromkeys(reversed(nodes), 0.0) if keep else {}
        take = totals.__getitem__ if keep else totals.pop  # a small dictionary is a quick one
        totals[self] = g if isinstance(g, float) else real(g, "grad")
        arrived = totals.get
        for node in nodes:
            rule, a, b = node.rule, node._a, node._b
            if rule is None:
                continue
            # A node comes up after all its children, so its total is complete: it is handed on once.
            g = take(node)
            try:
                if b is None:
                    totals[a] = arrived(a, 0.0) + g * rule.partials(node._value, a._value)[0]
                elif type(b) is float:
                    totals[a] = arrived(a, 0.0) + g * rule.partials(node._value, a._value, b)[0]
                elif type(a) is float:
                    totals[b] = arrived(b, 0.0) + g * rule.partials(node._value, a, b._value)[1]
                else:
                    da, db = rule.partials(node._value, a._value, b._value)
                    totals[a] = arrived(a, 0.0) + g * da
                    totals[b] = arrived(b, 0.0) + g * db
            except ArithmeticError:
                node.local_derivatives()  # raises the same error with the operation and its operands named
                raise
        return totals

    # --- making nodes ------------------------------------------------------------------------------

    def _unary(self, name: str) -> Scalar:
        rule = RULES[name]
        try:
            value = rule.forward(self._value)
        except (ArithmeticError, ValueError) as problem:
            raise rule.named(problem, (self._value,)) from problem
        return _record(rule, value, self, None)

    def _binary(self, rule: Rule, other: Any) -> Scalar:  # rule(self, other)
        if type(other) is not float:
            if isinstance(other, Scalar):
                return _apply(rule, self._value, other._value, self, other)
            other = real(other, rule.name)
        return _apply(rule, self._value, other, self, other)

    def _reflected(self, rule: Rule, other: Any) -> Scalar:  # rule(other, self), other a plain number
        if type(other) is not float:
            other = real(other, rule.name)
        return _apply(rule, other, self._value, other, self)

    # + and × stand written out: they are nearly all of what a program does, and neither can fail on floats.
    def __add__(self, other: Scalar | float) -> Scalar:  # self + other
        if type(other) is not float:
            if isinstance(other, Scalar):
                return _record(_ADD, self._value + other._value, self, other)
            other = real(other, "add")
        return _record(_ADD, self._value + other, self, other)

    def __mul__(self, other: Scalar | float) -> Scalar:  # self * other
        if type(other) is not float:
            if isinstance(other, Scalar):
                return _record(_MULTIPLY, self._value * other._value, self, other)
            other = real(other, "multiply")
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


def _apply(rule: Rule, a: float, b: float, left: Scalar | float, right: Scalar | float) -> Scalar:
    """The node of rule(a, b), where a and b are the values of `left` and `right`."""
    try:
        value = rule.forward(a, b)
    except (ArithmeticError, ValueError) as problem:
        raise rule.named(problem, (a, b)) from problem
    return _record(rule, value, left, right)


def _node(rule: Rule, value: float, a: Any, b: Any, _new: Any = Scalar.__new__) -> Scalar:
    node: Scalar = _new(Scalar)
    node._value = value
    node.rule = rule
    node._a, node._b = a, b
    node.order = next(orders)
    return node


def _node_in_scope(rule: Rule, value: float, a: Any, b: Any) -> Scalar:
    node = _node(rule, value, a, b)
    if thread.scope:  # this thread's; it may be another one that has opened a scope
        node.scope = thread.scope
    return node


_record: Callable[[Rule, float, Any, Any], Scalar] = _node


def _on_switch(on: bool) -> None:
    # Even asking whether a scope is open would cost each operation a tenth of its time.
    global _record  # noqa: PLW0603
    _record = _node_in_scope if on else _node


switch.told.append(_on_switch)


def _newest_first(root: Scalar) -> list[Scalar]:
    """`topological_order` of graph.py backwards, and quicker: it reads slots, not a property per node."""
    # `while True`, not a condition: Python 3.11 doesn't speed up other while loops during their first run.
    run, node = [], root
    while True:  # As long as one parent follows another, they are in order, and none can be met twice.
        a, b = node._a, node._b
        if node.rule is None or not (b is None or type(a) is float or type(b) is float):
            break
        run.append(node)
        node = b if type(a) is float else a
    met, waiting, nodes = {node, None}, [node], []  # None, an operand that isn't there, counts as met
    while True:
        node = waiting.pop()
        nodes.append(node)
        if node.rule is not None:
            a, b = node._a, node._b
            if type(a) is not float and a not in met:
                met.add(a)
                waiting.append(a)
            if type(b) is not float and b not in met:
                met.add(b)
                waiting.append(b)
        if not waiting:
            # With the last operand first, most nodes come in this order already: sorting costs little.
            return run + sorted(nodes, key=_by_order, reverse=True)


def _value_of(other: Any) -> float:
    return other._value if isinstance(other, Scalar) else real(other, "a comparison")

"""What a row is: an operation's forward, a rule for each operand, and where its values lie in a node.

Needs errors.py and NumPy. Adds Row, which checks at declaration that each rule asks only for what there is,
and binds it by position. Read with primitive.py.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from autodiff.errors import OptionError, UnsupportedError

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]
Axis: TypeAlias = int | tuple[int, ...] | None
Function: TypeAlias = Callable[..., Any]
Domain: TypeAlias = tuple[tuple[float, float], ...]

REALS: Domain = ((-np.inf, np.inf),)
POSITIVE: Domain = ((0.0, np.inf),)
REQUIRED: Any = inspect.Parameter.empty  # an option without a default


class Like(NamedTuple):
    """What is left of an array that a rule needs only the shape of."""

    shape: Shape
    dtype: np.dtype[Any]


@dataclass(eq=False, slots=True)
class Row:
    """One operation: its forward, its rules, and what each rule has to be given.

    A node keeps a tuple: the operands, then out, then the options, each at the position it has in `names`;
    what no rule needs is None there. `vjps[k](g, kept)` hands g on to operand k.
    """

    name: str
    symbol: str
    forward: Function
    operands: tuple[str, ...]
    rules: Mapping[str, Function | None]
    options: Mapping[str, Any]
    kind: str  # "elementwise", "linear", "general"
    like: frozenset[str] = frozenset()  # operands of which only the shape is kept
    domain: Mapping[str, Domain] = field(
        default_factory=dict
    )  # where an operand may lie; all reals if absent
    into: Function | None = None  # into(buffer, g, kept): adds the gradient of operand 0 into a buffer
    jvp: Function | None = None  # jvp(tangents, kept), where neither kind nor the double-vjp identity will do
    is_variadic: bool = False
    is_ours: bool = False  # made in this package: its rules never return an array that a node keeps (tested)
    doc: str = ""
    names: tuple[str, ...] = ()
    needs: tuple[frozenset[int], ...] = ()  # positions that the rule of operand k reads
    vjps: Any = ()
    call: Function = lambda: None
    entries: dict[type, Function] = field(default_factory=dict)
    has_required: bool = False  # an option without a default

    def __post_init__(self) -> None:
        front = ("operands", "likes") if self.is_variadic else self.operands
        self.names = (*front, "out", *self.options)
        self.has_required = any(value is REQUIRED for value in self.options.values())
        self.needs = tuple(frozenset(self._positions(name, rule)) for name, rule in self.rules.items())
        if self.is_variadic:
            (rule,) = self.rules.values()
            self.vjps = _Each(_positional(rule, self._positions("each", rule), numbered=True))
        else:
            pairs = self.rules.items()
            self.vjps = tuple(r and _positional(r, self._positions(name, r)) for name, r in pairs)

    def _positions(self, operand: str, rule: Function | None) -> tuple[int, ...]:
        """Where the values that `rule` names lie in the tuple that a node keeps."""
        if rule is None:
            return ()
        first, *asked = _arguments(rule)
        known = ("i", *self.names) if self.is_variadic else self.names
        unknown = [name for name in asked if name not in known]
        if first != "g" or unknown:
            wrong = f"asks for {', '.join(unknown)}" if unknown else f"starts with {first}"
            raise OptionError(
                f"row {self.name!r}: the rule of {operand} {wrong}. A rule takes g first (the incoming "
                f"gradient), then any of: {', '.join(known)}"
            )
        return tuple(self.names.index(name) for name in asked if name != "i")

    def split(self, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The operands, and all options in order: those given, else their defaults."""
        count = len(self.operands)
        if len(args) < count:
            args = (*args, *self._by_name(args, given))
        options = dict(self.options)
        if len(args) > count:
            extra = args[count:]
            if len(extra) > len(options):
                raise UnsupportedError(f"{self.name} takes at most {count + len(options)} arguments")
            options.update(zip(options, extra, strict=False))
            args = args[:count]
        for name, value in given.items():
            if name not in options:
                allowed = ", ".join(options) or "none"
                raise UnsupportedError(
                    f"{self.name} has no option {name!r}; its options: {allowed}. "
                    "What isn't supported is refused, so that it can't be ignored"
                )
            options[name] = value
        if self.has_required and (lacking := [k for k, value in options.items() if value is REQUIRED]):
            raise UnsupportedError(f"{self.name} needs {', '.join(lacking)} as well")
        return args, options

    def _by_name(self, args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
        """The operands that were given by name; taken out of `given`."""
        for name in self.operands[len(args) :]:
            if name not in given:
                count = len(self.operands)
                raise UnsupportedError(
                    f"{self.name} takes {count} operand{'s' * (count > 1)} ({', '.join(self.operands)}); "
                    f"{name} is missing"
                )
        return [given.pop(name) for name in self.operands[len(args) :]]


def _arguments(rule: Function) -> tuple[str, ...]:
    """The names of a rule's arguments; without inspect's detour (0.1 ms each)."""
    code = getattr(rule, "__code__", None)
    if code is None:
        return tuple(inspect.signature(rule).parameters)
    return tuple(code.co_varnames[: code.co_argcount])


class _Each:
    """The rules of a row with any number of operands: one rule that is told which operand it serves."""

    def __init__(self, rule: Function) -> None:
        self.rule = rule

    def __iter__(self) -> Iterator[Function]:
        i = 0
        while True:
            yield functools.partial(self.rule, i=i)
            i += 1


def _hand_on(g: Any, kept: Any) -> Any:
    return g


def _is_identity(rule: Any) -> bool:
    code = getattr(rule, "__code__", None)
    return code is not None and code.co_code == (lambda g: g).__code__.co_code and code.co_nlocals == 1


def _positional(rule: Any, at: tuple[int, ...], numbered: bool = False) -> Function:
    """`rule` as a function of g and the tuple that a node keeps: no name is looked up while running."""
    if numbered:
        takes_i = "i" in _arguments(rule)
        if takes_i:
            return lambda g, kept, i: rule(g, i, *[kept[k] for k in at])
        return lambda g, kept, i: rule(g, *[kept[k] for k in at])
    if not at:
        return _hand_on if _is_identity(rule) else lambda g, kept: rule(g)
    if len(at) == 1:
        (first,) = at
        return lambda g, kept: rule(g, kept[first])
    if len(at) == 2:
        first, second = at
        return lambda g, kept: rule(g, kept[first], kept[second])
    return lambda g, kept: rule(g, *[kept[k] for k in at])

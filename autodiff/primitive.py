"""A row: the forward of an operation and one rule per operand, written once, serving every engine.

Needs scalar.py (the first engine that rows reach) and NumPy. Adds `elementwise`, `linear`, `primitive`,
`variadic`, the TABLE they fill, and the registry through which a row finds the engine of its operands.
Read with U10, where numbers become arrays.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from autodiff.errors import OptionError, UnsupportedError
from autodiff.scalar import Scalar

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

    def __post_init__(self) -> None:
        front = ("operands", "likes") if self.is_variadic else self.operands
        self.names = (*front, "out", *self.options)
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
        first, *asked = inspect.signature(rule).parameters
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
        count = 1 if self.is_variadic else len(self.operands)
        for name in self.operands[len(args) : count]:
            if name not in given:
                missing = f"{self.name} takes {count} operand{'s' * (count > 1)}"
                raise UnsupportedError(f"{missing} ({', '.join(self.operands)}); {name} is missing")
            args = (*args, given.pop(name))
        extra = args[count:]
        if len(extra) > len(self.options):
            raise UnsupportedError(f"{self.name} takes at most {count + len(self.options)} arguments")
        options = dict(self.options)
        options.update(zip(self.options, extra, strict=False))
        for name, value in given.items():
            if name not in options:
                allowed = ", ".join(options) or "none"
                raise UnsupportedError(
                    f"{self.name} has no option {name!r}; its options: {allowed}. "
                    "What isn't supported is refused, so that it can't be ignored"
                )
            options[name] = value
        if lacking := [name for name, value in options.items() if value is REQUIRED]:
            raise UnsupportedError(f"{self.name} needs {', '.join(lacking)} as well")
        return args[:count], options


class _Each:
    """The rules of a row with any number of operands: one rule that is told which operand it serves."""

    def __init__(self, rule: Function) -> None:
        self.rule = rule

    def __iter__(self) -> Iterator[Function]:
        i = 0
        while True:
            yield functools.partial(self.rule, i=i)
            i += 1


def _positional(rule: Any, at: tuple[int, ...], numbered: bool = False) -> Function:
    """`rule` as a function of g and the tuple that a node keeps: no name is looked up while running."""
    if numbered:
        takes_i = "i" in inspect.signature(rule).parameters
        if takes_i:
            return lambda g, kept, i: rule(g, i, *[kept[k] for k in at])
        return lambda g, kept, i: rule(g, *[kept[k] for k in at])
    if not at:
        return lambda g, kept: rule(g)
    if len(at) == 1:
        (first,) = at
        return lambda g, kept: rule(g, kept[first])
    if len(at) == 2:
        first, second = at
        return lambda g, kept: rule(g, kept[first], kept[second])
    return lambda g, kept: rule(g, *[kept[k] for k in at])


# --- the table, and the engines that its rows reach ------------------------------------------------------

TABLE: dict[str, Row] = {}
FUNCTIONS: dict[str, Function] = {}  # all public operations by name: rows, and what is composed from them
NUMPY: dict[Function, Function] = {}  # NumPy's functions, and ours that answers in their place
ENGINES: dict[type, Callable[[Row], Function]] = {}


def register(kind: type, bind: Callable[[Row], Function]) -> None:
    """Send every row, also those still to come, to `bind(row)` when an operand is of type `kind`."""
    ENGINES[kind] = bind
    for row in TABLE.values():
        row.entries[kind] = bind(row)


def _unary(row: Row) -> Function:
    entry_of, forward = row.entries.get, row.forward

    def call(a: Any) -> Any:
        return (entry_of(type(a)) or forward)(a)

    return call


def _binary(row: Row) -> Function:
    entry_of, forward = row.entries.get, row.forward

    def call(a: Any, b: Any) -> Any:
        return (entry_of(type(a)) or entry_of(type(b)) or forward)(a, b)

    return call


def _any(row: Row) -> Function:
    entry_of, forward, count = row.entries.get, row.forward, len(row.operands)

    def call(*args: Any, **options: Any) -> Any:
        operands = args[0] if row.is_variadic else (*args[:count], *options.values())
        for operand in operands:
            if entry := entry_of(type(operand)):
                return entry(*args, **options)
        operands, options = row.split(args, options)
        return forward(*operands, **options)

    return call


def _enter(row: Row, numpy: tuple[Function, ...]) -> Function:
    """Put the row into the table; the function that calls it."""
    taken = TABLE.get(row.name)
    if taken is not None and taken.is_ours:
        raise OptionError(f"there is a row {row.name!r} already: give yours another name")
    makers = {1: _unary, 2: _binary}
    maker = _any if row.options or row.is_variadic else makers.get(len(row.operands), _any)
    row.call = call = maker(row)
    rule: Any = next((rule for rule in row.rules.values() if rule), row.forward)
    call.__module__ = getattr(rule, "__module__", None) or __name__
    row.is_ours = call.__module__.startswith("autodiff.")
    call.__name__ = call.__qualname__ = row.name
    call.__doc__ = row.doc or f"{row.symbol}, as NumPy's."
    call.__dict__["row"] = row
    for kind, bind in ENGINES.items():
        row.entries[kind] = bind(row)
    TABLE[row.name] = row
    FUNCTIONS[row.name] = call
    NUMPY.update(dict.fromkeys(numpy, call))
    return call


def _options(forward: Function, skip: int) -> dict[str, Any]:
    if isinstance(forward, np.ufunc):
        return {}
    parameters = list(inspect.signature(forward).parameters.values())[skip:]
    return {each.name: REQUIRED if each.default is each.empty else each.default for each in parameters}


def primitive(
    name: str,
    symbol: str,
    forward: Function,
    *,
    kind: str = "general",
    like: str = "",
    numpy: tuple[Function, ...] = (),
    domain: Domain | Mapping[str, Domain] | None = None,
    into: Function | None = None,
    jvp: Function | None = None,
    doc: str = "",
    **rules: Function | None,
) -> Function:
    """A row with a rule for each operand (in the order of forward's arguments); the rest are options.

    A rule takes `g` and whatever it names among the operands, `out` and the options, and nothing else is
    kept for it. It uses operators and other rows only, so it runs on arrays and on recorded values alike. Of
    the operands named in `like` (separated by spaces) only the shape is kept. `numpy` lists the functions of
    NumPy that it stands in for (a ufunc as `forward` counts by itself). Errors: OptionError for a rule that
    asks for what the row doesn't have.

    >>> twice = primitive("twice", "2·", lambda a: 2 * a, kind="linear", a=lambda g: 2 * g)
    >>> twice(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    domains = domain if isinstance(domain, Mapping) else dict.fromkeys(rules, domain) if domain else {}
    row = Row(
        name=name,
        symbol=symbol,
        forward=forward,
        operands=tuple(rules),
        rules=rules,
        options=_options(forward, len(rules)),
        kind=kind,
        like=frozenset(like.split()),
        domain=domains,
        into=into,
        jvp=jvp,
        doc=doc,
    )
    return _enter(row, (*numpy, forward) if isinstance(forward, np.ufunc) else numpy)


def elementwise(name: str, symbol: str, forward: Function, **more: Any) -> Function:
    """A row that maps over entries (operands broadcast): its rules serve forward mode as they stand.

    >>> cube = elementwise("cube", "³", lambda a: a**3, a=lambda g, a: 3 * g * a**2)
    >>> cube(np.array([1.0, 2.0]))
    array([1., 8.])
    """
    return primitive(name, symbol, forward, kind="elementwise", **more)


def linear(name: str, symbol: str, forward: Function, **more: Any) -> Function:
    """A row that is linear in each of its operands: forward mode applies the forward to the tangent."""
    return primitive(name, symbol, forward, kind="linear", **more)


def variadic(
    name: str,
    symbol: str,
    forward: Function,
    each: Function,
    *,
    kind: str = "linear",
    numpy: tuple[Function, ...] = (),
    doc: str = "",
) -> Function:
    """A row of any number of operands, handed over in one sequence.

    `each` is the rule of operand i; besides g, out and options it may name `i`, `operands` (all arrays) and
    `likes` (their shapes).
    """
    row = Row(
        name=name,
        symbol=symbol,
        forward=forward,
        operands=("operands",),
        rules={"each": each},
        options=_options(forward, 1),
        kind=kind,
        is_variadic=True,
        doc=doc,
    )
    return _enter(row, numpy)


def composed(*numpy: Function) -> Callable[[Function], Function]:
    """Declare a public function that is composed from rows, and the functions of NumPy it stands in for."""

    def declare(function: Function) -> Function:
        FUNCTIONS[function.__name__] = function
        NUMPY.update(dict.fromkeys(numpy, function))
        return function

    return declare


# --- Scalars: rows of the same name reach the methods of scalar.py ---------------------------------------

_SCALAR_OPERATORS: dict[str, Function] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
}


def _scalars(row: Row) -> Function:
    method = _SCALAR_OPERATORS.get(row.name) or getattr(Scalar, row.name, None)

    def refuse(*operands: Any, **options: Any) -> Any:
        raise UnsupportedError(
            f"a Scalar has no {row.name}; it has the operators and methods such as x.exp(). "
            "Use a Tensor: autodiff.tensor(x.value)"
        )

    def swap(a: Any, b: Any) -> Any:  # a method wants the Scalar in front; maximum and minimum are symmetric
        return method(a, b) if isinstance(a, Scalar) else method(b, a)  # type: ignore[misc]

    if method is None or row.options:
        return refuse
    return swap if row.name in ("maximum", "minimum") else method


register(Scalar, _scalars)

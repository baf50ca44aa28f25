"""A row: the forward of an operation and one rule per operand, written once, serving every engine.

Needs rows.py (what a row is) and scalar.py (the first engine that rows reach). Adds `elementwise`, `linear`,
`operation`, `variadic`, the TABLE they fill, and the registry through which a row finds its operands' engine.
Read with U10, where numbers become arrays.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff.errors import OptionError, UnsupportedError
from autodiff.rows import POSITIVE, REALS, REQUIRED, Array, Axis, Domain, Function, Like, Row, Shape
from autodiff.scalar import Scalar
from autodiff.threads import Scope, next_order

__all__ = [
    "ENGINES", "FUNCTIONS", "NUMPY", "POSITIVE", "REALS", "TABLE", "Array", "Axis", "Domain", "Function",
    "Like", "Row", "Shape", "composed", "elementwise", "linear", "operation", "register", "variadic",
]  # fmt: skip

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
        for operand in args[0] if row.is_variadic and args else args[:count]:
            if entry := entry_of(type(operand)):
                return entry(*args, **options)
        for operand in options.values():
            if entry := entry_of(type(operand)):
                return entry(*args, **options)
        return forward(*args, **options)

    return call


def _declared_in() -> str:
    """The name of the module that declares a row: the first one outside this file that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__"))


def _enter(row: Row, numpy: tuple[Function, ...]) -> Function:
    """Put the row into the table; the function that calls it."""
    taken = TABLE.get(row.name)
    if taken is not None and taken.is_ours:
        raise OptionError(f"there is a row {row.name!r} already: give yours another name")
    makers = {1: _unary, 2: _binary}
    maker = _any if row.options or row.is_variadic else makers.get(len(row.operands), _any)
    row.call = call = maker(row)
    call.__module__ = _declared_in()
    row.is_ours = call.__module__.startswith("autodiff.")
    call.__name__ = call.__qualname__ = row.name
    call.__doc__ = row.doc or f"{row.symbol}, as NumPy's."
    call.__dict__["row"] = row
    for kind, bind in ENGINES.items():
        row.entries[kind] = bind(row)
    TABLE[row.name] = row
    FUNCTIONS[row.name] = call
    for function in numpy:
        if row.is_ours or function not in NUMPY:  # a user's row doesn't take the place of one of ours
            NUMPY[function] = call
    return call


def _options(forward: Function, skip: int) -> dict[str, Any]:
    if isinstance(forward, np.ufunc):
        return {}
    parameters = list(inspect.signature(forward).parameters.values())[skip:]
    return {each.name: REQUIRED if each.default is each.empty else each.default for each in parameters}


def operation(
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

    >>> twice = operation("twice", "2·", lambda a: 2 * a, kind="linear", a=lambda g: 2 * g)
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
    return operation(name, symbol, forward, kind="elementwise", **more)


def linear(name: str, symbol: str, forward: Function, **more: Any) -> Function:
    """A row that is linear in each of its operands: forward mode applies the forward to the tangent."""
    return operation(name, symbol, forward, kind="linear", **more)


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


def composed(*numpy: Function, scope: bool = True) -> Callable[[Function], Function]:
    """Declare a public function that is composed from rows, and the functions of NumPy it stands in for.

    What a call records stands in a scope of the function's name, so that a picture can show it as one;
    without `scope` it doesn't, for what comes down to an operation or two.

    >>> @composed()
    ... def halved(a):
    ...     return a / 2
    >>> halved(np.array([1.0, 2.0])), FUNCTIONS.pop("halved") is halved
    (array([0.5, 1. ]), True)
    """

    def declare(function: Function) -> Function:
        function = _marked(function) if scope else function
        FUNCTIONS[function.__name__] = function
        NUMPY.update(dict.fromkeys(numpy, function))
        return function

    return declare


def _marked(function: Function) -> Function:
    """The function, its answers marked with the call that they come from: cheaper than a scope around it."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        began = next_order()
        answer = function(*args, **options)
        for each in answer if type(answer) in (tuple, list) else (answer,):
            node = each if isinstance(each, Scalar) else getattr(each, "_node", None)
            if node is not None and node.order > began:
                inside = getattr(node, "scope", ())
                outside = sum(scope.entry < began for scope in inside)
                node.scope = (*inside[:outside], Scope(name, began, composed=True), *inside[outside:])
        return answer

    return call


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

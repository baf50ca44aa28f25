"""How a row's use is recorded: entries made for its number of operands, once, when an engine is registered.

Needs backward.py (nodes) and primitive.py (rows). Adds `binder`, and `as_array`, which says what an
engine takes. Read in U14 (what an operation costs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from autodiff.backward import Node, note_scope
from autodiff.errors import GradientError, OperandError
from autodiff.primitive import Function, Like, Row, Shape
from autodiff.scalar import Scalar
from autodiff.threads import next_order, switch, thread

_REAL = "fiub"  # kinds of dtype that an engine takes
_FLOAT = np.dtype(np.float64)


def as_array(value: Any, what: str, copy: bool = False) -> Any:
    """`value` as real numbers that NumPy can compute with, or an error that says what it is instead.

    Python numbers stay as they are: they take the dtype of the array they meet.
    """
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        return value
    if kind is not np.ndarray:
        if isinstance(value, Scalar):
            raise OperandError(f"{what} takes arrays and Tensors; got {value!r}. Use its .value")
        try:
            value = np.asarray(value)
        except (ValueError, TypeError) as problem:
            if isinstance(problem, GradientError):
                raise
            raise OperandError(f"{what} takes arrays of numbers; {problem}") from problem
    if value.dtype.kind not in _REAL:
        shown = f"an array of dtype {value.dtype}" if value.shape else f"{value[()]!r} ({value.dtype})"
        advice = "take .real and .imag apart" if value.dtype.kind == "c" else "convert it to floats first"
        raise OperandError(f"{what} takes real numbers; got {shown}: {advice}")
    return value.copy() if copy and (value.shape or kind is np.ndarray) else value


class Constant(NamedTuple):
    """What a node remembers of an operand that isn't tracked, for pictures: never its array."""

    name: str | None
    shape: Shape
    dtype: np.dtype[Any]


def _remembered(operand: Any) -> Any:
    """What a node remembers of a constant operand: a number as it is, else a Constant."""
    kind = type(operand)
    if kind is float or kind is int:
        return operand
    data = operand._data if isinstance(operand, Recorded) else np.asarray(operand)
    return Constant(getattr(operand, "_name", None), data.shape, data.dtype)


def _all_remembered(operands: Iterable[Any], parents: Iterable[Node | None]) -> tuple[Any, ...]:
    pairs = zip(operands, parents, strict=True)
    return tuple(None if parent is not None else _remembered(operand) for operand, parent in pairs)


class Recorded:
    """A value apart from how it was computed: its array, and its node (None: a constant)."""

    __slots__ = ("_data", "_node")

    _data: Any
    _node: Node | None


def binder(kind: type[Recorded]) -> Callable[[Row], Function]:
    """How rows are applied to values of type `kind`: bind(row) makes the entry, once."""

    def bind(row: Row) -> Function:
        if row.is_variadic:
            return _variadic(row, kind)
        if len(row.operands) == 1 and (row.options or row.like):
            return _with_options(row, kind)
        if row.options or row.like or len(row.operands) > 2 or None in row.rules.values():
            return _general(row, kind)
        return _unary(row, kind) if len(row.operands) == 1 else _binary(row, kind)

    return bind


def _note(row: Row, operands: tuple[Any, ...], out: Any) -> bool:
    """Whether to record, where something is special: what `no_grad` and `trace_nonfinite` have asked for."""
    if thread.watch:
        thread.watch(row, operands, out, "value")
    return thread.recording


def _unary(row: Row, kind: type[Recorded]) -> Function:
    """One operand, no options."""
    forward, new = row.forward, kind.__new__
    keeps_a, keeps_out = (k in row.needs[0] for k in range(2))
    can_agree = row.kind == "elementwise" and row.is_ours

    def entry(a: Recorded) -> Recorded:
        x, parent = a._data, a._node
        made = new(kind)
        made._data = out = forward(x)
        if switch.count and thread.special and not _note(row, (x,), out):
            parent = None
        if parent is None:
            made._node = None
            return made
        made._node = node = Node()
        node.order, node.row = next_order(), row
        node.parents = (parent,)
        node.kept = (x if keeps_a else None, out) if keeps_out else (x,) if keeps_a else ()
        shape, dtype = out.shape, out.dtype
        node.shape, node.dtype = shape, dtype
        node.alike = can_agree and dtype is _FLOAT and parent.dtype is _FLOAT and shape == parent.shape
        node.g = None
        if switch.count:
            note_scope(node)
        return made

    return entry


def _binary(row: Row, kind: type[Recorded]) -> Function:
    """Two operands, no options."""
    forward, name, new = row.forward, row.name, kind.__new__
    only_a, only_b, with_both = _plans(*row.needs)
    copies_a, copies_b = 0 in row.needs[1], 1 in row.needs[0]
    can_agree = row.kind == "elementwise" and row.is_ours

    def entry(a: Any, b: Any) -> Recorded:
        if isinstance(a, kind):
            x, p = a._data, a._node
        else:
            x, p = as_array(a, name, copies_a), None
        if isinstance(b, kind):
            y, q = b._data, b._node
        else:
            y, q = as_array(b, name, copies_b), None
        made = new(kind)
        made._data = out = forward(x, y)
        if switch.count and thread.special and not _note(row, (x, y), out):
            p = q = None
        if p is None and q is None:
            made._node = None
            return made
        keep = only_a if q is None else only_b if p is None else with_both
        made._node = node = Node()
        node.order, node.row = next_order(), row
        node.parents, node.g = (p, q), None
        node.kept = (x if keep[0] else None, y if keep[1] else None, out if keep[2] else None) if keep else ()
        shape, dtype = out.shape, out.dtype
        node.shape, node.dtype = shape, dtype
        node.alike = (
            can_agree
            and dtype is _FLOAT
            and (p is None or (p.shape == shape and p.dtype is _FLOAT))
            and (q is None or (q.shape == shape and q.dtype is _FLOAT))
        )
        if p is None or q is None:
            node.constants = (None, _remembered(b)) if q is None else (_remembered(a), None)
        if switch.count:
            note_scope(node)
        return made

    return entry


def _plans(a: frozenset[int], b: frozenset[int]) -> list[tuple[bool, ...]]:
    """Whether a, b, out are kept: if only a is tracked, if only b is, if both are; () if none ever is."""
    plans = [tuple(k in need for k in range(3)) for need in (a, b, a | b)]
    return plans if any(plans[2]) else [(), (), ()]


def _with_options(row: Row, kind: type[Recorded]) -> Function:
    """One operand, and options."""
    forward, new, needs = row.forward, kind.__new__, row.needs[0]
    keeps_a, keeps_out, by_shape = 0 in needs, 1 in needs, bool(row.like)
    has_rule = None not in row.rules.values()

    def entry(*args: Any, **given: Any) -> Recorded:
        if len(args) == 1 and not given and not row.has_required:
            (a,), options = args, row.options  # nearly always: sum(x), x.mean()
        else:
            (a,), options = row.split(args, given)
            _settle(row, options, kind)
        x, parent = (a._data, a._node) if isinstance(a, kind) else (as_array(a, row.name), None)
        made = new(kind)
        made._data = out = forward(x, **options)
        if switch.count and thread.special and not _note(row, (x,), out):
            parent = None
        if parent is None or not has_rule or out.dtype.kind != "f":
            made._node = None  # a constant; or counted or compared, so there is nothing to differentiate
            return made
        shown = (parent if by_shape else x) if keeps_a else None
        made._node = _node(row, (parent,), (shown, out if keeps_out else None, *options.values()), out)
        return made

    return entry


def _general(row: Row, kind: type[Recorded]) -> Function:
    """Any number of operands, options, operands that only lend their shape."""
    count, new = len(row.operands), kind.__new__
    by_shape = [name in row.like for name in row.operands]
    has_rule = [rule is not None for rule in row.rules.values()]
    copied = [k in frozenset().union(*row.needs) and not by_shape[k] for k in range(count)]

    def entry(*args: Any, **given: Any) -> Recorded:
        operands, options = row.split(args, given)
        values, parents = [], []
        for k, operand in enumerate(operands):
            known = isinstance(operand, kind)
            values.append(operand._data if known else as_array(operand, row.name, copied[k]))
            parents.append(operand._node if known and has_rule[k] else None)
        _settle(row, options, kind)
        made = new(kind)
        made._data = out = row.forward(*values, **options)
        made._node = None
        recorded = not (switch.count and thread.special) or _note(row, tuple(values), out)
        tracked = [k for k, parent in enumerate(parents) if parent is not None] if recorded else []
        if not tracked or out.dtype.kind != "f":
            return made  # counted or compared: nothing to differentiate
        needed = row.needs[tracked[0]].union(*(row.needs[k] for k in tracked[1:]))
        kept = [
            None if k not in needed else (parents[k] or _like(values[k])) if by_shape[k] else values[k]
            for k in range(count)
        ]
        kept.append(out if count in needed else None)
        made._node = node = _node(row, tuple(parents), (*kept, *options.values()), out)
        if len(tracked) < count:
            node.constants = _all_remembered(operands, parents)
        return made

    return entry


def _variadic(row: Row, kind: type[Recorded]) -> Function:
    """Any number of operands in one sequence."""
    keeps_operands, keeps_out = (k in row.needs[0] for k in (0, 2))
    new = kind.__new__

    def entry(operands: Any, *args: Any, **given: Any) -> Recorded:
        (operands,), options = row.split((operands, *args), given)
        operands = tuple(operands)
        values = tuple(
            each._data if isinstance(each, kind) else as_array(each, row.name, keeps_operands)
            for each in operands
        )
        parents = tuple(each._node if isinstance(each, kind) else None for each in operands)
        made = new(kind)
        made._data = out = row.forward(values, **options)
        made._node = None
        recorded = not (switch.count and thread.special) or _note(row, values, out)
        if recorded and out.dtype.kind == "f" and any(parent is not None for parent in parents):
            likes = tuple(p or _like(v) for p, v in zip(parents, values, strict=True))
            front = (values if keeps_operands else None, likes, out if keeps_out else None)
            made._node = node = _node(row, parents, (*front, *options.values()), out)
            if None in parents:
                node.constants = _all_remembered(operands, parents)
        return made

    return entry


def _node(row: Row, parents: tuple[Node | None, ...], kept: tuple[Any, ...], out: Any) -> Node:
    node = Node()
    node.order = next_order()
    node.row, node.parents, node.kept = row, parents, kept
    node.shape, node.dtype, node.alike, node.g = out.shape, out.dtype, False, None
    if switch.count:
        note_scope(node)
    return node


def _like(value: Any) -> Like:
    array = np.asarray(value)
    return Like(array.shape, array.dtype)


def _settle(row: Row, options: dict[str, Any], kind: type[Recorded]) -> None:
    """Options as the node may keep them: constants as arrays, lists and arrays as they are now."""
    for name, value in options.items():
        if isinstance(value, kind):
            options[name] = _as_option(row, name, value)
        elif type(value) is list or (type(value) is np.ndarray and value.flags.writeable):
            options[name] = value.copy()  # the caller may change it before the pass


def _as_option(row: Row, name: str, value: Recorded) -> Any:
    if name == "like":
        return _like(value._data)
    if value._node is not None:
        raise OperandError(
            f"{row.name} takes no gradient to its option {name!r}; got a tracked Tensor of shape "
            f"{value._data.shape}. Use .detach()"
        )
    return value._data

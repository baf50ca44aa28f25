"""The adapter for Tensor: what its graph tells about values, local derivatives and gradients.

Needs the Tensor engine and graphs.py. A node lies apart from its value, so a value is known where a rule
keeps it, where its Tensor is at hand, or where little work computes it again. Read with U10.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff.backward import Leaf, Node, ancestors, by_order, differentiate
from autodiff.drawing.graphs import Graph, Operand, Vertex, output_name
from autodiff.drawing.labels import tidy
from autodiff.entries import Constant
from autodiff.primitive import Row
from autodiff.tensors import Tensor, upstream

SMALL = 4_096  # entries: what is larger is neither computed again nor differentiated for the picture
_SIGNS = frozenset(["+", "−", "×", "÷", "@", "**", "//", "1/", "Σ", "Π", "σ", "√", "²", "∛"])


def read(x: Tensor, g: Any = None, name: str | None = None) -> Graph:
    """The graph of `x`; with `g`, also local derivatives and gradients, starting from it.

    Nothing is freed and no `.grad` touched. Errors: FreedGraphError where a backward pass has cleared it.

    >>> from autodiff import tensor
    >>> w = tensor([1.0, 2.0], name="w")
    >>> [(vertex.text, vertex.gradient_text) for vertex in read((w * w).sum(), 1.0).vertices]
    [('[1, 2]', '[2, 4]'), ('[1, 4]', '[1, 1]'), ('5', '1')]
    """
    root = x._node
    if root is None:
        return Graph((_constant(x.data, x.name),))
    order = sorted(ancestors(root), key=by_order)
    gradients: dict[Node, Any] = {}
    if g is not None:
        gradients = differentiate(root, order, upstream(x, start(x, g)), None, record=False)[0]
    return _Reader(x, order, gradients, name).graph()


def start(x: Tensor, g: Any) -> Any:
    """The gradient that a picture starts from where none is given: ones."""
    return np.full(x.shape, g, x.dtype) if np.ndim(g) == 0 else g


class _Reader:
    """One reading: values by node, and the vertices so far."""

    def __init__(self, x: Tensor, order: list[Node], gradients: dict[Node, Any], name: str | None) -> None:
        self.order, self.gradients = order, gradients
        self.values = values_of(x, order)
        self.vertices: list[Vertex] = []
        self.at: dict[Node, int] = {}
        self.data: dict[int, int] = {}  # constant arrays, by identity
        taken = {getattr(node, "name", None) for node in order[:-1]}
        self.last = output_name(taken, name if name is not None else x.name)
        self.unnamed = (f"leaf{k}" for k in range(1, len(order) + 1) if f"leaf{k}" not in taken)

    def graph(self) -> Graph:
        for node in self.order:
            operands = tuple(self._operand(node, k) for k in range(len(node.parents)))
            self.at[node] = len(self.vertices)
            self.vertices.append(self._vertex(node, operands))
        return Graph(tuple(self.vertices))

    def _vertex(self, node: Node, operands: tuple[Operand, ...]) -> Vertex:
        row, name = node.row, getattr(node, "name", None)
        more: dict[str, Any] = {
            "value": self.values.get(node),
            "gradient": self.gradients.get(node),
            "shape": node.shape,
            "dtype": str(node.dtype),
            "scope": getattr(node, "scope", ()),
            "key": node,
        }
        if row is None:
            return Vertex("parameter", next(self.unnamed) if name is None else tidy(name), **more)
        is_last = node is self.order[-1]
        return Vertex(
            "output" if is_last else "operation",
            self.last if is_last else "" if name is None else tidy(name),
            sign(row),
            row.name,
            _options(row, node.kept),
            operands=operands,
            maps=row.kind == "elementwise",
            **more,
        )

    def _operand(self, node: Node, k: int) -> Operand:
        parent = node.parents[k]
        if parent is None:
            return Operand(self._constant(node, k))
        asked = node in self.gradients and self.gradients[node] is not None
        return Operand(self.at[parent], True, _partial(node, k) if asked else None)

    def _constant(self, node: Node, k: int) -> int:
        """The position of an operand that isn't tracked; an array that was met before is met again."""
        known = _kept_operand(node, k)
        remembered = getattr(node, "constants", (None,) * len(node.parents))[k]
        name = remembered.name if isinstance(remembered, Constant) else None
        if known is None and isinstance(remembered, float | int):
            known = remembered
        if known is not None and id(known) in self.data:
            return self.data[id(known)]
        if known is None and isinstance(remembered, Constant):
            kind = "data" if name is not None or remembered.shape else "constant"
            vertex = Vertex(
                kind,  # type: ignore[arg-type]
                "" if name is None else tidy(name),
                shape=remembered.shape,
                dtype=str(remembered.dtype),
                scope=getattr(node, "scope", ()),
            )
        else:
            vertex = _constant(known, name, getattr(node, "scope", ()))
        self.vertices.append(vertex)
        if isinstance(known, np.ndarray):
            self.data[id(known)] = len(self.vertices) - 1
        return len(self.vertices) - 1


def _constant(value: Any, name: str | None, scope: tuple[str, ...] = ()) -> Vertex:
    array = np.asarray(value)
    number = array.ndim == 0 and name is None
    return Vertex(
        "constant" if number else "data",
        "" if name is None else tidy(name),
        value=float(array) if number else array,
        shape=array.shape,
        dtype="" if number else str(array.dtype),
        scope=scope,
    )


def sign(row: Row) -> str:
    """What a picture calls a row: its symbol where everybody reads it, else its name."""
    return row.symbol if row.symbol in _SIGNS or row.symbol.isalpha() else row.name


def _options(row: Row, kept: Any) -> str:
    """The options that differ from their defaults, where they are short: axis=0."""
    given = zip(row.options.items(), _options_kept(row, kept), strict=False)
    said = []
    for (name, default), value in given:
        plain = isinstance(value, str | int | tuple | list | slice | np.integer)
        if plain and (type(value) is not type(default) or value != default):
            said.append(f"{name}={value}" if name not in ("shape", "key") else str(value))
    text = ", ".join(said)
    return text if len(text) <= 24 else ""


def _options_kept(row: Row, kept: Any) -> tuple[Any, ...]:
    front = 2 if row.is_variadic else len(row.operands)
    return tuple(kept[front + 1 :]) if kept and row.options else ()


# --- values -----------------------------------------------------------------------------------------------


def values_of(x: Tensor, order: Iterable[Node]) -> dict[Node, Any]:
    """The arrays of these nodes (oldest first), as far as they are known."""
    values: dict[Node, Any] = {}
    used: dict[Node, int] = {}  # when a node was first used
    order = list(order)
    for node in order:
        for k, parent in enumerate(node.parents):
            if parent is not None:
                used.setdefault(parent, node.order)
                _put(values, parent, _kept_operand(node, k))
        _put(values, node, _kept_out(node))
    _put(values, x._node, x._data)
    for node in order:
        if node in values:
            continue
        if isinstance(node, Leaf):
            owner = getattr(node, "owner", lambda: None)()
            if owner is not None and node.changed < used.get(node, node.changed + 1):
                values[node] = owner._data
        else:
            _put(values, node, _again(node, values))
    return values


def _put(values: dict[Node, Any], node: Any, value: Any) -> None:
    if value is not None and node not in values and np.shape(value) == node.shape:
        values[node] = np.asarray(value)


def _is_value(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic | float | int)


def _kept_operand(node: Node, k: int) -> Any:
    kept = node.kept
    if kept and node.row is not None and node.row.is_variadic:
        kept = kept[0]
    value = kept[k] if kept and k < len(kept) else None
    return value if _is_value(value) else None


def _kept_out(node: Node) -> Any:
    if node.row is None or not node.kept or not node.row.operands:
        return None
    place = 2 if node.row.is_variadic else len(node.row.operands)
    value = node.kept[place] if place < len(node.kept) else None
    return value if _is_value(value) else None


def _again(node: Node, values: dict[Node, Any]) -> Any:
    """The value computed again, where that is little work and all operands are known."""
    row = node.row
    if row is None or not row.operands or np.prod(node.shape, dtype=float) > SMALL:
        return None
    operands = []
    for k, parent in enumerate(node.parents):
        value: Any = values.get(parent) if parent is not None else _kept_operand(node, k)
        if value is None and parent is None:
            value = getattr(node, "constants", (None,) * len(node.parents))[k]
        if not _is_value(value) or np.size(value) > SMALL:
            return None
        operands.append(value)
    options = dict(zip(row.options, _options_kept(row, node.kept), strict=False))
    with np.errstate(all="ignore"):
        return row.forward(operands, **options) if row.is_variadic else row.forward(*operands, **options)


def _partial(node: Node, k: int) -> Any:
    """The local derivative for operand k, where it is one number per entry; None where it isn't."""
    row = node.row
    if row is None or not row.rules or row.is_variadic or not (row.kind == "elementwise" or not node.shape):
        return None
    operand = node.parents[k]
    if operand is None or max(np.prod(node.shape, dtype=float), np.prod(operand.shape, dtype=float)) > SMALL:
        return None
    with np.errstate(all="ignore"):
        partial = np.asarray(row.vjps[k](np.ones(node.shape, node.dtype), node.kept))
    shape = node.shape or operand.shape
    return np.broadcast_to(partial, np.broadcast_shapes(partial.shape, shape))

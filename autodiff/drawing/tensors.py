"""The adapter for Tensor: what its graph tells about values, local derivatives and gradients.

Needs the Tensor engine, tensor_values.py and graphs.py. The backward pass is recorded like any other
computation, and read off in the same way. Read with U10.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.backward import Node, ancestors, by_order, differentiate
from autodiff.drawing.graphs import Graph, Operand, Vertex, output_name
from autodiff.drawing.labels import gradient_name, tidy
from autodiff.drawing.scopes import Path, mirrored, scopes_of, with_scopes_of_leaves
from autodiff.drawing.tensor_values import kept_operand, options_of, partial_of, values_of
from autodiff.drawing.values import shape_text
from autodiff.entries import Constant
from autodiff.primitive import Row
from autodiff.recording import recording
from autodiff.tensors import Tensor, make, tensor, upstream
from autodiff.threads import next_order, thread

_SIGNS = frozenset(["+", "−", "×", "÷", "@", "**", "//", "1/", "Σ", "Σ↓", "Π", "σ", "√", "∛"])

_SHORT = (str, int, tuple, list, np.integer)  # what an option may be to be shown
_HIDDEN = frozenset(["cuts"])  # options that follow from the operands
MOST_COMPARED = 100_000  # entries


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
        gradients = differentiate(root, order, upstream(x, _start(x, g)), None, record=False)[0]
    reader = _Reader(order, {root: x._data}, gradients, scopes_of(order))
    reader.name_leaves(name if name is not None else x.name)
    return Graph(tuple(with_scopes_of_leaves(reader.read(order))))


def read_backward(x: Tensor, g: Any, name: str | None = None) -> Graph:
    """The graph of `x` and behind it the recorded backward pass: from g to the gradient of each leaf.

    >>> from autodiff import tensor
    >>> w = tensor(3.0, name="w")
    >>> [vertex.name or vertex.symbol for vertex in read_backward(w * w, 1.0).vertices]
    ['w', 'y', 'g', '×', '×', '+', 'dy/dw']
    """
    root = x._node
    if root is None:
        return read(x)
    forward = sorted(ancestors(root), key=by_order)
    leaves = [node for node in forward if node.row is None]
    seed = tensor(upstream(x, _start(x, g)), name="g")  # a variable, so that the whole pass is recorded
    served: list[tuple[int, Node]] = []  # when, and whom
    with recording(True):
        thread.serving = lambda node: served.append((next_order(), node))
        found = differentiate(root, leaves, seed, make, record=True)[0]
    ends = {leaf: end for leaf, end in found.items() if isinstance(end, Tensor) and end._node is not None}
    met = set(forward)
    for end in ends.values():
        met |= ancestors(end._node, stop=met)  # type: ignore[arg-type]  # so that nothing is walked twice
    order = sorted(met, key=by_order)
    at_hand = {root: x._data, **{end._node: end._data for end in ends.values()}}
    reader = _Reader(order, at_hand, {}, _scopes_backward(forward, order, served))
    reader.name_leaves(name if name is not None else x.name)
    vertices = with_scopes_of_leaves(reader.read(order, last=root, seed=seed._node))
    for leaf, end in ends.items():
        it = vertices[reader.at[leaf]]
        named = gradient_name(vertices[reader.at[root]].name, it.name)
        seat = Operand(reader.at[end._node], True)  # type: ignore[index]
        form = {"shape": leaf.shape, "dtype": str(leaf.dtype), "scope": mirrored(it.scope)}
        vertices.append(Vertex("gradient", named, value=end._data, operands=(seat,), **form))  # type: ignore[arg-type]
    return Graph(tuple(vertices))


def _start(x: Tensor, g: Any) -> Any:
    """The gradient that a picture starts from: a number stands for an array that is full of it."""
    return np.full(x.shape, g, x.dtype) if isinstance(g, float | int) else g


class _Reader:
    """One reading: values by node, and the vertices so far."""

    def __init__(
        self,
        order: Sequence[Node],
        at_hand: Mapping[Any, Any],
        gradients: Mapping[Node, Any],
        scopes: Mapping[Node, Path],
    ) -> None:
        self.gradients, self.scopes = gradients, scopes
        self.values = values_of(order, at_hand)
        self.vertices: list[Vertex] = []
        self.at: dict[Node, int] = {}
        self.data: dict[Any, int] = {}  # constant arrays
        self.taken = {getattr(node, "name", None) for node in order}

    def name_leaves(self, name: object) -> None:
        """What the result is to be called, and the leaves that have no name."""
        self.result = output_name(self.taken, name)
        free = (f"leaf{k}" for k in range(1, len(self.taken) + 2))
        self.unnamed = (each for each in free if each not in self.taken)

    def read(self, order: Sequence[Node], last: Node | None = None, seed: Node | None = None) -> list[Vertex]:
        """The vertices of these nodes; `seed` is where the backward pass begins, if it is among them."""
        last = last or order[-1]
        self.by_entries = seed is not None
        for node in order:
            operands = tuple(self._operand(node, k) for k in range(len(node.parents)))
            self.at[node] = len(self.vertices)
            self.vertices.append(self._vertex(node, operands, last, seed))
        return self.vertices

    def _vertex(self, node: Node, operands: tuple[Operand, ...], last: Node, seed: Node | None) -> Vertex:
        row, name = node.row, getattr(node, "name", None)
        backward = seed is not None and node.order >= seed.order
        more: dict[str, Any] = {
            "value": self.values.get(node),
            "gradient": self.gradients.get(node),
            "shape": node.shape,
            "dtype": str(node.dtype),
            "scope": self.scopes[node],
            "key": node,
        }
        if row is None:
            called = next(self.unnamed) if name is None else tidy(name)
            return Vertex("gradient" if backward else "parameter", called, **more)
        return Vertex(
            "gradient" if backward else "output" if node is last else "operation",
            self.result if node is last else "" if name is None else tidy(name),
            sign(row),
            row.name,
            _detail(node, row),
            operands=operands,
            maps=row.kind == "elementwise",
            **more,
        )

    def _operand(self, node: Node, k: int) -> Operand:
        parent = node.parents[k]
        if parent is None:
            return Operand(self._constant(node, k))
        asked = self.gradients.get(node) is not None
        return Operand(self.at[parent], True, partial_of(node, k) if asked else None)

    def _constant(self, node: Node, k: int) -> int:
        """The position of an operand that isn't tracked; an array that was met before is met again."""
        known = kept_operand(node, k)
        remembered = getattr(node, "constants", (None,) * len(node.parents))[k]
        name = remembered.name if isinstance(remembered, Constant) else None
        if known is None and isinstance(remembered, float | int):
            known = remembered
        if isinstance(known, np.ndarray) and known.size > 1:
            for mark in self._marks(known):
                if mark in self.data:
                    return self.data[mark]
            self.data.update(dict.fromkeys(self._marks(known), len(self.vertices)))
        if known is None and isinstance(remembered, Constant):
            self.vertices.append(_unknown(remembered, self.scopes[node]))
        else:
            self.vertices.append(_constant(known, name, self.scopes[node]))
        return len(self.vertices) - 1

    def _marks(self, array: Any) -> list[Any]:
        """By what an array is known again; in a backward pass, whose rules keep copies, by its entries."""
        if not self.by_entries or array.size > MOST_COMPARED:
            return [id(array)]
        turned = [array, array.swapaxes(-1, -2)] if array.ndim > 1 else [array]
        return [id(array), *((each.shape, each.tobytes()) for each in turned)]


def _scopes_backward(
    forward: Sequence[Node], order: Iterable[Node], served: Sequence[tuple[int, Node]]
) -> dict[Node, Path]:
    """What a rule recorded stands in the mirror of the scopes of its node."""
    scopes = scopes_of(forward)
    begun = [began for began, _ in served]
    for node in order:
        if node not in scopes:
            k = bisect(begun, node.order)
            scopes[node] = mirrored(scopes[served[k - 1][1]]) if k else ()
    return scopes


def _unknown(it: Constant, scope: Path) -> Vertex:
    """An operand of which only name, shape and dtype are remembered."""
    form = {"shape": it.shape, "dtype": str(it.dtype), "scope": scope}
    if it.name is None and not it.shape:
        return Vertex("constant", **form)  # type: ignore[arg-type]
    return Vertex("data", "" if it.name is None else tidy(it.name), **form)  # type: ignore[arg-type]


def _constant(value: Any, name: str | None, scope: Path = ()) -> Vertex:
    array = np.asarray(value)
    if array.ndim == 0 and name is None:
        return Vertex("constant", value=float(array), shape=(), scope=scope)
    named = "" if name is None else tidy(name)
    return Vertex("data", named, value=array, shape=array.shape, dtype=str(array.dtype), scope=scope)


def sign(row: Row) -> str:
    """What a picture calls a row: its symbol where everybody reads it, else its name."""
    if row.symbol == "ᵀ":
        return "transpose"
    return row.symbol if row.symbol in _SIGNS or row.symbol.isalpha() else row.name


def _detail(node: Node, row: Row) -> str:
    """The options that differ from their defaults, where they are short; how a gradient changes its shape."""
    if row.name in ("unbroadcast", "stretch") and node.parents[0] is not None:
        return f"{shape_text(node.parents[0].shape) or '()'}→{shape_text(node.shape) or '()'}"
    options = options_of(row, node.kept)
    if row.symbol == "ᵀ" and options in ((None,), (0, 1), (1, 0), (-1, -2), (-2, -1)):
        return ""
    said = []
    for (name, default), value in zip(row.options.items(), options, strict=False):
        if name == "key":
            said.append(f"[{_key(value)}]")
        elif name == "shape":
            said.append(str(tuple(value)) if isinstance(value, list) else str(value))
        elif name in _HIDDEN or not isinstance(value, _SHORT):
            continue
        elif type(value) is not type(default) or value != default:
            said.append(f"{name}={value}")
    text = ", ".join(said).replace("-", "−")
    return text if len(text) <= 24 else ""


def _key(key: Any) -> str:
    """An index as it is written: 0:2, 1."""
    if isinstance(key, tuple):
        return ", ".join(map(_key, key))
    if isinstance(key, slice):
        ends = ("" if end is None else str(end) for end in (key.start, key.stop))
        return ":".join((*ends, *(() if key.step is None else (str(key.step),))))
    return "..." if key is Ellipsis else str(key) if key is None or isinstance(key, _SHORT) else "array"

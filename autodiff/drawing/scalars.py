"""The adapter for Scalar: its graph as a Description, forward or with gradients.

Needs scalar.py and graph.py of the package, description.py and words.py here. Adds what is written on
nodes and edges. Read with U4 (local derivatives on edges) and U6 (the gradient that arrives at a node).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from autodiff.drawing import words
from autodiff.drawing.description import Description, Edge, Kind, NodeBox
from autodiff.drawing.labels import number, tidy
from autodiff.graph import topological_order
from autodiff.scalar import Scalar

VIEWS = ("forward", "gradient")
CAPTION = (
    "g: the gradient that arrives at a node",
    "∂: the local derivative along an edge",
    "dashed: g × ∂ flows back to the operand",
)


@dataclass(frozen=True)
class _Picture:
    """What the texts of one picture depend on: the output, its name, and the gradients to show."""

    out: Scalar
    name: str
    totals: dict[Scalar, float]  # only nodes that a parameter leads to; empty in the forward view

    def box(self, node: Scalar, position: int) -> NodeBox:
        """The node with the texts of this view."""
        value, total = number(node.value), self.totals.get(node)
        symbol = node.rule.symbol if node.rule else ""
        kind: Kind = "operation" if symbol else "constant"
        name = ""
        if not symbol and node.name is not None:
            kind, name = "parameter", tidy(node.name)
        elif symbol and node is self.out:
            kind, name = "output", self.name
        lines = [symbol] if symbol else []
        lines.append(f"{name} = {value}" if name else value)
        gradient = "" if total is None else number(total)
        if gradient:
            lines.append(f"g = {gradient}")
        alarm = not all(math.isfinite(each) for each in (node.value, total or 0.0))
        return NodeBox(f"n{position}", kind, tuple(lines), name, symbol, value, gradient, alarm)

    def edge(self, source: str, target: str, operand: Scalar | float, partial: float) -> Edge:
        """The edge from an operand; one that no gradient needs to take back stays a plain line."""
        if operand in self.totals:
            return Edge(source, target, f"∂ = {number(partial)}", backward=True)
        return Edge(source, target)


def describe(x: Scalar, view: str, g: float, name: str | None) -> Description:
    """The graph of `x` for drawing: values in the forward view, g and local derivatives in the other.

    Constants get no gradient, nor does anything that only constants lead to: nobody asks for it.

    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> describe(a * b + 1, "gradient", 1.0, None).words
    'y = a × b + 1: value 3. Two parameters: a = 1, b = 2. Gradient: dy/da = 2, dy/db = 1.'
    """
    order = topological_order(x)
    totals = _totals_of_interest(x, order, g) if view == "gradient" else {}
    picture = _Picture(x, _output_name(order, name), totals)
    nodes: list[NodeBox] = []
    edges: list[Edge] = []
    ids: dict[Scalar, str] = {}
    for node in order:
        sources = []
        for operand in node.operands:
            if not isinstance(operand, Scalar):  # a plain number gets a node of its own, just before its user
                text = number(operand)
                nodes.append(NodeBox(f"n{len(nodes)}", "constant", (text,), value=text))
            sources.append(ids[operand] if isinstance(operand, Scalar) else nodes[-1].id)
        ids[node] = f"n{len(nodes)}"
        nodes.append(picture.box(node, len(nodes)))
        partials = node.local_derivatives() if node in totals else (0.0, 0.0)
        for operand, source, partial in zip(node.operands, sources, partials, strict=False):
            edges.append(picture.edge(source, ids[node], operand, partial))
    title = words.title(nodes, edges)
    return Description(
        title=f"Gradient of {title}" if view == "gradient" else title,
        words=words.sentences(nodes, edges, number(g) if view == "gradient" else ""),
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=CAPTION if any(edge.backward for edge in edges) else (),
    )


def _totals_of_interest(x: Scalar, order: list[Scalar], g: float) -> dict[Scalar, float]:
    totals = x.gradients(g)
    reached: set[Scalar] = set()
    for node in order:
        if node.name is not None or not reached.isdisjoint(node.parents):
            reached.add(node)
    return {node: totals[node] for node in order if node in reached}


def _output_name(order: list[Scalar], name: str | None) -> str:
    if name is not None:
        return tidy(name)
    return next(free for free in _possible_names() if free not in {node.name for node in order})


def _possible_names() -> Iterator[str]:
    yield from ("y", "z", "out")
    position = 1
    while True:
        yield f"out{position}"
        position += 1

"""The adapter for Scalar: what its graph tells about values, local derivatives and gradients.

Needs scalar.py and graph.py of the package, graphs.py here. Read with U4 (local derivatives) and U6 (the
gradient that arrives at a node).
"""

from __future__ import annotations

from autodiff.drawing.graphs import Graph, Operand, Vertex, output_name
from autodiff.drawing.labels import tidy
from autodiff.graph import topological_order
from autodiff.scalar import Scalar


def read(x: Scalar, g: float | None = None, name: str | None = None) -> Graph:
    """The graph of `x`; with `g`, also local derivatives and gradients, starting from it.

    Constants get no gradient, nor does anything that only constants lead to: nobody asks for it. A plain
    number among the operands is a vertex of its own, just before its user.

    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> [(vertex.text, vertex.gradient_text) for vertex in read(a * b, 1.0).vertices]
    [('1', '2'), ('2', '1'), ('2', '1')]
    """
    order = topological_order(x)
    tracked = _tracked(order)
    totals = {} if g is None else x.gradients(g)
    last = output_name({node.name for node in order}, name)
    vertices: list[Vertex] = []
    at: dict[Scalar, int] = {}
    for node in order:
        asked = g is not None and node in tracked
        partials = node.local_derivatives() if asked else ()
        seats = []
        for k, operand in enumerate(node.operands):
            if isinstance(operand, Scalar):
                known = partials[k] if partials and operand in tracked else None
                seats.append(Operand(at[operand], operand in tracked, known))
            else:
                vertices.append(Vertex("constant", value=float(operand)))
                seats.append(Operand(len(vertices) - 1))
        at[node] = len(vertices)
        gradient = totals[node] if asked else None
        vertices.append(_vertex(node, last if node is x else "", tuple(seats), gradient))
    return Graph(tuple(vertices))


def _tracked(order: list[Scalar]) -> set[Scalar]:
    """The named leaves, and all that they lead to."""
    tracked: set[Scalar] = set()
    for node in order:
        if node.name is not None or not tracked.isdisjoint(node.parents):
            tracked.add(node)
    return tracked


def _vertex(node: Scalar, last: str, seats: tuple[Operand, ...], gradient: float | None) -> Vertex:
    if node.rule is None:
        if node.name is None:
            return Vertex("constant", value=node.value, gradient=gradient, key=node)
        return Vertex("parameter", tidy(node.name), value=node.value, gradient=gradient, key=node)
    return Vertex(
        "output" if last else "operation",
        last,
        node.rule.symbol,
        node.rule.name,
        value=node.value,
        gradient=gradient,
        operands=seats,
        key=node,
    )

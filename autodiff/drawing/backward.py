"""The view "backward": the backward pass as a graph of its own, beside the forward one.

Needs graphs.py, forward.py (what is written on a node) and words.py. Edges lead from the values that the
rules kept. Read with U6 (one ordered pass) and U10 (rules that run on recorded values).
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff.drawing import words
from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.forward import box, brief, stretched
from autodiff.drawing.graphs import Graph

CAPTION = (
    "dashed: the backward pass, from the result to the parameters",
    "dotted: a value of the forward pass, kept because a rule needs it",
)


def describe(graph: Graph, show: str = "values", drawn: Graph | None = None) -> Description:
    """The picture of a graph in which the backward pass is recorded, too.

    Its edges lead from the later value to the earlier one, with the arrow at their beginning: so each
    gradient stands beneath what it belongs to.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read_backward
    >>> describe(read_backward(Scalar(3.0, name="x") * 2, 1.0)).words
    'Backward pass of y = x × 2: from g = 1 in one step to dy/dx = 2.'
    """
    folded = drawn is not None and len(drawn.vertices) < len(graph.vertices)
    if folded and len(graph.vertices) > words.LONGEST_FORMULA:
        nodes, edges = brief(graph, show), list[Edge]()
    else:
        nodes, edges = _parts(graph, show)
    forward = [node for node in nodes if node.kind != "gradient"]
    # Constants that only the backward pass uses stand behind the result, which title() takes for the last.
    out = next((k for k, node in enumerate(forward) if node.kind == "output"), 0)
    title = words.title(forward[: out + 1], [edge for edge in edges if not (edge.backward or edge.kept)])
    told = words.backward_sentence(title, nodes, _held(graph))
    if drawn is not None:
        told += words.collapsed_sentence(len(nodes), len(drawn.vertices)) if folded else ""
        nodes, edges = _parts(drawn, show)
    return Description(
        title=f"Backward pass of {title}",
        words=told,
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=CAPTION if any(edge.backward for edge in edges) else (),
    )


def _held(graph: Graph) -> int:
    """How many values of the forward pass the backward pass needs; numbers in the program apart."""
    kinds = [vertex.kind for vertex in graph.vertices]
    held = {
        seat.at
        for vertex in graph.vertices
        if vertex.kind == "gradient"
        for seat in vertex.operands
        if kinds[seat.at] not in ("gradient", "constant")
    }
    return len(held)


def _parts(graph: Graph, show: str) -> tuple[list[NodeBox], list[Edge]]:
    boxes = [box(vertex, k, show) for k, vertex in enumerate(graph.vertices)]
    return boxes, list(_edges(graph))


def _edges(graph: Graph) -> Iterator[Edge]:
    flows: list[bool] = []  # whether a gradient flows through a vertex; the seed has no operand
    for k, vertex in enumerate(graph.vertices):
        below = any(flows[seat.at] for seat in vertex.operands)
        flows.append(vertex.kind == "gradient" and (below or not vertex.operands))
        for seat in vertex.operands:
            operand = graph.vertices[seat.at]
            ends = f"n{seat.at}", f"n{k}"
            if vertex.kind != "gradient":
                yield Edge(*ends, stretched(operand, vertex))
            elif flows[seat.at]:
                yield Edge(ends[1], ends[0], backward=True)
            else:
                yield Edge(*ends, kept=True)

"""The view "backward": the backward pass as a graph of its own, beside the forward one.

Needs graphs.py, forward.py (what is written on a node) and words.py. Edges lead from the values that the
rules kept. Read with U6 (one ordered pass) and U10 (rules that run on recorded values).
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff.drawing import words
from autodiff.drawing.description import Description, Edge
from autodiff.drawing.forward import box, stretched
from autodiff.drawing.graphs import Graph

CAPTION = (
    "dashed: the backward pass, from the result to the parameters",
    "dotted: a value of the forward pass, kept because a rule needs it",
)


def describe(graph: Graph, show: str = "values") -> Description:
    """The picture of a graph in which the backward pass is recorded, too.

    Its edges lead from the later value to the earlier one, with the arrow at their beginning: so each
    gradient stands beneath what it belongs to.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read_backward
    >>> describe(read_backward(Scalar(3.0, name="x") * 2, 1.0)).words
    'Backward pass of y = x × 2: from g = 1 in one step to dy/dx = 2.'
    """
    nodes = [box(vertex, k, show) for k, vertex in enumerate(graph.vertices)]
    edges = list(_edges(graph))
    forward = [node for node in nodes if node.kind != "gradient"]
    ids = {node.id for node in forward}
    inside = [edge for edge in edges if edge.source in ids and edge.target in ids]
    # Constants that only the backward pass uses stand behind the result, which title() takes for the last.
    out = next(k for k, node in enumerate(forward) if node.kind == "output" or len(forward) == 1)
    title = words.title(forward[: out + 1], inside)
    return Description(
        title=f"Backward pass of {title}",
        words=words.backward_sentence(title, nodes, edges),
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=CAPTION if any(edge.backward for edge in edges) else (),
    )


def _edges(graph: Graph) -> Iterator[Edge]:
    for k, vertex in enumerate(graph.vertices):
        for seat in vertex.operands:
            operand = graph.vertices[seat.at]
            ends = f"n{seat.at}", f"n{k}"
            if vertex.kind != "gradient":
                yield Edge(*ends, stretched(operand, vertex))
            elif operand.kind == "gradient":
                yield Edge(ends[1], ends[0], backward=True)
            else:
                yield Edge(*ends, kept=True)

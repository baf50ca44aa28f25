"""The views "forward" and "gradient": what is written on the nodes and edges of a graph, for every engine.

Needs graphs.py, description.py and words.py. Read with U2 (values), U4 (local derivatives on edges) and
U6 (the gradient that arrives at a node).
"""

from __future__ import annotations

from typing import Any

from autodiff.drawing import words
from autodiff.drawing.derivatives import RULES, written
from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.graphs import Graph, Operand, Vertex
from autodiff.drawing.labels import number, rows
from autodiff.drawing.values import range_of, shape_text, short_text, strip, strip_text, value_text

CAPTION = (
    "g: the gradient that arrives at a node",
    "∂: the local derivative along an edge",
    "dashed: g × ∂ flows back to the operand",
)


def describe(
    graph: Graph, view: str, show: str = "values", g: str = "", drawn: Graph | None = None
) -> Description:
    """The graph as a picture shows it; `g` says what the gradient starts from, for the words.

    `drawn` is the graph collapsed: the picture shows that, the words tell of the whole.

    >>> from autodiff.drawing.scalars import read
    >>> from autodiff import Scalar
    >>> describe(read(Scalar(2.0, name="x") * 3), "forward").words
    'y = x × 3: value 6. One parameter: x = 2.'
    """
    gradients = view == "gradient"
    folded = drawn is not None and len(drawn.vertices) < len(graph.vertices)
    if folded and len(graph.vertices) > words.LONGEST_FORMULA:
        nodes, edges = brief(graph, show, gradients), list[Edge]()
    else:
        nodes, edges = _parts(graph, show, gradients)
    title, told = words.title(nodes, edges), words.sentences(nodes, edges, g if gradients else "")
    if drawn is not None:
        told += words.collapsed_sentence(len(nodes), len(drawn.vertices)) if folded else ""
        nodes, edges = _parts(drawn, show, gradients)
    return Description(
        title=f"Gradient of {title}" if gradients else title,
        words=told,
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=CAPTION if any(edge.backward for edge in edges) else (),
    )


def _parts(graph: Graph, show: str, gradients: bool) -> tuple[list[NodeBox], list[Edge]]:
    nodes = [box(vertex, k, show, gradients) for k, vertex in enumerate(graph.vertices)]
    return nodes, [
        _edge(graph, seat, place, k, gradients)
        for k, vertex in enumerate(graph.vertices)
        for place, seat in enumerate(vertex.operands)
    ]


def brief(graph: Graph, show: str, gradients: bool = False) -> list[NodeBox]:
    """As much of the nodes of a large graph as the words need."""
    return [
        box(vertex, k, show, gradients)
        if not vertex.symbol or vertex.kind == "output"
        else NodeBox(f"n{k}", vertex.kind, (), symbol=vertex.symbol, alarm=vertex.alarm)
        for k, vertex in enumerate(graph.vertices)
    ]


def box(vertex: Vertex, position: int, show: str = "values", gradients: bool = False) -> NodeBox:
    """The node with the texts of a view: symbol, name and shape, value, gradient; a line for each."""
    symbol, form = vertex.symbol, vertex.form
    value = value_text(vertex.value) if show == "values" or vertex.kind == "constant" else ""
    gradient = short_text(vertex.gradient) if gradients else ""
    lines = [f"{symbol} {vertex.detail}".rstrip()] if symbol else []
    lines += [vertex.folded] if vertex.folded else []
    if vertex.shape or show == "shapes":  # an array's values get a line of their own
        # Statistics on two lines, a matrix row by row: what is narrow stays readable.
        shown = rows(value.replace(", mean", "\nmean"))
        lines += [text for text in (f"{vertex.name} {form}".strip(), *shown) if text]
    elif value or not vertex.folded:
        dtype = f" {form}" if form else ""
        known = value or "?"
        lines.append(f"{vertex.name}{dtype} = {known}" if vertex.name else f"{known}{dtype}")
    cells = strip(vertex.value) if show == "values" else ()
    if cells:
        lines.append(strip_text(cells))
    if gradient:
        lines += rows(f"g = {gradient}")
    return NodeBox(
        f"n{position}",
        vertex.kind,
        tuple(lines) or ("()",),
        vertex.name,
        symbol,
        value or form or "()",
        form,
        gradient,
        vertex.alarm if show == "values" else False,
        strip=cells,
        scope=vertex.scope,
        count=vertex.count,
    )


def _edge(graph: Graph, seat: Operand, place: int, target: int, gradients: bool) -> Edge:
    """The edge from an operand; one that no gradient needs to take back stays a plain line."""
    operand, result = graph.vertices[seat.at], graph.vertices[target]
    ends = f"n{seat.at}", f"n{target}"
    shapes = stretched(operand, result)
    if not gradients or operand.gradient is None or not seat.tracked:
        return Edge(*ends, shapes)
    known = seat.partial is not None
    local = f"∂ = {_one_or_all(seat.partial)}" if known else _product(graph, result, place)
    back = f"Σ {shape_text(result.shape)}→{shape_text(operand.shape) or '()'}" if shapes else ""
    return Edge(*ends, "\n".join(text for text in (local, back) if text), backward=True)


def _product(graph: Graph, result: Vertex, place: int) -> str:
    """What flows back through a product of matrices: Xᵀ @ g; "" where its operand has no name."""
    if result.rule != "matmul":
        return ""
    formula = RULES["matmul"][place]
    other = graph.vertices[result.operands[1 - place].at].name
    return written(formula, {"a": other, "b": other}) if other else ""


def _one_or_all(partial: Any) -> str:
    """A local derivative; one number where it is the same for all entries."""
    span = range_of([partial])
    return number(span.low) if span and span.low == span.high else short_text(partial)


def stretched(operand: Vertex, result: Vertex) -> str:
    """From which shape to which an operand is broadcast: (3,)→(2, 3); "" where it isn't."""
    broadcasts = result.maps and operand.kind != "constant" and operand.shape is not None
    if not broadcasts or operand.shape == result.shape:
        return ""
    return f"{shape_text(operand.shape) or '()'}→{shape_text(result.shape)}"

"""The views "forward" and "gradient": what is written on the nodes and edges of a graph, for every engine.

Needs graphs.py, description.py and words.py. Read with U2 (values), U4 (local derivatives on edges) and
U6 (the gradient that arrives at a node).
"""

from __future__ import annotations

from autodiff.drawing import words
from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.graphs import Graph, Operand, Vertex
from autodiff.drawing.values import shape_text, strip, strip_text, value_text

CAPTION = (
    "g: the gradient that arrives at a node",
    "∂: the local derivative along an edge",
    "dashed: g × ∂ flows back to the operand",
)


def describe(graph: Graph, view: str, show: str = "values", g: str = "") -> Description:
    """The graph as a picture shows it; `g` says what the gradient starts from, for the words.

    >>> from autodiff.drawing.scalars import read
    >>> from autodiff import Scalar
    >>> describe(read(Scalar(2.0, name="x") * 3), "forward").words
    'y = x × 3: value 6. One parameter: x = 2.'
    """
    gradients = view == "gradient"
    nodes = [box(vertex, k, show, gradients) for k, vertex in enumerate(graph.vertices)]
    edges = [
        _edge(graph, seat, k, gradients)
        for k, vertex in enumerate(graph.vertices)
        for seat in vertex.operands
    ]
    title = words.title(nodes, edges)
    return Description(
        title=f"Gradient of {title}" if gradients else title,
        words=words.sentences(nodes, edges, g if gradients else ""),
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=CAPTION if any(edge.backward for edge in edges) else (),
    )


def box(vertex: Vertex, position: int, show: str = "values", gradients: bool = False) -> NodeBox:
    """The node with the texts of a view: symbol, name and shape, value, gradient; a line for each."""
    symbol, form = vertex.symbol, vertex.form
    value = value_text(vertex.value) if show == "values" or vertex.kind == "constant" else ""
    gradient = vertex.gradient_text if gradients else ""
    lines = [f"{symbol} {vertex.detail}".rstrip()] if symbol else []
    if vertex.shape or show == "shapes":  # an array's values get a line of their own
        lines += [text for text in (f"{vertex.name} {form}".strip(), value) if text]
    else:
        dtype = f" {form}" if form else ""
        known = value or "?"
        lines.append(f"{vertex.name}{dtype} = {known}" if vertex.name else f"{known}{dtype}")
    cells = strip(vertex.value) if show == "values" else ()
    if cells:
        lines.append(strip_text(cells))
    if gradient:
        lines.append(f"g = {gradient}")
    return NodeBox(
        f"n{position}",
        vertex.kind,
        tuple(lines) or ("()",),
        vertex.name,
        symbol,
        value or form or "()",
        gradient,
        vertex.alarm if show == "values" else False,
        strip=cells,
        scope=vertex.scope,
    )


def _edge(graph: Graph, seat: Operand, target: int, gradients: bool) -> Edge:
    """The edge from an operand; one that no gradient needs to take back stays a plain line."""
    operand, result = graph.vertices[seat.at], graph.vertices[target]
    ends = f"n{seat.at}", f"n{target}"
    shapes = stretched(operand, result)
    if not gradients or operand.gradient is None or not seat.tracked:
        return Edge(*ends, shapes)
    local = f"∂ = {value_text(seat.partial)}" if seat.partial is not None else ""
    back = f"Σ {shape_text(result.shape)}→{shape_text(operand.shape) or '()'}" if shapes else ""
    return Edge(*ends, ", ".join(text for text in (local, back) if text), backward=True)


def stretched(operand: Vertex, result: Vertex) -> str:
    """From which shape to which an operand is broadcast: (3,)→(2, 3); "" where it isn't."""
    broadcasts = result.maps and operand.kind != "constant" and operand.shape is not None
    if not broadcasts or operand.shape == result.shape:
        return ""
    return f"{shape_text(operand.shape) or '()'}→{shape_text(result.shape)}"

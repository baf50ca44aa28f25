"""The adapter for Scalar: what its graph tells about values, local derivatives and gradients.

Needs scalar.py and graph.py of the package, graphs.py here. Read with U4 (local derivatives) and U6 (the
gradient that arrives at a node).
"""

from __future__ import annotations

from autodiff.drawing.derivatives import LETTERS, LOCAL, written
from autodiff.drawing.graphs import Graph, Operand, Vertex, output_name
from autodiff.drawing.labels import gradient_name, tidy
from autodiff.drawing.scopes import mirrored, named, scopes_of, with_scopes_of_leaves
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
    scopes = scopes_of(order)
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
        made = _vertex(node, last if node is x else "", tuple(seats), gradient)
        vertices.append(made.but(scope=scopes[node]))
    return Graph(tuple(with_scopes_of_leaves(vertices)))


def read_backward(x: Scalar, g: float, name: str | None = None) -> Graph:
    """The graph of `x` and behind it its backward pass, rule by rule: each bill, and where bills meet.

    Scalars record no backward pass, but it follows from the graph: a rule multiplies by its local
    derivative, and needs the values that stand in it.

    >>> x = Scalar(3.0, name="x")
    >>> [vertex.name or vertex.symbol for vertex in read_backward(x * x, 1.0).vertices]
    ['x', 'y', 'g', '×', '×', '+', 'dy/dx']
    """
    graph = read(x, g, name)
    vertices = [vertex.but(gradient=None) for vertex in graph.vertices]
    if graph.out.gradient is None:
        return graph
    bills: dict[int, list[int]] = {len(vertices) - 1: [len(vertices)]}  # by vertex, where they come from
    vertices.append(Vertex("gradient", "g", value=graph.out.gradient, scope=mirrored(named(graph.out.scope))))
    for at in reversed(range(len(graph.vertices))):
        vertex = graph.vertices[at]
        if at not in bills:
            continue
        total = bills[at][0]
        if len(bills[at]) > 1:
            total = len(vertices)
            seats = tuple(Operand(each, True) for each in bills[at])
            meet = Vertex("gradient", symbol="+", value=vertex.gradient, operands=seats)
            vertices.append(meet.but(scope=mirrored(vertex.scope)))
        for k, seat in enumerate(vertex.operands):
            if seat.tracked:
                made = _bill(graph, at, k, total)
                bills.setdefault(seat.at, []).append(len(vertices) if made else total)
                vertices += [made.but(scope=mirrored(vertex.scope))] if made else []
        if vertex.kind == "parameter":
            called = gradient_name(graph.out.name, vertex.name)
            end = Vertex("gradient", called, value=vertex.gradient, operands=(Operand(total, True),))
            vertices.append(end.but(scope=mirrored(vertex.scope)))
    return Graph(tuple(vertices))


def _bill(graph: Graph, at: int, k: int, total: int) -> Vertex | None:
    """g × ∂ for operand k of a vertex; None where ∂ is 1 by rule, so that g is handed on as it is."""
    vertex = graph.vertices[at]
    local = LOCAL[vertex.rule][k]
    if local == "1":
        return None
    amount = vertex.gradient * vertex.operands[k].partial
    if local == "(−1)":
        return Vertex("gradient", symbol="−", value=amount, operands=(Operand(total, True),))
    places = {"a": vertex.operands[0].at, "b": vertex.operands[-1].at, "out": at}
    used = [places[letter] for letter in dict.fromkeys(LETTERS.findall(local))]
    names = {
        letter: graph.vertices[place].name or graph.vertices[place].text for letter, place in places.items()
    }
    seats = (Operand(total, True), *(Operand(each) for each in used))
    detail, rule = written(local, names), f"{vertex.rule} {k}"
    return Vertex("gradient", symbol="×", rule=rule, detail=detail, value=amount, operands=seats)


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

"""draw_difference(): two graphs in one picture, with what is gone, new or otherwise marked.

Needs views.py (which reads the graph of any engine), matching.py and comparing.py. Read with U8, where a
graph is folded, and wherever a wrong engine is held against a right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from autodiff.drawing.comparing import Comparison, Pair, changed_text
from autodiff.drawing.description import Description, Edge, NodeBox, State
from autodiff.drawing.forward import box
from autodiff.drawing.graphs import Graph, Vertex
from autodiff.drawing.labels import rows
from autodiff.drawing.matching import match, union
from autodiff.drawing.picture import Drawing
from autodiff.drawing.views import read
from autodiff.errors import OptionError

MOST_DRAWN = 60  # nodes; of larger graphs the picture shows what differs, and what is next to it


class Difference(Drawing):
    """Two graphs in one picture. `d.words` say what differs; `d.gone`, `d.new`, `d.changed` list the nodes.

    >>> from autodiff import Scalar, draw_difference
    >>> x = Scalar(2.0, name="x")
    >>> d = draw_difference((x * 1).sin(), x.sin())
    >>> d.gone, d.new, d.changed
    (('the number 1', 'v1 = x × 1'), (), ())
    """

    def __init__(self, description: Description, comparison: Comparison) -> None:
        super().__init__(description)
        pairs, made = comparison.pairs, comparison.made
        self.gone = tuple(made(pair) for pair in pairs if pair.two is None)
        self.new = tuple(made(pair) for pair in pairs if pair.one is None)
        self.changed = tuple(made(pair) for pair in pairs if pair.one and pair.two and pair.differs)


def draw_difference(a: Any, b: Any, names: tuple[str, str] = ("a", "b")) -> Difference:
    """Where the graphs of `a` and `b` differ: nodes of one alone; other operations, values, gradients.

    Nodes are matched by what they compute and where they stand, never by identity, so graphs of two programs
    or two engines can be compared. `names` is what the picture calls the two. Nothing is freed and no `.grad`
    touched. Errors: OperandError, FreedGraphError.

    >>> from autodiff import Scalar
    >>> x = Scalar(2.0, name="x")
    >>> draw_difference(x * 3 + 1, x * 4 + 1, names=("old", "new")).words[:68]
    '3 nodes have other values: 3 → 4; v1 6 → 8; y 7 → 9. 1 node gets ano'
    """
    if len(set(names)) != 2:
        raise OptionError(
            f"names={names!r}: two different names are needed, for the first and the second graph"
        )
    graphs = _read(a), _read(b)
    pairs = list(_pairs(*graphs, names))
    for pair in pairs:
        pair.operands = _takes_others(pairs, pair)
    comparison = Comparison(pairs, names)
    shown = _shown(pairs)
    nodes = tuple(_box(pairs[place], place, names) for place in shown)
    edges = tuple(_edges(pairs, set(shown)))
    told = comparison.sentences()
    if len(shown) < len(pairs):
        told += f" The picture shows {len(shown):,} of {len(pairs):,} nodes: what differs and its neighbours."
    title, caption = f"{names[0]} and {names[1]}", _caption(nodes, edges, names)
    return Difference(Description(title, told, nodes, edges, caption), comparison)


def _read(x: Any) -> Graph:
    try:
        return read(x, 1.0, what="draw_difference")
    except ArithmeticError:  # a slope that isn't finite: the rest can still be compared
        return read(x, what="draw_difference")


def _pairs(a: Graph, b: Graph, names: tuple[str, str]) -> Iterator[Pair]:
    """The vertices of both, each once, with names that fit the whole picture."""
    order = union(a, b, match(a, b))
    place: tuple[dict[int, int], dict[int, int]] = ({}, {})
    taken = {vertex.name for graph in (a, b) for vertex in graph.vertices}
    free = (name for name in (f"v{k}" for k in count(1)) if name not in taken)
    for number, (k, at) in enumerate(order):
        one = None if k is None else a.vertices[k]
        two = None if at is None else b.vertices[at]
        below: tuple[list[int], list[int]] = ([], [])
        for which, (vertex, position) in enumerate(((one, k), (two, at))):
            if vertex is not None and position is not None:
                place[which][position] = number
                below[which].extend(place[which][seat.at] for seat in vertex.operands)
        pair = Pair("", one, two, below)
        pair.name = _name(pair, (a.out, b.out), names) or (next(free) if pair.shown.symbol else "")
        yield pair


def _name(pair: Pair, ends: tuple[Vertex, Vertex], names: tuple[str, str]) -> str:
    """The name that it has in either graph; a result is called y only once."""
    is_end = pair.one is ends[0], pair.two is ends[1]
    if any(is_end) and pair.shown.symbol and not all(is_end):
        if pair.one and pair.two:  # the result of one graph, and on the way to that of the other
            inner = pair.one if is_end[1] else pair.two
            return "" if inner.kind == "output" else inner.name
        return f"{pair.shown.name} of {names[is_end[1]]}" if ends[0].name == ends[1].name else pair.shown.name
    return next((vertex.name for vertex in (pair.two, pair.one) if vertex and vertex.name), "")


def _takes_others(pairs: Sequence[Pair], pair: Pair) -> bool:
    """Whether the operands are others, or in another order, though nothing was put in or taken out there."""
    if not pair.one or not pair.two or pair.below[0] == pair.below[1]:
        return False
    return all(pairs[place].one and pairs[place].two for side in pair.below for place in side)


def _shown(pairs: Sequence[Pair]) -> list[int]:
    """The places that are drawn: all of a small graph."""
    if len(pairs) <= MOST_DRAWN:
        return list(range(len(pairs)))
    chosen = [place for place, pair in enumerate(pairs) if _begins(pairs, pair)]
    chosen = chosen or [place for place, pair in enumerate(pairs) if pair.differs]
    chosen = chosen[: MOST_DRAWN // 2]
    near = {*chosen, len(pairs) - 1}
    for place, pair in enumerate(pairs):
        below = {*pair.below[0], *pair.below[1]}
        if place in chosen:
            near |= below
        elif not below.isdisjoint(chosen):
            near.add(place)
    return sorted(near)


def _begins(pairs: Sequence[Pair], pair: Pair) -> bool:
    """Whether the graphs part here: it isn't for its operands alone that it differs."""
    if pair.one is None or pair.two is None or pair.operation or pair.operands:
        return True
    return pair.value and not any(pairs[place].value for side in pair.below for place in side)


def _box(pair: Pair, place: int, names: tuple[str, str]) -> NodeBox:
    vertex, mark = pair.shown, pair.mark(names)
    drawn = box(vertex.but(name=pair.name if vertex.symbol else vertex.name), place)
    lines = list(drawn.lines)
    gradient = ""
    if pair.one and pair.two:
        if pair.operation:
            lines[0] = f"{pair.one.symbol or pair.one.text} → {lines[0]}"
        if pair.value:
            lines[1 if vertex.symbol else 0 :] = [_value(pair)]
        if pair.gradient:
            gradient = changed_text(pair.one.gradient, pair.two.gradient)
    if mark:
        lines.insert(1, mark)
    strip = drawn.strip if lines[-1] == drawn.lines[-1] else ()
    state: State = "later" if pair.two is None else "now" if pair.one is None else ""
    return replace(
        drawn,
        lines=(*lines, *(rows(f"g: {gradient}") if gradient else [])),
        gradient=gradient,
        alarm=drawn.alarm or (mark.startswith("differs")),
        state=state,
        strip=strip,
    )


def _value(pair: Pair) -> str:
    assert pair.one is not None  # for the types
    assert pair.two is not None
    if (pair.one.shape or ()) != (pair.two.shape or ()):
        changed = f"{pair.one.form or '()'} → {pair.two.form or '()'}"
    else:
        changed = changed_text(pair.one.value, pair.two.value)
    return f"{pair.title}: {changed}" if pair.title else changed


def _edges(pairs: Sequence[Pair], shown: set[int]) -> Iterator[Edge]:
    """The edges of both; heavy those of b alone, dotted those of a alone."""
    for place, pair in enumerate(pairs):
        if place not in shown:
            continue
        one, two = ({(below, seat) for seat, below in enumerate(side)} for side in pair.below)
        for below, seat in sorted(one | two, key=lambda edge: (edge[1], edge[0])):
            if below in shown:
                state: State = (
                    "" if (below, seat) in one & two else "now" if (below, seat) in two else "later"
                )
                yield Edge(f"n{below}", f"n{place}", state=state)


def _caption(nodes: Sequence[NodeBox], edges: Sequence[Edge], names: tuple[str, str]) -> tuple[str, ...]:
    states = {node.state for node in nodes} | {edge.state for edge in edges}
    lines = {
        f"dotted: only in {names[0]}": "later" in states,
        f"heavy, in the colour of the text: only in {names[1]}": "now" in states,
        f"p → q: p in {names[0]}, q in {names[1]}": any(node.alarm for node in nodes),
    }
    return tuple(line for line, is_so in lines.items() if is_so)

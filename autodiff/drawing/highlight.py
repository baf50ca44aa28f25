"""The picture of an explanation: the edges of each path bear its number, and stand out by weight.

Needs explained.py and forward.py (what is written on a node). A large graph shows the vertices on the paths
alone, with a box for a stretch that no path leaves. Read with U4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.explained import Account, counted
from autodiff.drawing.forward import box
from autodiff.drawing.paths import Hop
from autodiff.drawing.values import MOST_ENTRIES, value_text

MOST_DRAWN = 30  # vertices; of a larger graph the picture shows the paths alone
SHORTEST = 3  # stretch that is worth a box of its own
MOST_MARKS = 3  # runs of marks on one edge
MOST_TOLD = 6  # paths in the words
CAPTION = (
    "heavy and dashed, with a number: the edges of that path",
    "∂: the local derivative along an edge",
)

Marks = dict[Hop, list[tuple[int, str]]]


def picture(account: Account) -> Description:
    """The description of the graph with the paths marked.

    >>> from autodiff import Scalar, explain
    >>> x = Scalar(3.0, name="x")
    >>> [edge.label for edge in explain(x * x).drawing.description.edges]
    ['① ∂ = 3', '② ∂ = 3']
    """
    shown = [(mark, way) for mark, _, way in account.ways()]
    size = len(account.graph.vertices)
    while True:
        marks: Marks = {}
        for k, (mark, way) in enumerate(shown):
            for hop in way.hops:
                marks.setdefault(hop, []).append((k, mark))
        nodes, edges = _whole(account, marks) if size <= MOST_DRAWN else _paths_alone(account, marks)
        if len(nodes) <= 3 * MOST_DRAWN or len(shown) < 2:
            break
        shown = shown[: len(shown) // 2]  # so many paths that go so many ways: half of them
    left = sum(1 for _ in account.ways()) - len(shown)
    return Description(
        title=f"Paths: {account.title()}",
        words=_told(account, len(shown), size - len(nodes)),
        nodes=tuple(nodes),
        edges=tuple(edges),
        caption=(*CAPTION, *([f"the last {left} aren't drawn"] if left else [])) if marks else (),
    )


def _whole(account: Account, marks: Marks) -> tuple[list[NodeBox], list[Edge]]:
    vertices = account.graph.vertices
    ends = {part.at for part in account.parts} | {len(vertices) - 1}
    nodes = [box(vertex, k, gradients=k in ends) for k, vertex in enumerate(vertices)]
    edges = [
        _edge(account, hop, marks) if hop in marks else Edge(f"n{hop.operand}", f"n{k}")
        for k, vertex in enumerate(vertices)
        for hop in (Hop(operand.at, k, seat) for seat, operand in enumerate(vertex.operands))
    ]
    return nodes, edges


def _paths_alone(account: Account, marks: Marks) -> tuple[list[NodeBox], list[Edge]]:
    """The vertices on the paths; stretches of them that every path walks through as one box each."""
    vertices = account.graph.vertices
    ends = {part.at for part in account.parts if part.at is not None} | {len(vertices) - 1}
    hops = sorted(marks, key=lambda hop: (hop.user, hop.seat))
    stretches = list(_stretches(hops, ends))
    home = {k: stretch[0] for stretch in stretches for k in stretch}
    shown = (ends | {k for hop in hops for k in hop[:2]}) - home.keys()
    nodes = {k: box(vertices[k], k, gradients=k in ends) for k in shown}
    for stretch in stretches:
        names = f"{vertices[stretch[0]].name} … {vertices[stretch[-1]].name}"
        lines = (names, counted(len(stretch), "operation"))
        nodes[stretch[0]] = NodeBox(f"n{stretch[0]}", "operation", lines, symbol="…", count=len(stretch))
    edges = []
    for hop in hops:
        source, target = home.get(hop.operand, hop.operand), home.get(hop.user, hop.user)
        if source != target:
            edge = _edge(account, hop, marks)
            edges.append(Edge(f"n{source}", f"n{target}", edge.label, backward=True, state="now"))
    return [nodes[k] for k in sorted(nodes)], edges


def _stretches(hops: Sequence[Hop], ends: set[int]) -> Iterator[list[int]]:
    """Vertices in a row, each with one marked edge in and one out."""
    into: dict[int, list[int]] = {}
    out: dict[int, list[int]] = {}
    for hop in hops:
        into.setdefault(hop.user, []).append(hop.operand)
        out.setdefault(hop.operand, []).append(hop.user)
    inner = {k for k in into if len(into[k]) == 1 and len(out.get(k, ())) == 1 and k not in ends}
    for first in sorted(inner):
        if into[first][0] in inner:
            continue
        stretch = [first]
        while out[stretch[-1]][0] in inner:
            stretch.append(out[stretch[-1]][0])
        if len(stretch) >= SHORTEST:
            yield stretch


def _edge(account: Account, hop: Hop, marks: Marks) -> Edge:
    partial = account.graph.vertices[hop.user].operands[hop.seat].partial
    local = f"∂ = {value_text(partial)}" if is_small(partial) else ""
    label = f"{_runs(marks[hop])} {local}".rstrip()
    return Edge(f"n{hop.operand}", f"n{hop.user}", label, backward=True, state="now")


def is_small(value: Any) -> bool:
    """Whether a value is written out, entry by entry.

    >>> is_small(2.0), is_small(None)
    (True, False)
    """
    return isinstance(value, float | int) or (value is not None and value.size <= MOST_ENTRIES)


def _runs(marks: Sequence[tuple[int, str]]) -> str:
    """The marks of an edge, those that follow each other as a range: ①–④ ⑥."""
    runs: list[list[tuple[int, str]]] = []
    for mark in marks:
        if runs and runs[-1][-1][0] == mark[0] - 1:
            runs[-1].append(mark)
        else:
            runs.append([mark])
    texts = [f"{run[0][1]}–{run[-1][1]}" if len(run) > 2 else "".join(m for _, m in run) for run in runs]
    more = sum(len(run) for run in runs[MOST_MARKS:])
    return " ".join(texts[:MOST_MARKS]) + (f" +{more}" if more else "")


def _told(account: Account, drawn: int, hidden: int) -> str:
    """The alt text: the paths that are marked, and what each brings."""
    ways = list(account.ways())[:drawn]
    told = [
        f"{mark} {account.road(way)} brings {account.product(way).rpartition(' = ')[2]}"
        for mark, _, way in ways[:MOST_TOLD]
    ]
    more = f"; and {counted(len(ways) - MOST_TOLD, 'more path')}" if len(ways) > MOST_TOLD else ""
    which = "The graph" if hidden <= 0 else "A part of the graph"
    said = f"{account.title()}. {which} with each path's edges marked"
    return f"{said}: {'; '.join(told)}{more}." if told else f"{account.title()}. No path is marked."

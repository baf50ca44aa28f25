"""Several vertices of a graph become one, with a count and the range of their values.

Needs graphs.py. A fold that would make the graph run in a circle isn't made. Read with collapse.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from autodiff.drawing.description import Kind
from autodiff.drawing.graphs import Graph, Operand, Vertex
from autodiff.drawing.values import range_of


@dataclass(frozen=True)
class Fold:
    """Vertices to become one, by position, and its symbol. `alike`: they all do the same, each for itself.

    `in_a_row`: each uses the one before. `level` is how many scopes stay around it.
    """

    members: tuple[int, ...]
    symbol: str
    alike: bool = False
    in_a_row: bool = False
    level: int = 0


def users_of(graph: Graph) -> list[set[int]]:
    """For each vertex the vertices that it is an operand of."""
    users: list[set[int]] = [set() for _ in graph.vertices]
    for k, vertex in enumerate(graph.vertices):
        for seat in vertex.operands:
            users[seat.at].add(k)
    return users


def fold(graph: Graph, folds: Sequence[Fold]) -> Graph:
    """The graph with these vertices folded; what nobody folds stays as it is.

    >>> two = Graph((Vertex("constant", value=1.0), Vertex("constant", value=2.0)))
    >>> fold(two, [Fold((0, 1), "", alike=True)]).vertices[0].folded
    '2 numbers'
    """
    while folds:
        home = list(range(len(graph.vertices)))
        for each in folds:
            for member in each.members:
                home[member] = each.members[0]
        order, stuck = _order(graph, home, folds)
        if not stuck:
            return _folded(graph, folds, home, order)
        folds = [each for each in folds if each.members[0] not in stuck]
    return graph


def _order(graph: Graph, home: list[int], folds: Sequence[Fold]) -> tuple[list[int], set[int]]:
    """The homes, operands first and otherwise as they stood; and those that run in a circle."""
    above: dict[int, set[int]] = {at: set() for at in home}
    missing = dict.fromkeys(above, 0)
    for k, vertex in enumerate(graph.vertices):
        for seat in vertex.operands:
            source, target = home[seat.at], home[k]
            if source != target and target not in above[source]:
                above[source].add(target)
                missing[target] += 1
    last = {each.members[0]: max(each.members) for each in folds}
    ready = [(last.get(at, at), at) for at, count in missing.items() if not count]
    heapify(ready)
    order = []
    while ready:
        _, at = heappop(ready)
        order.append(at)
        for target in above[at]:
            missing[target] -= 1
            if not missing[target]:
                heappush(ready, (last.get(target, target), target))
    return order, {at for at, count in missing.items() if count}


def _folded(graph: Graph, folds: Sequence[Fold], home: list[int], order: list[int]) -> Graph:
    by_home = {each.members[0]: each for each in folds}
    place = {at: k for k, at in enumerate(order)}
    users = users_of(graph)
    at_home = [place[each] for each in home]
    many = {place[each] for each in by_home}
    vertices = []
    for at in order:
        it = by_home.get(at)
        if it is None:
            seats = [seat.to(at_home[seat.at]) for seat in graph.vertices[at].operands]
            vertices.append(graph.vertices[at].but(operands=_once(seats, many)))
        else:
            members = [graph.vertices[k] for k in it.members]
            shown = _alike(members) if it.alike else _together(graph, it, users)
            seats = _seats(members, at_home, place[at], it.alike)
            vertices.append(shown.but(operands=tuple(seats)))
    return Graph(tuple(vertices))


def _once(seats: Iterable[Operand], folded: set[int]) -> tuple[Operand, ...]:
    """One seat for all that have become one vertex."""
    kept: dict[Any, Operand] = {}
    for place, seat in enumerate(seats):
        key: Any = seat.at if seat.at in folded else (seat.at, place)
        met = kept.get(key)
        kept[key] = met.merged(seat) if met else seat
    return tuple(kept.values())


def _seats(members: list[Vertex], place: list[int], own: int, alike: bool) -> list[Operand]:
    """The seats of a folded vertex: by position where all do the same, else by who sits there."""
    kept: dict[Any, Operand] = {}
    for member in members:
        for k, seat in enumerate(member.operands):
            at = place[seat.at]
            if at != own:
                key: Any = (k, at) if alike else at
                met, moved = kept.get(key), seat.to(at)
                kept[key] = met.merged(moved) if met else moved
    return list(kept.values())


def _alike(members: list[Vertex]) -> Vertex:
    """One for many that do the same."""
    first, count = members[0], len(members)
    what = "times" if first.symbol else "numbers" if first.kind == "constant" else "arrays"
    values = [member.value for member in members]
    gradients = [member.gradient for member in members]
    return first.but(
        folded=f"{count:,} {what}",
        count=count,
        name="",
        detail=first.detail if len({member.detail for member in members}) == 1 else "",
        value=range_of(values),
        gradient=range_of(gradients) if any(each is not None for each in gradients) else None,
        key=None,
    )


def _leaves(graph: Graph, vertex: Vertex, users: set[int], inside: set[int]) -> bool:
    """Whether its value goes elsewhere in the pass that it belongs to, or is the end of it."""
    passing = vertex.kind == "gradient"
    same = {user for user in users if passing or graph.vertices[user].kind != "gradient"}
    return not same <= inside or not (same or (users and not vertex.symbol))


def _together(graph: Graph, it: Fold, users: list[set[int]]) -> Vertex:
    """One for a part of the graph; it shows the value that leaves it, if there is only one."""
    inside = set(it.members)
    members = [graph.vertices[k] for k in it.members]
    leaving = [
        k for k, each in zip(it.members, members, strict=True) if _leaves(graph, each, users[k], inside)
    ]
    steps = sum(member.count for member in members if member.symbol)
    leaves = sum(member.kind == "parameter" for member in members)
    ends = sum(member.kind == "gradient" and not member.symbol for member in members if member.operands)
    row = sum(bool(member.symbol) for member in members)
    said = [f"{row:,} in a row"] if it.in_a_row else []
    if not it.in_a_row or row < steps:
        said.append(f"{steps:,} operation{'s' * (steps != 1)}")
    said += [
        f"{count:,} {what}{'s' * (count > 1)}"
        for count, what in ((leaves, "parameter"), (ends, "gradient"))
        if count
    ]
    shown = graph.vertices[leaving[0]] if len(leaving) == 1 else Vertex("operation")
    kinds: set[Kind] = {member.kind for member in members}
    kind: Kind = "output" if "output" in kinds else "gradient" if "gradient" in kinds else "operation"
    return shown.but(
        kind=kind,
        symbol=it.symbol,
        rule="",
        detail="",
        folded=", ".join(said),
        count=steps,
        scope=members[0].scope[: it.level],
        maps=False,
        key=None,
    )

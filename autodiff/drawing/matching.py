"""Which vertex of one graph is which of another: by what they compute, never by identity.

Needs graphs.py. First what is computed alike from the ground up is matched, then, from the results down, what
stands in the same place. Read with U8, where a graph is folded into a smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any

from autodiff.drawing.graphs import Graph, Vertex


def match(a: Graph, b: Graph) -> dict[int, int]:
    """The vertices of `a` that are in `b`, too: by position in a, the position in b.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = Scalar(2.0, name="x")
    >>> match(read((x * 1).sin()), read(x.sin()))
    {0: 0, 3: 1}
    """
    alike = _Matcher(a, b)
    alike.from_below()
    certain = dict(alike.partner)
    alike.from_above()
    found = alike.partner
    while stuck := _in_circles(a, b, found):
        kept = {k: at for k, at in found.items() if k in certain or k not in stuck}
        found = kept if len(kept) < len(found) else {}
    return found


class _Matcher:
    def __init__(self, a: Graph, b: Graph) -> None:
        self.a, self.b = a, b
        self.partner: dict[int, int] = {}
        self.taken: set[int] = set()

    def from_below(self) -> None:
        """Match what is computed alike from the same leaves; the latest first, and all below it at once."""
        known: dict[Any, int] = {}
        of_a, of_b = (_marks(graph, known) for graph in (self.a, self.b))
        places: dict[int, list[int]] = {}
        for k, mark in enumerate(of_b):
            places.setdefault(mark, []).append(k)
        for k in reversed(range(len(of_a))):
            if k in self.partner:
                continue
            free = places.get(of_a[k], [])
            while free and free[-1] in self.taken:
                free.pop()
            if free:
                self._all_below(k, free[-1])

    def _all_below(self, k: int, at: int) -> None:
        waiting = [(k, at)]
        while waiting:
            k, at = waiting.pop()
            if self._pair(k, at):
                waiting += self._operands(k, at)

    def from_above(self) -> None:
        """Match what is left by its place: the results, then operand by operand."""
        waiting = [(len(self.a.vertices) - 1, len(self.b.vertices) - 1)]
        while waiting:
            k, at = waiting.pop()
            if k in self.partner or at in self.taken:
                continue
            one, two = self.a.vertices[k], self.b.vertices[at]
            if not one.symbol or not two.symbol:
                if one.kind == two.kind and (one.kind == "constant" or one.name == two.name):
                    self._pair(k, at)
            elif not _does_alike(one, two) and (skipped := list(self._skipped(k, at))):
                waiting += skipped  # something was put in between, or taken out
            elif len(one.operands) == len(two.operands) or self._shares_an_operand(k, at):
                self._pair(k, at)
                waiting += self._operands(k, at)

    def _skipped(self, k: int, at: int) -> Iterator[tuple[int, int]]:
        one, two = self.a.vertices[k], self.b.vertices[at]
        for seat in one.operands:
            if seat.at not in self.partner and _does_alike(self.a.vertices[seat.at], two):
                yield seat.at, at
        for seat in two.operands:
            if seat.at not in self.taken and _does_alike(one, self.b.vertices[seat.at]):
                yield k, seat.at

    def _shares_an_operand(self, k: int, at: int) -> bool:
        below = {self.partner.get(seat.at) for seat in self.a.vertices[k].operands} - {None}
        return not below.isdisjoint(seat.at for seat in self.b.vertices[at].operands)

    def _operands(self, k: int, at: int) -> Iterator[tuple[int, int]]:
        pairs = zip(self.a.vertices[k].operands, self.b.vertices[at].operands, strict=False)
        yield from ((one.at, two.at) for one, two in pairs)

    def _pair(self, k: int, at: int) -> bool:
        if k in self.partner or at in self.taken:
            return False
        self.partner[k] = at
        self.taken.add(at)
        return True


def _does_alike(one: Vertex, two: Vertex) -> bool:
    return bool(one.symbol) and (one.symbol, one.detail, len(one.operands)) == (
        two.symbol,
        two.detail,
        len(two.operands),
    )


def _marks(graph: Graph, known: dict[Any, int]) -> list[int]:
    """A number for each vertex; the same for what is computed alike."""
    marks: list[int] = []
    for vertex in graph.vertices:
        form: Any
        if vertex.symbol:
            form = (vertex.symbol, vertex.detail, tuple(marks[seat.at] for seat in vertex.operands))
        elif vertex.kind == "parameter" or vertex.name:
            form = (vertex.kind, vertex.name)
        else:
            form = (vertex.kind, vertex.shape or (), _content(vertex.value))
        marks.append(known.setdefault(form, len(known)))
    return marks


def _content(value: Any) -> Any:
    return float(value) if getattr(value, "size", 1) == 1 and value is not None else _bytes(value)


def _bytes(value: Any) -> Any:
    return None if value is None else value.tobytes()


def union(a: Graph, b: Graph, partner: dict[int, int]) -> list[tuple[int | None, int | None]]:
    """The vertices of both graphs, each once, operands first: (position in a, position in b).

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = read(Scalar(2.0, name="x"))
    >>> union(x, x, {0: 0}), union(x, x, {})
    ([(0, 0)], [(0, None), (None, 0)])
    """
    return _ordered(a, b, partner)[0]


def _in_circles(a: Graph, b: Graph, partner: dict[int, int]) -> set[int]:
    """The vertices of a that would be computed from themselves if all these were one with their partners."""
    return _ordered(a, b, partner)[1]


def _ordered(
    a: Graph, b: Graph, partner: dict[int, int]
) -> tuple[list[tuple[int | None, int | None]], set[int]]:
    origin = {at: k for k, at in partner.items()}
    pairs = [(k, partner.get(k)) for k in range(len(a.vertices))]
    pairs += [(None, at) for at in range(len(b.vertices)) if at not in origin]  # type: ignore[misc]
    place_a = {k: place for place, (k, _) in enumerate(pairs) if k is not None}
    place_b = {at: place for place, (_, at) in enumerate(pairs) if at is not None}
    below = [
        {place_a[seat.at] for seat in (a.vertices[k].operands if k is not None else ())}
        | {place_b[seat.at] for seat in (b.vertices[at].operands if at is not None else ())}
        for k, at in pairs
    ]
    users: list[list[int]] = [[] for _ in pairs]
    for place, operands in enumerate(below):
        for operand in operands:
            users[operand].append(place)
    missing = [len(operands) for operands in below]
    ready = [place for place, count in enumerate(missing) if not count]
    heapify(ready)
    order = []
    while ready:
        place = heappop(ready)
        order.append(place)
        for user in users[place]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, user)
    left = set(range(len(pairs))) - set(order)
    return [pairs[place] for place in order], {k for place in left if (k := pairs[place][0]) is not None}

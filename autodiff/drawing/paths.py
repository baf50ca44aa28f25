"""Paths through a graph: counted, summed and the strongest of them found, without walking them all.

Needs graphs.py. There may be 2**30 paths where there are 31 vertices; each function here looks at every edge
once, and then walks the paths that it hands back. Read with U4 (paths) and U5 (why nobody walks them).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from autodiff.drawing.graphs import Graph

Gains = Sequence[Sequence[float]]  # by vertex and seat: the factor by which a path grows along this edge

NOTHING, ODD = -1e12, 1e12  # in place of the logarithms of 0 and of what isn't finite


class Hop(NamedTuple):
    """An edge of a path: from a vertex to the one that uses it, where it sits on this seat."""

    operand: int
    user: int
    seat: int


def arriving(
    graph: Graph, first: Any, wanted: Collection[int], hand_on: Callable[[Any, int, int], Any]
) -> dict[int, Any]:
    """What comes to the wanted vertices if the result starts with `first` and every vertex hands on its sum.

    `hand_on(total, k, seat)` says what vertex k makes of its sum for the operand on this seat. Totals are
    dropped once handed on: those that count paths may have thousands of digits.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = Scalar(3.0, name="x")
    >>> arriving(read(x * x + x), 1, {0}, lambda paths, k, seat: paths)
    {0: 3}
    """
    waiting = {len(graph.vertices) - 1: first}
    found = {}
    for k in reversed(range(len(graph.vertices))):
        if k not in waiting:
            continue
        total = waiting.pop(k)
        if k in wanted:
            found[k] = total
        for seat, operand in enumerate(graph.vertices[k].operands):
            if operand.tracked:
                more = hand_on(total, k, seat)
                waiting[operand.at] = waiting[operand.at] + more if operand.at in waiting else more
    return found


def strongest(graph: Graph, start: int, gains: Gains, most: int) -> list[tuple[Hop, ...]]:
    """Up to `most` paths from vertex `start` to the result, those with the largest product of gains first.

    From `start` on, the best way to each vertex is known from the best ways to its operands. So a walk back
    from the result always knows what it may still come to, and leaves every other turn for later.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = Scalar(3.0, name="x")
    >>> strongest(read(x * 2 + x * 5), 0, [(), (), (2, 0), (), (5, 0), (1, 1)], 1)
    [(Hop(operand=0, user=4, seat=0), Hop(operand=4, user=5, seat=1))]
    """
    best, ways = _best_ways(graph, start, gains)
    last = len(graph.vertices) - 1
    if last not in best:
        return []
    found: list[tuple[Hop, ...]] = []
    tick = count()  # of equal paths, the one that was met first
    # A walk: minus what it may come to, tick, where it is, what it has come to, and its hops, linked.
    heap: list[tuple[float, int, int, float, Any]] = [(-best[last], next(tick), last, 0.0, None)]
    while heap and len(found) < most:
        _, _, at, so_far, taken = heappop(heap)
        while at != start:
            (gain, hop), *others = ways[at]
            for other, turn in others:
                may = so_far + other + best[turn.operand]
                heappush(heap, (-may, next(tick), turn.operand, so_far + other, (turn, taken)))
            at, so_far, taken = hop.operand, so_far + gain, (hop, taken)
        found.append(_unlinked(taken))
    return found


def _best_ways(
    graph: Graph, start: int, gains: Gains
) -> tuple[dict[int, float], dict[int, list[tuple[float, Hop]]]]:
    """For each vertex behind `start` the logarithm of the best product, and its edges, best first."""
    best, ways = {start: 0.0}, {}
    for k in range(start + 1, len(graph.vertices)):
        edges = [
            (_log(gains[k][seat]), Hop(operand.at, k, seat))
            for seat, operand in enumerate(graph.vertices[k].operands)
            if operand.tracked and operand.at in best
        ]
        if edges:
            edges.sort(key=lambda edge: -edge[0] - best[edge[1].operand])
            ways[k] = edges
            best[k] = edges[0][0] + best[edges[0][1].operand]
    return best, ways


def _log(gain: float) -> float:
    if not math.isfinite(gain):
        return ODD
    return math.log(gain) if gain else NOTHING


def _unlinked(taken: Any) -> tuple[Hop, ...]:
    hops = []
    while taken:
        hop, taken = taken
        hops.append(hop)
    return tuple(hops)

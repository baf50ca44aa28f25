"""The ways of edges through a layered layout: where they leave, pass and arrive, and the curves between.

Needs columns.py. A curve stays in the rectangle of its two ends, and that is kept free of boxes: so no edge
cuts one. Not read in a unit; slopes as in Fritsch and Butland (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from autodiff.drawing.columns import BEND, Items, Link

Point = tuple[float, float]

STEP = 18.0  # between the ends of edges on one box, at most
SNAP = 9.0  # a step that isn't worth a bend
SLANT = 0.4  # of a label's height, that its edge may climb on either side of the middle
EDGE = 5.0  # by which an edge may pass outside the outermost box of a column
STRAIGHTENINGS = 4


def ports(items: Items, links: Sequence[Link], chains: list[list[int]], y: list[float]) -> list[Point]:
    """At what heights each chain ends on its two boxes, side by side.

    They leave in the order of where they go, and arrive in the order of the links: that of the operands,
    since a − b must not look like b − a. What is mirrored arrives on the left.
    """
    leaving: dict[int, list[tuple[float, int]]] = {}
    arriving: dict[int, list[tuple[float, int]]] = {}
    for position, chain in enumerate(chains):
        leaving.setdefault(chain[0], []).append((y[chain[1]], position))
        near = y[chain[-2]] if links[position].mirrored else 0.0
        arriving.setdefault(chain[-1], []).append((near, position))
    heights = [[0.0, 0.0] for _ in chains]
    for end, groups in enumerate((leaving, arriving)):
        for item, group in groups.items():
            step = min(STEP, 0.6 * items.sizes[item][1] / max(1, len(group) - 1))
            for rank, (_, position) in enumerate(sorted(group)):
                heights[position][end] = y[item] + step * (rank - (len(group) - 1) / 2)
    for position, (link, chain) in enumerate(zip(links, chains, strict=True)):
        for end, (item, given) in enumerate(((chain[0], link.leave), (chain[-1], link.enter))):
            if given is not None:
                heights[position][end] = y[item] - items.sizes[item][1] / 2 + given
    return [(start, end) for start, end in heights]


def straighten(
    items: Items,
    columns: list[list[int]],
    chains: list[list[int]],
    ends: list[Point],
    y: list[float],
    separation: float,
) -> None:
    """Move bends so that an edge neither rises and falls again nor makes a small step, labels to its middle.

    As far as what is above and below them leaves room.
    """
    above: dict[int, int] = {}
    below: dict[int, int] = {}
    for column in columns:
        for upper, lower in pairwise(column):
            above[lower], below[upper] = upper, lower

    def settle(item: int, wish: float) -> None:
        half = items.sizes[item][1] / 2 + separation
        if item in below:
            wish = min(wish, y[below[item]] - items.sizes[below[item]][1] / 2 - half)
        if item in above:
            wish = max(wish, y[above[item]] + items.sizes[above[item]][1] / 2 + half)
        y[item] = wish

    for turn in range(STRAIGHTENINGS):
        for chain, (start, end) in zip(chains, ends, strict=True):
            inner = chain[1:-1]
            for k in range(len(inner)) if turn % 2 == 0 else reversed(range(len(inner))):
                left = y[inner[k - 1]] if k else start
                right = y[inner[k + 1]] if k + 1 < len(inner) else end
                if items.sizes[inner[k]] != BEND:
                    settle(inner[k], (left + right) / 2)
                    continue
                wish = min(max(y[inner[k]], min(left, right)), max(left, right))
                near = right if abs(wish - right) <= abs(wish - left) else left
                settle(inner[k], near if abs(wish - near) < SNAP else wish)


def slots(items: Items, columns: list[list[int]], y: list[float]) -> list[Point]:
    """How high and how low the edge through an item, or at its side, may run: half-way to its neighbours."""
    found = [(0.0, 0.0)] * len(items.sizes)
    for column in columns:
        ends = [(y[k] - items.sizes[k][1] / 2, y[k] + items.sizes[k][1] / 2) for k in column]
        for place, item in enumerate(column):
            top, bottom = ends[place]
            top = (ends[place - 1][1] + top) / 2 if place else top - EDGE
            bottom = (bottom + ends[place + 1][0]) / 2 if place + 1 < len(column) else bottom + EDGE
            slant = SLANT * items.sizes[item][1]
            found[item] = (y[item] - slant, y[item] + slant) if item in items.labels else (top, bottom)
    return found


def route(
    items: Items, spans: list[Point], free: list[Point], y: list[float], chain: list[int], port: Point
) -> tuple[Point, ...]:
    """From the side of the one box to the side of the other, through the slot of each item between them."""
    first, last = chain[0], chain[-1]
    left, right = spans[items.column[first]], spans[items.column[last]]
    start = (sum(left) + items.sizes[first][0]) / 2, port[0]
    end = (sum(right) - items.sizes[last][0]) / 2, port[1]
    middles = [start, *((sum(spans[items.column[k]]) / 2, y[k]) for k in chain[1:-1]), end]
    slopes = _slopes(middles)
    points = [start, (left[1], _towards(start, middles[1], left[1], free[first]))]
    for item, (x, height), slope in zip(chain[1:-1], middles[1:-1], slopes[1:-1], strict=True):
        for side in spans[items.column[item]]:
            points.append((side, _within(height + slope * (side - x), free[item])))
    points += [(right[0], _towards(end, middles[-2], right[0], free[last])), end]
    return _rising(points)


def _towards(end: Point, other: Point, x: float, slot: Point) -> float:
    """The height at x of the straight line between two points, in this slot."""
    share = (x - end[0]) / (other[0] - end[0]) if other[0] != end[0] else 0.0
    return _within(end[1] + share * (other[1] - end[1]), slot)


def _within(height: float, slot: Point) -> float:
    return min(max(height, slot[0]), slot[1])


def _rising(points: list[Point]) -> tuple[Point, ...]:
    """Each point once, none to the left of the one before."""
    kept = points[:1]
    for point in points[1:]:
        if point[0] > kept[-1][0] + 0.01:
            kept.append(point)
    kept[-1] = points[-1]
    return tuple(kept)


def _slopes(points: Sequence[Point]) -> list[float]:
    """The slope in each point: level at the ends and where it turns, never steeper than twice either side."""
    rises = [(y1 - y0) / (x1 - x0) if x1 > x0 else 0.0 for (x0, y0), (x1, y1) in pairwise(points)]
    inner = [2 * a * b / (a + b) if a * b > 0 else 0.0 for a, b in pairwise(rises)]
    return [0.0, *inner, 0.0]


def curves(points: Sequence[Point]) -> list[tuple[Point, Point, Point]]:
    """The Bézier curves that join the points: for each its two handles and its end.

    >>> curves([(0.0, 0.0), (10.0, 4.0)])
    [((5.0, 0.0), (5.0, 4.0), (10.0, 4.0))]
    """
    slopes = _slopes(points)
    made = []
    for ((x0, y0), (x1, y1)), (a, b) in zip(pairwise(points), pairwise(slopes), strict=True):
        half = (x1 - x0) / 2
        made.append(((x0 + half, y0 + a * half), (x1 - half, y1 - b * half), (x1, y1)))
    return made


def shaft(points: Sequence[Point], head: float, at_start: bool) -> list[Point]:
    """The points of an edge up to where its arrowhead of this length begins."""
    if at_start:
        return [(-x, y) for x, y in shaft([(-x, y) for x, y in points[::-1]], head, at_start=False)][::-1]
    x, y = points[-1]
    return [*(point for point in points[:-1] if point[0] < x - head), (x - head, y)]

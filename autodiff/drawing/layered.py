"""A layered layout in pure Python, for machines without Graphviz and for graphs too large for it.

Needs columns.py (which column, which order). Adds heights by least squares without overlap, and the routes of
edges. Nothing recurses. Not read in a unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from autodiff.drawing.columns import BEND, SWEEPS, Items, Link, Size, arranged

__all__ = ["Box", "Layout", "Link", "Point", "Size", "lay_out"]

Point = tuple[float, float]

SEPARATION = 14.0  # between boxes of one column
SLOPE = 30.0  # by which the lower part may rise from a column to the next
NARROWEST_GAP, WIDEST_GAP = 42.0, 130.0  # between columns; less beside a column of labels


@dataclass(frozen=True)
class Box:
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Where everything goes: a box for each node, a route and perhaps a label box for each link.

    A route's points are joined by curves that leave and arrive horizontally. `frames` stand around nodes that
    belong together, each with its name; outer ones come first.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[tuple[Point, ...], ...]
    labels: tuple[Box | None, ...]
    frames: tuple[tuple[str, Box], ...] = ()


def lay_out(
    sizes: Sequence[Size],
    links: Sequence[Link],
    bands: Sequence[int] = (),
    edge: Mapping[int, bool] | None = None,
) -> Layout:
    """Place nodes of these sizes, left to right. The links must not run in a circle.

    `bands` says for each node whether it stands in the upper part (0, where there are none) or below it (1);
    `edge` which nodes stand in the first (False) or the last column (True).

    >>> layout = lay_out([(40.0, 20.0), (40.0, 20.0)], [Link(0, 1)])
    >>> layout.boxes[0].x < layout.boxes[1].x
    True
    """
    bands = bands or [0] * len(sizes)
    items, chains, columns = arranged(sizes, links, bands, edge or {})
    height_of = _heights(items, columns)
    return _assemble(items, columns, height_of, links, chains, len(sizes))


def _heights(items: Items, columns: list[list[int]]) -> list[float]:
    """The y of each item: near the middle of its neighbours, in order, without overlap."""
    y = [0.0] * len(items.sizes)
    upper = [[item for item in column if not items.band[item]] for column in columns]
    _settle_all(items, upper, y)
    if any(items.band):
        lower = [[item for item in column if items.band[item]] for column in columns]
        _settle_all(items, lower, y)
        for column, drop in zip(lower, _drops(items, upper, lower, y), strict=True):
            for item in column:
                y[item] += drop
    return y


def _drops(items: Items, upper: list[list[int]], lower: list[list[int]], y: list[float]) -> list[float]:
    """How far the lower part goes down in each column to clear the upper one, without sudden steps."""
    feet = [max((y[k] + items.sizes[k][1] / 2 for k in above), default=-inf) for above in upper]
    heads = [min((y[k] - items.sizes[k][1] / 2 for k in below), default=inf) for below in lower]
    drops = [foot - head + 2 * SEPARATION for foot, head in zip(feet, heads, strict=True)]
    if max(drops) == -inf:  # they share no column
        clear = max(feet) - min(heads) + 2 * SEPARATION
        drops = [clear if clear > -inf else 0.0] * len(drops)
    for order in (range(1, len(drops)), range(len(drops) - 2, -1, -1)):
        step = order.step
        for column in order:
            drops[column] = max(drops[column], drops[column - step] - SLOPE)
    return drops


def _settle_all(items: Items, columns: list[list[int]], y: list[float]) -> None:
    """The heights of the items of one part, by sweeps to the right and to the left."""
    part = {item for column in columns for item in column}
    near = [
        {item: [other for other in side[item] if other in part] for item in part}
        for side in (items.before, items.after)
    ]
    for column in columns:
        _settle(column, [0.0] * len(column), items.sizes, y)
    for sweep in range(2 * SWEEPS):
        last = sweep >= 2 * SWEEPS - 2
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wishes = []
            for item in column:
                # At last both sides count, so that a column isn't pulled to its operands alone; but not
                # for bends, which keep a long edge straight by following one neighbour.
                both = last and items.sizes[item] != BEND
                others = near[0][item] + near[1][item] if both else near[sweep % 2][item]
                wishes.append(sum(y[other] for other in others) / len(others) if others else y[item])
            _settle(column, wishes, items.sizes, y)


def _settle(column: list[int], wishes: list[float], sizes: list[Size], y: list[float]) -> None:
    """As close to the wishes as order and separation allow, by least squares (pool adjacent violators)."""
    offset, offsets = 0.0, []
    for position, item in enumerate(column):
        if position:
            offset += (sizes[column[position - 1]][1] + sizes[item][1]) / 2 + SEPARATION
        offsets.append(offset)
    pools: list[tuple[float, int]] = []  # sum of wishes less offsets, and how many share their mean
    for wish, offset in zip(wishes, offsets, strict=True):
        total, count = wish - offset, 1
        while pools and pools[-1][0] * count >= total * pools[-1][1]:
            more, others = pools.pop()
            total, count = total + more, count + others
        pools.append((total, count))
    settled = [total / count for total, count in pools for _ in range(count)]
    for item, base, offset in zip(column, settled, offsets, strict=True):
        y[item] = base + offset


def _assemble(
    items: Items,
    columns: list[list[int]],
    y: list[float],
    links: Sequence[Link],
    chains: list[list[int]],
    count: int,
) -> Layout:
    """Columns get their x, everything is moved to positive coordinates, routes get their points."""
    top = min((y[item] - size[1] / 2 for item, size in enumerate(items.sizes)), default=0.0)
    y = [each - top for each in y]
    spans: list[tuple[float, float]] = []  # where each column begins and ends
    right = 0.0
    narrowest = NARROWEST_GAP if all(link.label is None for link in links) else 0.6 * NARROWEST_GAP
    for column in columns:
        width = max((items.sizes[item][0] for item in column), default=0.0)
        steepest = max((abs(y[a] - y[b]) for b in column for a in items.before[b]), default=0.0)
        gap = min(max(narrowest, 0.25 * steepest), WIDEST_GAP) if spans else 0.0
        spans.append((right + gap, right + gap + width))
        right += gap + width
    boxes = [
        Box(sum(spans[column]) / 2, y[item], *items.sizes[item]) for item, column in enumerate(items.column)
    ]
    bottom = max((box.y + box.height / 2 for box in boxes), default=0.0)
    ports = _ports(links, boxes, chains)
    routes = tuple(
        _route(items, boxes, spans, chain, port) for chain, port in zip(chains, ports, strict=True)
    )
    labels = tuple(
        boxes[chain[-2]] if link.label else None for link, chain in zip(links, chains, strict=True)
    )
    return Layout(right, bottom, tuple(boxes[:count]), routes, labels)


def _ports(links: Sequence[Link], boxes: list[Box], chains: list[list[int]]) -> list[tuple[float, float]]:
    """At what heights each chain ends on its two boxes, side by side.

    They leave in the order of where they go, and arrive in the order of the links: that of the operands,
    since a − b must not look like b − a. What is mirrored arrives on the left.
    """
    leaving: dict[int, list[tuple[float, int]]] = {}
    arriving: dict[int, list[tuple[float, int]]] = {}
    for position, chain in enumerate(chains):
        leaving.setdefault(chain[0], []).append((boxes[chain[1]].y, position))
        near = boxes[chain[-2]].y if links[position].mirrored else 0.0
        arriving.setdefault(chain[-1], []).append((near, position))
    heights = [[0.0, 0.0] for _ in chains]
    for end, groups in enumerate((leaving, arriving)):
        for item, group in groups.items():
            box = boxes[item]
            step = min(18.0, 0.6 * box.height / max(1, len(group) - 1))
            for rank, (_, position) in enumerate(sorted(group)):
                heights[position][end] = box.y + step * (rank - (len(group) - 1) / 2)
    for position, (link, chain) in enumerate(zip(links, chains, strict=True)):
        for end, (item, given) in enumerate(((chain[0], link.leave), (chain[-1], link.enter))):
            if given is not None:
                heights[position][end] = boxes[item].y - boxes[item].height / 2 + given
    return [(start, end) for start, end in heights]


def _route(
    items: Items, boxes: list[Box], spans: list[Point], chain: list[int], port: tuple[float, float]
) -> tuple[Point, ...]:
    """Horizontal through every column, so that no curve cuts a box; curved in the gaps between columns."""
    source, target = boxes[chain[0]], boxes[chain[-1]]
    points = [
        (source.x + source.width / 2, port[0]),
        (spans[items.column[chain[0]]][1], port[0]),
    ]
    for item in chain[1:-1]:
        left, right = spans[items.column[item]]
        points += [(left, boxes[item].y), (right, boxes[item].y)]
    points += [
        (spans[items.column[chain[-1]]][0], port[1]),
        (target.x - target.width / 2, port[1]),
    ]
    return tuple(point for point, following in pairwise([*points, None]) if point and point != following)

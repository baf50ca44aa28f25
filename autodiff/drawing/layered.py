"""A layered layout in pure Python, for machines without Graphviz and for graphs too large for it.

Needs columns.py (which column, which order) and routes.py (the ways of edges). Adds heights by least squares
without overlap. Nothing recurses. Not read in a unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from autodiff.drawing.columns import BEND, SWEEPS, Items, Link, Size, arranged
from autodiff.drawing.routes import Point, ports, route, slots, straighten
from autodiff.threads import Scope

__all__ = ["Box", "Layout", "Link", "Point", "Size", "lay_out"]

SEPARATION = 14.0  # between boxes of one column
SLOPE = 30.0  # by which the lower part may rise from a column to the next
NARROWEST_GAP, WIDEST_GAP = 42.0, 110.0  # between columns; less beside a column of labels
STEEPNESS = 0.2  # of a gap's width to the height that an edge climbs in it


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

    A route's points are joined by curves, see routes.curves. `frames` stand around the nodes
    of a scope; outer ones come first.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[tuple[Point, ...], ...]
    labels: tuple[Box | None, ...]
    frames: tuple[tuple[Scope, Box], ...] = ()


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
    return _assemble(items, columns, height_of, links, chains)


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
    feet = _feet(items, upper, y)
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


def _feet(items: Items, upper: list[list[int]], y: list[float]) -> list[float]:
    """How far down the upper part reaches in each column; beside it, to the middle of its outermost column.

    So what stands beside the result doesn't climb above it.
    """
    feet = [max((y[k] + items.sizes[k][1] / 2 for k in above), default=-inf) for above in upper]
    filled = [column for column, above in enumerate(upper) if above]
    for column in range(len(upper)):
        if filled and not filled[0] <= column <= filled[-1]:
            beside = upper[filled[0] if column < filled[0] else filled[-1]]
            feet[column] = sum(y[k] for k in beside) / len(beside)
    return feet


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
    items: Items, columns: list[list[int]], y: list[float], links: Sequence[Link], chains: list[list[int]]
) -> Layout:
    """Columns get their x, everything is moved to positive coordinates, edges get their ways."""
    top = min((y[item] - size[1] / 2 for item, size in enumerate(items.sizes)), default=0.0)
    y = [each - top for each in y]
    ends = ports(items, links, chains, y)
    straighten(items, columns, chains, ends, y, SEPARATION)
    spans = _spans(items, columns, y)
    boxes = [
        Box(sum(spans[column]) / 2, y[item], *items.sizes[item]) for item, column in enumerate(items.column)
    ]
    free = slots(items, columns, y)
    return Layout(
        spans[-1][1] if spans else 0.0,
        max((box.y + box.height / 2 for box in boxes), default=0.0),
        tuple(boxes[: items.nodes]),
        tuple(route(items, spans, free, y, chain, port) for chain, port in zip(chains, ends, strict=True)),
        tuple(boxes[chain[-2]] if link.label else None for link, chain in zip(links, chains, strict=True)),
    )


def _spans(items: Items, columns: list[list[int]], y: list[float]) -> list[Point]:
    """Where each column begins and ends; the steeper the edges, the wider the gap before it.

    Half of it does beside a column of labels, none before a column of bends.
    """
    spans: list[Point] = []
    labelled = [not items.labels.isdisjoint(column) for column in columns]
    for k, column in enumerate(columns):
        right = spans[-1][1] if spans else 0.0
        width = max((items.sizes[item][0] for item in column), default=0.0)
        steepest = max((abs(y[a] - y[b]) for b in column for a in items.before[b]), default=0.0)
        narrowest = NARROWEST_GAP / (2 if labelled[k] or labelled[k - 1] else 1)
        needed = spans and (labelled[k] or any(item < items.nodes for item in column))
        gap = min(max(narrowest, STEEPNESS * steepest), WIDEST_GAP) if needed else 0.0
        spans.append((right + gap, right + gap + width))
    return spans

"""A layered layout in pure Python, for machines without Graphviz and for graphs too large for it.

Needs nothing read before. Columns by longest path, order within a column by barycentres, heights by
least squares without overlap. Nothing recurses. Not read in a unit; the steps follow Sugiyama (1981).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Point = tuple[float, float]
Size = tuple[float, float]

SEPARATION = 14.0  # between boxes of one column
NARROWEST_GAP, WIDEST_GAP = 42.0, 130.0  # between columns; less beside a column of labels
BEND: Size = (0.0, 0.0)
SWEEPS = 8
MOST_BENDS = 10_000  # helper points on long edges; the longest edges go straight when these run out
MOST_COUNTED = 1_500  # crossings are counted, to keep the best order seen, up to this many items


@dataclass(frozen=True)
class Box:
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An edge between two nodes, given by their positions; `label` is the size of its text, if it has one.

    `mirrored`: what flows along it goes from right to left.
    """

    source: int
    target: int
    label: Size | None = None
    mirrored: bool = False


@dataclass(frozen=True)
class Layout:
    """Where everything goes: a box for each node, a route and perhaps a label box for each link.

    A route's points are joined by curves that leave and arrive horizontally.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[tuple[Point, ...], ...]
    labels: tuple[Box | None, ...]


@dataclass
class _Items:
    """Nodes, labels and bends of long edges alike: things with a size that stand in a column."""

    sizes: list[Size]
    column: list[int]
    band: list[float]
    before: list[list[int]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    entry: list[list[float]] = field(default_factory=list)  # beside `after`: how far down in it a link ends

    def add(self, size: Size, column: int, band: float) -> int:
        self.sizes.append(size)
        self.column.append(column)
        self.band.append(band)
        return len(self.sizes) - 1


def lay_out(sizes: Sequence[Size], links: Sequence[Link], bands: Sequence[int] = ()) -> Layout:
    """Place nodes of these sizes, left to right. The links must not run in a circle.

    `bands` says for each node whether it stands in the upper part (0, where there are none) or below it (1).

    >>> layout = lay_out([(40.0, 20.0), (40.0, 20.0)], [Link(0, 1)])
    >>> layout.boxes[0].x < layout.boxes[1].x
    True
    """
    bands = bands or [0] * len(sizes)
    items = _Items(list(sizes), _columns(links, bands), [float(band) for band in bands])
    chains = _chains(items, links)
    items.before = [[] for _ in items.sizes]
    items.after = [[] for _ in items.sizes]
    items.entry = [[] for _ in items.sizes]
    for chain in chains:
        for left, right in pairwise(chain):
            # The first operand enters above the second: 0, 1/2, 2/3 ... of the way to the next place.
            rank = len(items.before[right])
            items.entry[left].append(rank / (rank + 1))
            items.after[left].append(right)
            items.before[right].append(left)
    columns = _ordered(items)
    height_of = _heights(items, columns)
    return _assemble(items, columns, height_of, links, chains, len(sizes))


def _columns(links: Sequence[Link], bands: Sequence[int]) -> list[int]:
    """Above, one column further than the furthest operand, and a node without any just before its first user.

    Below, where gradients flow from right to left, everything stands as far to the right as it can.
    """
    count = len(bands)
    left: list[list[int]] = [[] for _ in range(count)]
    right: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        left[link.target].append(link.source)
        right[link.source].append(link.target)
    column = [0] * count
    order = _from_left_to_right(left, right)
    for node in order:
        column[node] = max((column[each] + 1 for each in left[node]), default=0)
    last = max(column, default=0)
    for node in reversed(order):
        if bands[node]:
            column[node] = min((column[each] - 1 for each in right[node]), default=last)
        elif not left[node] and right[node]:
            column[node] = min(column[each] for each in right[node]) - 1
    if any(link.label for link in links):
        return [2 * each for each in column]  # the columns between are for labels
    return column


def _from_left_to_right(left: list[list[int]], right: list[list[int]]) -> list[int]:
    """The nodes, each behind all its neighbours on the left."""
    missing = [len(each) for each in left]
    order = [node for node, count in enumerate(missing) if not count]
    for node in order:  # grows while it is walked
        for other in right[node]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    return order


def _chains(items: _Items, links: Sequence[Link]) -> list[list[int]]:
    """For each link the items on its way: source, bends, label, target."""
    chains: list[list[int]] = [[] for _ in links]
    budget = MOST_BENDS
    spans = [items.column[link.target] - items.column[link.source] for link in links]
    for position in sorted(range(len(links)), key=spans.__getitem__):
        link = links[position]
        # What leads from the upper part to the lower one runs between the two.
        band = (items.band[link.source] + items.band[link.target]) / 2
        first, last = items.column[link.source] + 1, items.column[link.target]
        bends = last - first - (link.label is not None)
        budget -= bends
        chain = [link.source]
        if budget >= 0:
            chain += [items.add(BEND, column, band) for column in range(first, first + bends)]
        if link.label is not None:
            chain.append(items.add(link.label, last - 1, band))
        chains[position] = [*chain, link.target]
    return chains


def _ordered(items: _Items) -> list[list[int]]:
    """The items of each column from top to bottom, ordered so that few links cross."""
    columns: list[list[int]] = [[] for _ in range(max(items.column, default=0) + 1)]
    place = [0.0] * len(items.sizes)
    for item, position in enumerate(items.column):
        columns[position].append(item)
    for column in columns:
        column.sort(key=items.band.__getitem__)
        for position, item in enumerate(column):
            place[item] = float(position)
    counted = len(items.sizes) <= MOST_COUNTED
    best, fewest = [list(column) for column in columns], _crossings(items, columns, place) if counted else 0
    for sweep in range(SWEEPS if fewest or not counted else 0):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            _sort_by_neighbours(items, column, place, to_the_left=sweep % 2 == 0)
        crossings = _crossings(items, columns, place) if counted else 0
        if crossings < fewest or not counted:
            best, fewest = [list(column) for column in columns], crossings
    return best


def _sort_by_neighbours(items: _Items, column: list[int], place: list[float], to_the_left: bool) -> None:
    wish = {}
    for item in column:
        if to_the_left:
            ends = [place[other] for other in items.before[item]]
        else:
            ends = [
                place[other] + entry
                for other, entry in zip(items.after[item], items.entry[item], strict=True)
            ]
        wish[item] = sum(ends) / len(ends) if ends else place[item]
    column.sort(key=lambda item: (items.band[item], wish[item]))  # stable: equal wishes keep their order
    for position, item in enumerate(column):
        place[item] = float(position)


def _crossings(items: _Items, columns: list[list[int]], place: list[float]) -> int:
    """How many pairs of links between neighbouring columns cross, operands out of order included."""
    total = 0
    for column in columns:
        ends = sorted(
            (place[item], place[other] + entry)
            for item in column
            for other, entry in zip(items.after[item], items.entry[item], strict=True)
            if items.column[other] == items.column[item] + 1
        )
        seen: list[float] = []
        for _, end in ends:
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return total


def _heights(items: _Items, columns: list[list[int]]) -> list[float]:
    """The y of each item: near the middle of its neighbours, in order, without overlap."""
    y = [0.0] * len(items.sizes)
    upper = [[item for item in column if not items.band[item]] for column in columns]
    _settle_all(items, upper, y)
    if any(items.band):
        lower = [[item for item in column if items.band[item]] for column in columns]
        _settle_all(items, lower, y)
        bottom = max(
            (y[k] + size[1] / 2 for k, size in enumerate(items.sizes) if not items.band[k]), default=0
        )
        top = min(y[k] - size[1] / 2 for k, size in enumerate(items.sizes) if items.band[k])
        for item, band in enumerate(items.band):
            y[item] += bottom - top + 2 * SEPARATION if band else 0.0
    return y


def _settle_all(items: _Items, columns: list[list[int]], y: list[float]) -> None:
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
    items: _Items,
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
    return [(start, end) for start, end in heights]


def _route(
    items: _Items, boxes: list[Box], spans: list[Point], chain: list[int], port: tuple[float, float]
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

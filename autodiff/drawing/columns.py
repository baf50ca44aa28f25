"""In which column each node of a layered layout stands, and in which order within it.

Needs nothing read before. Columns by longest path, order by barycentres. Nothing recurses. Not read in a
unit; the steps follow Sugiyama (1981).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Size = tuple[float, float]

BEND: Size = (0.0, 0.0)
SWEEPS = 8
MOST_BENDS = 10_000  # helper points on long edges; the longest edges go straight when these run out
MOST_COUNTED = 1_500  # crossings are counted, to keep the best order seen, up to this many items


@dataclass(frozen=True)
class Link:
    """An edge between two nodes, given by their positions; `label` is the size of its text, if it has one.

    `mirrored`: what flows along it goes from right to left. `leave` and `enter` are how far below the top of
    its boxes it ends, where that is given.
    """

    source: int
    target: int
    label: Size | None = None
    mirrored: bool = False
    leave: float | None = None
    enter: float | None = None


@dataclass
class Items:
    """Nodes, labels and bends of long edges alike: things with a size that stand in a column."""

    sizes: list[Size]
    column: list[int]
    band: list[float]
    before: list[list[int]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    entry: list[list[float]] = field(default_factory=list)  # beside `after`: how far down in it a link ends
    labels: set[int] = field(default_factory=set)
    nodes: int = 0  # how many of the first are nodes

    def add(self, size: Size, column: int, band: float) -> int:
        """One more; its position."""
        self.sizes.append(size)
        self.column.append(column)
        self.band.append(band)
        return len(self.sizes) - 1


def arranged(
    sizes: Sequence[Size], links: Sequence[Link], bands: Sequence[int], edge: Mapping[int, bool]
) -> tuple[Items, list[list[int]], list[list[int]]]:
    """All items, the way of each link through them, and the columns, each from top to bottom.

    What is on the `edge` stands in the first column (False) or in the last one (True).

    >>> items, ways, columns = arranged([(40.0, 20.0)] * 2, [Link(0, 1)], [0, 0], {})
    >>> ways, columns
    ([[0, 1]], [[0], [1]])
    """
    columns = _columns(links, bands, edge)
    items = Items(list(sizes), columns, [float(band) for band in bands], nodes=len(sizes))
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
    return items, chains, _ordered(items)


def _columns(links: Sequence[Link], bands: Sequence[int], edge: Mapping[int, bool]) -> list[int]:
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
    order = from_left_to_right(left, right)
    for node in order:
        column[node] = max((column[each] + 1 for each in left[node]), default=0)
    last = max(column, default=0)
    for node in reversed(order):
        if node in edge:
            column[node] = last * edge[node]
        elif bands[node]:
            column[node] = min((column[each] - 1 for each in right[node]), default=last)
        elif not left[node] and right[node]:
            column[node] = min(column[each] for each in right[node]) - 1
    if any(link.label for link in links):
        return [2 * each for each in column]  # the columns between are for labels
    return column


def from_left_to_right(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> list[int]:
    """The nodes, each behind all its neighbours on the left; those in a circle are missing.

    >>> from_left_to_right([[1], []], [[], [0]])
    [1, 0]
    """
    missing = [len(each) for each in left]
    order = [node for node, count in enumerate(missing) if not count]
    for node in order:  # grows while it is walked
        for other in right[node]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    return order


def _chains(items: Items, links: Sequence[Link]) -> list[list[int]]:
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
            items.labels.add(chain[-1])
        chains[position] = [*chain, link.target]
    return chains


def _ordered(items: Items) -> list[list[int]]:
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


def _sort_by_neighbours(items: Items, column: list[int], place: list[float], to_the_left: bool) -> None:
    wish = {}
    for item in column:
        if to_the_left:
            sides = [(other, 0.0) for other in items.before[item]]
        else:
            sides = list(zip(items.after[item], items.entry[item], strict=True))
        # What leads from one part to the other has to cross something anyway.
        near = [side for side in sides if items.band[side[0]] == items.band[item]] or sides
        ends = [place[other] + entry for other, entry in near]
        wish[item] = sum(ends) / len(ends) if ends else place[item]
    column.sort(key=lambda item: (items.band[item], wish[item]))  # stable: equal wishes keep their order
    for position, item in enumerate(column):
        place[item] = float(position)


def _crossings(items: Items, columns: list[list[int]], place: list[float]) -> int:
    """How many pairs of links between neighbouring columns cross, operands out of order included.

    Those between the two parts don't count.
    """
    total = 0
    for column in columns:
        ends = sorted(
            (place[item], place[other] + entry)
            for item in column
            for other, entry in zip(items.after[item], items.entry[item], strict=True)
            if items.column[other] == items.column[item] + 1 and items.band[other] == items.band[item]
        )
        seen: list[float] = []
        for _, end in ends:
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return total

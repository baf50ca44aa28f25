"""Frames around what belongs together: each is laid out by itself, then stands as one box among others.

Needs layered.py. An edge that crosses a frame ends at its border, and goes on inside from there. Not read in
a unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autodiff.drawing.columns import from_left_to_right
from autodiff.drawing.layered import Box, Layout, Link, Point, Size, lay_out
from autodiff.threads import Scope

PAD = 12.0  # between a frame and what is inside
TITLE = 18.0  # room for its name
LETTER = 7.0

Path = tuple[Scope, ...]


@dataclass(frozen=True)
class _Way:
    """A link as far as it runs inside a frame: None where it comes from outside, or goes there."""

    link: int
    source: int | None
    target: int | None


@dataclass
class _Part:
    """The inside of a frame, laid out, with the heights at which links cross its border."""

    width: float
    height: float
    boxes: dict[int, Box] = field(default_factory=dict)
    routes: dict[int, list[Point]] = field(default_factory=dict)
    labels: dict[int, Box] = field(default_factory=dict)
    frames: list[tuple[Scope, Box]] = field(default_factory=list)
    entries: dict[int, float] = field(default_factory=dict)
    exits: dict[int, float] = field(default_factory=dict)


def lay_out_nested(
    sizes: Sequence[Size], links: Sequence[Link], bands: Sequence[int], paths: Sequence[Path]
) -> Layout:
    """The layout with a frame around each scope; `paths` says in which a node lies, outermost first.

    A scope that something leaves and enters again gets no frame.

    >>> one = (Scope("layer", 1),)
    >>> layout = lay_out_nested([(40.0, 20.0)] * 2, [Link(0, 1)], [0, 0], [(), one])
    >>> [scope.name for scope, _ in layout.frames]
    ['layer']
    """
    ways = [_Way(k, link.source, link.target) for k, link in enumerate(links)]
    part = _Nest(sizes, links, bands, list(paths)).part(list(range(len(sizes))), ways, 0)
    return Layout(
        part.width,
        part.height,
        tuple(part.boxes[k] for k in range(len(sizes))),
        tuple(tuple(part.routes[k]) for k in range(len(links))),
        tuple(part.labels.get(k) for k in range(len(links))),
        tuple(part.frames),
    )


class _Nest:
    def __init__(
        self, sizes: Sequence[Size], links: Sequence[Link], bands: Sequence[int], paths: list[Path]
    ) -> None:
        self.sizes, self.links, self.bands, self.paths = sizes, links, bands, paths

    def part(self, members: list[int], ways: list[_Way], level: int) -> _Part:
        """What lies in one frame: nodes, inner frames, and where links cross the border, as units."""
        units = self._units(members, ways, level)
        unit_of = {node: k for k, unit in enumerate(units) for node in unit}
        inner = [
            self.part(unit, _inside(ways, {*unit}), level + 1) if self._is_frame(unit, level) else None
            for unit in units
        ]
        sizes = [self._size(unit, part, level) for unit, part in zip(units, inner, strict=True)]
        bands = [self.bands[unit[0]] for unit in units]
        edge: dict[int, bool] = {}
        links, drawn = [], []
        for way in ways:
            ends = []
            for node, other, last in ((way.source, way.target, False), (way.target, way.source, True)):
                if node is None:
                    edge[len(sizes)] = last
                    sizes.append((0.0, 0.0))
                    bands.append(bands[unit_of[other]])  # type: ignore[index]
                ends.append(len(sizes) - 1 if node is None else unit_of[node])
            source, target = ends
            if source != target:
                links.append(self._link(way, source, target, [*inner, None, None]))
                drawn.append(way)
        layout = lay_out(sizes, links, bands, edge)
        made = _Part(layout.width, layout.height)
        for unit, part, box in zip(units, inner, layout.boxes, strict=False):
            self._place(made, unit, part, box, level)
        for way, link, route, label in zip(drawn, links, layout.routes, layout.labels, strict=True):
            self._join(made, way, link, list(route), edge)
            if label:
                made.labels[way.link] = label
        return made

    def _is_frame(self, unit: list[int], level: int) -> bool:
        return len(self.paths[unit[0]]) > level

    def _units(self, members: list[int], ways: list[_Way], level: int) -> list[list[int]]:
        """Nodes by frame; the frames of a circle are dissolved."""
        while True:
            groups: dict[object, list[int]] = {}
            for node in members:
                path = self.paths[node]
                groups.setdefault(path[: level + 1] if len(path) > level else node, []).append(node)
            units = list(groups.values())
            unit_of = {node: k for k, unit in enumerate(units) for node in unit}
            left: list[list[int]] = [[] for _ in units]
            right: list[list[int]] = [[] for _ in units]
            for way in ways:
                if way.source is not None and way.target is not None:
                    source, target = unit_of[way.source], unit_of[way.target]
                    if source != target:
                        right[source].append(target)
                        left[target].append(source)
            stuck = set(range(len(units))).difference(from_left_to_right(left, right))
            if not stuck:
                return units
            for k in stuck:
                for node in units[k]:
                    self.paths[node] = self.paths[node][:level]

    def _size(self, unit: list[int], part: _Part | None, level: int) -> Size:
        if part is None:
            return self.sizes[unit[0]]
        title = LETTER * len(self.paths[unit[0]][level].name)
        return max(part.width, title) + 2 * PAD, part.height + PAD + TITLE

    def _link(self, way: _Way, source: int, target: int, inner: list[_Part | None]) -> Link:
        """The link between two units; its text stands where it reaches the node itself."""
        given = self.links[way.link]
        first = inner[source] if way.source is not None else None
        last = inner[target] if way.target is not None else None
        return replace(
            given,
            source=source,
            target=target,
            label=given.label if way.target is not None and last is None else None,
            leave=TITLE + first.exits[way.link] if first else None,
            enter=TITLE + last.entries[way.link] if last else None,
        )

    def _place(self, made: _Part, unit: list[int], part: _Part | None, box: Box, level: int) -> None:
        """Put a node, or the inside of a frame, where the layout has it."""
        if part is None:
            made.boxes[unit[0]] = box
            return
        made.frames.append((self.paths[unit[0]][level], box))
        x, y = box.x - part.width / 2, box.y - box.height / 2 + TITLE
        made.boxes.update({node: _moved(inner, x, y) for node, inner in part.boxes.items()})
        made.labels.update({link: _moved(inner, x, y) for link, inner in part.labels.items()})
        made.frames += [(scope, _moved(inner, x, y)) for scope, inner in part.frames]
        for link, route in part.routes.items():
            moved = [(px + x, py + y) for px, py in route]
            if link in part.entries:  # from the border, straight to where the inside begins
                moved.insert(0, (box.x - box.width / 2, part.entries[link] + y))
            if link in part.exits:
                moved.append((box.x + box.width / 2, part.exits[link] + y))
            made.routes.setdefault(link, []).extend(moved)

    def _join(self, made: _Part, way: _Way, link: Link, route: list[Point], edge: dict[int, bool]) -> None:
        """A route between units, with the pieces inside the frames at its ends."""
        if link.source in edge:
            made.entries[way.link] = route[0][1]
            route.insert(0, (0.0, route[0][1]))
        if link.target in edge:
            made.exits[way.link] = route[-1][1]
            route.append((made.width, route[-1][1]))
        pieces = made.routes.pop(way.link, [])
        # A link between two frames has left its two pieces, the source's to the left of the target's.
        before = [p for p in pieces if link.leave is not None and p[0] <= route[0][0] + 0.01]
        after = [p for p in pieces if link.enter is not None and p[0] >= route[-1][0] - 0.01]
        made.routes[way.link] = [*before, *route, *after]


def _inside(ways: list[_Way], nodes: set[int]) -> list[_Way]:
    """The ways that touch these nodes, cut off where they leave them."""
    kept = []
    for way in ways:
        source = way.source if way.source in nodes else None
        target = way.target if way.target in nodes else None
        if source is not None or target is not None:
            kept.append(_Way(way.link, source, target))
    return kept


def _moved(box: Box, x: float, y: float) -> Box:
    return replace(box, x=box.x + x, y=box.y + y)

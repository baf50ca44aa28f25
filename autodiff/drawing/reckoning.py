"""What the paths of a graph bring to one vertex: the strongest of them, how many there are, what they sum to.

Needs paths.py and, for Tensors, pushes.py, found late. Adds Way (a path and what it brings) and Part (one
gradient, taken apart). Read with U4.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autodiff.drawing.graphs import Graph
from autodiff.drawing.paths import Gains, Hop, arriving, strongest

MOST_PUSHED = 20_000  # rules that are run for paths between arrays, in all


@dataclass(frozen=True)
class Way:
    """One path: its edges, from the parameter on, and what it brings to the gradient.

    `factors` are the local derivatives along it; () where they are Jacobians. `share` is how much of
    Σ|contribution| it makes; between arrays, which part of the gradient (the parts of all paths add up to 1).

    >>> Way((Hop(0, 1, 0),), (3.0,), 3.0, 1.0).amount
    3.0
    """

    hops: tuple[Hop, ...]
    factors: tuple[float, ...]
    amount: Any
    share: float


@dataclass(frozen=True)
class Part:
    """The gradient of one vertex as a sum over paths: `count` of them, the strongest as `ways`.

    `at` is None for a value that the result doesn't depend on. `total` is Σ|contribution| over all paths;
    None between arrays, where it isn't known without walking them.

    >>> Part("x", None, 0.0, 0, 0.0, ()).hidden
    0
    """

    of: str
    at: int | None
    gradient: Any
    count: int
    total: float | None
    ways: tuple[Way, ...]

    @property
    def hidden(self) -> int:
        """How many paths aren't shown."""
        return self.count - len(self.ways)

    @property
    def held(self) -> float:
        """What the paths that are shown hold together: see Way.share."""
        return math.fsum(way.share for way in self.ways if math.isfinite(way.share))


class Reckoning:
    """The paths from the `wanted` vertices of a graph that was read with its gradients.

    `numbers` says whether local derivatives are single numbers.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = Scalar(3.0, name="x")
    >>> part = Reckoning(read(x * x, 1.0), {0}).part(0, 5)
    >>> part.count, [way.amount for way in part.ways]
    (2, [3.0, 3.0])
    """

    def __init__(self, graph: Graph, wanted: Collection[int]) -> None:
        self.graph, self.wanted = graph, wanted
        tracked = [vertex for vertex in graph.vertices if vertex.gradient is not None]
        self.numbers = not any(vertex.shape for vertex in tracked)

    def part(self, at: int, most: int) -> Part:
        """The gradient that arrives at vertex `at`, taken apart."""
        vertex = self.graph.vertices[at]
        hops = strongest(self.graph, at, self._gains, most)
        total = self._totals.get(at, 0.0) if self.numbers else None
        ways = [self._along(each, total) if self.numbers else self._pushed(each, at) for each in hops]
        if not self.numbers:
            ways.sort(key=lambda way: -_size(way.amount))  # found by a guess, now by what they bring
        return Part(vertex.name, at, vertex.gradient, self._counts.get(at, 0), total, tuple(ways))

    def affordable(self, most: int, parts: int) -> int:
        """How many of the `most` paths to each of `parts` vertices can be pushed along in good time."""
        if self.numbers:
            return most
        return max(1, min(most, MOST_PUSHED // (parts * len(self.graph.vertices))))

    @cached_property
    def _partials(self) -> list[list[float]]:
        """∂ of each edge between single numbers."""
        return [
            [
                self._local(k, seat) if operand.tracked and vertex.gradient is not None else 0.0
                for seat, operand in enumerate(vertex.operands)
            ]
            for k, vertex in enumerate(self.graph.vertices)
        ]

    def _local(self, k: int, seat: int) -> float:
        partial = self.graph.vertices[k].operands[seat].partial
        if partial is not None:
            return float(partial)
        from autodiff.drawing.pushes import local

        return local(self.graph, k, seat)

    @cached_property
    def _gains(self) -> Gains:
        if self.numbers:
            return [[abs(partial) for partial in each] for each in self._partials]
        from autodiff.drawing.pushes import gain

        return [
            [
                gain(self.graph, k, seat) if operand.tracked and vertex.gradient is not None else 0.0
                for seat, operand in enumerate(vertex.operands)
            ]
            for k, vertex in enumerate(self.graph.vertices)
        ]

    @cached_property
    def _counts(self) -> dict[int, int]:
        return arriving(self.graph, 1, self.wanted, lambda paths, k, seat: paths)

    @cached_property
    def _totals(self) -> dict[int, float]:
        first = abs(float(self.graph.out.gradient))
        return arriving(self.graph, first, self.wanted, lambda total, k, seat: total * self._gains[k][seat])

    def _along(self, hops: tuple[Hop, ...], total: float | None) -> Way:
        factors = tuple(self._partials[hop.user][hop.seat] for hop in hops)
        amount = float(self.graph.out.gradient)
        for factor in reversed(factors):
            amount *= factor
        return Way(hops, factors, amount, abs(amount) / total if total else 0.0)

    def _pushed(self, hops: tuple[Hop, ...], at: int) -> Way:
        from autodiff.drawing.pushes import along, push

        amount = push(self.graph, hops, self.graph.out.gradient)
        whole = self.graph.vertices[at].gradient
        return Way(hops, (), amount, along(amount, whole) if _size(whole) else math.nan)


def _size(value: Any) -> float:
    from autodiff.drawing.pushes import norm

    return norm(value)

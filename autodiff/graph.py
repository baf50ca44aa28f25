"""Graphs of recorded values: who stands before whom, which paths lead where, how often a pass calls.

Needs nothing read before. A node is anything with `parents` (a tuple, in the order of the operands, an
operand that stands twice listed twice) and `order` (a number that grows with each node made). Read in
U4 (paths), U5 (visits) and U6 (one ordered pass).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Protocol, Self, TypeVar


class Node(Protocol):
    """What this file asks of a node."""

    @property
    def parents(self) -> tuple[Self, ...]:
        """The nodes that this one was computed from."""
        ...

    @property
    def order(self) -> int:
        """When this node was made, counted in nodes."""
        ...


class HasGrad(Protocol):
    """A value of any engine whose `grad(g)` hands a gradient on by multiplying it."""

    def grad(self, g: Any = 1.0) -> Any:
        """Hand `g` on."""
        ...


N = TypeVar("N", bound=Node)

_order = attrgetter("order")


def topological_order(root: N) -> list[N]:
    """All nodes that `root` was computed from and `root` itself, every parent before its child.

    A value is made after its operands, so sorting by the time of making is such an order. Each node is
    met once, whatever the number of paths, and nothing recurses: a chain of 1,000,000 nodes is fine.

    >>> from autodiff import Scalar
    >>> x = Scalar(3.0, name="x")
    >>> [node.value for node in topological_order((x * x + x).exp())]
    [3.0, 9.0, 12.0, 162754.79141900392]
    """
    met = {root}
    waiting = [root]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in met:
                met.add(parent)
                waiting.append(parent)
    return sorted(met, key=_order)


def paths(root: N, leaf: N) -> Iterator[tuple[N, ...]]:
    """Every path from `root` down to `leaf`, as tuples of nodes; x * x has two paths to x.

    There may be 2**n of them: `count_paths` counts without walking.

    >>> from autodiff import Scalar
    >>> x = Scalar(3.0, name="x")
    >>> len(list(paths(x * x + x, x)))
    3
    """
    path, pending = [root], [iter(root.parents)]
    if root is leaf:
        yield (root,)
    while pending:
        parent = next(pending[-1], None)
        if parent is None:
            pending.pop()
            path.pop()
            continue
        if parent is leaf:
            yield (*path, parent)
        path.append(parent)
        pending.append(iter(parent.parents))


def count_paths(root: N) -> int:
    """How many paths lead from `root` to where a graph begins (nodes without parents).

    >>> from autodiff import Scalar
    >>> y = Scalar(1.0, name="x")
    >>> for _ in range(30):
    ...     y = y + y
    >>> count_paths(y)
    1073741824
    """
    nodes = topological_order(root)
    arriving = dict.fromkeys(nodes, 0)
    arriving[root] = 1
    for node in reversed(nodes):
        for parent in node.parents:
            arriving[parent] += arriving[node]
    return sum(arriving[node] for node in nodes if not node.parents)


class _Tally(float):
    """A gradient that counts how often it is multiplied, however many times it is split and added."""

    count: list[int]

    def _like(self, value: float) -> _Tally:
        made = _Tally(value)
        made.count = self.count
        return made

    def __mul__(self, other: float) -> _Tally:
        self.count[0] += 1
        return self._like(float(self) * float(other))

    def __add__(self, other: float) -> _Tally:
        return self._like(float(self) + float(other))

    __rmul__ = __mul__
    __radd__ = __add__


def count_visits(root: HasGrad) -> int:
    """How many visits `root.grad()` makes: one to the root, one each time an edge is walked.

    It looks at no engine's inside. Every visit but the first multiplies the gradient by one local
    derivative, so a gradient that counts its own multiplications counts the visits.

    >>> from autodiff import ClosureScalar, Scalar
    >>> slow, quick = ClosureScalar(1.0, name="x"), Scalar(1.0, name="x")
    >>> for _ in range(10):
    ...     slow, quick = slow + slow, quick + quick
    >>> count_visits(slow), count_visits(quick)
    (2047, 21)
    """
    g = _Tally(1.0)
    g.count = [0]
    root.grad(g)
    return g.count[0] + 1

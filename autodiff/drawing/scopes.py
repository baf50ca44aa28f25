"""In which scopes a picture shows a node: the named ones, and calls of composed functions.

Needs threads.py (scopes) and graphs.py. Such a call has left a mark on its answer; what it made follows from
the graph. Read with U8, where graphs grow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

from autodiff.drawing.graphs import Vertex
from autodiff.drawing.labels import tidy
from autodiff.threads import Scope

FEWEST = 3  # operations that make a composed function worth a frame

Path = tuple[Scope, ...]


def scopes_of(nodes: Collection[Any]) -> dict[Any, Path]:
    """For each of these nodes (all that a graph has) the scopes that it was made in, outermost first.

    A call that made one or two operations is left out, and one that did nothing but call another takes its
    place.

    >>> from autodiff import Scalar, name_scope
    >>> x = Scalar(2.0, name="x")
    >>> with name_scope("model"):
    ...     y = x * x
    >>> [scope.name for scope in scopes_of([x, y])[y]]
    ['model']
    """
    paths = {node: [scope for scope in _own(node) if not scope.composed] for node in nodes}
    for node in nodes:
        for call in _own(node):
            if call.composed:
                for inside in _made_by(call, node):
                    if call not in paths[inside]:
                        paths[inside].append(call)
    for path in paths.values():
        path.sort(key=_entry)
    count = Counter(scope for node, path in paths.items() if node.parents for scope in path)
    kept: dict[Any, Path] = {}
    for node, path in paths.items():
        same = {
            inner
            for outer, inner in pairwise(path)
            if outer.composed and inner.composed and count[outer] == count[inner]
        }
        shown = [each for each in path if not each.composed or (count[each] >= FEWEST and each not in same)]
        kept[node] = tuple(scope._replace(name=tidy(scope.name)) for scope in shown)
    return kept


def with_scopes_of_leaves(vertices: Sequence[Vertex]) -> list[Vertex]:
    """Leaves and constants stand in the named scope in which alone the program uses them.

    A composed function is handed its operands: only plain numbers, and what its rules have prepared, stand
    in its frame.

    >>> from autodiff.drawing.graphs import Operand
    >>> user = Vertex("output", symbol="−", operands=(Operand(0),), scope=(Scope("model", 1),))
    >>> with_scopes_of_leaves([Vertex("parameter", "x"), user])[0].scope[0].name
    'model'
    """
    if not any(vertex.scope for vertex in vertices):
        return list(vertices)
    users: list[list[Vertex]] = [[] for _ in vertices]
    for vertex in vertices:
        for seat in vertex.operands:
            users[seat.at].append(vertex)
    made = []
    for vertex, using in zip(vertices, users, strict=True):
        program = [user for user in using if user.kind != "gradient"] or using
        if program and not vertex.symbol:
            shared = _shared([user.scope for user in program])
            own = vertex.kind == "constant" or (vertex.kind == "data" and program[0].kind == "gradient")
            made.append(vertex.but(scope=shared if own else named(shared)))
        else:
            made.append(vertex)
    return made


def _shared(paths: Sequence[Path]) -> Path:
    """The scopes around all of these."""
    count = 0
    while all(len(path) > count and path[count] == paths[0][count] for path in paths):
        count += 1
    return paths[0][:count]


def named(path: Path) -> Path:
    """Those of these scopes that stand around the outermost composed function."""
    return tuple(takewhile(lambda scope: not scope.composed, path))


def mirrored(path: Path) -> Path:
    """The same scopes in the backward pass."""
    return tuple(scope.mirror() for scope in path)


def _own(node: Any) -> Path:
    path: Path = getattr(node, "scope", ())
    return path


def _entry(scope: Scope) -> int:
    return scope.entry


def _made_by(call: Scope, answer: Any) -> Iterator[Any]:
    """The answer, and those of its ancestors that are no older than the call."""
    met, waiting = {answer}, [answer]
    while waiting:
        node = waiting.pop()
        yield node
        for parent in node.parents:
            if parent is not None and parent not in met and parent.order > call.entry:
                met.add(parent)
                waiting.append(parent)

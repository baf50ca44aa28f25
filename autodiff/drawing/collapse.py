"""A graph that is too large to look at, with one box for what belongs together.

Needs graphs.py and fold.py (how vertices become one). Adds what belongs together: named scopes, repeated
samples, long chains, and what is far from the result. Read with U8, where graphs grow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from autodiff.drawing.description import Kind
from autodiff.drawing.fold import Fold, fold, users_of
from autodiff.drawing.graphs import Graph, Vertex
from autodiff.errors import OptionError
from autodiff.threads import Scope

Collapse: TypeAlias = bool | str | Collection[str] | None

MANY = 300  # vertices; a larger graph is collapsed unasked
SHORTEST = 3  # chain that is worth a box of its own
MOST_LEAVES = 50  # that stay visible when what uses them doesn't


def collapsed(graph: Graph, depth: int | None = None, collapse: Collapse = None) -> Graph:
    """The graph as it is to be drawn.

    `depth` is how many levels of scopes are shown open. `collapse` names scopes to close; True closes all
    that can be, False nothing; None what has to be in a graph of more than MANY vertices.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> x = y = Scalar(0.5, name="x")
    >>> for _ in range(1000):
    ...     y = y.sin()
    >>> [(vertex.symbol, vertex.folded) for vertex in collapsed(read(y)).vertices]
    [('', ''), ('sin', '1,000 in a row')]
    """
    names = _names(graph, collapse)
    if depth is not None and depth < 0:
        raise OptionError(f"depth counts levels of scopes to show open, 0 or more; got {depth}")
    if depth is not None or names:
        graph = fold(graph, _scopes(graph, len(graph.vertices) if depth is None else depth, names))
    for step, also_small in _steps(graph, closed=depth is not None):
        if collapse is not False and (len(graph.vertices) > MANY or (collapse is True and also_small)):
            graph = step(graph)
    return graph


def _names(graph: Graph, collapse: Collapse) -> Collection[str]:
    """The names of scopes to close."""
    if collapse is None or isinstance(collapse, bool):
        return ()
    names = [collapse] if isinstance(collapse, str) else list(collapse)
    known = sorted({scope.name for vertex in graph.vertices for scope in vertex.scope})
    for name in names:
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "none was made with name_scope"
            raise OptionError(f"no scope {name!r} to collapse; {there}. True closes all, False nothing")
    return names


def _steps(graph: Graph, closed: bool) -> Iterator[tuple[Callable[[Graph], Graph], bool]]:
    """What is tried one after the other, and whether it is also done to a small graph if asked."""
    deepest = max((len(vertex.scope) for vertex in graph.vertices), default=0)
    for level in () if closed else reversed(range(deepest)):
        yield lambda now, level=level: fold(now, _scopes(now, level, ())), True  # type: ignore[misc]
    # First what repeats, since a chain of sums over samples is a chain of like steps only then.
    yield lambda now: _fold_chains(fold(now, _repeated(now)), alike=True), True
    yield lambda now: _fold_chains(now, alike=False), False
    yield lambda now: fold(now, _far(now)), False


def _fold_chains(graph: Graph, alike: bool) -> Graph:
    return fold(graph, _chains(graph, alike))


# --- scopes -----------------------------------------------------------------------------------------------


def _scopes(graph: Graph, depth: int, names: Collection[str]) -> list[Fold]:
    """A box for each scope below `depth` levels, and for each of these names."""
    groups: dict[tuple[Scope, ...], list[int]] = {}
    for k, vertex in enumerate(graph.vertices):
        named = next((level for level, scope in enumerate(vertex.scope) if scope.name in names), depth)
        level = min(depth, named)
        if len(vertex.scope) > level:
            groups.setdefault(vertex.scope[: level + 1], []).append(k)
    return [
        Fold(tuple(members), graph.vertices[members[0]].scope[level].name, level=level)
        for path, members in groups.items()
        if (level := len(path) - 1) >= 0 and len(members) > 1
    ]


# --- repeated samples -------------------------------------------------------------------------------------


def _repeated(graph: Graph) -> list[Fold]:
    """Operations that do the same to the same, or to other constants: one sample after the other."""
    marks: dict[object, int] = {}
    mark_of: list[int] = []
    for k, vertex in enumerate(graph.vertices):
        form: tuple[object, ...] = (vertex.kind, vertex.shape)
        if vertex.symbol:
            below = tuple(mark_of[seat.at] for seat in vertex.operands)
            # In the backward pass of Scalars the details are numbers.
            detail = vertex.detail if vertex.kind != "gradient" or vertex.shape is not None else ""
            form += (vertex.symbol, vertex.rule, detail, vertex.folded, vertex.name, below)
        elif vertex.kind not in ("constant", "data"):
            form += (k,)
        mark_of.append(marks.setdefault(form, len(marks)))
    # Constants are alike where they sit in like seats of like users.
    seats: list[set[tuple[int, int]]] = [set() for _ in graph.vertices]
    for k, vertex in enumerate(graph.vertices):
        for place, seat in enumerate(vertex.operands):
            seats[seat.at].add((mark_of[k], place))
    groups: dict[object, list[int]] = {}
    for k, vertex in enumerate(graph.vertices):
        groups.setdefault(mark_of[k] if vertex.symbol else (mark_of[k], frozenset(seats[k])), []).append(k)
    return [
        Fold(tuple(members), graph.vertices[members[0]].symbol, alike=True)
        for members in groups.values()
        if len(members) > 1
    ]


# --- chains -----------------------------------------------------------------------------------------------


def _chains(graph: Graph, alike: bool) -> list[Fold]:
    """Operations in a row, each used by the next one alone; `alike`: of one kind."""
    users, vertices = users_of(graph), graph.vertices
    backward = [vertex.kind == "gradient" for vertex in vertices]
    # What the backward pass keeps of a chain doesn't end it.
    followers = [sum(backward[user] == backward[k] for user in users[k]) for k in range(len(vertices))]
    length = [1] * len(vertices)
    before: dict[int, int] = {}
    for k, vertex in enumerate(vertices):
        fitting = [
            seat.at
            for seat in vertex.operands
            if followers[seat.at] == 1 and _continues(vertices[seat.at], vertex, alike)
        ]
        if fitting:
            before[k] = max(fitting, key=length.__getitem__)
            length[k] = length[before[k]] + 1
    leaves = sum(vertex.kind == "parameter" for vertex in vertices)
    kinds: list[Kind] = ["constant", "data"]
    if leaves > MOST_LEAVES and not alike:
        kinds.append("parameter")
    inner, folds = set(before.values()), []
    for last in range(len(vertices)):
        if length[last] < SHORTEST or last in inner:
            continue
        members = [last]
        while members[-1] in before:
            members.append(before[members[-1]])
        more = _only_used_by(graph, users, members, kinds)
        folds.append(
            Fold((*reversed(members), *more), vertices[last].symbol if alike else "…", in_a_row=True)
        )
    return folds


def _continues(earlier: Vertex, later: Vertex, alike: bool) -> bool:
    """Whether both belong to one chain, if the later one alone uses the earlier."""
    if not (earlier.symbol and later.symbol) or (earlier.kind == "gradient") != (later.kind == "gradient"):
        return False
    return not alike or earlier.symbol == later.symbol


def _only_used_by(
    graph: Graph, users: list[set[int]], members: list[int], kinds: Collection[Kind]
) -> list[int]:
    """What is of these kinds, and used by nothing but these; what the backward pass keeps doesn't count."""
    vertices, inside = graph.vertices, set(members)
    backward = vertices[members[0]].kind == "gradient"
    seats = {seat.at for member in members for seat in vertices[member].operands}
    return sorted(
        at
        for at in seats
        if vertices[at].kind in kinds
        and all(user in inside or (not backward and vertices[user].kind == "gradient") for user in users[at])
    )


# --- what is far away -------------------------------------------------------------------------------------


def _far(graph: Graph) -> list[Fold]:
    """All but the operations nearest to the result, forward and backward; leaves stay if they are few."""
    vertices = graph.vertices
    leaves = [k for k, vertex in enumerate(vertices) if vertex.kind == "parameter"]
    ends = [k for k, vertex in enumerate(vertices) if vertex.kind == "gradient" and not vertex.symbol]
    stay = {
        *(leaves if len(leaves) <= MOST_LEAVES else ()),
        *(ends if len(ends) <= MOST_LEAVES else ends[:1]),
    }
    forward = [k for k, vertex in enumerate(vertices) if vertex.kind != "gradient" and k not in stay]
    backward = [k for k, vertex in enumerate(vertices) if vertex.kind == "gradient" and k not in stay]
    room = (MANY - len(stay)) // (2 if backward else 1)
    far = [Fold(tuple(forward[:-room]), "…"), Fold(tuple(backward[room:]), "…")]
    return [each for each in far if len(each.members) > 1]

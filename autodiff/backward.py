"""The one backward pass of every engine from Tensor on, over nodes that lie apart from their values.

Needs primitive.py (rows) and ops/ (what fits a gradient to its variable). Adds Node and Leaf, and the pass.
Read with U10 (one pass over arrays) and U14 (what it costs).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from autodiff.errors import FreedGraphError, GradientError
from autodiff.ops.shapes import cast, reduce_broadcast, stretch, unbroadcast
from autodiff.primitive import Row, Shape
from autodiff.threads import Scope, next_order, thread

by_order = attrgetter("order")
Wrap = Callable[[Any, "Node | None"], Any]


class Node:
    """How one value was computed: its row, the nodes of its operands, and what its rules will read.

    It never refers to its own value, so no cycle keeps it alive: reference counting frees a graph. `parents`
    has None for a constant. `kept` is None once a backward pass has cleared it. `g` and `owned` are in use
    during a pass only: the gradient so far, and whether its buffer was made here and may be added into.
    `alike` says that operands and value agree in shape and dtype, so that nothing has to be fitted.
    """

    __slots__ = (
        "alike", "constants", "dtype", "g", "kept", "name", "order", "owned", "parents", "row", "scope",
        "shape",
    )  # fmt: skip

    order: int
    row: Row | None
    parents: tuple[Node | None, ...]
    kept: Any
    shape: Shape
    dtype: np.dtype[Any]
    g: Any
    owned: bool
    alike: bool
    name: str  # not set on most
    scope: tuple[Scope, ...]  # not set outside name_scope
    constants: tuple[Any, ...]  # not set where all operands are tracked; for pictures, see entries.Constant

    def __repr__(self) -> str:
        name = getattr(self, "name", None)
        what = self.row.name if self.row else "leaf"
        return f"<{what}{f' {name!r}' if name else ''} of shape {self.shape}>"


class Leaf(Node):
    """Where a graph begins: a variable, which holds the gradient that arrives."""

    __slots__ = ("changed", "closed", "grad", "owner")

    grad: Any
    owner: (
        Any  # a weak reference to the variable, which pictures ask for its value; not set where there is none
    )
    changed: int  # when its data were last replaced, on the clock of `order`
    closed: bool  # a variable of grad(f) and the like, once that has returned: nobody can ask for it any more

    def __init__(self, like: Any) -> None:
        self.order = next_order()
        self.row = None
        self.parents = self.kept = ()
        self.shape, self.dtype = like.shape, like.dtype
        self.g = self.grad = None
        self.closed = False
        self.changed = 0


def note_scope(node: Node) -> None:
    """Write on a new node what scope this thread is in; called only while some thread is special."""
    if thread.scope:
        node.scope = thread.scope


_pass_lock = threading.RLock()  # gradients lie in the nodes during a pass, and threads may share nodes
_depth = 0  # a rule may run a pass of its own (checkpoint): how many are under way


def ancestors(root: Node, stop: Collection[Node] = ()) -> set[Node]:
    """`root` and every node it was computed from; not beyond those in `stop`. Errors: FreedGraphError."""
    met = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kept is None:
            raise freed(node)
        if node in stop:
            continue
        for parent in node.parents:
            if parent is not None and parent not in met:
                met.add(parent)
                waiting.append(parent)
    return met


def freed(node: Node) -> FreedGraphError:
    """The error that says what an earlier pass has cleared."""
    return FreedGraphError(
        f"the graph behind {node!r} was cleared by an earlier backward(), so no gradient can pass it. "
        "Call the earlier one with backward(keep_graph=True), or compute the value again"
    )


def leading_to(targets: Collection[Node], nodes: Iterable[Node]) -> set[Node]:
    """Those among `nodes` (oldest first) that were computed from a target; targets included."""
    met = set(targets)
    for node in nodes:
        if not met.isdisjoint(node.parents):
            met.add(node)
    return met


def propagate(
    root: Node,
    g: Any,
    wanted: set[Node],
    targets: Collection[Node] | None = None,
    wrap: Wrap | None = None,
    free: bool = False,
    beyond: bool = True,
) -> dict[Node, Any]:
    """Hand `g` from `root` down to the targets (None: all leaves), through the nodes in `wanted`.

    A node comes up after all nodes computed from it, so its gradient is complete: each is served once. With
    `wrap`, the rules run on recorded values. With `free`, each node is cleared once it was served. Without
    `beyond`, a target hands nothing on.
    """
    global _depth  # noqa: PLW0603 - it counts passes of this thread, which holds the lock
    with _pass_lock, np.errstate(all="ignore"):
        outer = [(node, node.g, node.owned) for node in wanted if node.g is not None] if _depth else []
        for node, _, _ in outer:
            node.g = None
        _depth += 1
        try:
            root.g, root.owned = g, False
            return _serve(wanted, targets, wrap, free, beyond)
        except BaseException:
            for node in wanted:
                node.g = None
            raise
        finally:
            _depth -= 1
            for node, node.g, node.owned in outer:  # noqa: B007 - puts both back
                pass


def _serve(
    wanted: set[Node], targets: Collection[Node] | None, wrap: Wrap | None, free: bool, beyond: bool
) -> dict[Node, Any]:
    found: dict[Node, Any] = {}
    order = sorted(wanted, key=by_order)
    watch, plain = thread.watch, wrap is None
    while order:
        node = order.pop()
        g, row, node.g = node.g, node.row, None
        if row is None or (targets and node in targets):
            found[node] = g if wrap or g is None or node.owned else np.array(_whole(g, node))
            if row is None or not beyond:
                continue
        kept, parents, alike = node.kept, node.parents, node.alike
        if (watch or not alike) and g is not None and g.shape != node.shape:
            g = stretch(g, like=node)
        if free:
            node.kept, node.parents = None, ()
        if g is None:
            continue  # nothing arrived
        if wrap:
            kept = as_recorded(node, kept, parents, wrap)
        elif row.into and parents[0] in wanted:
            _deliver_into(row, g, kept, parents[0])
            continue
        for parent, vjp in zip(parents, row.vjps):  # noqa: B905 - strict costs 0.2 µs; variadic has no end
            if parent in wanted:
                d = vjp(g, kept)
                if not alike or watch:
                    d = fit(d, parent, row, kept)
                total = parent.g
                if total is None:  # borrowed: others may see this array, unless a rule of ours made it
                    parent.g = d
                    parent.owned = plain and parent.row is None and row.is_ours and _is_new(d, g, parent)
                elif parent.owned:
                    total += d
                else:
                    parent.g = total = total + d
                    parent.owned = plain and type(total) is np.ndarray
    return found


def _whole(g: Any, node: Node) -> Any:
    return g if g.shape == node.shape else stretch(g, like=node)


def _is_new(d: Any, g: Any, parent: Node) -> bool:
    return type(d) is np.ndarray and d.base is None and d is not g and d.shape == parent.shape


def _deliver_into(row: Row, g: Any, kept: Any, parent: Node) -> None:
    """Add a gradient that touches a few entries only, without an array of zeros for each."""
    if parent.g is None:
        parent.g, parent.owned = np.zeros(parent.shape, parent.dtype), True
    elif not parent.owned:
        parent.g, parent.owned = np.array(_whole(parent.g, parent)), True
    assert row.into is not None  # for the types; the caller asked
    row.into(parent.g, g, kept)
    if thread.watch:
        thread.watch(row, kept, parent.g, "gradient")


def as_recorded(
    node: Node, values: tuple[Any, ...], parents: tuple[Node | None, ...], wrap: Wrap
) -> tuple[Any, ...]:
    """What `node` keeps, its arrays as recorded values again; its rule is the next to run."""
    if thread.serving:
        thread.serving(node)
    kept, count = list(values), len(parents)
    if node.row is not None and node.row.is_variadic:
        pairs = zip(kept[0], parents, strict=True) if kept and kept[0] else ()
        kept[:1] = [tuple(value if p is None else wrap(value, p) for value, p in pairs)] if kept else []
        count = 2  # operands and likes come before out
    else:
        for k, parent in enumerate(parents):
            if k < len(kept) and parent is not None and kept[k] is not None and kept[k] is not parent:
                kept[k] = wrap(kept[k], parent)
    if count < len(kept) and kept[count] is not None:
        kept[count] = wrap(kept[count], node)
    return tuple(kept)


def fit(d: Any, parent: Any, row: Row, kept: Any = ()) -> Any:
    """`d` with the shape and the dtype of its variable: summed where it was stretched, cast where widened."""
    if thread.watch:
        thread.watch(row, kept, d, "gradient")
    try:
        if d.shape != parent.shape:
            plain = type(d) is np.ndarray
            d = reduce_broadcast(d, parent.shape) if plain else unbroadcast(d, like=parent)
        elif type(d) is np.ndarray and d.size > 1 and not any(d.strides):
            d = d[(0,) * d.ndim]  # the same everywhere: one number does as long as nothing changes shape
        return d if d.dtype is parent.dtype or d.dtype == parent.dtype else cast(d, like=parent)
    except AttributeError as problem:
        raise no_array(row, d) from problem


def no_array(row: Row, d: Any) -> GradientError:
    """The error for a rule that doesn't answer with an array."""
    return GradientError(
        f"a rule of row {row.name!r} returned {type(d).__name__} {d!r}; a rule returns the gradient of its "
        "operand, an array of its shape (or one that broadcast it). Multiply by g, or use zeros(like=…)"
    )


def hangs_on_more(nodes: set[Node], own: set[Node]) -> bool:
    """Whether a graph begins elsewhere than at `own`, so that somebody may differentiate for that, too."""
    return any(
        (node.row is None and not node.closed and node not in own)  # type: ignore[attr-defined]
        or (node in own and node.row is not None)
        for node in nodes
    )


def differentiate(
    root: Node,
    targets: Collection[Node],
    g: Any,
    wrap: Wrap | None,
    record: bool | None,
    beyond: bool = True,
) -> tuple[dict[Node, Any], bool]:
    """Gradients of the targets, and whether they were recorded. Nothing is freed, no `.grad` is touched.

    record=None records exactly if the graph hangs on anything else than the targets: then the answer may
    itself be differentiated for that. `beyond` says whether what lies behind a target counts, too: for
    variables made for this purpose it doesn't.
    """
    targets = set(targets)
    beyond = beyond and record is not None
    nodes = ancestors(root, stop=() if beyond else targets)
    if record is None:
        record = hangs_on_more(nodes, targets)
    nodes_in_order = sorted(nodes, key=by_order)
    wanted = leading_to(targets & nodes, nodes_in_order)
    if root not in wanted:
        return {}, record
    if not record:
        return propagate(root, g, wanted, targets, beyond=beyond), False
    assert wrap is not None  # for the types: whoever wants a record says how values are wrapped
    start = wrap(g, None) if isinstance(g, np.ndarray | np.generic) else g
    return propagate(root, start, wanted, targets, wrap, beyond=beyond), True

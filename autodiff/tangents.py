"""Forward mode over the same nodes: tangents pushed from the variables up to a value, oldest node first.

Needs backward.py (nodes, and the pass that the double-vjp identity runs twice). No row needs a rule of its
own for it. Read in U14 (stretch).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff.backward import Node, Wrap, ancestors, as_recorded, by_order, leading_to
from autodiff.ops.shapes import cast, stretch
from autodiff.primitive import Function, Row

# transpose(rule, node, v, parent): the gradient of Σ v·rule(g) for g, where g belongs to node, v to parent.
Transpose = Callable[[Function, Any, Any, Any], Any]


def push(root: Node, tangents: Mapping[Node, Any], transpose: Transpose, wrap: Wrap | None) -> Any | None:
    """The tangent of `root`, given those of some nodes before it; None where it depends on none of them.

    Elementwise rows: the rules themselves, since g·slope and tangent·slope are the same product. Linear
    rows: the forward, applied to the tangent. The rest: J·t is the transpose of g → Jᵀ·g, applied to t.
    """
    nodes = sorted(ancestors(root, stop=tangents), key=by_order)
    wanted = leading_to(tangents, nodes)
    known = dict(tangents)
    with np.errstate(all="ignore"):
        for node in nodes:
            if node in wanted and node not in known:
                kept = as_recorded(node, node.kept, node.parents, wrap) if wrap else node.kept
                known[node] = _fit(_tangent(node, known, kept, transpose), node)
    return known.get(root)


def _fit(t: Any, node: Node) -> Any:
    if np.shape(t) != node.shape:
        t = stretch(t, like=node)
    return t if t.dtype == node.dtype else cast(t, like=node)


def _tangent(node: Node, known: Mapping[Node, Any], kept: tuple[Any, ...], transpose: Transpose) -> Any:
    row, parents = node.row, node.parents
    assert row is not None  # for the types: a leaf has no parents, so it is known or not wanted
    given = [known.get(parent) if parent is not None else None for parent in parents]
    if row.jvp is not None:
        return row.jvp(given, kept)
    if row.kind == "linear":
        return _linear(row, node, given, kept)
    total = None
    for parent, t, vjp in zip(parents, given, row.vjps):  # noqa: B905 - variadic has no end
        if t is None:
            continue
        if row.kind == "elementwise":
            part = vjp(t, kept)
        else:
            part = transpose(lambda g, vjp=vjp: vjp(g, kept), node, t, parent)
        total = part if total is None else total + part
    return total


def _linear(row: Row, node: Node, given: list[Any], kept: tuple[Any, ...]) -> Any:
    """Σ over the operands that vary of the forward at (tangent, the other operands)."""
    options = (
        dict(zip(row.options, kept[len(row.names) - len(row.options) :], strict=True)) if row.options else {}
    )
    if row.is_variadic:
        likes = kept[1]
        parts = [
            np.zeros(like.shape, like.dtype) if t is None else t for t, like in zip(given, likes, strict=True)
        ]
        return row.call(parts, **options)
    total = None
    for k, t in enumerate(given):
        if t is not None:
            operands = [t if j == k else kept[j] for j in range(len(row.operands))]
            part = row.call(*operands, **options)
            total = part if total is None else total + part
    return total

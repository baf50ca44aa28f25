"""What a Tensor's graph knows of its values: kept by a rule, held by a variable, or soon computed again.

Needs nodes (backward.py) and rows. A node lies apart from its value, so that memory is free as soon as no
rule needs it; a picture asks everywhere. Read with U14, where memory is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autodiff.backward import Leaf, Node
from autodiff.primitive import Row

SMALL = 4_096  # entries: what is larger is neither computed again nor differentiated for the picture


def values_of(order: Iterable[Node], at_hand: Mapping[Node, Any]) -> dict[Node, Any]:
    """The arrays of these nodes (oldest first), as far as they are known; some are `at_hand`."""
    values = {node: np.asarray(value) for node, value in at_hand.items()}
    used: dict[Node, int] = {}  # when a node was first used
    order = list(order)
    for node in order:
        for k, parent in enumerate(node.parents):
            if parent is not None:
                used.setdefault(parent, node.order)
                _put(values, parent, kept_operand(node, k))
        _put(values, node, _kept_out(node))
    for node in order:
        if node in values:
            continue
        if isinstance(node, Leaf):
            owner = getattr(node, "owner", lambda: None)()
            if owner is not None and node.changed < used.get(node, node.changed + 1):
                values[node] = owner._data
        else:
            _put(values, node, _again(node, values))
    return values


def _put(values: dict[Node, Any], node: Any, value: Any) -> None:
    if value is not None and node not in values and np.shape(value) == node.shape:
        values[node] = np.asarray(value)


def _is_value(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic | float | int)


def kept_operand(node: Node, k: int) -> Any:
    """The array of operand k that the node's rule keeps, or None."""
    kept = node.kept
    if kept and node.row is not None and node.row.is_variadic:
        kept = kept[0]
    value = kept[k] if kept and k < len(kept) else None
    return value if _is_value(value) else None


def _kept_out(node: Node) -> Any:
    if node.row is None or not node.kept or not node.row.operands:
        return None
    place = 2 if node.row.is_variadic else len(node.row.operands)
    value = node.kept[place] if place < len(node.kept) else None
    return value if _is_value(value) else None


def _again(node: Node, values: dict[Node, Any]) -> Any:
    """The value computed again, where that is little work and all operands are known."""
    row = node.row
    if row is None or not row.operands or np.prod(node.shape, dtype=float) > SMALL:
        return None
    operands = []
    for k, parent in enumerate(node.parents):
        value: Any = values.get(parent) if parent is not None else kept_operand(node, k)
        if value is None and parent is None:
            value = getattr(node, "constants", (None,) * len(node.parents))[k]
        if not _is_value(value) or np.size(value) > SMALL:
            return None
        operands.append(value)
    options = dict(zip(row.options, options_of(row, node.kept), strict=False))
    with np.errstate(all="ignore"):
        return row.forward(operands, **options) if row.is_variadic else row.forward(*operands, **options)


def partial_of(node: Node, k: int) -> Any:
    """The local derivative for operand k, where it is one number per entry; None where it isn't."""
    row = node.row
    if row is None or not row.rules or row.is_variadic or not (row.kind == "elementwise" or not node.shape):
        return None
    operand = node.parents[k]
    if operand is None or max(np.prod(node.shape, dtype=float), np.prod(operand.shape, dtype=float)) > SMALL:
        return None
    with np.errstate(all="ignore"):
        partial = np.asarray(row.vjps[k](np.ones(node.shape, node.dtype), node.kept))
    shape = node.shape or operand.shape
    return np.broadcast_to(partial, np.broadcast_shapes(partial.shape, shape))


def options_of(row: Row, kept: Any) -> tuple[Any, ...]:
    """The options that a node of this row was made with, in the row's order."""
    front = 2 if row.is_variadic else len(row.operands)
    return tuple(kept[front + 1 :]) if kept and row.options else ()

"""What the rule of a Tensor's node sends to one operand, for the stepper.

Needs backward.py. Apart from telling.py, as it brings NumPy with it. Read with U11 (broadcasting).
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from autodiff.backward import Node, fit
from autodiff.primitive import Shape


def bill(node: Node, k: int, g: Any) -> tuple[Any, Shape | None]:
    """The gradient that operand k gets from `g`, and the shape it had before a broadcast was summed back.

    The shape is None where nothing had to be summed. Nothing is freed, nothing kept.

    >>> from autodiff import tensor
    >>> b = tensor(1.0)
    >>> bill((b + np.ones(3))._node, 0, np.ones(3))
    (array(3.), (3,))
    """
    row, operand = node.row, node.parents[k]
    assert row is not None  # for the types: only tracked operands get bills
    assert operand is not None
    with np.errstate(all="ignore"):
        (rule,) = islice(row.vjps, k, k + 1)
        raw = np.asarray(rule(np.broadcast_to(g, node.shape), node.kept))
        amount = np.broadcast_to(fit(raw, operand, row, node.kept), operand.shape)
    return amount, raw.shape if raw.shape != operand.shape else None

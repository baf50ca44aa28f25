"""What a gradient of a Tensor becomes along one path: a product of Jacobians, pushed one rule at a time.

Needs bills.py. Apart from explanation.py, as it brings NumPy with it. Read with U10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.drawing.bills import bill
from autodiff.drawing.graphs import Graph
from autodiff.drawing.paths import Hop


def local(graph: Graph, k: int, seat: int) -> float:
    """∂ along an edge between single numbers, whichever row it belongs to.

    >>> from autodiff import tensor
    >>> from autodiff.drawing.tensors import read
    >>> local(read(tensor(3.0) * 2, 1.0), 2, 0)
    2.0
    """
    vertex = graph.vertices[k]
    return float(bill(vertex.key, seat, np.ones(vertex.key.shape, vertex.key.dtype))[0])


def gain(graph: Graph, k: int, seat: int) -> float:
    """By how much the gradient at vertex k grows on its way to this operand: a guess at what paths bring."""
    vertex = graph.vertices[k]
    before = norm(vertex.gradient)
    return norm(bill(vertex.key, seat, vertex.gradient)[0]) / before if before else 0.0


def push(graph: Graph, hops: Sequence[Hop], g: Any) -> Any:
    """What `g` at the result brings to the first vertex of a path, along this path alone.

    >>> from autodiff import tensor
    >>> from autodiff.drawing.tensors import read
    >>> w = tensor([1.0, 2.0])
    >>> push(read((w * w).sum(), 1.0), [Hop(0, 1, 0), Hop(1, 2, 0)], np.array(1.0))
    array([1., 2.])
    """
    for hop in reversed(hops):
        g, _ = bill(graph.vertices[hop.user].key, hop.seat, g)
    return np.asarray(g)


def norm(value: Any) -> float:
    """The length of all entries together: √Σ entry².

    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    with np.errstate(all="ignore"):
        return float(np.linalg.norm(np.ravel(value).astype(float)))


def along(value: Any, whole: Any) -> float:
    """Which part of `whole` this contribution makes: the parts of all contributions add up to 1.

    >>> along(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    0.5
    """
    with np.errstate(all="ignore"):
        whole = np.ravel(whole).astype(float)
        return float(np.dot(np.ravel(value).astype(float), whole) / np.dot(whole, whole))

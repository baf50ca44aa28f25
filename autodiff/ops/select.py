"""Picking entries: indexing and its reverse.

Needs shapes.py. Read in U12.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.errors import OperandError
from autodiff.primitive import ENGINES, Array, Function, composed, linear

_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def _is_basic(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(isinstance(part, _BASIC) and not isinstance(part, bool) for part in parts)


def _add_at(buffer: Array, g: Any, key: Any) -> None:
    """buffer[key] += g, where an entry that the key names several times receives each."""
    if _is_basic(key):
        buffer[key] += g
    else:
        np.add.at(buffer, key, g)


def _scatter(a: Any, key: Any, like: Any) -> Array:
    buffer = np.zeros(like.shape, np.asarray(a).dtype)
    _add_at(buffer, a, key)
    return buffer


_pick = linear(
    "pick",
    "[ ]",
    lambda a, key: a[key],
    doc="`a[key]`: basic, integer, boolean and mixed indexing.",
    like="a",
    into=lambda buffer, g, kept: _add_at(buffer, g, kept[2]),
    a=lambda g, a, key: scatter(g, key=key, like=a),
)

scatter: Function = linear(
    "scatter",
    "[ ]←",
    _scatter,
    doc="Zeros of the shape of `like`, with `a` added at `key`.",
    a=lambda g, key: _pick(g, key=key),
)


@composed()
def index(a: Any, key: Any) -> Any:
    """`a[key]`; the gradient is added back at the same places. Tensors in a key count by their values."""
    return _pick(a, key=_plain_key(key))


def _plain_key(key: Any) -> Any:
    """The key as NumPy takes it: lists as arrays, values of an engine as arrays of integers or truths."""
    if isinstance(key, tuple):
        return tuple(_plain_key(part) for part in key)
    if isinstance(key, list):
        key = np.array([_plain_key(part) for part in key]) if key else np.array(key, dtype=int)
    if type(key) in ENGINES:
        key = key.data
    if isinstance(key, np.ndarray):
        if key.dtype.kind not in "iub":
            raise OperandError(f"an index is made of integers or truths; got dtype {key.dtype}")
        return key.copy()  # kept until the gradient comes
    return key

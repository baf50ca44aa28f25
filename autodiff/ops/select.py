"""Picking entries: indexing and its reverse, and what is a matter of finding the key.

Adds the rows `index` and `scatter`, and what is composed from them: take, take_along_axis, compress, extract,
and from `where`: select, choose. Needs layout.py, choices.py. An entry that is picked several times receives
the sum of what arrives. Read in U12.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import ArrayLike

from autodiff.errors import OperandError, ShapeError
from autodiff.ops.choices import where
from autodiff.ops.layout import ravel
from autodiff.primitive import ENGINES, Array, Function, composed, linear

_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))  # a bool is an int, and picks at most once, too


def _may_repeat(key: Any) -> bool:
    """Whether the key may name an entry more than once: only arrays of integers do."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(not isinstance(part, _BASIC) and part.dtype.kind != "b" for part in parts)


def _add_at(buffer: Array, g: Any, key: Any) -> None:
    """buffer[key] += g, where an entry that the key names several times receives each."""
    if not _may_repeat(key):
        buffer[key] += g
    elif buffer.ndim > 1 and buffer.flags.c_contiguous and 8 * g.size > buffer.size:
        # np.add.at is several times as fast on one axis: worth the numbering, unless few entries are named.
        places = np.arange(buffer.size).reshape(buffer.shape)[key]
        np.add.at(buffer.reshape(-1), places.reshape(-1), g.reshape(-1))
    else:
        np.add.at(buffer, key, g)


def _picked(a: Any, key: Any) -> Any:
    a = np.asarray(a)
    if a.ndim == 1 and type(key) is np.ndarray and key.dtype.kind == "i":
        return a.take(key)  # a third quicker than a[key]
    return a[key]


def _on_zeros(a: Any, key: Any, like: Any) -> Array:
    a = np.asarray(a)
    buffer = np.zeros(like.shape, a.dtype)
    _add_at(buffer, a, key)
    return buffer


_index = linear(
    "index",
    "[ ]",
    _picked,
    doc="`a[key]`: basic, integer, boolean and mixed indexing.",
    like="a",
    into=lambda buffer, g, kept: _add_at(buffer, g, kept[2]),
    a=lambda g, a, key: _scatter(g, key=key, like=a),
)

_scatter: Function = linear(
    "scatter",
    "[ ]←",
    _on_zeros,
    doc="Zeros of the shape of `like`, with `a` added at `key`: the reverse of `index`.",
    a=lambda g, key: _index(g, key=key),
)


@composed(scope=False)
def index(a: Any, key: Any) -> Any:
    """`a[key]`: all of NumPy's keys; a picked entry receives the sum of its gradients.

    Tensors in a key count by their values. Errors: OperandError for a key of floats, NumPy's IndexError.

    >>> index(np.array([1.0, 2.0, 3.0]), [0, 0, 2])
    array([1., 1., 3.])
    """
    return _index(a, key=snapshot(key))


@composed(scope=False)
def scatter(a: Any, key: Any, like: Any) -> Any:
    """Zeros of the shape of `like`, with `a` added at `key`: the reverse of `index`.

    >>> scatter(np.array([1.0, 10.0, 100.0]), [0, 0, 2], like=np.zeros(4))
    array([ 11.,   0., 100.,   0.])
    """
    return _scatter(a, key=snapshot(key), like=like)


def snapshot(key: Any) -> Any:
    """The key in plain numbers and arrays that nobody can change before the gradient comes."""
    kind = type(key)
    if kind is int or key is None or key is Ellipsis:
        return key
    if kind is slice:
        return slice(_end(key.start), _end(key.stop), _end(key.step))
    if isinstance(key, tuple):
        return tuple([places(part) if isinstance(part, tuple) else snapshot(part) for part in key])
    return key if isinstance(key, int | np.integer | np.bool) else places(key)


def _end(end: Any) -> Any:
    return end if end is None or type(end) is int else operator.index(end)


def places(key: Any) -> Array:
    """An array of integers or truths from what names entries: array, (nested) list, constant Tensor."""
    if type(key) in ENGINES:
        if getattr(key, "constant", True) is False:
            raise OperandError(
                "a tracked Tensor can't be an index: its entries vary continuously, an index doesn't. "
                "For the entries that its values name, use t.data.astype(int)"
            )
        key = getattr(key, "data", key)
    listed = isinstance(key, list | tuple | range)
    if listed:
        key = [places(part) if not isinstance(part, bool | int | float) else part for part in key]
    found: Array = np.asarray(key)
    if listed and found.size == 0:
        found = found.astype(np.intp)
    if found.dtype.kind not in "iub":
        given = f"an array of dtype {found.dtype}" if found.shape else repr(found[()])
        raise OperandError(
            f"an index is made of integers, slices, None, ... or truths; got {given}. "
            "Convert it, for example by .astype(int), or compare to get truths"
        )
    found = found.astype(bool if found.dtype.kind == "b" else np.intp)
    found.flags.writeable = False  # ours alone: it needn't be copied again
    return found


# --- what finds its key ----------------------------------------------------------------------------------


@composed(np.take)
def take(a: Any, indices: ArrayLike, axis: int | None = None, mode: str = "raise") -> Any:
    """The entries at `indices` along `axis` (None: of the flattened `a`); mode is raise, wrap or clip.

    >>> take(np.array([1.0, 2.0, 3.0]), [-1, 4], mode="clip")
    array([1., 3.])
    """
    if axis is None:
        a, axis = ravel(a), 0
    shape = np.shape(a)
    axis = normalize_axis_index(axis, len(shape))
    numbers = _within(places(indices), shape[axis], mode)
    return index(a, (slice(None),) * axis + (numbers,))


def _within(numbers: Array, size: int, mode: Any) -> Any:
    """`numbers` from 0 to size - 1, by NumPy's own treatment of those that lie outside."""
    return np.arange(size).take(numbers.astype(np.intp), mode=mode)


@composed(np.take_along_axis)
def take_along_axis(arr: Any, indices: ArrayLike, axis: int | None = -1) -> Any:
    """out[i, j, k] = arr[i, indices[i, j, k], k] for axis 1: what argsort and argmax along `axis` point to.

    Axes of size 1 of `indices` broadcast. Errors: OperandError, ShapeError, NumPy's IndexError.

    >>> take_along_axis(np.array([[1.0, 2.0], [3.0, 4.0]]), [[1], [0]], axis=1)
    array([[2.],
           [3.]])
    """
    if axis is None:
        arr, axis = ravel(arr), 0
    shape, numbers = np.shape(arr), places(indices)
    if numbers.ndim != len(shape):
        raise ShapeError(
            f"take_along_axis needs indices with as many axes as the array: it has {len(shape)}, they have "
            f"{numbers.ndim}. Keep the axis, as np.argmax(…, keepdims=True) does, or use take"
        )
    if numbers.dtype.kind == "b":
        raise OperandError("take_along_axis takes integers; got truths. Use x[mask], or where(mask, x, y)")
    key: list[Any] = list(np.ogrid[tuple(slice(size) for size in shape)])
    key[normalize_axis_index(axis, len(shape))] = numbers
    return index(arr, tuple(key))


@composed(np.compress)
def compress(condition: ArrayLike, a: Any, axis: int | None = None) -> Any:
    """The parts of `a` along `axis` (None: of the flattened `a`) where the list `condition` is true.

    >>> compress([True, False], np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([[1., 2.]])
    """
    truths = _values(condition)
    if truths.ndim != 1:
        raise ShapeError(f"compress takes a condition with one axis; got shape {truths.shape}. See extract")
    return take(a, np.flatnonzero(truths), axis)


@composed(np.extract)
def extract(condition: ArrayLike, arr: Any) -> Any:
    """The entries of `arr` where `condition`, of its shape, is true, in one row.

    >>> extract([True, False, True], np.array([1.0, 2.0, 3.0]))
    array([1., 3.])
    """
    return take(arr, np.flatnonzero(_values(condition)))


# --- one of several arrays, entry by entry ---------------------------------------------------------------


@composed(np.select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Entry by entry the choice whose condition is the first that holds; `default` where none does.

    Choices and default may be Tensors; each receives the gradient of the entries that were taken from it.

    >>> x = np.array([-2.0, 0.5, 3.0])
    >>> select([x < 0, x > 1], [-x, x**2], x)
    array([2. , 0.5, 9. ])
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ShapeError(
            f"select takes as many choices as conditions, one or more; got {len(condlist)} conditions and "
            f"{len(choicelist)} choices"
        )
    out = default
    for k in reversed(range(len(condlist))):
        holds = _values(condlist[k])
        if holds.dtype != bool:
            raise OperandError(f"condition {k} of select has dtype {holds.dtype}: a condition holds truths")
        out = where(holds, choicelist[k], out)
    return out


@composed(np.choose)
def choose(a: ArrayLike, choices: Sequence[Any], mode: str = "raise") -> Any:
    """out[i] = choices[a[i]][i]; `a` holds integers, and broadcasts with the choices; mode as in take.

    >>> choose([1, 0], [np.array([1.0, 2.0]), np.array([10.0, 20.0])])
    array([10.,  2.])
    """
    numbers = _within(places(a), len(choices), mode)
    out = choices[-1]
    for k in reversed(range(len(choices))):
        out = where(numbers == k, choices[k], out)
    return out


def _values(a: Any) -> Array:
    """What a condition holds: it has no gradient."""
    return np.asarray(a.data if type(a) in ENGINES else a)

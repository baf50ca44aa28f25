"""What is recorded: `no_grad`, `stop_gradient`, and `trace_nonfinite`, which watches each row.

Needs threads.py (the state of a thread) and tensors.py. Read in U7 (updates outside the graph) and U14.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff.backward import Node
from autodiff.errors import NonFiniteError
from autodiff.primitive import Like, Row, Shape
from autodiff.tensors import Tensor
from autodiff.threads import behaving, thread


@contextlib.contextmanager
def recording(on: bool) -> Iterator[None]:
    """Record what this thread computes, or don't, until the block ends."""
    with behaving(on, thread.watch, thread.scope):
        yield


def no_grad() -> contextlib.AbstractContextManager[None]:
    """A block in which this thread records nothing; what is computed there is constant.

    >>> from autodiff import tensor
    >>> w = tensor([1.0, 2.0])
    >>> with no_grad():
    ...     (w * 2).constant
    True
    """
    return recording(False)


@contextlib.contextmanager
def trace_nonfinite() -> Iterator[None]:
    """A block in which the first row whose value or gradient turns nan or inf raises NonFiniteError.

    The message names the row, its operands at that entry, and the double-where recipe.
    """
    with behaving(thread.recording, _nonfinite, thread.scope):
        yield


def stop_gradient(x: Any) -> Any:
    """The values of `x` as a constant: no gradient passes. Arrays come back as they are."""
    return x.detach() if isinstance(x, Tensor) else x


def _nonfinite(row: Row, operands: Any, value: Any, what: str) -> None:
    """NonFiniteError where `value` has nan or inf: the watch of `trace_nonfinite`."""
    array = np.asarray(getattr(value, "_data", value))
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return
    place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    where = f" at {list(place)}" if place else ""
    given = ", ".join(_brief(each, place, array.shape) for each in operands if each is not None)
    raise NonFiniteError(
        f"the {what} of {row.name} is {array[place]}{where}; it was given {given or 'nothing else'}. If the "
        "entry is masked by where() afterwards, mask the operand too: where(c, f(where(c, x, safe)), 0)"
    )


def _brief(value: Any, place: tuple[int, ...], shape: Shape) -> str:
    if isinstance(value, Node | Like):
        return f"shape {value.shape}"
    array = np.asarray(getattr(value, "_data", value))
    if array.shape == shape and array.shape:
        return f"{array[place]} there (shape {shape})"
    return repr(array[()]) if array.ndim == 0 else f"an array of shape {array.shape}"

"""What is recorded: `no_grad`, `stop_gradient`, and `trace_nonfinite`, which watches each row.

Needs backward.py (the state of a thread) and tensors.py. Read in U7 (updates outside the graph) and U14.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from autodiff.backward import nonfinite, thread
from autodiff.tensors import Tensor


@contextlib.contextmanager
def recording(on: bool) -> Iterator[None]:
    """Record what this thread computes, or don't, until the block ends."""
    before = thread.recording, thread.special
    thread.recording, thread.special = on, not on or thread.watch is not None
    try:
        yield
    finally:
        thread.recording, thread.special = before


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
    before = thread.watch, thread.special
    thread.watch, thread.special = nonfinite, True
    try:
        yield
    finally:
        thread.watch, thread.special = before


def stop_gradient(x: Any) -> Any:
    """The values of `x` as a constant: no gradient passes. Arrays come back as they are."""
    return x.detach() if isinstance(x, Tensor) else x

"""checkpoint: a function whose inner values aren't kept for the backward pass but computed again in it.

Needs variables.py (fresh variables) and backward.py (nodes). Read in U14, where time is traded for memory.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff.backward import Leaf, Node, differentiate, note_scope
from autodiff.errors import OperandError
from autodiff.ops.shapes import alias
from autodiff.primitive import Function
from autodiff.recording import recording
from autodiff.rows import Row
from autodiff.tensors import Tensor, make, tensor
from autodiff.threads import next_order, switch, thread
from autodiff.trees import flatten


def checkpoint(f: Function) -> Function:
    """f, with only its arguments kept: what it computes inside is computed again when a gradient comes.

    f takes arrays or nests of them and returns one array; tracked values that it uses without taking them
    as arguments get their gradients, too. It has to compute the same when it is called again.

    >>> from autodiff import grad
    >>> grad(checkpoint(lambda x: x * x * x))(2.0)
    array(12.)
    """

    @functools.wraps(f)
    def run(*args: Any) -> Any:
        if not thread.recording:
            return f(*args)
        leaves, rebuild = flatten(list(args))
        at = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Tensor) and leaf._node is not None]

        def again(values: Any) -> tuple[Tensor, list[Node]]:
            """f's result, and the variables that stood in for the tracked arguments."""
            fresh = [alias(v) if isinstance(v, Tensor) and v._node else _variable(v) for v in values]
            given = list(leaves)
            for k, each in zip(at, fresh, strict=True):
                given[k] = each
            with recording(True):
                out = f(*rebuild(given))
            if not isinstance(out, Tensor):
                raise OperandError(
                    f"checkpoint takes a function that returns one Tensor; got {type(out).__name__}"
                )
            return out, [each._node for each in fresh]  # type: ignore[misc]

        tracked = [leaves[k] for k in at]
        began = next_order()
        out, _ = again([t._data for t in tracked])
        if out._node is None:
            return out
        used = _older(out._node, began)
        leaves = [None if k in at else leaf for k, leaf in enumerate(leaves)]  # kept in the node instead
        node = Node()
        node.order, node.g, node.alike = next_order(), None, False
        node.row = _row(again, used)
        node.parents = (*(t._node for t in tracked), *used)
        node.kept = (*(t._data for t in tracked), *(None for _ in used))
        node.shape, node.dtype = out.shape, out.dtype
        if switch.count:
            note_scope(node)
        return make(out._data, node)

    return run


def _variable(value: Any) -> Tensor:
    """A variable that nobody outside can ask for: what hangs on it alone needs no record."""
    made = tensor(value)
    if isinstance(made._node, Leaf):
        made._node.closed = True
    return made


def _older(root: Node, order: int) -> list[Node]:
    """The nodes that `root` uses and that were there before `order`: what f took without being given it."""
    met, waiting, older = {root}, [root], []
    while waiting:
        node = waiting.pop()
        if node.order < order:
            older.append(node)
            continue
        for parent in node.parents:
            if parent is not None and parent not in met:
                met.add(parent)
                waiting.append(parent)
    return older


def _row(again: Function, used: list[Node]) -> Row:
    row = Row(name="checkpoint", symbol="↻", forward=again, operands=(), rules={}, options={}, kind="general")
    row.vjps = _Again(again, used)
    return row


class _Again:
    """The rules of one checkpointed call: the first computes all gradients, the others hand theirs out."""

    def __init__(self, again: Function, used: list[Node]) -> None:
        self.again, self.used = again, used

    def __iter__(self) -> Iterator[Function]:
        given: Any = None
        answers: list[Any] = []

        def rule(g: Any, kept: Any, position: int) -> Any:
            nonlocal given, answers
            if g is not given:  # forward mode asks for each operand with a g of its own
                given, answers = g, self._gradients(g, kept)
            return answers[position]

        return (functools.partial(rule, position=k) for k in itertools.count())

    def _gradients(self, g: Any, kept: tuple[Any, ...]) -> list[Any]:
        values = kept[: len(kept) - len(self.used)]
        out, own = self.again(values)
        nodes = [*own, *self.used]
        record = isinstance(g, Tensor)
        with recording(True):
            found, _ = differentiate(out._node, nodes, g, make, record, beyond=False)
        answers = ((node, found.get(node)) for node in nodes)
        return [np.zeros(node.shape, node.dtype) if d is None else d for node, d in answers]

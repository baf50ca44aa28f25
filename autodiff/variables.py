"""Arguments as variables, results as Tensors: what every function of functional.py does first and last.

Needs tensors.py, backward.py, tangents.py, trees.py. Adds Variables, `pull` (reverse) and `move` (forward).
Read with functional.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.backward import Leaf, Node, ancestors, differentiate, fit, hangs_on_more
from autodiff.errors import GradientError, OptionError
from autodiff.ops.shapes import alias
from autodiff.primitive import Function
from autodiff.recording import recording
from autodiff.tangents import push
from autodiff.tensors import Tensor, make, tensor, upstream
from autodiff.trees import Rebuild, flatten


def pull(out: Tensor, g: Any, targets: Sequence[Tensor], record: bool | None) -> list[Any]:
    """The gradients of Σ g·out for `targets`; Tensors if recorded (None: where that matters)."""
    start = upstream(out, g)
    nodes = [each._node for each in targets]
    found: dict[Node, Any] = {}
    if out._node is not None:
        tracked_g = isinstance(start, Tensor) and start._node is not None
        record = True if tracked_g and record is None else record
        start = start._data if isinstance(start, Tensor) and record is False else start
        with recording(True):
            found, record = differentiate(out._node, nodes, start, make, record)  # type: ignore[arg-type]
    answers = [found.get(node) for node in nodes]  # type: ignore[arg-type]
    if record:
        return [_as_tensor(each, like) for each, like in zip(answers, targets, strict=True)]
    return [
        np.zeros(like.shape, like.dtype) if each is None else np.asarray(each)
        for each, like in zip(answers, targets, strict=True)
    ]


def _as_tensor(value: Any, like: Tensor) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return make(np.zeros(like.shape, like.dtype) if value is None else value, None)


def plain(value: Any) -> Any:
    """An array for a number of NumPy's, or a Tensor that depends on nothing tracked; others as they are."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return np.array(value._data) if isinstance(value, Tensor) and value._node is None else value


class Variables:
    """The arguments of f, those at `argnums` replaced by fresh variables (nests of them)."""

    def __init__(self, f: Function, args: Sequence[Any], argnums: int | tuple[int, ...]) -> None:
        self.name = getattr(f, "__name__", "f")
        chosen = argnums if isinstance(argnums, tuple) else (argnums,)
        for k in chosen:
            if not isinstance(k, int | np.integer):
                raise OptionError(f"argnums takes a number or a tuple of numbers; got {argnums!r}")
            if not -len(args) <= k < len(args):
                raise OptionError(f"argnums={k}, but {self.name} was given {len(args)} arguments")
        if len({k % len(args) for k in chosen}) < len(chosen):
            raise OptionError(f"argnums={argnums} names one argument twice")
        self.args = list(args)
        trees = []
        for k in chosen:
            leaves, rebuild = flatten(args[k])
            variables = [self._variable(leaf, k) for leaf in leaves]
            self.args[k] = rebuild(variables)
            trees.append((variables, rebuild))
        self.flat = [variable for variables, _ in trees for variable in variables]
        self._trees, self._single = trees, not isinstance(argnums, tuple)

    def _variable(self, value: Any, k: int) -> Tensor:
        if isinstance(value, Tensor) and value._node is not None:
            with recording(True):
                made: Tensor = alias(value)
        else:
            made = tensor(value)
        if made._node is None:
            raise GradientError(
                f"argument {k} of {self.name} is {np.asarray(made._data).dtype}: counts and truths have no "
                f"derivative. Give floats: {float(made._data.flat[0]) if made.size else 0.0} instead of "
                f"{made._data.flat[0] if made.size else 0}"
            )
        return made

    def close(self) -> None:
        """Say that no gradient for these will be asked for any more, but by whoever holds them."""
        for variable in self.flat:
            if isinstance(variable._node, Leaf):
                variable._node.closed = True

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        """As many leaves in the structure of the chosen arguments: one tree, or a tuple of them."""
        at, built = 0, []
        for variables, rebuild in self._trees:
            built.append(rebuild([plain(each) for each in leaves[at : at + len(variables)]]))
            at += len(variables)
        return built[0] if self._single else tuple(built)


def outputs(f: Function, variables: Variables, kwargs: dict[str, Any]) -> tuple[list[Tensor], Rebuild]:
    """f at its variables as a list of Tensors, and how to put as many values where f's result has them."""
    with recording(True):
        leaves, rebuild = flatten(f(*variables.args, **kwargs))
    return [each if isinstance(each, Tensor) else tensor(each, constant=True) for each in leaves], rebuild


def value_of(out: Tensor, variables: Variables) -> Any:
    """The value itself: an array, unless it depends on more than our own variables."""

    if out._node is None:
        return np.array(out._data)
    own = {variable._node for variable in variables.flat}
    nodes = ancestors(out._node, stop=own)  # type: ignore[arg-type]
    return out if hangs_on_more(nodes, own) else np.array(out._data)  # type: ignore[arg-type]


def _transpose(rule: Function, like: Node, v: Any, parent: Any) -> Any:
    """The gradient of Σ v·rule(g) for g: how a vjp rule serves forward mode."""
    g = tensor(np.zeros(like.shape, like.dtype))
    with recording(True):
        out = fit(rule(g), parent, like.row)  # type: ignore[arg-type]
    if not isinstance(out, Tensor):
        return np.zeros(like.shape, like.dtype)
    answer = pull(out, v, [g], None)[0]
    return answer if isinstance(v, Tensor) else plain(answer)


def move(outs: Sequence[Tensor], variables: Variables, tangents: Sequence[Any]) -> list[Any]:
    """How fast each of `outs` changes as the variables move by `tangents`: J·tangents, forward."""
    starts: dict[Any, Any] = {
        variable._node: upstream(variable, t) for variable, t in zip(variables.flat, tangents, strict=True)
    }
    nested = (
        any(isinstance(each, Tensor) for each in tangents)
        or any(variable._node.row is not None for variable in variables.flat)  # type: ignore[union-attr]
        or any(isinstance(value_of(out, variables), Tensor) for out in outs)
    )
    if nested:
        starts = {node: t if isinstance(t, Tensor) else make(t, None) for node, t in starts.items()}
    answers = []
    for out in outs:
        with recording(True):
            t = None if out._node is None else push(out._node, starts, _transpose, make if nested else None)
        answers.append(np.zeros(out.shape, out.dtype) if t is None else plain(t) if nested else np.array(t))
    return answers

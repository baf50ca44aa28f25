"""Functions that turn a function into its derivative, of any order, in either direction.

Needs tensors.py, backward.py, tangents.py, trees.py. Arguments and results are arrays, or dicts, lists and
tuples of arrays; where an answer itself depends on tracked values (grad inside grad) it is a Tensor, so
that nothing is dropped. Read in U13 and U14.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.backward import Node, differentiate, fit
from autodiff.errors import GradientError, OptionError, ShapeError
from autodiff.ops.shapes import sum
from autodiff.primitive import Function, linear
from autodiff.recording import recording
from autodiff.tangents import push
from autodiff.tensors import Tensor, make, tensor, untracked, upstream
from autodiff.trees import Rebuild, flatten

alias = linear("alias", "=", lambda a: a, doc="`a` itself, as a variable of its own.", a=lambda g: g)


def gradients(out: Tensor, wrt: Any, g: Any = None, record: bool = False) -> Any:
    """d(Σ g·out)/d(each of wrt), in the structure of `wrt` (a Tensor, or a nest of them).

    `g` has the shape of `out` (left out: out is one number). Arrays; with `record=True` Tensors, which can
    be differentiated again. Zeros for what `out` doesn't depend on. Nothing is freed, no `.grad` touched.
    Errors: GradientError (a constant in wrt), ShapeError.

    >>> x = tensor(3.0)
    >>> dy = gradients(x * x * x, x, record=True)
    >>> dy.item(), gradients(dy, x)
    (27.0, array(18.))
    """
    targets, rebuild = flatten(wrt)
    for each in targets:
        if not isinstance(each, Tensor):
            raise GradientError(f"wrt takes Tensors; got {type(each).__name__} {each!r}")
        if each._node is None:
            raise untracked(each, "gradients")
    if not isinstance(out, Tensor):
        raise GradientError(f"gradients takes the Tensor to differentiate; got {type(out).__name__} {out!r}")
    return rebuild(_pull(out, g, targets, record))


def _pull(out: Tensor, g: Any, targets: Sequence[Tensor], record: bool | None) -> list[Any]:
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


def _plain(value: Any) -> Any:
    """A Tensor that depends on nothing tracked as the array it holds; others as they are."""
    return np.array(value._data) if isinstance(value, Tensor) and value._node is None else value


class _Variables:
    """The arguments of f, those at `argnums` replaced by fresh variables (nests of them)."""

    def __init__(self, f: Function, args: Sequence[Any], argnums: int | tuple[int, ...]) -> None:
        self.name = getattr(f, "__name__", "f")
        chosen = argnums if isinstance(argnums, tuple) else (argnums,)
        for k in chosen:
            if not -len(args) <= k < len(args):
                raise OptionError(f"argnums={k}, but {self.name} was given {len(args)} arguments")
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

    def rebuild(self, leaves: Sequence[Any]) -> Any:
        """As many leaves in the structure of the chosen arguments: one tree, or a tuple of them."""
        at, built = 0, []
        for variables, rebuild in self._trees:
            built.append(rebuild([_plain(each) for each in leaves[at : at + len(variables)]]))
            at += len(variables)
        return built[0] if self._single else tuple(built)


def _outputs(f: Function, variables: _Variables, kwargs: dict[str, Any]) -> tuple[list[Tensor], Rebuild]:
    with recording(True):
        leaves, rebuild = flatten(f(*variables.args, **kwargs))
    return [each if isinstance(each, Tensor) else tensor(each, constant=True) for each in leaves], rebuild


def _single(f: Function, variables: _Variables, kwargs: dict[str, Any], scalar: bool) -> Tensor:
    outs, _ = _outputs(f, variables, kwargs)
    if len(outs) != 1 or (scalar and outs[0].shape != ()):
        got = f"an array of shape {outs[0].shape}" if len(outs) == 1 else f"{len(outs)} arrays"
        raise ShapeError(
            f"grad differentiates a function that returns one number; {variables.name} returned {got}. Take "
            "jacobian for all its derivatives, vjp for one weighted sum of them, or sum the result"
        )
    return outs[0]


def value_and_grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """Of a function that returns one number: the function that returns it, and its gradient.

    >>> value_and_grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    (array(5.), array([2., 4.]))
    """

    @functools.wraps(f)
    def evaluate(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        variables = _Variables(f, args, argnums)
        out = _single(f, variables, kwargs, scalar=True)
        answer = variables.rebuild(_pull(out, None, variables.flat, None))
        return _value(out, variables), answer

    return evaluate


def _value(out: Tensor, variables: _Variables) -> Any:
    """The value itself: an array, unless it depends on more than our own variables."""
    from autodiff.backward import ancestors

    if out._node is None:
        return np.array(out._data)
    own = {variable._node for variable in variables.flat}
    nodes = ancestors(out._node, stop=own)  # type: ignore[arg-type]
    hangs = any(n.row is None and n not in own for n in nodes) or any(n.row is not None for n in own & nodes)  # type: ignore[union-attr]
    return out if hangs else np.array(out._data)


def grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """The function that returns df/d(argument `argnums`); a tuple of numbers gives a tuple of gradients.

    f takes arrays or nests of them and returns one number. It nests: grad(grad(f)). Errors: ShapeError (f
    returns several numbers), GradientError (integer arguments).

    >>> grad(lambda x: x * x * x)(2.0), grad(grad(lambda x: x * x * x))(2.0)
    (array(12.), array(12.))
    """
    evaluate = value_and_grad(f, argnums)

    @functools.wraps(f)
    def differentiate_f(*args: Any, **kwargs: Any) -> Any:
        return evaluate(*args, **kwargs)[1]

    return differentiate_f


def elementwise_grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """The derivative of a function that maps over entries, at each entry: the gradient of Σ f.

    >>> elementwise_grad(lambda x: x * x)(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    @functools.wraps(f)
    def summed(*args: Any, **kwargs: Any) -> Any:
        return sum(f(*args, **kwargs))

    return grad(summed, argnums)


def vjp(f: Function, *args: Any) -> tuple[Any, Callable[[Any], Any]]:
    """f(*args), and the function that takes a cotangent g of its shape to gᵀ·J: a gradient per argument.

    With one argument the gradient itself, with several a tuple. f may return a nest; g is alike.

    >>> value, pull = vjp(lambda x: x * x, np.array([1.0, 2.0]))
    >>> pull(np.array([1.0, 10.0]))
    array([ 2., 40.])
    """
    variables = _Variables(f, args, tuple(range(len(args))))
    outs, rebuild = _outputs(f, variables, {})
    value = rebuild([_value(out, variables) for out in outs])

    def pull(g: Any) -> Any:
        cotangents, _ = flatten(g)
        if len(cotangents) != len(outs):
            raise ShapeError(f"f returned {len(outs)} arrays, g holds {len(cotangents)}")
        total: list[Any] = [None] * len(variables.flat)
        for out, each in zip(outs, cotangents, strict=True):
            parts = _pull(out, each, variables.flat, None)
            total = [p if t is None else t + p for t, p in zip(total, parts, strict=True)]
        answer = variables.rebuild(total)
        return answer[0] if len(args) == 1 else answer

    return value, pull


def _transpose(rule: Function, like: Node, v: Any, parent: Any) -> Any:
    """The gradient of Σ v·rule(g) for g: how a vjp rule serves forward mode."""
    g = tensor(np.zeros(like.shape, like.dtype))
    with recording(True):
        out = fit(rule(g), parent, like.row)  # type: ignore[arg-type]
    if not isinstance(out, Tensor):
        return np.zeros(like.shape, like.dtype)
    answer = _pull(out, v, [g], None)[0]
    return answer if isinstance(v, Tensor) else _plain(answer)


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """f(*primals), and J·tangents: how fast f changes as its arguments move by `tangents`.

    Both are tuples with one entry per argument; the tangents have the shapes of the arguments.

    >>> jvp(lambda x: x * x, (np.array([1.0, 2.0]),), (np.array([1.0, 10.0]),))
    (array([1., 4.]), array([ 2., 40.]))
    """
    variables = _Variables(f, primals, tuple(range(len(primals))))
    outs, rebuild = _outputs(f, variables, {})
    given, _ = flatten(list(tangents))
    if len(given) != len(variables.flat):
        raise ShapeError(f"{len(variables.flat)} arrays among the arguments, but {len(given)} tangents")
    starts: dict[Any, Any] = {v._node: upstream(v, t) for v, t in zip(variables.flat, given, strict=True)}
    values = [_value(out, variables) for out in outs]
    nested = any(isinstance(each, Tensor) for each in (*values, *given)) or any(
        variable._node.row is not None  # type: ignore[union-attr]
        for variable in variables.flat
    )
    if nested:
        starts = {node: t if isinstance(t, Tensor) else make(t, None) for node, t in starts.items()}
    with recording(True):
        moved = [
            push(out._node, starts, _transpose, make if nested else None) if out._node else None
            for out in outs
        ]
    zeros = [np.zeros(out.shape, out.dtype) for out in outs]
    answers = [
        z if t is None else _plain(t) if isinstance(t, Tensor) else np.array(t)
        for t, z in zip(moved, zeros, strict=True)
    ]
    return rebuild(values), rebuild(answers)

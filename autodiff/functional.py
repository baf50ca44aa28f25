"""Functions that turn a function into its derivative, of any order, in either direction.

Needs variables.py (arguments as variables) and tensors.py. Arguments and results are arrays, or dicts, lists
and tuples of arrays; where an answer itself depends on tracked values (grad inside grad) it is a Tensor, so
that nothing is dropped. Read in U13 and U14.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.errors import GradientError, ShapeError
from autodiff.ops.shapes import sum
from autodiff.primitive import Function
from autodiff.tensors import Tensor, untracked
from autodiff.trees import flatten
from autodiff.variables import Variables, move, outputs, pull, value_of


def gradients(out: Tensor, wrt: Any, g: Any = None, record: bool = False) -> Any:
    """d(Σ g·out)/d(each of wrt), in the structure of `wrt` (a Tensor, or a nest of them).

    `g` has the shape of `out` (left out: out is one number). Arrays; with `record=True` Tensors, which can
    be differentiated again. Zeros for what `out` doesn't depend on. Nothing is freed, no `.grad` touched.
    Errors: GradientError (a constant in wrt), ShapeError.

    >>> from autodiff import tensor
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
    return rebuild(pull(out, g, targets, record))


def _single(f: Function, variables: Variables, kwargs: dict[str, Any], scalar: bool) -> Tensor:
    outs, _ = outputs(f, variables, kwargs)
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
        variables = Variables(f, args, argnums)
        out = _single(f, variables, kwargs, scalar=True)
        answer = variables.rebuild(pull(out, None, variables.flat, None))
        value = value_of(out, variables)
        variables.close()
        return value, answer

    return evaluate


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
    variables = Variables(f, args, tuple(range(len(args))))
    outs, rebuild = outputs(f, variables, {})
    value = rebuild([value_of(out, variables) for out in outs])
    variables.close()

    def pull_back(g: Any) -> Any:
        cotangents, _ = flatten(g)
        if len(cotangents) != len(outs):
            raise ShapeError(f"f returned {len(outs)} arrays, g holds {len(cotangents)}")
        total: list[Any] = [None] * len(variables.flat)
        for out, each in zip(outs, cotangents, strict=True):
            parts = pull(out, each, variables.flat, None)
            total = [p if t is None else t + p for t, p in zip(total, parts, strict=True)]
        answer = variables.rebuild(total)
        return answer[0] if len(args) == 1 else answer

    return value, pull_back


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """f(*primals), and J·tangents: how fast f changes as its arguments move by `tangents`.

    Both are tuples with one entry per argument; the tangents have the shapes of the arguments.

    >>> jvp(lambda x: x * x, (np.array([1.0, 2.0]),), (np.array([1.0, 10.0]),))
    (array([1., 4.]), array([ 2., 40.]))
    """
    variables = Variables(f, primals, tuple(range(len(primals))))
    outs, rebuild = outputs(f, variables, {})
    given, _ = flatten(list(tangents))
    if len(given) != len(variables.flat):
        raise ShapeError(f"{len(variables.flat)} arrays among the arguments, but {len(given)} tangents")
    value, moved = [value_of(out, variables) for out in outs], move(outs, variables, given)
    variables.close()
    return rebuild(value), rebuild(moved)

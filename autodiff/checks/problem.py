"""A function of arrays or nests of them, held at its arguments: what varies as one flat list.

Needs evaluation.py (positions), trees.py, and functional.py at the moment an engine is asked. Adds Problem,
which gives plain numbers on one hand and the engine's derivatives on the other. Read in U13.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.checks.evaluation import Function, Vary, choose
from autodiff.errors import NumericalCheckError, OperandError, ShapeError
from autodiff.primitive import Array
from autodiff.trees import flatten

Arrays = list[Array]


class Problem:
    """f as a function of the float arrays among its arguments: `x`, called `labels` in a report.

    float32 becomes float64, so that differences have digits. Integers, truths and whatever else isn't a float
    stay as they are. Of f's result the floats count (`outputs` are their positions).
    """

    def __init__(
        self, f: Function, args: Sequence[Any], vary_ind: Vary, kwargs: Mapping[str, Any] | None
    ) -> None:
        if not args:
            raise NumericalCheckError(
                "nothing to differentiate: give f at least one argument, after f itself"
            )
        self.f, self.kwargs = f, dict(kwargs or {})
        self.name = getattr(f, "__name__", type(f).__name__)
        leaves, self._rebuild = flatten(list(args))
        self._leaves = [_value(leaf) for leaf in leaves]
        names = _names(f, len(args))
        paths = [(i, path) for i, arg in enumerate(args) for path in _paths(arg, names[i])]
        chosen = choose(vary_ind, len(args))
        self._at: list[int] = []
        self.x: Arrays = []
        self.labels: list[str] = []
        for k, ((i, path), leaf) in enumerate(zip(paths, self._leaves, strict=True)):
            if i in chosen and isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "f":
                self._at.append(k)
                self.x.append(np.array(leaf, np.float64))
                self.labels.append(path)
        self._require_floats(chosen if vary_ind is not None else [], [paths[k][0] for k in self._at])
        self._fixed = [
            k for k, x in enumerate(self._leaves) if isinstance(x, np.ndarray) and k not in self._at
        ]
        self._numbers = [not isinstance(self._leaves[k], np.ndarray) for k in self._at]
        self._through_tensors = False
        self.outputs: list[int] | None = None
        self.epsilon = float(np.finfo(np.float64).eps)

    def _require_floats(self, asked: list[int], varying: list[int]) -> None:
        for i in asked:
            if i not in varying:
                raise OperandError(
                    f"vary_ind names argument {i}, which holds no floats: nothing can be nudged"
                )
        if not varying:
            raise OperandError(
                "no argument holds floats: counts and truths have no derivative. Give 2.0, not 2"
            )

    # --- plain numbers -----------------------------------------------------------------------------

    def _call(self, xs: Sequence[Any]) -> list[Any]:
        """The leaves of f's result, f's own arguments being `xs` where they vary."""
        leaves = self._leaves.copy()
        for k in self._fixed:
            leaves[k] = leaves[k].copy()
        for k, x in zip(self._at, xs, strict=True):
            leaves[k] = x
        return flatten(self.f(*self._rebuild(leaves), **self.kwargs))[0]

    def values(self, xs: Sequence[Array]) -> Arrays:
        """What f returns for plain arrays (copies of `xs`), its floats only."""
        given = [x[()] if number else x.copy() for x, number in zip(xs, self._numbers, strict=True)]
        outs = [np.asarray(getattr(leaf, "_data", leaf)) for leaf in self._plain(given)]
        if self.outputs is None:
            self.outputs = self._float_outputs(outs)
        return [outs[k] for k in self.outputs]

    def _plain(self, given: list[Any]) -> list[Any]:
        if not self._through_tensors:
            try:
                return self._call(given)
            except AttributeError:  # f uses what only a Tensor has, such as .detach()
                self._through_tensors = True
        from autodiff.tensors import tensor

        return self._call([tensor(each, constant=True) for each in given])

    def _float_outputs(self, outs: Arrays) -> list[int]:
        strange = [out.dtype for out in outs if out.dtype.kind not in "fiub"]
        found = [k for k, out in enumerate(outs) if out.dtype.kind == "f"]
        if strange or not found:
            returned = ", ".join(str(out.dtype) for out in outs) or "nothing"
            raise NumericalCheckError(
                f"{self.name} must return a float, an array of floats or a nest of them; it returned "
                f"{returned}"
            )
        self.epsilon = max(float(np.finfo(outs[k].dtype).eps) for k in found)
        return found

    def finite(self, xs: Sequence[Array]) -> Arrays:
        """`values`, or NumericalCheckError where f isn't finite."""
        outs = self.values(xs)
        if not all(np.isfinite(out).all() for out in outs):
            raise self.outside()
        return outs

    def outside(self) -> NumericalCheckError:
        """The error for arguments where nothing can be compared."""
        return NumericalCheckError(
            f"{self.name} returns nan or inf at its arguments or a step of about 1e-5 beside them, so no "
            "difference can be taken. Move the arguments into its domain"
        )

    def upstream(self, back_grad: Any, outs: Arrays, rng: np.random.Generator) -> Arrays:
        """The upstream gradient: as given, or random with entries of size 0.5 to 1.5 and either sign."""
        if back_grad is None:
            return [rng.uniform(0.5, 1.5, o.shape) * rng.choice([-1.0, 1.0], o.shape) for o in outs]
        given = [np.asarray(_value(leaf)) for leaf in flatten(back_grad)[0]]
        if len(given) == 1 and given[0].shape == ():
            given = [given[0]] * len(outs)
        wanted = [o.shape for o in outs]
        if len(given) != len(outs) or any(
            g.shape not in ((), shape) for g, shape in zip(given, wanted, strict=True)
        ):
            raise ShapeError(
                f"back_grad has shape {', '.join(str(g.shape) for g in given)}; {self.name} returned "
                f"{', '.join(map(str, wanted))}. The upstream gradient has the shape of f's result"
            )
        return [np.full(shape, g, np.float64) for g, shape in zip(given, wanted, strict=True)]

    # --- the engine --------------------------------------------------------------------------------

    def _recorded(self, *xs: Any) -> list[Any]:
        leaves = self._call(xs)
        return [leaves[k] for k in self.outputs or ()]

    def gradient(self, xs: Sequence[Any], g: Arrays) -> list[Any]:
        """Reverse mode: d(Σ g·f)/dx for each x; Tensors if xs are tracked ones."""
        from autodiff.functional import vjp

        answer = vjp(self._recorded, *xs)[1](g)
        return [answer] if len(xs) == 1 else list(answer)

    def tangent(self, xs: Sequence[Any], v: Arrays) -> list[Any]:
        """Forward mode: how fast each output moves as x moves by v."""
        from autodiff.functional import jvp

        return list(jvp(self._recorded, tuple(xs), tuple(v))[1])

    def second(self, mode: str, g: Arrays, w: Arrays) -> list[Any]:
        """H·w, H the second derivative of Σ g·f: reverse over reverse, or forward over reverse."""
        from autodiff.functional import jvp, vjp

        def first(*xs: Any) -> list[Any]:
            return self.gradient(xs, g)

        if mode == "forward":
            return list(jvp(first, tuple(self.x), tuple(w))[1])
        answer = vjp(first, *self.x)[1](w)
        return [answer] if len(self.x) == 1 else list(answer)


def _value(leaf: Any) -> Any:
    """A leaf as NumPy has it; what isn't a number stays as it is."""
    data = getattr(leaf, "_data", leaf)
    if isinstance(data, numbers.Number) and not isinstance(data, np.generic):
        data = np.asarray(data)[()]
    if isinstance(data, np.ndarray | np.generic) and data.dtype.kind in "cO":
        raise OperandError(f"arguments must be real numbers; got {type(leaf).__name__}, dtype {data.dtype}")
    return data


def _names(f: Function, count: int) -> list[str]:
    """What f calls its arguments; `argument 0` where it doesn't say."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[i] if i < len(named) else f"argument {i}" for i in range(count)]


def _paths(tree: Any, path: str) -> Iterator[str]:
    """What each leaf of `tree` is called, in the order of `flatten`."""
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield from _paths(branch, f"{path}[{key!r}]")
    elif isinstance(tree, list | tuple):
        for i, branch in enumerate(tree):
            yield from _paths(branch, f"{path}[{i}]")
    else:
        yield path

"""The libraries, each used as its own documentation does: data wrapped once, parameters kept between steps.

An engine says how variables are made, how the loss and its gradients are had, and how a step is taken;
`prepare` turns that into what is timed. Libraries are imported when an engine is made.
"""

import contextlib
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from benchmarks.problem import Answer, Problem

FUNCTIONS = ("exp", "tanh", "square", "concatenate")  # of the same name everywhere


class NotOfferedError(Exception):
    """The library has no way to what a problem asks for."""


class Engine:
    name: ClassVar[str]
    m: Any  # the functions that a loss finds

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return [np.array(each) for each in variables]

    def constants(self, constants: Sequence[Any]) -> Sequence[Any]:
        return constants

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        raise NotImplementedError

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf -= rate * gradient

    def values(self, leaves: list[Any]) -> list[Any]:
        return leaves

    def curvature(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        raise NotOfferedError(f"{self.name} has no second derivatives")

    def prepare(self, problem: Problem) -> Callable[[], Answer]:
        leaves, constants = self.leaves(problem.variables), self.constants(problem.constants)
        if problem.directions:
            return lambda: self.curvature(problem, leaves, constants)
        if not problem.steps:
            return lambda: self.gradients(problem, leaves, constants)

        def descend() -> Answer:
            for _ in range(problem.steps):
                value, gradients = self.gradients(problem, leaves, constants)
                self.step(leaves, gradients, problem.rate)
            return value, self.values(leaves)

        return descend


class Hand(Engine):
    """No library: arrays, and derivatives worked out on paper."""

    name = "hand"

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        return problem.hand(leaves, constants)

    curvature = gradients


class HandFloats(Hand):
    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return list(variables)

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        leaves[:] = [leaf - rate * gradient for leaf, gradient in zip(leaves, gradients, strict=True)]


class Ours(Engine):
    name = "ours"

    def __init__(self) -> None:
        import autodiff as ad

        def cross_entropy(scores: Any, labels: Any) -> Any:
            return (ad.logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels]).mean()

        self.ad = ad
        self.m = SimpleNamespace(
            **{name: getattr(ad, name) for name in (*FUNCTIONS, "relu", "softplus")},
            cross_entropy=cross_entropy,
        )

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return [self.ad.tensor(each) for each in variables]

    def constants(self, constants: Sequence[Any]) -> Sequence[Any]:
        return [self.ad.tensor(c, constant=True) if c.dtype.kind == "f" else c for c in constants]

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        for leaf in leaves:
            leaf.grad = None
        out = problem.loss(self.m, leaves, constants)
        out.backward()
        return out.item(), [leaf.grad for leaf in leaves]

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf.data = leaf.data - rate * gradient

    def values(self, leaves: list[Any]) -> list[Any]:
        return [leaf.data for leaf in leaves]

    def curvature(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        out = problem.loss(self.m, leaves, constants)
        slopes = self.ad.gradients(out, leaves, record=True)
        along = sum((g * v).sum() for g, v in zip(slopes, problem.directions, strict=True))
        return out.item(), self.ad.gradients(along, leaves)


class OurScalars(HandFloats):
    """Scalar: its value never changes, so each step makes its leaves anew."""

    name = "ours"

    def __init__(self) -> None:
        from autodiff import Scalar

        self.scalar = Scalar
        self.m = SimpleNamespace(relu=Scalar.relu, square=Scalar.square)

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        named = [self.scalar(value, name=k) for k, value in enumerate(leaves)]
        out = problem.loss(self.m, named, constants)
        slopes = out.grad()
        return out.value, [slopes[k] for k in range(len(leaves))]


class MyGrad(Engine):
    name = "mygrad"
    guarded = True

    def __init__(self) -> None:
        import mygrad as mg
        from mygrad.nnet.activations import relu
        from mygrad.nnet.losses import softmax_crossentropy

        self.mg = mg
        self.m = SimpleNamespace(
            **{name: getattr(mg, name) for name in FUNCTIONS},
            relu=relu,
            softplus=lambda x: mg.logaddexp(0.0, x),
            cross_entropy=softmax_crossentropy,
        )

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return [self.mg.tensor(each) for each in variables]

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        with contextlib.nullcontext() if self.guarded else self.mg.mem_guard_off:
            out = problem.loss(self.m, leaves, constants)
            out.backward()
        return out.item(), [leaf.grad for leaf in leaves]

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf.data -= rate * gradient

    def values(self, leaves: list[Any]) -> list[Any]:
        return [leaf.data for leaf in leaves]


class MyGradUnguarded(MyGrad):
    """Without the locks that keep users from changing arrays under a graph."""

    name = "mygrad-unguarded"
    guarded = False


class Autograd(Engine):
    name = "autograd"

    def __init__(self) -> None:
        import autograd
        import autograd.numpy as anp

        def cross_entropy(scores: Any, labels: Any) -> Any:
            top = anp.max(scores, axis=1, keepdims=True)
            logsumexp = top[:, 0] + anp.log(anp.sum(anp.exp(scores - top), axis=1))
            return anp.mean(logsumexp - scores[anp.arange(len(labels)), labels])

        self.ag, self.np = autograd, anp
        self.m = SimpleNamespace(
            **{name: getattr(anp, name) for name in FUNCTIONS},
            relu=lambda x: anp.maximum(x, 0.0),
            softplus=lambda x: anp.logaddexp(0.0, x),
            cross_entropy=cross_entropy,
        )

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return [each if isinstance(each, float) else np.array(each) for each in variables]

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        value, gradients = self.ag.value_and_grad(lambda w: problem.loss(self.m, w, constants))(leaves)
        return float(value), gradients

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        for k, gradient in enumerate(gradients):
            leaves[k] -= rate * gradient

    def curvature(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        value = 0.0

        def along(w: Any) -> Any:
            nonlocal value
            value, slopes = self.ag.value_and_grad(lambda w: problem.loss(self.m, w, constants))(w)
            return sum(self.np.sum(g * v) for g, v in zip(slopes, problem.directions, strict=True))

        products = self.ag.grad(along)(leaves)
        return float(value._value), products


class Micrograd(HandFloats):
    """Values for scalars; `.data` of a parameter is changed in place, as its demo does."""

    name = "micrograd"

    def __init__(self) -> None:
        from micrograd.engine import Value

        self.value = Value
        self.m = SimpleNamespace(relu=Value.relu, square=lambda x: x * x)

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        return [self.value(each) for each in variables]

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        for leaf in leaves:
            leaf.grad = 0.0
        out = problem.loss(self.m, leaves, constants)
        out.backward()
        return out.data, [leaf.grad for leaf in leaves]

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf.data -= rate * gradient

    def values(self, leaves: list[Any]) -> list[Any]:
        return [leaf.data for leaf in leaves]


class Torch(Engine):
    name = "torch"

    def __init__(self) -> None:
        import torch
        from torch.nn import functional

        torch.set_num_threads(1)
        self.torch = torch
        self.m = SimpleNamespace(
            **{name: getattr(torch, name) for name in (*FUNCTIONS, "relu")},
            softplus=lambda x: torch.logaddexp(x, torch.zeros((), dtype=x.dtype)),
            cross_entropy=functional.cross_entropy,
        )

    def leaves(self, variables: Sequence[Any]) -> list[Any]:
        make = self.torch.tensor
        return [make(each, dtype=self.torch.float64, requires_grad=True) for each in variables]

    def constants(self, constants: Sequence[Any]) -> Sequence[Any]:
        return [self.torch.from_numpy(c) if isinstance(c, np.ndarray) else c for c in constants]

    def gradients(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        for leaf in leaves:
            leaf.grad = None
        out = problem.loss(self.m, leaves, constants)
        out.backward()
        return out.item(), [leaf.grad for leaf in leaves]

    def step(self, leaves: list[Any], gradients: Sequence[Any], rate: float) -> None:
        with self.torch.no_grad():
            for leaf, gradient in zip(leaves, gradients, strict=True):
                leaf -= rate * gradient

    def values(self, leaves: list[Any]) -> list[Any]:
        return [leaf.detach() for leaf in leaves]

    def curvature(self, problem: Problem, leaves: list[Any], constants: Sequence[Any]) -> Answer:
        out = problem.loss(self.m, leaves, constants)
        slopes = self.torch.autograd.grad(out, leaves, create_graph=True)
        along = sum(
            (g * self.torch.from_numpy(v)).sum() for g, v in zip(slopes, problem.directions, strict=True)
        )
        return out.item(), self.torch.autograd.grad(along, leaves)


ARRAYS: tuple[type[Engine], ...] = (Hand, Ours, MyGrad, MyGradUnguarded, Autograd, Torch)
SCALARS: tuple[type[Engine], ...] = (HandFloats, OurScalars, Micrograd, MyGrad, Autograd, Torch)
NAMES = tuple(dict.fromkeys(kind.name for kind in (*ARRAYS, *SCALARS)))


def installed(scalar: bool, chosen: Sequence[str] = NAMES) -> list[Engine]:
    """The engines that can be imported here, the hand-written code first; always that, and those chosen."""
    found: list[Engine] = []
    for kind in SCALARS if scalar else ARRAYS:
        if kind.name in ("hand", *chosen):
            try:
                found.append(kind())
            except ImportError:
                if kind.name == "ours":
                    raise
    return found

"""What is measured: a loss written once, data, the hand-written way to its gradient, and the figure asked.

`loss(m, variables, constants)` is what a user of any library would write: operators, methods, and functions
of the module `m` (NumPy's names). Where a library's names differ, engines.py translates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Loss = Callable[[Any, Sequence[Any], Sequence[Any]], Any]
Answer = tuple[float, Sequence[Any]]  # the loss, and an array (or a float) for each variable


@dataclass(frozen=True)
class Problem:
    """`hand(variables, constants)` answers what every engine is asked for.

    That is the loss and its gradients; with `steps`, after so many steps of gradient descent, the last loss
    and the variables; with `directions`, the loss and the Hessian's product with them.
    """

    loss: Loss
    hand: Callable[[Sequence[Any], Sequence[Any]], Answer]
    variables: Sequence[Any]
    constants: Sequence[Any] = ()
    steps: int = 0
    rate: float = 0.0
    directions: Sequence[Any] = ()


@dataclass(frozen=True)
class Workload:
    """A problem at several sizes. `asked` is the ratio to the hand-written code that must not be exceeded."""

    name: str
    title: str
    build: Callable[..., Problem]
    sizes: Mapping[str, Mapping[str, int]]
    asked: Mapping[str, float]
    tiny: Mapping[str, int] = field(default_factory=dict)  # for the tests, which time nothing
    scalar: bool = False  # variables are single numbers: scalar engines take part, and floats by hand

    def problem(self, size: str) -> Problem:
        return self.build(np.random.default_rng(7), **self.sizes[size])

    def tiny_problem(self) -> Problem:
        return self.build(np.random.default_rng(7), **self.tiny)

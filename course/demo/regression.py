"""A line fitted by gradient descent, on Scalars or on Tensors, and the closed form that certifies it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autodiff import Scalar, gradients, tensor

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """y = intercept + slope · x, in the units of the data."""

    intercept: float
    slope: float


@dataclass(frozen=True)
class Standardised:
    """Data moved to mean 0 and scaled to standard deviation 1, and the way back.

    Raw incomes in the thousands make the cost a canyon, 5.7 million times as steep one way as the
    other; standardised it's a round bowl, and one learning rate suits both parameters.
    """

    x: Array
    y: Array
    x_mean: float
    x_scale: float
    y_mean: float
    y_scale: float

    @classmethod
    def of(cls, x: Array, y: Array) -> Standardised:
        """Standardise; the scale is the population's standard deviation (divided by n)."""
        x_mean, x_scale, y_mean, y_scale = map(float, (x.mean(), x.std(), y.mean(), y.std()))
        return cls((x - x_mean) / x_scale, (y - y_mean) / y_scale, x_mean, x_scale, y_mean, y_scale)

    def line(self, b: float, w: float) -> Line:
        """The line of standardised parameters b and w, in the units of the data."""
        slope = w * self.y_scale / self.x_scale
        return Line(self.y_mean + self.y_scale * b - slope * self.x_mean, slope)


@dataclass(frozen=True)
class Step:
    """One step of gradient descent: where it stood, what it cost, which way was up."""

    b: float
    w: float
    cost: float
    db: float
    dw: float


def cost_of(b: Scalar, w: Scalar, xs: Iterable[float], ys: Iterable[float]) -> Scalar:
    """The mean squared error of y = b + w·x, as a graph of Scalars."""
    errors = [(b + w * x - y).square() for x, y in zip(xs, ys, strict=True)]
    total = errors[0]
    for error in errors[1:]:
        total = total + error
    return total * (1.0 / len(errors))


def _on_scalars(data: Standardised) -> Callable[[float, float], Step]:
    """Thousands of small nodes a step: one for each operation on each household."""
    xs, ys = data.x.tolist(), data.y.tolist()

    def look(b: float, w: float) -> Step:
        cost = cost_of(Scalar(b, name="b"), Scalar(w, name="w"), xs, ys)
        grad = cost.grad()
        return Step(b, w, cost.value, grad["b"], grad["w"])

    return look


def _on_tensors(data: Standardised) -> Callable[[float, float], Step]:
    """A handful of nodes a step, each for all households at once."""
    x, y = tensor(data.x, constant=True), tensor(data.y, constant=True)

    def look(b: float, w: float) -> Step:
        intercept, slope = tensor(b, name="b"), tensor(w, name="w")
        cost = (intercept + slope * x - y).square().mean()
        db, dw = gradients(cost, (intercept, slope))
        return Step(b, w, cost.item(), float(db), float(dw))

    return look


ENGINES = {"scalar": _on_scalars, "tensor": _on_tensors}


def descend(
    data: Standardised,
    start: tuple[float, float] = (1.5, -1.0),
    rate: float = 0.1,
    steps: int = 130,
    engine: str = "scalar",
) -> Iterator[Step]:
    """Gradient descent on the standardised data: yields each step as it's taken, the last point included."""
    b, w = start
    look = ENGINES[engine](data)
    for _ in range(steps + 1):
        step = look(b, w)
        yield step
        b, w = b - rate * step.db, w - rate * step.dw  # both from the same point


def closed_form(x: Array, y: Array) -> Line:
    """The least-squares line: slope = cov(x, y)/var(x), through the point of means."""
    dx, dy = x - x.mean(), y - y.mean()
    slope = float(dx @ dy / (dx @ dx))
    return Line(float(y.mean()) - slope * float(x.mean()), slope)


def agreeing_digits(got: float, certified: float) -> float:
    """How many significant digits agree: −log₁₀ of the relative error, at most 15.

    >>> agreeing_digits(3.1415, 3.141592653589793)
    4.5
    """
    error = abs(got - certified) / abs(certified)
    return 15.0 if error < 1e-15 else round(-math.log10(error), 1)

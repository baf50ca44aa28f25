"""Graphs whose values are single numbers: a network and a regression, next to plain floats."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.problem import Answer, Problem, Workload

# --- S1: the two moons -----------------------------------------------------------------------------------

SHRINK = 1e-4  # how strongly large parameters are held back


def moons(rng: np.random.Generator, n: int, hidden: int) -> Problem:
    """One step of a network 2-hidden-hidden-1 with relu on the hinge loss of two half-moons."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        points, labels = constants
        layers = _layers(iter(variables), (2, hidden, hidden, 1))
        scores = [_score(m, layers, point) for point in points]
        losses = [m.relu(1.0 - label * score) for label, score in zip(labels, scores, strict=True)]
        return sum(losses) * (1.0 / n) + SHRINK * sum(p * p for p in variables)

    def hand(variables: Any, constants: Any) -> Answer:
        points, labels = constants
        layers = _layers(iter(variables), (2, hidden, hidden, 1))
        slopes = [[[0.0] * len(row) for row in layer] for layer in layers]
        value = 0.0
        for point, label in zip(points, labels, strict=True):
            value += _learn(layers, slopes, point, label, 1.0 / n)
        value += SHRINK * sum(p * p for p in variables)
        flat = (slope for layer in slopes for row in layer for slope in row)
        return value, [slope + 2.0 * SHRINK * p for slope, p in zip(flat, variables, strict=True)]

    points, labels = _two_moons(rng, n)
    count = 3 * hidden + hidden * (hidden + 1) + hidden + 1
    start = rng.uniform(-1.0, 1.0, count).tolist()
    return Problem(loss, hand, start, [points, labels], steps=1, rate=1e-3)


def _layers(values: Iterator[Any], widths: Sequence[int]) -> list[list[list[Any]]]:
    """The parameters as layers of neurons; a neuron is its bias, then its weights."""
    return [[[next(values) for _ in range(1 + a)] for _ in range(b)] for a, b in pairwise(widths)]


def _score(m: Any, layers: Sequence[Any], point: Sequence[float]) -> Any:
    values: Sequence[Any] = point
    for layer in layers:
        sums = [sum((w * x for w, x in zip(ws, values, strict=True)), b) for b, *ws in layer]
        values = sums if layer is layers[-1] else [m.relu(each) for each in sums]
    return values[0]


def _learn(layers: Any, slopes: Any, point: Any, label: float, share: float) -> float:
    """The loss of one point; its derivatives are added to `slopes`."""
    seen = [point]
    for layer in layers:
        sums = [b + sum([w * x for w, x in zip(ws, seen[-1], strict=True)]) for b, *ws in layer]
        seen.append(sums if layer is layers[-1] else [s if s > 0.0 else 0.0 for s in sums])
    (score,) = seen.pop()
    lack = 1.0 - label * score
    gs = [-label * share if lack > 0.0 else 0.0]
    for layer, slope, values in zip(reversed(layers), reversed(slopes), reversed(seen), strict=True):
        back = [0.0] * len(values)
        for g, row, total in zip(gs, layer, slope, strict=True):
            if g:
                total[0] += g
                for k, x in enumerate(values, start=1):
                    total[k] += g * x
                    back[k - 1] += g * row[k]
        gs = [g if x > 0.0 else 0.0 for g, x in zip(back, values, strict=True)]
    return share * lack if lack > 0.0 else 0.0


def _two_moons(rng: np.random.Generator, n: int) -> tuple[list[list[float]], list[float]]:
    angles = rng.uniform(0.0, np.pi, n)
    upper = np.arange(n) % 2 == 0
    x = np.where(upper, np.cos(angles), 1.0 - np.cos(angles))
    y = np.where(upper, np.sin(angles), 0.5 - np.sin(angles))
    points = np.stack([x, y], axis=1) + 0.1 * rng.standard_normal((n, 2))
    return points.tolist(), np.where(upper, 1.0, -1.0).tolist()


# --- S2: the lecture's regression ------------------------------------------------------------------------


def line(rng: np.random.Generator, m: int) -> Problem:
    """The mean of (b + w·x − y)² over m points, number by number."""

    def loss(functions: Any, variables: Any, constants: Any) -> Any:
        (b, w), (xs, ys) = variables, constants
        errors = [functions.square(b + w * x - y) for x, y in zip(xs, ys, strict=True)]
        return sum(errors[1:], start=errors[0]) * (1.0 / m)

    def hand(variables: Any, constants: Any) -> Answer:
        (b, w), (xs, ys) = variables, constants
        errors = [b + w * x - y for x, y in zip(xs, ys, strict=True)]
        value = sum([error * error for error in errors]) / m
        gb = gw = 0.0
        for error, x in zip(errors, xs, strict=True):
            g = 2.0 * error / m
            gb += g
            gw += g * x
        return value, [gb, gw]

    xs = rng.uniform(-10.0, 10.0, m)
    ys = 10.0 + 5.0 * xs + rng.standard_normal(m)
    return Problem(loss, hand, [1.0, 2.0], [xs.tolist(), ys.tolist()])


SCALAR_WORKLOADS = (
    Workload(
        "S1",
        "moons, scalars 2-16-16-1, one step",
        moons,
        sizes={"100 points": {"n": 100, "hidden": 16}},
        asked={"100 points": 15.0},
        tiny={"n": 4, "hidden": 3},
        scalar=True,
    ),
    Workload(
        "S2",
        "the lecture's regression, scalars",
        line,
        sizes={f"m = {m}": {"m": m} for m in (10, 100, 1000)},
        asked={f"m = {m}": 40.0 for m in (10, 100, 1000)},
        tiny={"m": 3},
        scalar=True,
    ),
)

"""Regressions and networks: what programs do with gradients."""

from typing import Any

import numpy as np

from benchmarks.problem import Answer, Problem, Workload

# --- T1: linear regression -------------------------------------------------------------------------------


def regression(rng: np.random.Generator, n: int, d: int) -> Problem:
    """mean((X @ w + b − y)²)."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (w, b), (X, y) = variables, constants
        return ((X @ w + b - y) ** 2).mean()

    def hand(variables: Any, constants: Any) -> Answer:
        (w, b), (X, y) = variables, constants
        error = X @ w
        error += b
        error -= y
        value = error @ error / n
        error *= 2.0 / n
        return value, [X.T @ error, error.sum()]

    data = [rng.standard_normal((n, d)), rng.standard_normal(n)]
    return Problem(loss, hand, [rng.standard_normal(d), np.array(0.5)], data)


# --- T2: a classifier ------------------------------------------------------------------------------------


def classifier(rng: np.random.Generator, n: int, inputs: int, hidden: int, classes: int) -> Problem:
    """One step on the mean softmax cross-entropy of a network with one hidden relu layer."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (W, b, V, c), (X, labels) = variables, constants
        return m.cross_entropy(m.relu(X @ W + b) @ V + c, labels)

    def hand(variables: Any, constants: Any) -> Answer:
        (W, b, V, c), (X, labels) = variables, constants
        rows = np.arange(n)
        units = X @ W
        units += b
        np.maximum(units, 0.0, out=units)
        scores = units @ V
        scores += c
        scores -= scores.max(axis=1, keepdims=True)
        g = np.exp(scores)
        total = g.sum(axis=1, keepdims=True)
        value = (np.log(total[:, 0]) - scores[rows, labels]).mean()
        g /= total
        g[rows, labels] -= 1.0
        g /= n
        gu = g @ V.T
        gu *= units > 0
        return value, [X.T @ gu, gu.sum(axis=0), units.T @ g, g.sum(axis=0)]

    weights = [
        rng.standard_normal((inputs, hidden)) * np.sqrt(2.0 / inputs),
        np.zeros(hidden),
        rng.standard_normal((hidden, classes)) * np.sqrt(2.0 / hidden),
        np.zeros(classes),
    ]
    data = [rng.standard_normal((n, inputs)), rng.integers(0, classes, n)]
    return Problem(loss, hand, weights, data, steps=1, rate=0.01)


# --- T9: curvature ---------------------------------------------------------------------------------------


def curvature(rng: np.random.Generator, n: int, inputs: int, hidden: int) -> Problem:
    """The Hessian of a tanh network's mean squared error, times a direction."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (W, b, v, c), (X, y) = variables, constants
        error = m.tanh(X @ W + b) @ v + c - y
        return (error * error).mean()

    def hand(variables: Any, constants: Any) -> Answer:
        """The gradient, and how each line of it moves along the directions."""
        (W, b, v, c), (X, y) = variables, constants
        dW, db, dv, dc = problem.directions
        h = np.tanh(X @ W + b)
        slope = 1.0 - h * h
        dh = slope * (X @ dW + db)
        error = h @ v + c - y
        g, dg = error * (2.0 / n), (dh @ v + h @ dv + dc) * (2.0 / n)
        gh, dgh = np.outer(g, v), np.outer(dg, v) + np.outer(g, dv)
        dgz = dgh * slope - 2.0 * gh * h * dh
        value = (error * error).mean()
        return value, [X.T @ dgz, dgz.sum(axis=0), h.T @ dg + dh.T @ g, dg.sum()]

    def draw() -> list[Any]:
        shapes = (inputs, hidden), (hidden,), (hidden,), ()
        return [np.asarray(0.3 * rng.standard_normal(shape)) for shape in shapes]

    data = [rng.standard_normal((n, inputs)), rng.standard_normal(n)]
    problem = Problem(loss, hand, draw(), data, directions=draw())
    return problem


# --- T11: logistic regression ----------------------------------------------------------------------------


def logistic(rng: np.random.Generator, n: int, d: int, steps: int) -> Problem:
    """Full-batch steps on mean(log(1 + exp(−y·Xw))), y = ±1."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (w,), (X, y) = variables, constants
        return m.softplus(-(y * (X @ w))).mean()

    def hand(variables: Any, constants: Any) -> Answer:
        (w,), (X, y) = variables, constants
        margin = X @ w
        margin *= y
        value = np.logaddexp(0.0, -margin).mean()
        np.exp(margin, out=margin)
        margin += 1.0
        g = y * (-1.0 / n)
        g /= margin
        return value, [X.T @ g]

    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = np.where(X @ w + rng.standard_normal(n) > 0, 1.0, -1.0)
    return Problem(loss, hand, [np.zeros(d)], [X, y], steps=steps, rate=0.1)


NETWORK_WORKLOADS = (
    Workload(
        "T1",
        "linear regression, one gradient",
        regression,
        sizes={
            label: {"n": n, "d": 10} for label, n in (("1e3", 1000), ("1e5", 100_000), ("1e6", 1_000_000))
        },
        asked={"1e3": 5.0, "1e5": 1.6, "1e6": 1.2},
        tiny={"n": 5, "d": 2},
    ),
    Workload(
        "T2",
        "classifier 784-128-10, one step",
        classifier,
        sizes={f"batch {n}": {"n": n, "inputs": 784, "hidden": 128, "classes": 10} for n in (64, 256)},
        asked={"batch 64": 1.25, "batch 256": 1.12},
        tiny={"n": 4, "inputs": 3, "hidden": 5, "classes": 3},
    ),
    Workload(
        "T9",
        "Hessian times vector, 20-32-1",
        curvature,
        sizes={"64 rows": {"n": 64, "inputs": 20, "hidden": 32}},
        asked={"64 rows": 6.0},
        tiny={"n": 3, "inputs": 2, "hidden": 4},
    ),
    Workload(
        "T11",
        "logistic regression, 200 steps",
        logistic,
        sizes={"1e3": {"n": 1000, "d": 20, "steps": 200}, "1e5": {"n": 100_000, "d": 20, "steps": 200}},
        asked={"1e3": 3.3, "1e5": 1.1},
        tiny={"n": 6, "d": 2, "steps": 3},
    ),
)

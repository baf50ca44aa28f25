"""What an operation costs: chains, broadcasting, one variable used often, parts of arrays, running totals."""

from typing import Any

import numpy as np

from benchmarks.problem import Answer, Problem, Workload

# --- T3: many small operations ---------------------------------------------------------------------------


def chain(rng: np.random.Generator, n: int, pairs: int) -> Problem:
    """z = x; then again and again z = z·y, z = z + y; the sum."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        z, y = variables
        for _ in range(pairs):
            z = z * y
            z = z + y
        return z.sum()

    def hand(variables: Any, constants: Any) -> Answer:
        z, y = variables
        multiplied = []
        for _ in range(pairs):
            multiplied.append(z)
            z = z * y
            z += y
        g, gy = np.ones(n), np.zeros(n)
        for factor in reversed(multiplied):
            gy += g
            gy += g * factor
            g *= y
        return z.sum(), [g, gy]

    return Problem(loss, hand, [rng.standard_normal(n), rng.uniform(0.5, 0.9, n)])


# --- T4: broadcasting ------------------------------------------------------------------------------------


def broadcast(rng: np.random.Generator, rows: int, columns: int, depth: int) -> Problem:
    """Σ exp((a + b)·c): three shapes that meet in (rows, columns, depth)."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        a, b, c = variables
        return m.exp((a + b) * c).sum()

    def hand(variables: Any, constants: Any) -> Answer:
        a, b, c = variables
        s = a + b
        e = s * c
        np.exp(e, out=e)
        value, gs = e.sum(), e * c
        e *= s
        return value, [gs.sum(axis=1, keepdims=True), gs.sum(axis=0, keepdims=True), e.sum(axis=(0, 1))]

    shapes = (rows, 1, depth), (1, columns, depth), (depth,)
    a, b, c = (rng.standard_normal(shape) for shape in shapes)
    return Problem(loss, hand, [a, b, 0.1 * c])


# --- T7: one variable, used often ------------------------------------------------------------------------


def reuse(rng: np.random.Generator, n: int, times: int) -> Problem:
    """s = x·x; then s = s + x·x until x·x stands there `times` times; the sum."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (x,) = variables
        s = x * x
        for _ in range(times - 1):
            s = s + x * x
        return s.sum()

    def hand(variables: Any, constants: Any) -> Answer:
        (x,) = variables
        s = x * x
        for _ in range(times - 1):
            s += x * x
        g, gx = np.full(n, 2.0), np.zeros(n)
        for _ in range(times):
            gx += g * x
        return s.sum(), [gx]

    return Problem(loss, hand, [rng.standard_normal(n)])


# --- T10: parts and wholes -------------------------------------------------------------------------------


def slices(rng: np.random.Generator, n: int, parts: int) -> Problem:
    """Σ over slices of Σ slice²."""
    length = n // parts

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (x,) = variables
        return sum(m.square(x[i * length : (i + 1) * length]).sum() for i in range(parts))

    def hand(variables: Any, constants: Any) -> Answer:
        (x,) = variables
        value, gx = 0.0, np.zeros(n)
        for i in range(parts):
            part = x[i * length : (i + 1) * length]
            value += part @ part
            gx[i * length : (i + 1) * length] += 2.0 * part
        return value, [gx]

    return Problem(loss, hand, [rng.standard_normal(n)])


def fancy(rng: np.random.Generator, n: int, picks: int) -> Problem:
    """Σ x[index]², where the index names an entry several times."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (x,), (index,) = variables, constants
        return m.square(x[index]).sum()

    def hand(variables: Any, constants: Any) -> Answer:
        (x,), (index,) = variables, constants
        picked = x[index]
        value, gx = picked @ picked, np.zeros(n)
        picked *= 2.0
        np.add.at(gx, index, picked)
        return value, [gx]

    return Problem(loss, hand, [rng.standard_normal(n)], [rng.integers(0, n, picks)])


def join(rng: np.random.Generator, n: int, parts: int) -> Problem:
    """Σ concatenate(parts)²."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        return m.square(m.concatenate(variables)).sum()

    def hand(variables: Any, constants: Any) -> Answer:
        whole = np.concatenate(variables)
        value = whole @ whole
        whole *= 2.0
        return value, np.split(whole, parts)

    return Problem(loss, hand, [rng.standard_normal(n // parts) for _ in range(parts)])


def running(rng: np.random.Generator, n: int) -> Problem:
    """Σ weights·cumsum(x)."""

    def loss(m: Any, variables: Any, constants: Any) -> Any:
        (x,), (weights,) = variables, constants
        return (x.cumsum(0) * weights).sum()

    def hand(variables: Any, constants: Any) -> Answer:
        (x,), (weights,) = variables, constants
        return x.cumsum() @ weights, [weights[::-1].cumsum()[::-1]]

    return Problem(loss, hand, [rng.standard_normal(n)], [rng.standard_normal(n)])


ARRAY_WORKLOADS = (
    Workload(
        "T3",
        "200 operations on ten numbers",
        chain,
        sizes={"(10,)": {"n": 10, "pairs": 100}},
        asked={"(10,)": 3.0},
        tiny={"n": 3, "pairs": 2},
    ),
    Workload(
        "T4",
        "Σ exp((a + b)·c), broadcast",
        broadcast,
        sizes={"256×128×64": {"rows": 256, "columns": 128, "depth": 64}},
        asked={"256×128×64": 1.1},
        tiny={"rows": 2, "columns": 3, "depth": 4},
    ),
    Workload(
        "T7",
        "one tensor, used often",
        reuse,
        sizes={"1e4 times": {"n": 100, "times": 10_000}},
        asked={"1e4 times": 6.0},
        tiny={"n": 3, "times": 4},
    ),
    Workload(
        "T10-slices",
        "ten slices, squared, summed",
        slices,
        sizes={"1e5": {"n": 100_000, "parts": 10}},
        asked={"1e5": 4.5},
        tiny={"n": 10, "parts": 2},
    ),
    Workload(
        "T10-index",
        "an index that repeats",
        fancy,
        sizes={"1e5": {"n": 10_000, "picks": 100_000}},
        asked={"1e5": 1.8},
        tiny={"n": 3, "picks": 7},
    ),
    Workload(
        "T10-join",
        "ten arrays in one, squared",
        join,
        sizes={"1e5": {"n": 100_000, "parts": 10}},
        asked={"1e5": 5.0},
        tiny={"n": 6, "parts": 2},
    ),
    Workload(
        "T10-cumsum",
        "running totals, weighted",
        running,
        sizes={"1e5": {"n": 100_000}},
        asked={"1e5": 1.25},
        tiny={"n": 5},
    ),
)

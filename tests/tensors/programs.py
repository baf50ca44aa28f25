"""Random programs, and what is asked of each: is its gradient right, in every direction of every mode?

A program is a graph of operations drawn at random, with sharing, skips, broadcasting, reductions, indexing
and products. It is drawn along with its values, so that no operation comes near a kink, a tie or the edge of
its domain.
`python -m tests.tensors.programs --count 1000 --seed 0` runs many and prints those that disagree.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff as ad

MARGIN = 0.1  # distance to kinks, ties and edges; a difference step moves values by a few thousandths
LARGEST = 20.0
MOST_ENTRIES = 64
SHAPES = [(), (1,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (2, 2, 3), (3, 3)]

Choose = Callable[[int], int]  # choose(n) is one of 0 … n-1


@dataclass(frozen=True)
class Step:
    """One operation: its name, the values it is applied to (by number), and the function itself."""

    name: str
    operands: tuple[int, ...]
    apply: Callable[..., Any]


@dataclass
class Program:
    """A function of `inputs` that returns one number: a weighted sum of every value that no step uses."""

    inputs: list[np.ndarray]
    steps: list[Step]
    weights: dict[int, np.ndarray]

    def __call__(self, *inputs: Any) -> Any:
        values = list(inputs)
        for step in self.steps:
            values.append(step.apply(*(values[k] for k in step.operands)))
        return sum(ad.sum(values[k] * weight) for k, weight in self.weights.items())

    def __str__(self) -> str:
        lines = [f"v{k} = input {x.shape}" for k, x in enumerate(self.inputs)]
        for k, step in enumerate(self.steps, start=len(self.inputs)):
            lines.append(f"v{k} = {step.name}({', '.join(f'v{i}' for i in step.operands)})")
        return "\n".join([*lines, "sum of " + ", ".join(f"v{k}" for k in self.weights)])


# --- the operations, and where each is safe --------------------------------------------------------------


def anywhere(*values: np.ndarray) -> bool:
    return True


def between(low: float, high: float) -> Callable[[np.ndarray], bool]:
    return lambda a: bool(np.all((a > low) & (a < high)))


def nonzero(a: np.ndarray) -> bool:
    return bool(np.all(np.abs(a) > MARGIN))


POSITIVE = between(2 * MARGIN, np.inf)
SMALL = between(-2.5, 2.5)
UNARY: dict[str, Callable[[np.ndarray], bool]] = {
    **dict.fromkeys(
        ("sin", "cos", "tanh", "sigmoid", "softplus", "arctan", "square", "negative", "erf", "arcsinh"),
        anywhere,
    ),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh", "exp2"), SMALL),
    **dict.fromkeys(("log", "sqrt", "log2", "log10"), POSITIVE),
    **dict.fromkeys(("reciprocal", "absolute", "relu", "cbrt"), nonzero),
    "log1p": between(-0.8, np.inf),
    "arcsin": between(-0.9, 0.9),
    "arccos": between(-0.9, 0.9),
    "arctanh": between(-0.9, 0.9),
    "tan": between(-1.2, 1.2),
    "sinc": SMALL,
}
BINARY: dict[str, Callable[[np.ndarray, np.ndarray], bool]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "logaddexp"), anywhere),
    "divide": lambda a, b: nonzero(b),
    **dict.fromkeys(("maximum", "minimum"), lambda a, b: nonzero(a - b)),
    **dict.fromkeys(("hypot", "arctan2"), lambda a, b: nonzero(a) and nonzero(b)),
    "power": lambda a, b: POSITIVE(a) and SMALL(b),
}
REDUCTIONS = ["sum", "mean", "max", "min", "prod", "var", "std", "logsumexp"]
EXPONENTS = [0, 1, 2, 3, -1, 0.5, 2.5]


def pick(choose: Choose, options: Any) -> Any:
    options = list(options)
    return options[choose(len(options))]


def recent(choose: Choose, values: list[np.ndarray]) -> int:
    """The number of a value, more often a late one."""
    return max(choose(len(values)), choose(len(values)))


def fitting(choose: Choose, values: list[np.ndarray], fits: Callable[[np.ndarray], bool]) -> int | None:
    at = [k for k, value in enumerate(values) if fits(value)]
    return at[recent(choose, at)] if at else None  # type: ignore[arg-type]


def broadcasts(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(a.shape, b.shape))) <= MOST_ENTRIES
    except ValueError:
        return False


# --- ways to make a step; None where it isn't safe -------------------------------------------------------


def one_operand(choose: Choose, values: list[np.ndarray]) -> Step | None:
    name, k = pick(choose, UNARY), recent(choose, values)
    return Step(name, (k,), getattr(ad, name)) if UNARY[name](values[k]) else None


def two_operands(choose: Choose, values: list[np.ndarray]) -> Step | None:
    name, i = pick(choose, BINARY), recent(choose, values)
    j = fitting(choose, values, lambda b: broadcasts(values[i], b))
    if j is None or not BINARY[name](values[i], values[j]):
        return None
    return Step(name, (i, j), getattr(ad, name))


def with_a_constant(choose: Choose, values: list[np.ndarray]) -> Step | None:
    """An operator between an array, on either side, and a value."""
    k = recent(choose, values)
    fixed = np.round(np.random.default_rng(choose(1000)).uniform(0.5, 1.5, pick(choose, SHAPES)), 2)
    if not broadcasts(values[k], fixed):
        return None
    ways = {
        "a + ·": lambda x: fixed + x,
        "a - ·": lambda x: fixed - x,
        "a * ·": lambda x: fixed * x,
        "· - a": lambda x: x - fixed,
        "· / a": lambda x: x / fixed,
        "where": lambda x: ad.where(fixed > 1, x, 0.5 * x),
        "skip": lambda x: x + 0.5 * ad.sin(x * fixed),
    }
    if nonzero(values[k]):
        ways["a / ·"] = lambda x: fixed / x
    name = pick(choose, ways)
    return Step(f"{name} {fixed.shape}", (k,), ways[name])


def with_an_exponent(choose: Choose, values: list[np.ndarray]) -> Step | None:
    k, n = recent(choose, values), pick(choose, EXPONENTS)
    safe = n in (0, 1, 2, 3) or (nonzero(values[k]) if n == -1 else POSITIVE(values[k]))
    return Step(f"power {n}", (k,), lambda x: x**n) if safe else None


def chosen(choose: Choose, values: list[np.ndarray]) -> Step | None:
    """where, between two values, by a mask that is fixed."""
    i = recent(choose, values)
    j = fitting(choose, values, lambda b: broadcasts(values[i], b))
    if j is None:
        return None
    mask = values[i] > 0
    return Step("where", (i, j), lambda a, b: ad.where(mask, a, b))


def reduced(choose: Choose, values: list[np.ndarray]) -> Step | None:
    name, k = pick(choose, REDUCTIONS), recent(choose, values)
    a = values[k]
    axes = [None, *range(-a.ndim, a.ndim), *itertools.combinations(range(a.ndim), 2)]
    axis, keepdims = pick(choose, axes), bool(choose(2))
    if name == "std" and not np.all(np.std(a, axis=axis) > MARGIN):
        return None
    if name in ("max", "min") and not _has_gap(-a if name == "min" else a, axis):
        return None
    if name == "prod" and isinstance(axis, tuple):
        return None
    options = {"axis": axis, "keepdims": keepdims}
    return Step(f"{name} {options}", (k,), lambda x: getattr(ad, name)(x, **options))


def _has_gap(a: np.ndarray, axis: Any) -> bool:
    """Whether the largest entries stand out."""
    best = a.max(axis=axis, keepdims=True)
    near = np.sum(a > best - MARGIN, axis=axis)
    return bool(np.all(near == 1))


def shaped(choose: Choose, values: list[np.ndarray]) -> Step | None:
    k = recent(choose, values)
    a = values[k]
    order = tuple(np.random.default_rng(choose(100)).permutation(a.ndim).tolist())
    ways: dict[str, Callable[[Any], Any]] = {
        "ravel": ad.ravel,
        "reshape to a column": lambda x: ad.reshape(x, (-1, 1)),
        "transpose": ad.transpose,
        f"transpose {order}": lambda x: ad.transpose(x, order),
        "expand_dims": lambda x: ad.expand_dims(x, 0),
        "broadcast_to": lambda x: ad.broadcast_to(x, (2, *a.shape)),
        "flip": ad.flip,
        "squeeze": ad.squeeze,
    }
    name = pick(choose, ways)
    return Step(name, (k,), ways[name])


def indexed(choose: Choose, values: list[np.ndarray]) -> Step | None:
    k = fitting(choose, values, lambda a: a.ndim > 0)
    if k is None:
        return None
    a = values[k]
    last = a.shape[0] - 1
    keys: dict[str, Any] = {
        "0": 0,
        "-1": -1,
        "1:": slice(min(1, last), None),
        "::-1": slice(None, None, -1),
        "..., 0": (..., 0),
        "None": (None, ...),
        "[last, 0, last]": [last, 0, last],
        "mask": a >= np.median(a),
        "array of places": np.array([[0, last], [last, last]]),
    }
    name = pick(choose, keys)
    return Step(f"index {name}", (k,), lambda x: x[keys[name]])


def joined(choose: Choose, values: list[np.ndarray]) -> Step | None:
    i = fitting(choose, values, lambda a: a.ndim > 0)
    if i is None:
        return None
    j = fitting(choose, values, lambda b: b.shape == values[i].shape)
    assert j is not None  # i itself fits
    if choose(2):
        return Step("stack", (i, j), lambda a, b: ad.stack([a, b, a], axis=-1))
    return Step("concatenate", (i, j), lambda a, b: ad.concatenate([a, b, a], axis=0))


def multiplied(choose: Choose, values: list[np.ndarray]) -> Step | None:
    i = fitting(choose, values, lambda a: a.ndim > 0)
    if i is None:
        return None
    j = fitting(choose, values, lambda b: _multiply(values[i], b))
    if j is not None:
        return Step("matmul", (i, j), lambda a, b: a @ b)
    if values[i].ndim < 2:
        return None
    return Step("times its transpose", (i,), lambda a: a @ ad.swapaxes(a, -1, -2))


def _multiply(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.matmul(a, b).size <= MOST_ENTRIES
    except ValueError:
        return False


MAKERS = [
    one_operand, one_operand, two_operands, two_operands, two_operands, with_a_constant, with_an_exponent,
    chosen, reduced, reduced, shaped, indexed, joined, multiplied,
]  # fmt: skip


def build(choose: Choose, most_steps: int = 24) -> Program:
    """A program, each decision made by `choose`."""
    rng = np.random.default_rng(choose(1_000_000))
    inputs = [rng.uniform(-1.5, 1.5, pick(choose, SHAPES)) for _ in range(1 + choose(3))]
    values, steps = list(inputs), []
    for _ in range(1 + choose(most_steps)):
        step = pick(choose, MAKERS)(choose, values)
        if step is None:
            continue
        value = np.asarray(step.apply(*(values[k] for k in step.operands)))
        if 0 < value.size <= MOST_ENTRIES and np.all(np.abs(value) < LARGEST):
            steps.append(step)
            values.append(value)
    used = {k for step in steps for k in step.operands}
    ends = [k for k in range(len(values)) if k not in used]
    return Program(inputs, steps, {k: rng.uniform(0.5, 1.5, values[k].shape) for k in ends})


def random_program(seed: int) -> Program:
    """The program of this seed."""
    rng = np.random.default_rng(seed)
    return build(lambda n: int(rng.integers(n)))


# --- what is asked ---------------------------------------------------------------------------------------


def inner(a: Any, b: Any) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(a, b, strict=True)))


def slope(f: Callable[[float], float], h: float = 1e-3) -> tuple[float, float]:
    """f'(0) by fourth-order central differences, and how far the answers of steps h and h/2 are apart."""

    def at(h: float) -> float:
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    coarse, fine = at(h), at(h / 2)
    return fine, abs(coarse - fine)


def findings(
    program: Program, second: bool = False, tolerance: float = 1e-6
) -> Iterator[tuple[str, float, float]]:
    """Where two ways to one derivative disagree: which, and both answers; 'undecided' where nothing is told.

    In a random direction v: reverse mode against differences; forward mode, `backward` and a recorded pass
    against reverse mode. With `second`, the same once more for the gradient along v, in a direction u.
    """
    x = program.inputs
    count = tuple(range(len(x)))
    rng = np.random.default_rng(len(program.steps))
    v, u = ([np.asarray(rng.uniform(-1, 1, each.shape)) for each in x] for _ in range(2))

    def moved(t: float, along: list[np.ndarray]) -> list[np.ndarray]:
        return [a + t * b for a, b in zip(x, along, strict=True)]

    gradient = ad.grad(program, count)
    got = inner(gradient(*x), v)
    want, doubt = slope(lambda t: float(program(*moved(t, v))))
    yield from _compared("reverse mode, differences", got, want, doubt, tolerance)
    forward = float(ad.jvp(program, x, v)[1])
    yield from _compared("forward mode, reverse mode", forward, got, 0.0, 1e-10)
    leaves = [ad.tensor(each) for each in x]
    out = program(*leaves)
    recorded = ad.gradients(out, leaves, record=True)
    yield from _compared(
        "recorded, reverse mode", inner([each.data for each in recorded], v), got, 0.0, 1e-12
    )
    out.backward()
    reached = [np.zeros(each.shape) if each.grad is None else each.grad for each in leaves]
    yield from _compared("backward, reverse mode", inner(reached, v), got, 0.0, 1e-12)
    if not second:
        return

    def along_v(*inputs: Any) -> Any:
        return sum(ad.sum(g * w) for g, w in zip(gradient(*inputs), v, strict=True))

    got = inner(ad.grad(along_v, count)(*x), u)
    want, doubt = slope(lambda t: inner(gradient(*moved(t, u)), v))
    yield from _compared("second order, differences", got, want, doubt, 10 * tolerance)
    yield from _compared("forward over reverse", inner(ad.jvp(gradient, x, u)[1], v), got, 0.0, 1e-9)


def _compared(
    what: str, got: float, want: float, doubt: float, tolerance: float
) -> Iterator[tuple[str, float, float]]:
    allowed = tolerance * max(1.0, abs(want))
    if doubt > allowed:
        yield "undecided", got, want
    elif not abs(got - want) <= allowed:
        yield what, got, want


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Random programs: gradients against differences, mode against mode."
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began, wrong, undecided, steps = time.perf_counter(), 0, 0, 0
    for seed in range(options.seed, options.seed + options.count):
        try:
            program = random_program(seed)
            found = list(findings(program, second=seed % 3 == 0))
            steps += len(program.steps)
        except Exception as problem:  # any error is a finding
            print(f"seed {seed}: {type(problem).__name__}: {problem}")
            wrong += 1
            continue
        undecided += any(what == "undecided" for what, _, _ in found)
        mismatches = [each for each in found if each[0] != "undecided"]
        wrong += bool(mismatches)
        for what, got, want in mismatches:
            print(f"seed {seed}: {what}: {got!r}, {want!r}\n{program}")
    took = time.perf_counter() - began
    print(
        f"{options.count} programs from seed {options.seed}, {steps} steps: "
        f"{wrong} wrong, {undecided} undecided, {took:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What is asked of every operation, whatever it computes; a case is one line in a table.

A case says how the operation is called. The harness draws the inputs, and asks: NumPy's value, shape and
dtype; the gradient against central differences, with a random upstream gradient; recorded = eager;
forward mode = reverse (adjoint identity); the second derivative against differences of the first; float32 in,
float32 out; no gradient that shares memory with what the graph keeps.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autodiff as ad
import autodiff.ops
from autodiff.primitive import TABLE
from autodiff.trees import flatten


@dataclass(frozen=True)
class Draw:
    """An input: entries drawn evenly from intervals, of this shape; `distinct` keeps them apart (no ties)."""

    shape: tuple[int, ...]
    intervals: tuple[tuple[float, float], ...] = ((-2.0, 2.0),)
    distinct: bool = False

    def __call__(self, rng: np.random.Generator) -> np.ndarray:
        if self.distinct:
            count = int(np.prod(self.shape))
            return np.asarray((rng.permutation(count).reshape(self.shape) - (count - 1) / 2) * 0.37 + 0.11)
        bounds = np.array(self.intervals)[rng.integers(len(self.intervals), size=self.shape)]
        return np.asarray(rng.uniform(bounds[..., 0], bounds[..., 1]))


def real(*shape: int) -> Draw:
    """Real numbers between -2 and 2."""
    return Draw(shape)


def positive(*shape: int) -> Draw:
    """Between 0.2 and 2."""
    return Draw(shape, ((0.2, 2.0),))


def between(low: float, high: float, *shape: int) -> Draw:
    """Between `low` and `high`."""
    return Draw(shape, ((low, high),))


def apart(*shape: int) -> Draw:
    """Real numbers of which no two are closer than 0.37 (nothing ties, none is 0)."""
    return Draw(shape, distinct=True)


@dataclass(frozen=True)
class Case:
    """A call: the public function's name, its arguments (a Draw is drawn and differentiated), its options."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None  # NumPy's function; getattr(np, name) if absent, False: none
    order: int = 2  # of derivatives that exist and aren't 0 everywhere

    def __str__(self) -> str:
        def brief(x: Any) -> str:
            if isinstance(x, Draw):
                return str(x.shape).replace(" ", "")
            if isinstance(x, list | tuple):
                return "[" + ",".join(brief(each) for each in x) + "]"
            return str(x).replace("\n", "")[:24]

        return "-".join(
            [self.name, *map(brief, self.args), *(f"{k}={brief(v)}" for k, v in self.options.items())]
        )


def case(name: str, *args: Any, reference: Any = None, order: int = 2, **options: Any) -> Case:
    """One line of a table."""
    return Case(name, args, options, reference, order)


class Problem:
    """A case with inputs drawn: f of the differentiable inputs only, as a flat list of outputs."""

    def __init__(self, it: Case, dtype: Any = np.float64) -> None:
        self.case = it
        rng = np.random.default_rng(zlib.crc32(str(it).encode()))
        leaves, self._rebuild = flatten(list(it.args))
        self._leaves = [leaf(rng).astype(dtype) if isinstance(leaf, Draw) else leaf for leaf in leaves]
        self.at = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Draw)]
        self.x = [self._leaves[k] for k in self.at]
        self.rng = rng

    def call(self, function: Callable[..., Any], xs: list[Any]) -> list[Any]:
        leaves = list(self._leaves)
        for k, x in zip(self.at, xs, strict=True):
            leaves[k] = x
        outs, _ = flatten(function(*self._rebuild(leaves), **self.case.options))
        return outs

    def ours(self, *xs: Any) -> list[Any]:
        return self.call(getattr(ad, self.case.name), list(xs))

    def plain(self, xs: list[np.ndarray]) -> list[np.ndarray]:
        """The values, computed through Tensors, as arrays."""
        return [
            np.asarray(out.data if isinstance(out, ad.Tensor) else out)
            for out in self.ours(*map(ad.tensor, xs))
        ]

    def weights(self, like: list[np.ndarray]) -> list[np.ndarray]:
        return [
            np.asarray(self.rng.uniform(0.5, 1.5, each.shape) * self.rng.choice([-1, 1], each.shape)).astype(
                each.dtype
            )
            for each in like
        ]

    def gradient(self, xs: list[np.ndarray], g: list[np.ndarray], record: bool = False) -> list[Any]:
        """Σ g·out differentiated for each input."""
        variables = [ad.tensor(x) for x in xs]
        return self._of(variables, g, record)

    def _of(self, variables: list[Any], g: list[np.ndarray], record: bool) -> list[Any]:
        total: list[Any] = [0.0] * len(variables)
        for out, weight in zip(self.ours(*variables), g, strict=True):
            if isinstance(out, ad.Tensor) and not out.constant:
                parts = ad.gradients(out, variables, weight, record=record)
                total = [t + p for t, p in zip(total, parts, strict=True)]
        return total


def inner(a: list[Any], b: list[Any]) -> float:
    return float(sum(np.sum(np.asarray(x) * np.asarray(y)) for x, y in zip(a, b, strict=True)))


def numeric(
    f: Callable[[list[np.ndarray]], float], xs: list[np.ndarray], h: float = 1e-5
) -> list[np.ndarray]:
    """The gradient of a number, by fourth-order central differences, entry by entry: error about 1e-11."""
    answers = []
    for k, x in enumerate(xs):
        slope = np.zeros(x.shape)
        for place in np.ndindex(x.shape):

            def at(step: float, k: int = k, place: Any = place) -> float:
                moved = [each.copy() for each in xs]
                moved[k][place] += step
                return f(moved)

            slope[place] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        answers.append(slope)
    return answers


def close(got: list[Any], want: list[Any], tolerance: float) -> None:
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(
            np.asarray(a),
            np.asarray(b),
            rtol=tolerance,
            atol=tolerance * max(1.0, float(np.max(np.abs(b), initial=0.0))),
        )


def check_value(it: Case) -> None:
    """NumPy's value, shape and dtype, in float64 and float32; arrays in, arrays out."""
    reference = getattr(np, it.name, None) if it.reference is None else it.reference
    for dtype in (np.float64, np.float32):
        problem = Problem(it, dtype)
        outs = problem.ours(*map(ad.tensor, problem.x))
        assert all(isinstance(out, ad.Tensor) for out in outs), "a Tensor in, a Tensor out"
        for same in problem.ours(*problem.x):
            assert isinstance(same, np.ndarray | np.generic), "arrays in, arrays out"
        if reference:
            wants = problem.call(reference, problem.x)
            for out, want in zip(outs, wants, strict=True):
                want = np.asarray(want)
                assert out.shape == want.shape
                assert out.dtype == want.dtype
                np.testing.assert_allclose(out.data, want, rtol=1e-14 if dtype is np.float64 else 1e-6)


def check_gradient(it: Case) -> None:
    problem = Problem(it)
    x = problem.x
    g = problem.weights(problem.plain(x))
    got = problem.gradient(x, g)
    for each, variable in zip(got, x, strict=True):
        assert np.shape(each) == variable.shape
        assert each.dtype == variable.dtype
    close(got, numeric(lambda xs: inner(problem.plain(xs), g), x), 1e-7)
    close([each.data for each in problem.gradient(x, g, record=True)], got, 1e-13)


def check_single(it: Case) -> None:
    """float32 in, float32 gradient out; the same as in float64 to single precision."""
    double, single = Problem(it), Problem(it, np.float32)
    g = double.weights(double.plain(double.x))
    got = single.gradient(single.x, [each.astype(np.float32) for each in g])
    assert all(each.dtype == np.float32 for each in got)
    close(
        got, double.gradient([each.astype(np.float64) for each in single.x], g), 1e-3
    )  # sums of few entries


def check_forward_mode(it: Case) -> None:
    """⟨g, J·v⟩ = ⟨Jᵀ·g, v⟩."""
    problem = Problem(it)
    x = problem.x
    g, v = problem.weights(problem.plain(x)), problem.weights(x)
    _, moved = ad.jvp(problem.ours, tuple(x), tuple(v))
    assert abs(inner(moved, g) - inner(problem.gradient(x, g), v)) <= 1e-10 * max(1.0, abs(inner(moved, g)))


def check_second(it: Case) -> None:
    """d⟨Jᵀ·g, v⟩/dx against differences of Jᵀ·g; and the same once more through forward mode."""
    problem = Problem(it)
    x = problem.x
    g, v = problem.weights(problem.plain(x)), problem.weights(x)
    variables = [ad.tensor(each) for each in x]
    first = problem._of(variables, g, True)
    total = sum(ad.sum(a * b) for a, b in zip(first, v, strict=True))
    want = numeric(lambda xs: inner(problem.gradient(xs, g), v), x)
    if isinstance(total, ad.Tensor) and not total.constant:
        got = ad.gradients(total, variables)
    else:
        got = [np.zeros(each.shape) for each in x]
    close(got, want, 1e-6)


def check_memory(it: Case) -> None:
    """A gradient is an array of its own: it shares no memory with inputs, outputs or g."""
    problem = Problem(it)
    variables = [ad.tensor(each) for each in problem.x]
    outs = problem.ours(*variables)
    g = problem.weights([out.data for out in outs])
    for out, weight in zip(outs, g, strict=True):
        if out.constant:
            continue
        seen = [weight, out._data, *(each._data for each in variables)]
        for gradient in ad.gradients(out, variables, weight):
            assert not any(np.shares_memory(gradient, np.asarray(each)) for each in seen)


CHECKS = (check_value, check_gradient, check_single, check_forward_mode, check_second, check_memory)


def questions(cases: list[Case]) -> list[Any]:
    """Each case with each check that makes sense for it, as pytest's parameters (it, check)."""
    return [
        pytest.param(it, check, id=f"{it}-{check.__name__.removeprefix('check_')}")
        for it in cases
        for check in CHECKS
        if check is not check_second or it.order >= 2
    ]


def ask(it: Case, check: Callable[[Case], None]) -> None:
    """Run one check; a warning of NumPy about the arithmetic is an error."""
    with np.errstate(all="raise", under="ignore"):
        check(it)


SHAPES = {
    1: [((),), ((0,),), ((1,),), ((3,),), ((2, 3),)],
    2: [
        ((), ()),
        ((3,), ()),
        ((3,), (2, 3)),
        ((2, 1), (1, 3)),
        ((2, 3), (2, 3)),
        ((1, 3), (0, 3)),
        ((1,), (1,)),
    ],
    3: [((3,), (2, 3), ()), ((2, 3), (2, 3), (2, 3)), ((), (), ())],
}


def _inside(low: float, high: float) -> tuple[float, float]:
    """A bounded interval inside (low, high), 0.2 away from its ends."""
    low = -2.0 if low == -np.inf and high >= -1.6 else high - 2.5 if low == -np.inf else low + 0.2
    return low, min(high - 0.2, max(2.0, low + 2.5))


def cases_of_rows() -> list[Case]:
    """For each elementwise row without options a case per shape; `domain` says where its operands lie."""
    made = []
    for row in TABLE.values():
        if row.kind != "elementwise" or row.options or not row.is_ours:
            continue
        for shapes in SHAPES[len(row.operands)]:
            args = []
            for operand, shape in zip(row.operands, shapes, strict=True):
                domain = row.domain.get(operand, ((-np.inf, np.inf),))
                bounded = tuple(_inside(low, high) for low, high in domain)
                args.append(Draw(shape, bounded))
            made.append(Case(row.name, tuple(args)))
    return made

"""Work is counted, never timed; what stands beside student code needs nothing but the standard library."""

import ast
import sys
from importlib.resources import files

import pytest

from autodiff.closures import ClosureScalar
from autodiff.scalar import Scalar
from course.checking.instruments import Counted, Tally


def test_a_gradient_by_differences_asks_often_and_one_by_a_backward_pass_once():
    def cost(**leaves):
        total = 0.0
        for leaf in leaves.values():
            total = total + leaf * leaf
        return total

    values = {f"p{k}": float(k) for k in range(20)}
    engine, differences = Counted(cost), Counted(cost)
    engine(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
    here = differences(**values)
    slopes = {k: (differences(**{**values, k: v + 1e-6}) - here) / 1e-6 for k, v in values.items()}
    assert len(slopes) == 20
    assert (engine.calls, differences.calls) == (1, 21)


def doubled(make, times):
    tally = Tally()
    out = start = make(tally.number(1.5), "x")
    for _ in range(times):
        out = out + out
    tally.clear()
    assert out.grad(1.0) == {"x": 2.0**times}
    assert start is not out
    return tally.total()


class Paths:
    """A scalar that walks every path, on numbers that count."""

    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {name: g * value / value})

    def __add__(self, other):
        def grad(g):
            merged = self.grad(g)
            for key, part in other.grad(g).items():
                merged[key] = merged.get(key, 0.0) + part
            return merged

        return Paths(self.value + other.value, grad=grad)


def test_visits_show_whether_paths_are_shared():
    work = [doubled(Paths, n) for n in (4, 6, 8)]
    assert work[1] > 3 * work[0]
    assert work[2] > 3 * work[1]  # four times as much for two doublings more: every path by itself


@pytest.mark.parametrize(
    ("work", "counts"),
    [
        (lambda x: x * x + 1, {"*": 1, "+": 1}),
        (lambda x: 2 - x / 4, {"-": 1, "/": 1}),
        (lambda x: 1 + x * 2 - 3, {"+": 1, "*": 1, "-": 1}),
        (lambda x: -x, {"-": 1}),
        (lambda x: x**2 + 2**x, {"**": 2, "+": 1}),
        (lambda x: sum([x, x, x]), {"+": 3}),
        (abs, {}),
    ],
)
def test_a_tally_counts_what_is_done(work, counts):
    tally = Tally()
    result = work(tally.number(3.0))
    assert float(result) == work(3.0)
    assert dict(tally) == counts


@pytest.mark.parametrize("work", [lambda x: x + 1e-20j, lambda x: x * 1j, lambda x: x - 1j, complex])
def test_counting_numbers_know_no_complex_step(work):
    with pytest.raises(TypeError, match="real"):
        work(Tally().number(3.0))


@pytest.mark.parametrize("make", [Scalar, ClosureScalar])
def test_the_engines_take_counting_numbers(make):
    x = make(Tally().number(3.0), "x")
    assert (x * x).grad(1.0) == {"x": 6.0}


def test_it_imports_the_standard_library_alone():
    tree = ast.parse((files("course.checking") / "instruments.py").read_text("utf-8"))
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names

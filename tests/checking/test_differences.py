"""Finite differences in place of a derivative: told apart and named, and nothing else is called so."""

import numpy as np
import pytest

from course.checking.differences import FORMULAS, difference_signatures
from course.checking.evaluate import evaluate
from course.checking.exercise import Case, Exercise
from course.checking.seeds import judging_seeds
from course.checking.truth import true_gradients

W = np.array([[0.6, -0.4, 0.9], [1.1, 0.3, -0.7]])
SEEDS = judging_seeds("build", "u98-slope", "ada", 0, "secret")


def f(x, y):
    return np.sum(np.exp(0.3 * (W @ x)) * y * y) + y**3


def cases(rng):
    return [
        Case(f"point {k}", ("forward",), {"x": rng.uniform(0.5, 2, 3), "y": float(rng.uniform(1, 2))})
        for k in range(3)
    ]


def points(case):
    return case.data["x"], case.data["y"]


def judge(case, answer):
    truths = true_gradients(f, *points(case))
    return [t.against("forward", answer[f"d/d{n}"], n) for n, t in zip("xy", truths, strict=True)]


SLOPE = Exercise(
    id="u98-slope",
    points=1,
    needs=("slope",),
    cases=cases,
    probe=lambda names, case: dict(zip(("d/dx", "d/dy"), names["slope"](f, *points(case)), strict=True)),
    judge=judge,
    families={"forward": 1.0},
    signatures=difference_signatures(
        lambda case, slopes: dict(zip(("d/dx", "d/dy"), slopes(f, *points(case)), strict=True))
    ),
    hints=("first", "second", "third"),
    labels={"forward": "both slopes"},
)


def by(formula, step):
    """A student's gradient, entry by entry."""

    def entry(line, x):
        return formula(line, x, step(x))

    def slope(f, x, y):
        def along(k):
            return lambda value: f(np.array([*x[:k], value, *x[k + 1 :]]), y)

        return np.array([entry(along(k), x[k]) for k in range(3)]), float(entry(lambda v: f(x, v), y))

    return slope


def forward(f, x, h):
    return (f(x + h) - f(x)) / h


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def fourth(f, x, h):
    return (-f(x + 2 * h) + 8 * f(x + h) - 8 * f(x - h) + f(x - 2 * h)) / (12 * h)


def exact(f, x, y):
    return tuple(t.value for t in true_gradients(f, x, y))


def rounded(f, x, y):
    return tuple(np.round(t.value, 7) for t in true_gradients(f, x, y))


def single(f, x, y):
    return tuple(np.float64(np.float32(t.value)) for t in true_gradients(f, x, y))


def guarded(f, x, y):
    return tuple(t.value / (1 + 1e-8) for t in true_gradients(f, x, y))


def mixed(f, x, y):
    return by(forward, lambda x: 1e-6)(f, x, y)[0], by(central, lambda x: 1e-5)(f, x, y)[1]


def moody(f, x, y):
    return by(forward, lambda v: 1e-6 if y > 1.5 else 1e-5)(f, x, y)


ONE, TWO, MORE = FORMULAS
EPS = np.finfo(float).eps


@pytest.mark.parametrize(
    ("student", "name"),
    [
        *[
            pytest.param(by(forward, lambda x, h=h: h), ONE, id=f"forward {h:g}")
            for h in (1e-3, 3e-5, 1e-6, 1e-8)
        ],
        pytest.param(by(lambda f, x, h: (f(x) - f(x - h)) / h, lambda x: 1e-5), ONE, id="backward"),
        pytest.param(by(forward, lambda x: EPS**0.5 * max(1, abs(x))), ONE, id="forward, h with x"),
        pytest.param(by(forward, lambda x: 1.7e-8), None, id="rounding alone, at a step nobody uses"),
        *[
            pytest.param(by(central, lambda x, h=h: h), TWO, id=f"central {h:g}")
            for h in (1e-2, 7e-4, 1e-5, 1e-6)
        ],
        pytest.param(by(central, lambda x: 6e-6 * max(1, abs(x))), TWO, id="central, h with x"),
        pytest.param(by(fourth, lambda x: 1e-2), MORE, id="fourth order"),
        pytest.param(by(fourth, lambda x: 1e-3), MORE, id="fourth order, rounding alone"),
        pytest.param(exact, None, id="exact"),
        pytest.param(rounded, None, id="rounded"),
        pytest.param(single, None, id="single precision"),
        pytest.param(guarded, None, id="a guard of 1e-8"),
        pytest.param(mixed, None, id="two formulas at once"),
        pytest.param(moody, None, id="a step that differs from case to case"),
        pytest.param(lambda f, x, y: (2 * exact(f, x, y)[0], exact(f, x, y)[1]), None, id="twice"),
        pytest.param(lambda f, x, y: (np.zeros(3), 0.0), None, id="zeros"),
        pytest.param(lambda f, x, y: (np.full(3, np.nan), 0.0), None, id="nan"),
        pytest.param(lambda f, x, y: ("a", None), None, id="no numbers"),
    ],
)
def test_a_difference_is_called_by_its_name(student, name):
    result = evaluate(SLOPE, lambda case: SLOPE.probe({"slope": student}, case), SEEDS)
    assert (result.status == "pass") is (student is exact)
    assert (result.mistake and result.mistake.name) == name


def test_complex_steps_pass_by_value_which_is_why_work_is_counted():
    def slope(f, x, y):
        part = [f(x + 1e-20j * np.eye(3)[k], y).imag / 1e-20 for k in range(3)]
        return np.array(part), float(f(x, y + 1e-20j).imag / 1e-20)

    result = evaluate(SLOPE, lambda case: SLOPE.probe({"slope": slope}, case), SEEDS)
    assert result.status == "pass"

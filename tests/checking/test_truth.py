"""The truth that answers are judged by: exact where it can be, else measured, refused at a kink."""

import math

import numpy as np
import pytest

from autodiff.errors import NumericalCheckError
from course.checking.instruments import NOT_ANALYTIC, folded
from course.checking.truth import EXACT, MEASURED, true_gradients

A = np.array([[0.4, -1.1, 0.7], [1.3, 0.2, -0.9]])
B = np.array([[0.5, 1.2], [-0.3, 0.8], [1.1, -0.6]])
G = np.array([[1.0, -2.0], [0.5, 3.0]])


def scalar_function(x, y):
    return x * y + np.exp(x)


# f, points, upstream g, right gradients, how closely they are known
TRUTHS = {
    "numbers": (scalar_function, (0.7, -2.0), 3.0, (3 * (-2 + math.exp(0.7)), 2.1), EXACT),
    "an argument without use": (lambda x, y: x * x, (1.5, 4.0), 1.0, (3.0, 0.0), EXACT),
    "matmul": (np.matmul, (A, B), G, (G @ B.T, A.T @ G), EXACT),
    "a sum over an axis": (
        lambda x: np.sum(np.sin(x), axis=0),
        (A,),
        np.array([1.0, 2.0, -3.0]),
        (np.cos(A) * [1.0, 2.0, -3.0],),
        EXACT,
    ),
    "broadcasting": (
        lambda x, b: x * b,
        (A, np.array([2.0, 3.0, 4.0])),
        1.0,
        (np.broadcast_to([2.0, 3.0, 4.0], (2, 3)), A.sum(axis=0)),
        EXACT,
    ),
    "abs, by Decimals": (lambda x, y: abs(x) * y, (-0.7, 2.0), 3.0, (-6.0, 2.1), EXACT),
    "abs of an array": (lambda x: np.sum(np.abs(x)), (A,), 2.0, (2 * np.sign(A),), EXACT),
    "math's functions, by differences": (
        lambda x: math.sin(abs(x)),
        (-1.2,),
        1.0,
        (-math.cos(1.2),),
        MEASURED,
    ),
    "a branch": (lambda x: x * x if x > 0 else -x, (1.5,), 1.0, (3.0,), EXACT),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_the_truth(name):
    f, points, g, right, rtol = TRUTHS[name]
    found = true_gradients(f, *points, g=g)
    for truth, want, point in zip(found, right, points, strict=True):
        assert np.shape(truth.value) == np.shape(point)
        np.testing.assert_allclose(truth.value, want, rtol=10 * rtol, atol=10 * rtol)
        np.testing.assert_allclose(truth.shown, want, rtol=1e-6, atol=1e-6)
    assert max(truth.rtol for truth in found) == rtol


def test_what_is_shown_is_a_central_difference():
    truth = true_gradients(scalar_function, 0.7, -2.0)[0]
    assert truth.shown != truth.value
    assert truth.against("values", truth.value, "x").status == "pass"
    assert truth.against("values", truth.shown, "x").status == "wrong_value"  # it must not pass itself


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (abs, 0.0),
        (lambda x: max(x, 0.0), 0.0),
        (lambda x: abs(x - 1.0), 1.0 + 1e-7),
        (np.sqrt, 0.0),
    ],
)
def test_at_a_kink_there_is_no_truth(f, at):
    with np.errstate(all="ignore"), pytest.raises(NumericalCheckError):
        true_gradients(f, at)


def complex_step(f, points):
    """What a student who knows the trick would write."""
    return [
        f(*(p + 1e-20j if k == place else p for k, p in enumerate(points))).imag / 1e-20
        for place in range(len(points))
    ]


@pytest.mark.parametrize("name", NOT_ANALYTIC)
def test_no_complex_step_survives_these_functions_and_the_truth_does(name):
    f, points = NOT_ANALYTIC[name], (-1.3, 0.8)
    right = [truth.value for truth in true_gradients(f, *points)]
    try:
        tried = complex_step(f, points)
    except (TypeError, AttributeError):
        return
    assert not np.allclose(tried, right)


def test_folding_makes_any_function_one_of_them():
    f = folded(lambda x, y: x * x * y)
    assert [t.value for t in true_gradients(f, -1.5, 2.0)] == pytest.approx([-6.0, 2.25], rel=1e-12)
    with pytest.raises(AssertionError):
        assert complex_step(lambda x, y: f(x, y) + 0j, (-1.5, 2.0)) == pytest.approx([-6.0, 2.25])

"""Diagonals and triangles: values, gradients, refusals."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import ShapeError

from . import harness
from .harness import case, real

SQUARE, STACK = np.zeros((3, 3)), np.zeros((2, 3, 4))

CASES = [
    *(case("diagonal", real(3, 4), offset=k) for k in (0, 1, -2, 3, 4, -5)),
    case("diagonal", real(3, 3)),
    case("diagonal", real(0, 3)),
    case("diagonal", real(1, 1)),
    case("diagonal", real(2, 3, 4)),
    case("diagonal", real(2, 3, 4), offset=1, axis1=-2, axis2=-1),
    case("diagonal", real(2, 3, 4), offset=-1, axis1=2, axis2=0),
    case("place_diagonal", real(3), like=SQUARE, reference=False),
    case("place_diagonal", real(2, 3), like=STACK, offset=1, axis1=1, axis2=2, reference=False),
    case("place_diagonal", real(3, 2), like=STACK, axis1=2, axis2=0, reference=False),
    *(case("trace", real(3, 4), offset=k) for k in (0, 2, -1, 7)),
    case("trace", real(2, 3, 4)),
    case("trace", real(2, 3, 4), offset=-1, axis1=-1, axis2=1),
    case("trace", real(0, 0)),
    *(case("diag", real(3), k=k) for k in (0, 2, -1)),
    *(case("diag", real(3, 4), k=k) for k in (0, 2, -1, 5)),
    case("diag", real(0)),
    case("diag", real(1)),
    *(case(name, real(3, 4), k=k) for name in ("tril", "triu") for k in (0, 1, -1, 9)),
    *(case(name, real(2, 3, 3)) for name in ("tril", "triu")),
    *(case(name, real(3)) for name in ("tril", "triu")),
    *(case(name, real(0, 2)) for name in ("tril", "triu")),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def test_numpy_and_methods_reach_the_rows():
    t = ad.tensor(np.arange(6.0).reshape(2, 3))
    for got, want in [
        (np.diag(t, 1), [1.0, 5.0]),
        (np.diagonal(t, 1), [1.0, 5.0]),
        (np.trace(t, -1), 3.0),
        (np.tril(t), [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]),
        (np.triu(t, 1), [[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]]),
        (t.diagonal(), [0.0, 4.0]),
        (t.trace(), 4.0),
        (ad.diag([1.0, 2.0]), [[1.0, 0.0], [0.0, 2.0]]),
    ]:
        assert got.tolist() == want


def test_infinities_outside_a_triangle_do_no_harm():
    t = ad.tensor([[1.0, np.inf], [np.nan, 2.0]])
    assert np.tril(t).data[0, 1] == 0.0
    assert ad.gradients(np.triu(t), t, np.full((2, 2), np.inf)).tolist() == [[np.inf, np.inf], [0.0, np.inf]]


def test_gradients_of_several_diagonals_add_up_in_one_array():
    t = ad.tensor(np.ones((3, 3)))
    total = ad.sum(ad.diagonal(t)) + 10.0 * ad.sum(ad.diagonal(t, offset=1)) + ad.sum(2.0 * t)
    assert ad.gradients(total, t).tolist() == [[3.0, 12.0, 2.0], [2.0, 3.0, 12.0], [2.0, 2.0, 3.0]]


def test_diag_of_a_stack_is_refused_and_says_what_to_take():
    with pytest.raises(ShapeError, match=r"got shape \(1, 2, 2\).*diagonal"):
        ad.diag(ad.tensor(np.ones((1, 2, 2))))


@pytest.mark.parametrize("option", [{"dtype": np.float32}, {"out": np.zeros(())}])
def test_what_trace_does_not_take_is_refused_by_name(option):
    with pytest.raises(ad.GradientError, match=next(iter(option))):
        np.trace(ad.tensor(np.ones((2, 2))), **option)


def test_axes_that_are_the_same_are_numpys_error():
    with pytest.raises(ValueError, match="axis1 and axis2"):
        ad.diagonal(ad.tensor(np.ones((2, 2))), axis1=0, axis2=-2)

"""reduce_broadcast: the table of facts, and the identity <broadcast(x), g> = <x, reduce_broadcast(g)>."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import autodiff
from autodiff.errors import GradientError, ShapeError
from autodiff.ops.shapes import Array, Shape, reduce_broadcast

FACTS = [
    # variable, gradient, the same sum spelt out
    ("a new leading axis", (2, 3), (5, 2, 3), lambda g: g.sum(axis=0)),
    ("two new axes", (3,), (5, 2, 3), lambda g: g.sum(axis=(0, 1))),
    ("a stretched axis keeps its place", (2, 1, 4), (2, 5, 4), lambda g: g.sum(axis=1, keepdims=True)),
    ("both kinds at once", (3, 1, 2), (5, 3, 4, 2), lambda g: g.sum(axis=0).sum(axis=1, keepdims=True)),
    ("() receives the total", (), (2, 3), lambda g: np.asarray(g.sum())),
    ("() from one axis", (), (4,), lambda g: np.asarray(g.sum())),
    ("(1,) receives the total too", (1,), (2, 3), lambda g: g.sum().reshape(1)),
    ("size 1 everywhere", (1, 1), (2, 3), lambda g: g.sum().reshape(1, 1)),
    ("square: the axis decides, not the size", (3, 1), (3, 3), lambda g: g.sum(axis=1, keepdims=True)),
    ("square, the other axis", (1, 3), (3, 3), lambda g: g.sum(axis=0, keepdims=True)),
    ("an empty gradient sums to zeros", (1, 3), (0, 3), lambda g: np.zeros((1, 3))),
    ("() from an empty gradient", (), (0,), lambda g: np.zeros(())),
    ("an empty variable", (0,), (4, 0), lambda g: np.zeros(0)),
    ("a new axis of size 1", (3,), (1, 3), lambda g: g[0]),
]


@pytest.mark.parametrize(
    ("shape", "grad_shape", "expected"), [f[1:] for f in FACTS], ids=[f[0] for f in FACTS]
)
def test_facts(shape, grad_shape, expected):
    # whole numbers: sums are exact in any order
    grad = np.random.default_rng(1).integers(-99, 99, grad_shape).astype(float)
    got = reduce_broadcast(grad, shape)
    assert isinstance(got, np.ndarray)
    assert got.shape == shape
    np.testing.assert_array_equal(got, expected(grad))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)])
def test_equal_shapes_pass_through_as_the_same_object(shape):
    grad = np.ones(shape)
    assert reduce_broadcast(grad, shape) is grad


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int8", "int32"])
@pytest.mark.parametrize("shape", [(), (3,), (1, 3), (2, 1), (2, 3)])
def test_dtype_is_kept(dtype, shape):
    assert reduce_broadcast(np.ones((2, 3), dtype), shape).dtype == np.dtype(dtype)


def test_the_gradient_is_not_changed():
    grad = np.arange(6.0).reshape(2, 3)
    reduce_broadcast(grad, (3,))
    np.testing.assert_array_equal(grad, np.arange(6.0).reshape(2, 3))


def test_a_number_is_a_gradient_of_shape_nothing():
    assert reduce_broadcast(2.5, ()) == 2.5


IMPOSSIBLE = [
    # gradient, variable, what the message must hold
    ((3,), (2, 3), "fewer axes"),
    ((), (3,), "fewer axes"),
    ((), (1,), "fewer axes"),
    ((5,), (3,), "axis 0 has size 5"),
    ((2, 5), (2, 3), "axis 1 has size 5"),
    ((4, 2, 3), (5, 3), "axis 1 has size 2"),
    ((1,), (3,), "axis 0 has size 1"),  # stretching never shrinks
    ((0, 3), (2, 3), "axis 0 has size 0"),
    ((3,), (0,), "the variable has 0 there"),
]


@pytest.mark.parametrize(("grad_shape", "shape", "says"), IMPOSSIBLE)
def test_impossible_shapes_are_errors_that_name_both(grad_shape, shape, says):
    with pytest.raises(ShapeError) as caught:
        reduce_broadcast(np.ones(grad_shape), shape)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GradientError)
    for part in (says, str(grad_shape), str(shape)):
        assert part in str(caught.value)


def test_the_package_offers_it():
    assert autodiff.reduce_broadcast is reduce_broadcast


@st.composite
def broadcasts(draw: st.DrawFn) -> tuple[Array, Array]:
    """An array of whole numbers, and another of a shape that the first can be stretched to."""
    shape: Shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    sides = [draw(st.integers(0, 4)) if size == 1 else size for size in shape]
    lead = draw(st.lists(st.integers(0, 3), max_size=2))
    whole = st.integers(-1000, 1000)
    x = draw(hnp.arrays(np.int64, shape, elements=whole))
    return x, draw(hnp.arrays(np.int64, (*lead, *sides), elements=whole))


@given(broadcasts())
def test_it_is_the_adjoint_of_broadcasting(case):
    x, g = case
    assert np.sum(np.broadcast_to(x, g.shape) * g) == np.sum(x * reduce_broadcast(g, x.shape))


@given(broadcasts(), st.data())
def test_it_refuses_exactly_what_numpy_would_not_stretch(case, data):
    _, g = case
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    try:
        possible = np.broadcast_to(np.empty(shape), g.shape).shape == g.shape
    except ValueError:
        possible = False
    if possible:
        assert reduce_broadcast(g, shape).shape == shape
    else:
        with pytest.raises(ShapeError):
            reduce_broadcast(g, shape)

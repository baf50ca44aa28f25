"""A row of the user's: five lines, and it works everywhere that the package's own rows do."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, tensor
from autodiff.errors import GradientError, OptionError, ShapeError, UnsupportedError
from autodiff.primitive import NUMPY, operation

cubed = ad.elementwise(
    "cubed",
    "³",
    lambda a: a * a * a,
    a=lambda g, a: 3.0 * g * a * a,
)
X = np.array([0.5, -1.0, 2.0])


def test_on_arrays_and_numbers_it_is_its_forward():
    np.testing.assert_array_equal(cubed(X), X**3)
    assert cubed(2.0) == 8.0
    assert ad.cubed is cubed


def test_with_operators_and_numpy():
    x = tensor(X)
    (cubed(2 * x) + np.exp(cubed(x))).sum().backward()
    np.testing.assert_allclose(x.grad, 24 * X**2 + 3 * X**2 * np.exp(X**3), rtol=1e-14)


def test_to_third_order():
    def f(x):
        return cubed(x).sum()

    np.testing.assert_allclose(ad.grad(f)(X), 3 * X**2)
    np.testing.assert_allclose(ad.hvp(f)(X, np.ones(3)), 6 * X)
    third = ad.grad(ad.grad(ad.grad(cubed)))
    assert third(5.0) == 6.0


def test_in_forward_mode():
    value, slope = ad.jvp(cubed, (X,), (np.ones(3),))
    np.testing.assert_allclose(value, X**3)
    np.testing.assert_allclose(slope, 3 * X**2)
    np.testing.assert_allclose(ad.jacobian(cubed)(X), np.diag(3 * X**2))


def test_in_float32_zero_dimensional_and_empty():
    for a in (np.float32(2), np.zeros((2, 0)), np.ones((1, 1), np.float32)):
        x = tensor(a)
        cubed(x).sum().backward()
        assert (x.grad.shape, x.grad.dtype) == (x.shape, x.dtype)


def test_two_operands_broadcast():
    scaled = ad.elementwise(
        "scaled", "s", lambda a, b: a * b * b, a=lambda g, b: g * b * b, b=lambda g, a, b: 2.0 * g * a * b
    )
    a, b = tensor(np.ones((2, 3))), tensor(3.0)
    scaled(a, b).sum().backward()
    np.testing.assert_array_equal(a.grad, np.full((2, 3), 9.0))
    assert b.grad == 36.0
    np.testing.assert_array_equal(scaled(np.ones(2), b).data, [9.0, 9.0])


def test_options():
    leaky = ad.elementwise(
        "leaky",
        "⌊",
        lambda a, slope=0.1: np.where(a > 0, a, slope * a),
        a=lambda g, a, slope: g * ad.where(a > 0, 1.0, slope),
    )
    x = tensor(X)
    leaky(x, slope=0.5).sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0, 0.5, 1.0])
    np.testing.assert_allclose(ad.jvp(leaky, (X,), (X,))[1], [0.5, -0.1, 2.0])
    with pytest.raises(UnsupportedError, match=r"'slop'.*slope"):
        leaky(x, slop=0.5)


def test_a_general_row_in_forward_mode():
    energy = operation("energy", "E", lambda a: np.sum(a * a), a=lambda g, a: 2.0 * g * a)
    np.testing.assert_allclose(ad.jvp(energy, (X,), (X,))[1], 2 * np.sum(X * X))
    np.testing.assert_allclose(ad.hessian(energy)(X), 2 * np.eye(3))


def test_a_function_of_numpy_can_be_named():
    ad.elementwise("spacing_", "sp", lambda a: a + np.spacing(a), numpy=(np.spacing,), a=lambda g: g)
    try:
        assert type(np.spacing(tensor(1.0))) is Tensor
    finally:
        del NUMPY[np.spacing]


# --- rows that are wrong ---------------------------------------------------------------------------------

MISDECLARED = {
    "an unknown name": ({"a": lambda g, z: g * z}, r"asks for z.*a, out"),
    "g not first": ({"a": lambda a: a}, r"starts with a"),
    "a name taken by the package": ({"name": "exp", "a": lambda g: g}, "row 'exp' already"),
}


@pytest.mark.parametrize("what", MISDECLARED)
def test_a_wrong_declaration_is_refused(what):
    parts, message = MISDECLARED[what]
    with pytest.raises(OptionError, match=message):
        ad.elementwise(**{"name": "wrong", "symbol": "?", "forward": lambda a: a} | parts)


WRONG = {
    "None": (lambda g, a: None, GradientError, "'wrong'.*NoneType"),
    "a number": (lambda g, a: 2.0, GradientError, "'wrong'.*float"),
    "a shape that can't be": (lambda g, a: np.ones(5), ShapeError, r"\(5,\).*\(3,\)"),
    "too few axes": (lambda g, a: np.ones(()), ShapeError, "fewer axes"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_rule_that_answers_wrongly_is_found(what):
    rule, error, message = WRONG[what]
    wrong = ad.elementwise("wrong", "?", lambda a: a * 1.0, a=rule)
    for f in (lambda x: wrong(x).sum(), lambda x: (wrong(x * 2.0) * wrong(x)).sum()):
        with pytest.raises(error, match=message):
            ad.grad(f)(X)


def test_declaring_again_replaces_a_row_of_the_users():
    for slope in (1.0, 2.0):
        again = ad.elementwise("again", "?", lambda a, k=slope: a * k, a=lambda g, k: g * k)
        assert ad.grad(again)(1.0) == slope
        assert ad.again is again

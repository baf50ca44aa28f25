"""The complex step: exact where f is analytic, refused where it would be wrong without a word.

Tolerance 1e-12: nothing is subtracted, so only the rounding of f itself is left.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff.checks import finite_difference, numerical_gradient
from autodiff.errors import NumericalCheckError, OperandError, OptionError, ShapeError
from autodiff.ops.shapes import reduce_broadcast

EXACT = 1e-12

ANALYTIC = [
    # name, f, its derivative; x has size 0.5 to 2, both signs
    ("square", np.square, lambda x: 2 * x),
    ("cube", lambda x: x**3, lambda x: 3 * x**2),
    ("reciprocal", lambda x: 1 / x, lambda x: -1 / x**2),
    ("exp", np.exp, np.exp),
    ("log", lambda x: np.log(x**2), lambda x: 2 / x),
    ("log1p", lambda x: np.log1p(x**2), lambda x: 2 * x / (1 + x**2)),
    ("sqrt", lambda x: np.sqrt(x**2 + 1), lambda x: x / np.sqrt(x**2 + 1)),
    ("sin", np.sin, np.cos),
    ("tanh", np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    ("arctan", np.arctan, lambda x: 1 / (1 + x**2)),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    ("maximum", lambda x: np.maximum(x, -x), np.sign),
    ("where", lambda x: np.where(x > 0, x**2, 3 * x), lambda x: np.where(x > 0, 2 * x, 3.0)),
    (
        "a branch per number",
        lambda x: np.array([v if v > 0 else -v for v in x.flat]).reshape(x.shape),
        np.sign,
    ),
    ("a constant", np.ones_like, np.zeros_like),
]


def away_from_zero(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3), (0,), (0, 3)])
@pytest.mark.parametrize(("name", "f", "derivative"), ANALYTIC)
def test_known_derivatives(name, f, derivative, shape):
    x, g = away_from_zero(shape), np.random.default_rng(5).normal(size=shape)
    (grad,) = numerical_gradient(f, x, back_grad=g)
    assert isinstance(grad, np.ndarray)
    assert (grad.shape, grad.dtype) == (shape, np.float64)
    np.testing.assert_allclose(grad, g * derivative(x), rtol=EXACT, atol=0)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((3,), (2, 3)), ((2, 1), (2, 3)), ((), (2, 3)), ((2, 1, 4), (3, 1)), ((1, 3), (0, 3))],
)
def test_a_stretched_argument_gets_the_sum(a_shape, b_shape):
    a, b = away_from_zero(a_shape, 1), away_from_zero(b_shape, 2)
    g = np.random.default_rng(3).normal(size=np.broadcast_shapes(a_shape, b_shape))
    grad_a, grad_b = numerical_gradient(lambda a, b: np.sin(a * b), a, b, back_grad=g)
    slope = g * np.cos(a * b)
    np.testing.assert_allclose(grad_a, reduce_broadcast(slope * b, a_shape), rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(grad_b, reduce_broadcast(slope * a, b_shape), rtol=EXACT, atol=EXACT)


def test_f_may_return_a_list():
    (grad,) = numerical_gradient(lambda x: [2 * x[0], x[1] ** 2], np.array([1.0, 3.0]), back_grad=1.0)
    np.testing.assert_allclose(grad, [2.0, 6.0], rtol=EXACT)


LIES = [
    # name, f: complex numbers go through without an error, and give a wrong slope at -1.3
    ("abs", np.abs),
    ("norm", np.linalg.norm),
    ("conj", lambda x: x * np.conj(x)),
    ("real", lambda x: np.real(x) ** 2),
    ("sign (as of NumPy 2)", lambda x: x * np.sign(x)),
    ("a comparison with the real part", lambda x: np.where(x == np.real(x), x, 3 * x)),
    ("isreal", lambda x: np.where(np.isreal(x), x, 0 * x)),
    ("a small lie", lambda x: x + 1e-4 * np.abs(x)),
    ("a tiny function", lambda x: 1e-12 * np.abs(x)),
    ("a lie on a large value", lambda x: 1e10 + np.abs(x)),
    ("a steep lie", lambda x: np.sin(1e6 * np.abs(x))),
    ("a lie too steep for any step", lambda x: np.sin(1e9 * np.abs(x))),
    ("sqrt of a negative number", np.sqrt),
]


@pytest.mark.parametrize(("name", "f"), LIES)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_wrong_slope_is_caught_and_both_numbers_are_named(name, f):
    with pytest.raises(
        NumericalCheckError, match=r"complex step -?[\d.e+-]+, central difference (-?[\d.]|nan)"
    ):
        numerical_gradient(f, -1.3, back_grad=1.0)


def test_the_message_names_numbers_argument_and_place():
    def f(a, x):
        return np.concatenate([a + x[:1], np.abs(x[1:])])

    with pytest.raises(NumericalCheckError) as caught:
        numerical_gradient(f, 1.0, np.array([2.0, 3.0]), back_grad=1.0, vary_ind=1)
    for part in (
        "argument 1",
        "entry [1]",
        "complex step 0.0",
        "central difference 1.0",
        "finite_difference",
    ):
        # the central difference is 1 to about ten digits
        assert part in str(caught.value).replace("0.99999999", "1.0")


RAISES = [
    ("arctan2", lambda x: np.arctan2(x, 2.0), "TypeError"),
    ("floor", np.floor, "TypeError"),
    ("hypot", lambda x: np.hypot(x, 1.0), "TypeError"),
    ("math", math.sin, "ComplexWarning"),
    ("float", lambda x: float(x) ** 2, "ComplexWarning"),
    ("astype", lambda x: np.asarray(x).astype(float) ** 2, "ComplexWarning"),
]


@pytest.mark.parametrize(("name", "f", "kind"), RAISES)
def test_a_function_that_cannot_take_complex_numbers_is_told_apart(name, f, kind):
    with pytest.raises(
        NumericalCheckError, match=f"failed on complex ones .argument 0.: {kind}.*finite_difference"
    ):
        numerical_gradient(f, -1.3, back_grad=1.0)


def test_an_error_of_f_on_real_numbers_comes_as_it_is():
    def f(x):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        numerical_gradient(f, 1.0, back_grad=1.0)


KINKS = [("maximum", lambda x: np.maximum(x, 0.0)), ("where", lambda x: np.where(x > 0, x, 0.0))]


@pytest.mark.parametrize(("name", "f"), KINKS)
def test_at_a_kink_it_refuses_to_choose(name, f):
    with pytest.raises(NumericalCheckError, match="kink"):
        numerical_gradient(f, np.array([1.0, 0.0, -1.0]), back_grad=1.0)


MIXED = [
    ("matmul", lambda x: x @ np.arange(9.0).reshape(3, 3)),
    ("cumsum", lambda x: np.cumsum(x, axis=0)),
    ("softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)),
    ("transpose", lambda x: x.T**2),
]


@pytest.mark.parametrize(("name", "f"), MIXED)
def test_a_function_that_mixes_entries_is_caught_though_its_shape_fits(name, f):
    with pytest.raises(
        NumericalCheckError, match="mixes entries of the argument: use numerical_gradient_full"
    ):
        numerical_gradient(f, np.random.default_rng(0).uniform(0.1, 0.9, (3, 3)), back_grad=1.0)


def test_a_reduction_is_refused_by_its_shape():
    with pytest.raises(ShapeError, match="doesn't map over entries"):
        numerical_gradient(np.sum, np.ones(3), back_grad=1.0)


HARD_BUT_RIGHT = [
    # name, f, derivative, x: one default step alone would raise a false alarm
    ("log close to 0", np.log, lambda x: 1 / x, [1e-3, 1e-6, 1e-12]),
    ("a steep sine", lambda x: np.sin(1e6 * x), lambda x: 1e6 * np.cos(1e6 * x), [0.3, 1.0]),
    ("a small slope on a large value", lambda x: 1e10 + x, np.ones_like, [0.3, 1.0, -2.0]),
    ("slope 0 in rounding", lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, np.zeros_like, np.linspace(-2, 2, 99)),
    ("saturated", np.tanh, lambda x: 1 / np.cosh(x) ** 2, [-300.0, -40.0, 19.0, 300.0]),
    ("a slope that underflows", np.exp, np.exp, [-700.0, -745.0]),
    ("near a kink", lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0), [1e-3, -1e-3]),
    ("flat", lambda x: x**3, lambda x: 3 * x**2, [0.0]),
    ("large", np.square, lambda x: 2 * x, [1e100, -1e8]),
]


@pytest.mark.parametrize(("name", "f", "derivative", "x"), HARD_BUT_RIGHT)
def test_no_false_alarm(name, f, derivative, x):
    x = np.array(x)
    (grad,) = numerical_gradient(f, x, back_grad=1.0)
    # 1e-9: sin(1e6·x) rounds its own argument to 1e6 · 1.1e-16; atol for the slopes that are only rounding
    np.testing.assert_allclose(grad, derivative(x), rtol=1e-9, atol=1e-15)


def test_f_sees_its_own_copies():
    def greedy(x):
        out = x * x
        x[...] = 0
        return out

    x = away_from_zero((3,))
    before = x.copy()
    (grad,) = numerical_gradient(greedy, x, back_grad=1.0)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_allclose(grad, 2 * before, rtol=EXACT)


def test_arguments_that_stay_fixed_stay_real():
    seen = []

    def f(x, n, y):
        seen.append((np.iscomplexobj(x), n.dtype.kind, np.iscomplexobj(y)))
        return x**n * y

    grads = numerical_gradient(f, 2.0, 3, np.float32(0.5), back_grad=1.0, vary_ind=0)
    assert set(seen) == {(False, "i", False), (True, "i", False)}
    assert grads[0] == pytest.approx(6.0, rel=EXACT)
    assert grads[1:] == (None, None)


def test_keyword_arguments_are_handed_on():
    (grad,) = numerical_gradient(lambda x, *, k: k * x, 1.0, back_grad=1.0, kwargs={"k": 5.0})
    assert grad == pytest.approx(5.0, rel=EXACT)


@pytest.mark.parametrize(("vary_ind", "expected"), [(0, (3.0, None)), (-1, (None, 2.0)), ((), (None, None))])
def test_one_entry_per_argument(vary_ind, expected):
    assert numerical_gradient(np.multiply, 2.0, 3.0, back_grad=1.0, vary_ind=vary_ind) == expected


def test_what_is_refused_is_what_differences_refuse():
    with pytest.raises(ValueError, match="at least one argument"):
        numerical_gradient(np.sin, back_grad=1.0)
    with pytest.raises(OptionError, match="out of range"):
        numerical_gradient(np.sin, 1.0, back_grad=1.0, vary_ind=1)
    with pytest.raises(OptionError, match="positive number"):
        numerical_gradient(np.sin, 1.0, back_grad=1.0, h=0.0)
    with pytest.raises(OperandError, match="complex"):
        numerical_gradient(np.sin, 1j, back_grad=1.0)
    with pytest.raises(OperandError, match="bool"):
        numerical_gradient(np.sin, True, back_grad=1.0)
    with pytest.raises(ShapeError, match=r"\(2,\).*\(3,\)"):
        numerical_gradient(np.sin, np.ones(3), back_grad=np.ones(2))


def test_strict_floating_point_settings_of_the_caller_do_no_harm():
    with np.errstate(all="raise"):
        (near_zero,) = numerical_gradient(np.log, 1e-6, back_grad=1.0)  # x - h leaves the domain
        (tiny,) = numerical_gradient(np.exp, -700.0, back_grad=1.0)  # e**-700 · h underflows
    assert near_zero == pytest.approx(1e6, rel=EXACT)
    assert 0 <= tiny < 1e-280


def test_it_agrees_with_the_central_difference_on_an_interacting_function():
    x, y = away_from_zero((2, 3), 1), away_from_zero((3,), 2)
    g = np.random.default_rng(3).normal(size=(2, 3))

    def f(x, y):
        return np.exp(x * y) * np.sin(x - y) + x / y

    for ours, central in zip(
        numerical_gradient(f, x, y, back_grad=g), finite_difference(f, x, y, back_grad=g), strict=True
    ):
        # rounding 2.2e-16 · |f| / h, with |f| up to e⁴
        np.testing.assert_allclose(central, ours, rtol=1e-7, atol=1e-8)

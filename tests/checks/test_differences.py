"""Central differences: against known derivatives, in floats and in Decimals, at once and one by one.

Tolerances: with h = 6e-6·max(1, |x|) truncation is about 6e-12 (h²/6 times the third derivative) and
rounding about 4e-11 (2.2e-16·|f|/h), each times a small number for values of order 1; 1e-9 covers both. Sums
of a dozen entries: 1e-8. Decimals at h = 1e-8 have an error of about 2e-17 and come back as floats, so a few
units in the last place cover the products too.
"""

from __future__ import annotations

import math
from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest

import autodiff
from autodiff.checks import finite_difference, numerical_gradient_full
from autodiff.errors import GradientError, NumericalCheckError, OperandError, OptionError, ShapeError
from autodiff.ops.shapes import reduce_broadcast

BOTH = pytest.mark.parametrize("check", [finite_difference, numerical_gradient_full])
CENTRAL = 1e-9
SUMMED = 1e-8
DECIMAL = 1e-15


def rng(seed=0):
    return np.random.default_rng(seed)


def cube(x):
    return x * x * x


ONE_ARGUMENT = [
    # name, f, its derivative
    ("square", np.square, lambda x: 2 * x),
    ("cube", cube, lambda x: 3 * x * x),
    ("reciprocal", lambda x: 1 / x, lambda x: -1 / (x * x)),
    ("sqrt of a square plus one", lambda x: np.sqrt(x * x + 1), lambda x: x / np.sqrt(x * x + 1)),
    ("exp", np.exp, np.exp),
    ("abs", np.abs, np.sign),
    ("log10", lambda x: np.log10(x * x), lambda x: 2 / (x * math.log(10))),
    ("max", lambda x: np.maximum(x, -x), np.sign),
]
FLOAT_ONLY = [
    ("sin", np.sin, np.cos),
    ("tanh", np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    ("arctan", np.arctan, lambda x: 1 / (1 + x * x)),
]
SHAPES = [(), (1,), (4,), (2, 3), (1, 1), (0,), (0, 3)]


def away_from_zero(shape, seed=0):
    """Values of size 0.5 to 2 with both signs: no kink and no pole within reach of a step."""
    return rng(seed).uniform(0.5, 2.0, shape) * rng(seed + 1).choice([-1.0, 1.0], shape)


@BOTH
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "f", "derivative"), ONE_ARGUMENT + FLOAT_ONLY)
def test_known_derivatives_in_floats(check, name, f, derivative, shape):
    x, g = away_from_zero(shape), rng(7).normal(size=shape)
    (grad,) = check(f, x, back_grad=g)
    assert isinstance(grad, np.ndarray)
    assert (grad.shape, grad.dtype) == (shape, np.float64)
    np.testing.assert_allclose(grad, g * derivative(x), rtol=CENTRAL, atol=CENTRAL)


@BOTH
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "f", "derivative"), ONE_ARGUMENT)
def test_known_derivatives_in_decimals(check, name, f, derivative, shape):
    x, g = away_from_zero(shape), rng(7).normal(size=shape)
    (grad,) = check(f, x, back_grad=g, as_decimal=True)
    assert (grad.shape, grad.dtype) == (shape, np.float64)
    np.testing.assert_allclose(grad, g * derivative(x), rtol=DECIMAL, atol=0)


STRETCHED = [
    # shapes of a and b: their product has the broadcast shape
    ((3,), (2, 3)),
    ((2, 1), (2, 3)),
    ((), (2, 3)),
    ((2, 1, 4), (3, 1)),
    ((1, 3), (0, 3)),
    ((5, 1), (1, 4)),
    ((1,), ()),
]


@BOTH
@pytest.mark.parametrize("as_decimal", [False, True])
@pytest.mark.parametrize(("a_shape", "b_shape"), STRETCHED)
def test_a_stretched_argument_gets_the_sum(check, as_decimal, a_shape, b_shape):
    a, b = away_from_zero(a_shape), away_from_zero(b_shape, 3)
    g = rng(7).normal(size=np.broadcast_shapes(a_shape, b_shape))
    grads = check(np.multiply, a, b, back_grad=g, as_decimal=as_decimal)
    tolerance = 1e-14 if as_decimal else SUMMED  # the comparison itself sums a dozen floats
    for grad, expected in zip(grads, (g * b, g * a), strict=True):
        expected = reduce_broadcast(expected, grad.shape)
        np.testing.assert_allclose(grad, expected, rtol=tolerance, atol=tolerance)
    assert [grad.shape for grad in grads] == [a_shape, b_shape]


@pytest.mark.parametrize("as_decimal", [False, True])
@pytest.mark.parametrize(
    ("a_shape", "b_shape"), [((2, 3), (3, 4)), ((3, 3), (3, 3)), ((3,), (3, 2)), ((3,), (3,))]
)
def test_matmul_entry_by_entry(as_decimal, a_shape, b_shape):
    a, b = rng(1).normal(size=a_shape), rng(2).normal(size=b_shape)
    g = rng(3).normal(size=np.shape(a @ b))
    grad_a, grad_b = numerical_gradient_full(np.matmul, a, b, back_grad=g, as_decimal=as_decimal)
    if a.ndim == 2:
        expected_a, expected_b = g @ b.T, a.T @ g
    else:
        expected_a, expected_b = b @ g if b.ndim == 2 else b * g, np.multiply.outer(a, g)
    tolerance = 1e-14 if as_decimal else SUMMED
    np.testing.assert_allclose(grad_a, expected_a, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(grad_b, expected_b, rtol=tolerance, atol=tolerance)


MIXES = [
    # f, shape of its result, the gradient of Σ g·f(x)
    ("sum", np.sum, (), lambda g, x: np.full_like(x, g)),
    (
        "mean of rows",
        lambda x: np.sum(x, axis=1) / 3,
        (2,),
        lambda g, x: np.repeat(g[:, None] / 3, 3, axis=1),
    ),
    ("cumsum", lambda x: np.cumsum(x, axis=1), (2, 3), lambda g, x: g[:, ::-1].cumsum(axis=1)[:, ::-1]),
    ("transpose", np.transpose, (3, 2), lambda g, x: g.T),
    ("first row", lambda x: x[0], (3,), lambda g, x: np.stack([g, 0 * g])),
    ("nothing", lambda x: x[:0], (0, 3), lambda g, x: np.zeros_like(x)),
]


@pytest.mark.parametrize("as_decimal", [False, True])
@pytest.mark.parametrize(("name", "f", "out_shape", "expected"), MIXES)
def test_functions_that_mix_entries_one_by_one(name, f, out_shape, expected, as_decimal):
    x, g = away_from_zero((2, 3)), rng(5).normal(size=out_shape)
    (grad,) = numerical_gradient_full(f, x, back_grad=g, as_decimal=as_decimal)
    tolerance = 1e-14 if as_decimal else SUMMED
    np.testing.assert_allclose(grad, expected(g, x), rtol=tolerance, atol=tolerance)


def test_at_once_matmul_is_refused_or_wrong():
    a, b = rng(1).normal(size=(2, 3)), rng(2).normal(size=(3, 4))
    with pytest.raises(ShapeError, match=r"argument 0 has shape \(2, 3\).*\(2, 4\).*numerical_gradient_full"):
        finite_difference(np.matmul, a, b, back_grad=np.ones((2, 4)))
    a, b, g = (rng(seed).normal(size=(3, 3)) for seed in (1, 2, 3))
    (wrong, _) = finite_difference(np.matmul, a, b, back_grad=g, vary_ind=0)  # square: no shape gives it away
    assert np.abs(wrong - g @ b.T).max() > 0.1


@pytest.mark.parametrize("f", [np.sum, lambda x: x[0], lambda x: x.reshape(-1)])
def test_at_once_refuses_what_is_no_map(f):
    with pytest.raises(ShapeError, match="doesn't map over entries"):
        finite_difference(f, np.ones((2, 3)), back_grad=1.0)


# --- what f is given ---


@BOTH
@pytest.mark.parametrize("as_decimal", [False, True])
def test_arguments_are_never_changed(check, as_decimal):
    def greedy(x, y, *, z):
        out = x * y * z
        x[...], y[...], z[...] = 0, 0, 0
        return out

    x, y, z = away_from_zero((3,)), away_from_zero((3,), 2), np.array([1, 2, 3])
    before = x.copy(), y.copy(), z.copy()
    g = rng(9).normal(size=3)
    grad_x, grad_y = check(greedy, x, y, back_grad=g, as_decimal=as_decimal, kwargs={"z": z})
    for now, then in zip((x, y, z), before, strict=True):
        np.testing.assert_array_equal(now, then)
    np.testing.assert_allclose(grad_x, g * y * z, rtol=CENTRAL)
    np.testing.assert_allclose(grad_y, g * x * z, rtol=CENTRAL)


@BOTH
def test_a_function_may_hand_out_one_buffer_again_and_again(check):
    buffer = np.empty(3)
    x = away_from_zero((3,))
    (grad,) = check(lambda x: np.square(x, out=buffer), x, back_grad=1.0)
    np.testing.assert_allclose(grad, 2 * x, rtol=CENTRAL)


@BOTH
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float16"])
def test_every_real_dtype_is_nudged_in_float64(check, dtype):
    x = np.array([1, 2, 3], dtype=dtype)
    (grad,) = check(cube, x, back_grad=1.0)
    assert grad.dtype == np.float64
    np.testing.assert_allclose(grad, [3.0, 12.0, 27.0], rtol=CENTRAL)


@BOTH
def test_numbers_reach_f_as_numbers_and_arrays_as_arrays(check):
    seen = []

    def f(a, b, c, d):
        seen.append((a, b, c, d))
        return a * b

    check(f, 2.0, np.array(3.0), 4, [1.0, 2.0], back_grad=1.0, vary_ind=(0, 1))
    for a, b, c, d in seen:
        assert isinstance(a, float)
        assert isinstance(b, np.ndarray)
        assert isinstance(c, np.integer)
        assert isinstance(d, np.ndarray)


@BOTH
def test_a_fixed_argument_may_be_an_index_a_mask_or_an_exponent(check):
    x, g = away_from_zero((3,)), rng(4).normal(size=3)
    mask, swap = np.array([True, False, True]), np.array([0, 1, 2])
    grads = check(lambda x, m, k, n: np.where(m, x**n, -x)[k], x, mask, swap, 2, back_grad=g, vary_ind=0)
    np.testing.assert_allclose(grads[0], g * np.where(mask, 2 * x, -1.0), rtol=CENTRAL)
    assert grads[1:] == (None, None, None)


@BOTH
def test_a_scalar_engine_can_be_checked(check):
    (grad,) = check(lambda x: autodiff.Scalar(x).exp().value, 0.5, back_grad=2.0)
    np.testing.assert_allclose(grad, 2 * math.exp(0.5), rtol=CENTRAL)


# --- which arguments, which step ---

ASKED = [
    (None, (True, True, True)),
    (0, (True, False, False)),
    (-1, (False, False, True)),
    (np.int64(1), (False, True, False)),
    ((0, 2), (True, False, True)),
    ([2, 0, 2], (True, False, True)),
    ((-3, 1), (True, True, False)),
    ((), (False, False, False)),
]


@BOTH
@pytest.mark.parametrize(("vary_ind", "asked"), ASKED)
def test_one_entry_per_argument_none_where_not_asked(check, vary_ind, asked):
    grads = check(lambda a, b, c: a * b * c, 2.0, 3.0, 5.0, back_grad=1.0, vary_ind=vary_ind)
    assert isinstance(grads, tuple)
    assert tuple(grad is not None for grad in grads) == asked
    for grad, expected in zip(grads, (15.0, 10.0, 6.0), strict=True):
        assert grad is None or grad == pytest.approx(expected, rel=CENTRAL)


@BOTH
@pytest.mark.parametrize("vary_ind", [2, -3, (0, 2)])
def test_a_position_out_of_range_is_a_value_error(check, vary_ind):
    with pytest.raises(
        OptionError, match=r"out of range: f was given 2 arguments, numbered 0 to 1"
    ) as caught:
        check(np.add, 1.0, 2.0, back_grad=1.0, vary_ind=vary_ind)
    assert isinstance(caught.value, ValueError)


@BOTH
@pytest.mark.parametrize("vary_ind", [1.0, True, "x", (None,)])
def test_a_position_is_a_whole_number(check, vary_ind):
    with pytest.raises(OptionError, match="whole numbers"):
        check(np.add, 1.0, 2.0, back_grad=1.0, vary_ind=vary_ind)


@BOTH
def test_no_argument_is_a_value_error(check):
    with pytest.raises(ValueError, match="at least one argument"):
        check(lambda: 1.0, back_grad=1.0)


@BOTH
@pytest.mark.parametrize("as_decimal", [False, True])
@pytest.mark.parametrize("h", [0, -1e-6, math.nan, math.inf, "small", 1j, [1e-6]])
def test_a_step_is_a_positive_number(check, as_decimal, h):
    with pytest.raises(OptionError, match="one positive number"):
        check(np.square, 1.0, back_grad=1.0, h=h, as_decimal=as_decimal)


@BOTH
@pytest.mark.parametrize("h", [1e-5, Decimal("1e-5"), np.float64(1e-5)])
@pytest.mark.parametrize("as_decimal", [False, True])
def test_a_step_may_be_a_float_or_a_decimal(check, as_decimal, h):
    (grad,) = check(cube, 2.0, back_grad=1.0, h=h, as_decimal=as_decimal)
    # the third derivative is 6, so the truncation error is exactly h² = 1e-10
    assert grad - 12 == pytest.approx(1e-10, abs=1e-16 if as_decimal else 2e-10)


@BOTH
@pytest.mark.parametrize(("h", "as_decimal"), [(1e-17, False), (1e-40, True)])
def test_a_step_lost_in_rounding_is_an_error(check, h, as_decimal):
    with pytest.raises(NumericalCheckError, match=r"vanishes beside x=1\.5"):
        check(np.square, np.array([0.0, 1.5]), back_grad=1.0, h=h, as_decimal=as_decimal)


@BOTH
@pytest.mark.parametrize("size", [1e-8, 1.0, 1e6, 1e12])
def test_the_default_step_grows_with_x(check, size):
    # f(x) = x²/size: truncation is 0, rounding 2.2e-16·x/h ≤ 4e-11 of the slope for x ≥ 1
    x = np.array([1.3, -0.7]) * size
    (grad,) = check(lambda x: x * x / size, x, back_grad=1.0)
    np.testing.assert_allclose(grad, 2 * x / size, rtol=CENTRAL)


# --- Decimals ---


def test_the_callers_decimal_context_neither_limits_nor_changes():
    with localcontext() as context:
        context.prec = 5
        (grad,) = finite_difference(lambda x: 1 / x, 1.3, back_grad=1.0, as_decimal=True)
        assert getcontext().prec == 5
    assert grad == pytest.approx(-1 / 1.3**2, rel=DECIMAL)
    digits = []
    with localcontext() as context:
        context.prec = 60
        finite_difference(
            lambda x: digits.append(getcontext().prec) or x, 1.3, back_grad=1.0, as_decimal=True
        )
    assert set(digits) == {60}


CANNOT = [
    ("sin", np.sin, "failed on Decimals"),
    ("tanh", np.tanh, "failed on Decimals"),
    ("log", np.log, "failed on Decimals"),
    ("a float constant", lambda x: 0.5 * x, "failed on Decimals"),
    ("math", lambda x: np.array([math.exp(v) for v in x]), "returned float"),
    ("a float cast", lambda x: x.astype(float) ** 2, "returned float"),
]


@BOTH
@pytest.mark.parametrize(("name", "f", "says"), CANNOT)
def test_what_decimals_cannot_do_is_told_with_what_they_can(check, name, f, says):
    with pytest.raises(NumericalCheckError, match=says) as caught:
        check(f, np.array([0.5, 1.3]), back_grad=1.0, as_decimal=True)
    for part in ("arithmetic, square, sqrt, exp, log10, abs and max", "as_decimal=False"):
        assert part in str(caught.value)


@BOTH
def test_whole_number_results_are_fine_in_decimals(check):
    (grad,) = check(lambda x: np.array([3, 4]), np.array([0.5, 1.3]), back_grad=1.0, as_decimal=True)
    np.testing.assert_array_equal(grad, [0.0, 0.0])


# --- refusals ---

REFUSED = [
    (1 + 2j, "complex"),
    (np.array([1 + 2j]), r"complex128 of shape \(1,\)"),
    (None, "NoneType"),
    ("x", "str"),
    (Decimal("1.3"), "Decimal"),
    (np.array([Decimal(1)]), "object"),
    ([[1.0, 2.0], [3.0]], "no array of numbers"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), "datetime64"),
]


@BOTH
@pytest.mark.parametrize("as_decimal", [False, True])
@pytest.mark.parametrize(("bad", "says"), REFUSED)
def test_arguments_and_upstream_gradients_are_real_numbers(check, as_decimal, bad, says):
    with pytest.raises(OperandError, match=f"argument 1 .*{says}"):
        check(lambda x, y: x, 1.0, bad, back_grad=1.0, vary_ind=0, as_decimal=as_decimal)
    with pytest.raises(OperandError, match=f"back_grad .*{says}"):
        check(lambda x: x, 1.0, back_grad=bad, as_decimal=as_decimal)


@BOTH
def test_a_bool_cannot_be_nudged(check):
    with pytest.raises(OperandError, match=r"argument 0 is bool.*vary_ind"):
        check(np.where, np.array([True, False]), 1.0, 2.0, back_grad=1.0)


@BOTH
@pytest.mark.parametrize("g_shape", [(2,), (1,), (1, 3), (3, 1), (2, 3)])
def test_back_grad_has_the_shape_of_the_result(check, g_shape):
    with pytest.raises(ShapeError) as caught:
        check(np.square, np.ones(3), back_grad=np.ones(g_shape))
    assert isinstance(caught.value, GradientError)
    assert str(g_shape) in str(caught.value)
    assert "(3,)" in str(caught.value)


OUTPUTS = [
    ("text", lambda x: "a", "str"),
    ("nothing", lambda x: None, "NoneType"),
    ("bool", lambda x: x > 0, "bool"),
    ("complex", lambda x: x + 1j, "complex"),
    ("ragged", lambda x: [1.0, [2.0, 3.0]], "an array of numbers"),
    ("a recorded value", lambda x: autodiff.Scalar(x).exp(), "Scalar"),
]


@BOTH
@pytest.mark.parametrize(("name", "f", "says"), OUTPUTS)
def test_f_returns_real_numbers(check, name, f, says):
    with pytest.raises(NumericalCheckError, match=f"f must return .*{says}"):
        check(f, 1.0, back_grad=1.0)


@BOTH
def test_an_error_of_f_comes_as_it_is(check):
    with pytest.raises(ZeroDivisionError):
        check(lambda x: 1 // 0, 1.0, back_grad=1.0)


@pytest.mark.parametrize("name", ["finite_difference", "numerical_gradient", "numerical_gradient_full"])
def test_the_package_offers_them(name):
    assert getattr(autodiff, name) is getattr(autodiff.checks, name)

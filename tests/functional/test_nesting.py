"""Derivatives inside derivatives: each knows its own variable, in every order of every mode."""

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, grad, tensor


def by_jvp(f):
    return lambda x: ad.jvp(f, (x,), (1.0,))[1]


def by_vjp(f):
    return lambda x: ad.vjp(f, x)[1](1.0)


def by_gradients(f):
    """The derivative as a program with tensors would take it."""

    def slope(x):
        y = x * 1.0 if isinstance(x, Tensor) else tensor(x)
        return ad.gradients(f(y), y, record=True)

    return slope


WAYS = {"grad": grad, "jvp": by_jvp, "vjp": by_vjp, "jacobian": ad.jacobian, "gradients": by_gradients}
PAIRS = list(itertools.product(WAYS, repeat=2))
TRIPLES = list(itertools.product(["grad", "jvp", "jacobian"], repeat=3))


def value(x):
    return float(np.asarray(x.detach() if isinstance(x, Tensor) else x))


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_the_classic(outer, inner):
    """d/dx[x · d/dy(x + y)] is 1, not 2; d/dx[x · d/dy(x·y)] is 2x."""
    d, e = WAYS[outer], WAYS[inner]
    assert value(d(lambda x: x * e(lambda y: x + y)(1.0))(1.0)) == 1.0
    assert value(d(lambda x: x * e(lambda y: x * y)(1.0))(3.0)) == 6.0
    assert value(d(lambda x: x * e(lambda y: x * y)(x))(3.0)) == 6.0
    assert value(d(lambda x: x * e(lambda y: x * 1.0)(2.0))(3.0)) == 0.0


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_second_derivatives(outer, inner):
    assert value(WAYS[outer](WAYS[inner](lambda x: x * x * x))(2.0)) == 12.0
    np.testing.assert_allclose(value(WAYS[outer](WAYS[inner](np.exp))(0.5)), np.exp(0.5), rtol=1e-14)


@pytest.mark.parametrize("ways", TRIPLES)
def test_three_folds(ways):
    """x · d/dy[y · d/dz(x·y·z)] is 2x²y: its slope for x is 4xy."""
    dx, dy, dz = (WAYS[way] for way in ways)

    def f(x):
        return x * dy(lambda y: y * dz(lambda z: x * y * z)(5.0))(2.0)

    assert value(dx(f)(3.0)) == 24.0


@pytest.mark.parametrize("ways", TRIPLES)
def test_third_derivatives(ways):
    a, b, c = (WAYS[way] for way in ways)
    assert value(a(b(c(lambda x: x * x * x * x)))(2.0)) == 48.0
    np.testing.assert_allclose(value(a(b(c(np.sin)))(0.5)), -np.cos(0.5), rtol=1e-13)


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_the_inner_variable_is_the_outer_one(outer, inner):
    """d/dx of f'(x²), f = sin: −sin(x²)·2x."""
    got = value(WAYS[outer](lambda x: WAYS[inner](np.sin)(x * x))(0.7))
    np.testing.assert_allclose(got, -np.sin(0.49) * 1.4, rtol=1e-13)


def test_a_pullback_made_outside_and_used_inside():
    _, pull = ad.vjp(lambda y: y * y, 3.0)
    assert grad(lambda x: pull(x) * x)(2.0) == 24.0


def test_a_pullback_made_inside_and_used_after():
    kept = []

    def f(x):
        out, pull = ad.vjp(lambda y: x * y * y, 3.0)
        kept.append(pull)
        return out * pull(1.0)

    assert grad(f)(2.0) == 2 * 2.0 * 9 * 6  # 9x · 6x
    assert value(kept[0](1.0)) == 12.0


def test_tangents_that_are_variables():
    """jvp is linear in its tangent."""
    slope = grad(lambda v: ad.jvp(np.exp, (0.5,), (v,))[1])(2.0)
    np.testing.assert_allclose(slope, np.exp(0.5), rtol=1e-15)


def test_cotangents_that_are_variables():
    slope = grad(lambda g: ad.vjp(np.exp, 0.5)[1](g) * g)(2.0)
    np.testing.assert_allclose(slope, 4 * np.exp(0.5), rtol=1e-15)


def test_jacobian_of_grad_is_the_hessian():
    x = np.array([0.5, 1.5, -0.5])

    def f(x):
        return np.exp(x[0] * x[1]) + (np.sin(x) * x[::-1]).sum()

    want = ad.hessian(f)(x)
    np.testing.assert_allclose(ad.jacobian(grad(f))(x), want, rtol=1e-13)
    rows = [grad(lambda x, k=k: grad(f)(x)[k])(x) for k in range(3)]
    np.testing.assert_allclose(rows, want, rtol=1e-13)
    columns = [ad.jvp(grad(f), (x,), (e,))[1] for e in np.eye(3)]
    np.testing.assert_allclose(np.transpose(columns), want, rtol=1e-13)


def test_hvp_inside_grad():
    """d/dx of vᵀ·H(x)·v for f = Σ x⁴: 24·x·v²."""
    x, v = np.array([1.0, 2.0]), np.array([1.0, 10.0])
    slope = grad(lambda x: (ad.hvp(lambda y: (y**4).sum())(x, v) * v).sum())(x)
    np.testing.assert_allclose(slope, 24 * x * v**2)


def test_an_optimiser_inside_a_loss():
    """Through three steps of gradient descent on (w − x)²: w = x + (w0 − x)·0.5³."""

    def tuned(x):
        w = 4.0
        for _ in range(3):
            w = w - 0.25 * grad(lambda w: (w - x) * (w - x))(w)
        return w

    assert value(tuned(1.0)) == 1.0 + 3.0 / 8
    assert grad(tuned)(1.0) == 1 - 1 / 8


def test_closing_over_a_leaf_of_an_outer_program():
    w = tensor(3.0)
    loss = grad(lambda x: w * x * x)(2.0) * ad.jvp(lambda x: w * x, (1.0,), (1.0,))[1]
    loss.backward()
    assert w.grad == 8 * 3.0  # 4w · w


def test_ten_folds():
    f = np.sin
    for _ in range(6):
        f = grad(f)
    np.testing.assert_allclose(f(0.5), -np.sin(0.5), rtol=1e-12)

"""vjp, jvp, jacobian, hessian, hvp, ggnvp: right, in the cheaper direction, and at the price they promise."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import tensor
from autodiff.errors import GradientError, ShapeError
from autodiff.threads import behaving

RNG = np.random.default_rng(0)
X = np.array([1.0, 2.0, 3.0])
W = RNG.normal(size=(2, 3))


def close(got, want, tolerance=1e-12):
    assert type(got) is np.ndarray
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


# --- vjp and jvp -----------------------------------------------------------------------------------------


def test_vjp():
    value, pull = ad.vjp(lambda x: W @ (x * x), X)
    close(value, W @ (X * X))
    close(pull(np.array([1.0, 10.0])), 2 * X * (np.array([1.0, 10.0]) @ W))
    close(pull(np.zeros(2)), np.zeros(3))  # again, from the same graph


def test_vjp_of_several_arguments_and_results():
    value, pull = ad.vjp(lambda x, y: {"sum": x + y, "pair": (x * y, x)}, X, 2.0)
    close(value["pair"][0], 2 * X)
    dx, dy = pull({"sum": np.ones(3), "pair": (np.ones(3), 10 * np.ones(3))})
    close(dx, [13.0] * 3)
    close(dy, np.array(3.0 + 6.0))


def test_jvp():
    value, moved = ad.jvp(lambda x: W @ (x * x), (X,), (np.array([1.0, 0.0, 10.0]),))
    close(value, W @ (X * X))
    close(moved, W @ (2 * X * [1.0, 0.0, 10.0]))


def test_jvp_of_several_arguments_and_results():
    value, moved = ad.jvp(lambda x, y: [x["a"] * y, y], ({"a": X}, 2.0), ({"a": np.ones(3)}, 10.0))
    close(value[0], 2 * X)
    close(moved[0], 2 + 10 * X)
    close(moved[1], np.array(10.0))


def test_integer_tangents_and_cotangents_count_as_floats():
    close(ad.jvp(lambda x: x * x, (X,), (np.arange(3),))[1], 2 * X * np.arange(3))
    close(ad.vjp(lambda x: x * x, X)[1](np.arange(3)), 2 * X * np.arange(3))


def test_float32_stays():
    x = X.astype(np.float32)
    for answer in (
        ad.jvp(np.exp, (x,), (X,))[1],
        ad.vjp(np.exp, x)[1](X),
        ad.jacobian(np.exp)(x),
        ad.hvp(lambda x: np.exp(x).sum())(x, X),
        ad.hessian(lambda x: np.exp(x).sum())(x),
    ):
        assert answer.dtype == np.float32


def test_one_direction_is_the_other_transposed():
    def f(x):
        return np.tanh(W @ x) * x[0], np.exp(x).sum()

    g = (RNG.normal(size=2), np.array(RNG.normal()))
    v = RNG.normal(size=3)
    moved = ad.jvp(f, (X,), (v,))[1]
    pulled = ad.vjp(f, X)[1](g)
    np.testing.assert_allclose(moved[0] @ g[0] + moved[1] * g[1], pulled @ v, rtol=1e-12)


ERRORS = {
    "a cotangent of another shape": (lambda: ad.vjp(np.exp, X)[1](np.ones(2)), ShapeError, r"\(2,\).*\(3,\)"),
    "a cotangent that would broadcast": (lambda: ad.vjp(np.exp, X)[1](1.0), ShapeError, r"\(\).*\(3,\)"),
    "no cotangent": (lambda: ad.vjp(np.exp, X)[1](None), GradientError, "pass g"),
    "too few cotangents": (lambda: ad.vjp(lambda x: (x, x), X)[1]((X,)), ShapeError, "2 arrays, g holds 1"),
    "a tangent of another shape": (
        lambda: ad.jvp(np.exp, (X,), (np.ones(2),)),
        ShapeError,
        r"\(2,\).*\(3,\)",
    ),
    "too few tangents": (lambda: ad.jvp(np.add, (X, X), (X,)), ShapeError, "2 arrays.*1 tangent"),
    "an integer to vjp": (lambda: ad.vjp(np.exp, 1), GradientError, "int64"),
    "an integer to jvp": (lambda: ad.jvp(np.exp, (np.arange(3),), (X,)), GradientError, "int64"),
    "an integer to jacobian": (lambda: ad.jacobian(np.exp)(1), GradientError, "int64"),
    "an array's hessian": (lambda: ad.hessian(np.exp)(X), ShapeError, "jacobian"),
    "an array's hvp": (lambda: ad.hvp(np.exp)(X, X), ShapeError, "jacobian"),
    "hvp with v of another shape": (lambda: ad.hvp(lambda x: x.sum())(X, np.ones(2)), ShapeError, r"\(2,\)"),
    "ggnvp with v of another shape": (lambda: ad.ggnvp(np.exp)(X, np.ones(2)), ShapeError, r"\(2,\)"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        call()


# --- jacobian --------------------------------------------------------------------------------------------

JACOBIANS = {
    "linear": (lambda x: W @ x, X, W),
    "entries": (lambda x: x * x, X, np.diag(2 * X)),
    "to a number": (lambda x: (x * x).sum(), X, 2 * X),
    "from a number": (lambda x: x * X, 2.0, X),
    "number to number": (lambda x: x * x, 3.0, np.array(6.0)),
    "matrix to vector": (
        lambda x: x.sum(axis=1),
        np.ones((2, 3)),
        np.array([[[1.0] * 3, [0.0] * 3], [[0.0] * 3, [1.0] * 3]]),
    ),
    "vector to matrix": (lambda x: np.outer(x, [1.0, 2.0]), X, np.einsum("ik,j->ijk", np.eye(3), [1.0, 2.0])),
    "empty": (lambda x: x * x, np.zeros(0), np.zeros((0, 0))),
    "empty result": (lambda x: x[:0], X, np.zeros((0, 3))),
    "from empty": (lambda x: x.sum() * np.ones(2), np.zeros(0), np.zeros((2, 0))),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobian(name):
    f, x, want = JACOBIANS[name]
    got = ad.jacobian(f)(x)
    assert got.shape == want.shape
    close(got, want)


def test_jacobian_of_nests():
    got = ad.jacobian(lambda p, y: {"out": p["w"] * y, "all": p["w"].sum()}, argnums=(0, 1))({"w": X}, 2.0)
    close(got["out"][0]["w"], 2 * np.eye(3))
    close(got["out"][1], X)
    close(got["all"][0]["w"], np.ones(3))
    close(got["all"][1], np.array(0.0))


@pytest.mark.parametrize(("inputs", "outputs"), [(2, 5), (5, 2), (4, 4), (1, 6), (6, 1)])
def test_jacobian_takes_the_cheaper_direction(inputs, outputs):
    calls = []

    def rule(g, a):
        calls.append(1)
        return 2.0 * g

    counted = ad.elementwise("counted", "#", lambda a: 2.0 * a, a=rule)
    matrix = RNG.normal(size=(outputs, inputs))
    close(ad.jacobian(lambda x: matrix @ counted(x))(np.ones(inputs)), 2 * matrix)
    assert len(calls) == min(inputs, outputs)


def test_both_directions_agree():
    matrix = RNG.normal(size=(3, 3))

    def f(x):
        return np.tanh(matrix @ x) * x

    wide = ad.jacobian(lambda x: np.concatenate([f(x), f(x)]))(X)  # forward
    tall = ad.jacobian(lambda x, y: f(x) + y, argnums=(0, 1))(X, X)[0]  # reverse
    close(wide[:3], tall)
    close(wide[3:], tall)


# --- second derivatives ----------------------------------------------------------------------------------


def network(weights, x, y):
    """The loss of a network of two layers, its weights in one vector."""
    first, second = weights[:12].reshape(3, 4), weights[12:].reshape(4, 2)
    error = np.tanh(x @ first) @ second - y
    return (error * error).sum()


DATA = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
WEIGHTS = RNG.normal(size=20) * 0.5


def test_hessian_of_a_network_against_differences_of_its_gradient():
    gradient = ad.grad(network)
    h = 1e-4
    columns = []
    for k in range(20):
        e = np.zeros(20)
        e[k] = h
        a, b, c, d = (gradient(WEIGHTS + s * e, *DATA) for s in (1, -1, 2, -2))
        columns.append((8 * (a - b) - (c - d)) / (12 * h))
    hessian = ad.hessian(network)(WEIGHTS, *DATA)
    close(hessian, np.array(columns), 1e-8)
    close(hessian, hessian.T, 1e-12)


def test_hvp_is_the_hessian_times_v():
    v = RNG.normal(size=20)
    hessian = ad.hessian(network)(WEIGHTS, *DATA)
    close(ad.hvp(network)(WEIGHTS, *DATA, v), hessian @ v)
    forward_over_reverse = ad.jvp(lambda w: ad.grad(network)(w, *DATA), (WEIGHTS,), (v,))[1]
    close(forward_over_reverse, hessian @ v)
    reverse_over_forward = ad.grad(lambda w: ad.jvp(lambda u: network(u, *DATA), (w,), (v,))[1])(WEIGHTS)
    close(reverse_over_forward, hessian @ v)


def test_hvp_of_nests_and_of_other_arguments():
    def f(x, p):
        return (x * p["a"] * p["a"]).sum() + p["b"] ** 3

    got = ad.hvp(f, argnums=1)(X, {"a": np.ones(3), "b": 2.0}, {"a": np.ones(3), "b": 10.0})
    close(got["a"], 2 * X)
    close(got["b"], np.array(120.0))


def test_ggnvp():
    v = RNG.normal(size=20)

    def outputs(w):
        return (np.tanh(DATA[0] @ w[:12].reshape(3, 4)) @ w[12:].reshape(4, 2)).ravel()

    jacobian = ad.jacobian(outputs)(WEIGHTS)
    close(ad.ggnvp(outputs)(WEIGHTS, v), jacobian.T @ (jacobian @ v))

    def loss(y):
        return np.exp(y).sum() + y[0] * y[1]

    curvature = ad.hessian(loss)(outputs(WEIGHTS))
    close(ad.ggnvp(outputs, loss)(WEIGHTS, v), jacobian.T @ (curvature @ (jacobian @ v)))


def test_ggnvp_of_another_argument():
    close(ad.ggnvp(lambda x, w: x * w * w, argnums=1)(X, np.ones(3), np.ones(3)), 4 * X * X)


def test_ggnvp_never_points_uphill():
    for seed in range(5):
        v = np.random.default_rng(seed).normal(size=3)
        assert v @ ad.ggnvp(lambda x: np.sin(3 * x) * x)(X, v) >= 0


# --- what it costs ---------------------------------------------------------------------------------------


def cost(call):
    """Entries computed by rows and handed on by rules, in all."""
    total = [0]

    def count(row, operands, value, what):
        total[0] += np.size(getattr(value, "_data", value))

    with behaving(True, count, ()):
        call()
    return total[0]


def test_hvp_costs_a_few_gradients_whatever_the_size():
    def f(x):
        hidden = np.tanh(x * 0.5) + np.sin(x) * x
        return (hidden * hidden / (1.0 + np.exp(-x))).mean()

    prices = []
    for n in (1_000, 100_000):
        x, v = RNG.normal(size=n), RNG.normal(size=n)
        prices.append(cost(lambda x=x, v=v: ad.hvp(f)(x, v)) / cost(lambda x=x: ad.grad(f)(x)))
        assert prices[-1] < 8
    assert abs(prices[0] - prices[1]) < 0.1
    h = 1e-4
    want = (ad.grad(f)(x + h * v) - ad.grad(f)(x - h * v)) / (2 * h)
    np.testing.assert_allclose(ad.hvp(f)(x, v), want, rtol=1e-5, atol=1e-10)


def test_a_gradient_costs_a_few_values():
    x = RNG.normal(size=1000)

    def f(x):
        for _ in range(20):
            x = np.sin(x) * 1.1
        return x.sum()

    assert cost(lambda: ad.grad(f)(x)) < 3 * cost(lambda: f(tensor(x)))
    assert cost(lambda: ad.jvp(f, (x,), (x,))) < 4 * cost(lambda: f(tensor(x)))

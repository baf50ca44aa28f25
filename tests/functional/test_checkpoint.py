"""checkpoint: the same gradients from fewer arrays."""

import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import checkpoint, grad, no_grad, tensor
from autodiff.backward import ancestors
from autodiff.errors import OperandError

X = np.linspace(0.2, 1.0, 5)


def block(x):
    for _ in range(6):
        x = np.sin(x) * 1.3 + x * x * 0.1
    return x


def total(f):
    return lambda *args: f(*args).sum()


def _of_two(f):
    part = (
        checkpoint(lambda x, y, z: f(x) * y + z * y) if f is not block else lambda x, y, z: f(x) * y + z * y
    )
    return lambda x, y, z: part(x, y, z) * z


def _without(f):
    with no_grad():
        return f(tensor(X)).data


ORDERS = {
    "gradient": lambda f: grad(total(f))(X),
    "value": lambda f: ad.value_and_grad(total(f))(X)[0],
    "hvp": lambda f: ad.hvp(total(f))(X, np.ones(5)),
    "third order": lambda f: grad(lambda x: (ad.hvp(total(f))(x, X) * X).sum())(X),
    "forward mode": lambda f: ad.jvp(f, (X,), (X,))[1],
    "forward mode, several arguments": lambda f: ad.jvp(_of_two(f), (X, X, 2.0), (X, 1 - X, 3.0))[1],
    "forward over reverse": lambda f: ad.jvp(grad(total(f)), (X,), (X,))[1],
    "reverse over forward": lambda f: grad(lambda x: ad.jvp(total(f), (x,), (X,))[1])(X),
    "forward over forward": lambda f: ad.jvp(lambda x: ad.jvp(f, (x,), (X,))[1], (X,), (X,))[1],
    "jacobian": lambda f: ad.jacobian(f)(X),
    "inside another": lambda f: grad(total(checkpoint(lambda x: f(x) * f(2 * x))))(X),
    "twice in a row": lambda f: grad(total(lambda x: f(f(x))))(X),
    "in no_grad": _without,
}


@pytest.mark.parametrize("name", ORDERS)
def test_it_changes_no_number(name):
    np.testing.assert_allclose(ORDERS[name](checkpoint(block)), ORDERS[name](block), rtol=1e-12)


def test_arguments_in_nests_and_such_as_are_not_tracked():
    def f(p, scale, power):
        return (p["w"] * scale + p["b"]) ** power

    for g in (f, checkpoint(f)):
        dw, db = grad(lambda w, b, g=g: g({"w": w, "b": b}, X, 2).sum(), (0, 1))(X, 1.0)
        np.testing.assert_allclose(dw, 2 * (X * X + 1) * X)
        np.testing.assert_allclose(db, (2 * (X * X + 1)).sum())


def test_what_it_closes_over_gets_its_gradient():
    w, b, x = tensor(X), tensor(2.0), tensor(X)
    h = w * b  # an interior value
    out = checkpoint(lambda x: np.exp(x) * h + b)(x)
    out.sum().backward()
    np.testing.assert_allclose(w.grad, 2 * np.exp(X))
    np.testing.assert_allclose(b.grad, (np.exp(X) * X).sum() + 5)
    np.testing.assert_allclose(x.grad, np.exp(X) * X * 2)


def test_closures_to_second_order():
    def loss(w, x):
        return (checkpoint(lambda x: x * x * w * w)(x)).sum()

    np.testing.assert_allclose(ad.hvp(loss)(X, X, np.ones(5)), 2 * X * X)
    mixed = grad(lambda w: grad(loss, 1)(w, X).sum())(X)
    np.testing.assert_allclose(mixed, 4 * X * X)


def test_one_argument_in_two_places():
    slope = grad(lambda x: checkpoint(lambda a, b: a * b * b)(x, x))(2.0)
    assert slope == 12.0


def test_it_runs_once_more_per_pass():
    calls = []

    def f(x, y):
        calls.append(1)
        return x * y * y

    x, y = tensor(2.0), tensor(3.0)
    out = checkpoint(f)(x, y)
    assert len(calls) == 1
    out.backward()
    assert len(calls) == 2
    assert (x.grad, y.grad) == (9.0, 12.0)


def test_it_returns_a_tensor_or_says_so():
    with pytest.raises(OperandError, match="checkpoint takes a function that returns one Tensor"):
        checkpoint(lambda x: [x, x])(tensor(1.0))


def kept(out):
    """Entries of all arrays that the graph of `out` holds on to."""
    arrays = {
        id(a): a.size for node in ancestors(out._node) for a in node.kept or () if isinstance(a, np.ndarray)
    }
    return sum(arrays.values())


def test_fewer_arrays_are_kept():
    x = tensor(np.linspace(0.2, 1.0, 1000))

    def chain(part):
        y = x
        for _ in range(5):
            y = part(y)
        return y.sum()

    assert kept(chain(checkpoint(block))) * 5 < kept(chain(block))


def test_the_peak_is_lower():
    x = np.linspace(0.2, 1.0, 20_000)

    def deep(part):
        def f(x):
            for _ in range(8):
                x = part(x)
            return x.sum()

        return f

    peaks = []
    for part in (block, checkpoint(block)):
        tracemalloc.start()
        grad(deep(part))(x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] / 2

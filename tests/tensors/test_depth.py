"""Deep, wide and shared graphs: no recursion, each node once, memory that reference counting gives back."""

import gc
import sys
import weakref

import numpy as np
import pytest

import autodiff as ad
from autodiff import tensor
from autodiff.backward import Node


def nodes() -> int:
    """Nodes that are alive, leaves not counted."""
    return sum(type(each) is Node for each in gc.get_objects())


@pytest.fixture
def left():
    """How many nodes are left; without gc passes, so that counting references alone has freed the others."""
    gc.collect()
    gc.disable()
    before = nodes()
    yield lambda: nodes() - before
    gc.enable()


def counting():
    """A row that doubles its operand, and the list of the calls of its rule."""
    calls = []

    def rule(g, a):
        calls.append(a)
        return 2.0 * g

    return ad.elementwise("doubled", "2·", lambda a: 2.0 * a, a=rule), calls


# --- depth -----------------------------------------------------------------------------------------------


def test_a_chain_of_a_million_nodes(left):
    x = tensor(2.0)
    y = x
    for _ in range(1_000_000):
        y = -y
    assert ad.gradients(y, x) == 1.0
    y.backward()
    assert x.grad == 1.0
    del y  # cleared nodes


def test_a_chain_that_is_dropped_without_a_pass(left):
    x = tensor(2.0)
    y = x
    for _ in range(300_000):
        y = -y
    last = weakref.ref(y)
    del y
    assert last() is None
    assert left() == 0


def test_a_deep_chain_forward_and_recorded(left):
    def chain(x):
        for _ in range(20_000):
            x = x + 1e-5 * x
        return x

    want = (1 + 1e-5) ** 20_000
    value, slope = ad.jvp(chain, (1.0,), (1.0,))
    np.testing.assert_allclose([value, slope], [want, want], rtol=1e-11)
    x = tensor(1.0)
    first = ad.gradients(chain(x * x), x, record=True)
    np.testing.assert_allclose(ad.gradients(first, x), 2 * want, rtol=1e-11)


# --- sharing ---------------------------------------------------------------------------------------------


def test_a_diamond_of_thirty_folds_serves_each_node_once():
    doubled, calls = counting()
    x = tensor(1.0)
    y = x
    for _ in range(30):
        y = doubled(y)
        y = y + y
    y.backward()
    assert len(calls) == 30
    assert x.grad == 4.0**30


def test_forward_mode_serves_each_node_once():
    doubled, calls = counting()

    def f(x):
        for _ in range(30):
            x = doubled(x)
            x = x + x
        return x

    assert ad.jvp(f, (1.0,), (1.0,))[1] == 4.0**30
    assert len(calls) == 30


def test_what_does_not_lead_to_wrt_is_not_visited():
    doubled, calls = counting()
    x, y = tensor(1.0), tensor(1.0)
    out = doubled(x) * doubled(doubled(y))
    ad.gradients(out, x)
    assert len(calls) == 1


def test_ten_thousand_uses_of_one_value():
    x = tensor([1.0, 2.0])
    total = tensor([0.0, 0.0])
    for k in range(10_000):
        total = total + x * float(k)
    total.sum().backward()
    np.testing.assert_array_equal(x.grad, [49_995_000.0] * 2)


def test_ten_thousand_entries_picked_one_by_one():
    x = tensor(np.zeros(10_000))
    np.stack([x[k] * float(k) for k in range(10_000)]).sum().backward()
    np.testing.assert_array_equal(x.grad, np.arange(10_000.0))


# --- memory ----------------------------------------------------------------------------------------------


def settles(batch) -> bool:
    """Whether memory stops growing. The first batches may: CPython keeps some freed tuples for later."""
    for _ in range(8):
        before = sys.getallocatedblocks()
        batch()
        if sys.getallocatedblocks() - before < 20:
            return True
    return False


def train(w, b, data, steps, end):
    x, y = data
    for _ in range(steps):
        w.zero_grad()
        b.zero_grad()
        error = np.tanh(x @ w + b) - y
        loss = (error * error).sum()
        end(loss, w, b)
        w.data = w.data - 0.01 * w.grad
        b.data = b.data - 0.01 * b.grad


def by_backward(loss, w, b):
    loss.backward()


def by_gradients(loss, w, b):
    w.grad, b.grad = ad.gradients(loss, [w, b])


def by_recording(loss, w, b):
    w.grad, b.grad = [each.data for each in ad.gradients(loss, [w, b], record=True)]


def by_keeping(loss, w, b):
    loss.backward(keep_graph=True)


@pytest.mark.parametrize("end", [by_backward, by_gradients, by_recording, by_keeping])
def test_a_thousand_steps_leave_nothing_behind(left, end):
    rng = np.random.default_rng(0)
    w, b = tensor(rng.normal(size=(4, 3))), tensor(np.zeros(3))
    data = tensor(rng.normal(size=(8, 4)), constant=True), tensor(rng.normal(size=(8, 3)), constant=True)
    assert settles(lambda: train(w, b, data, 1_000, end))
    assert left() == 0


FUNCTIONS = {
    "grad": lambda f, x: ad.grad(f)(x),
    "second order": lambda f, x: ad.grad(lambda y: (ad.grad(f)(y) * 2.0).sum())(x),
    "jvp": lambda f, x: ad.jvp(f, (x,), (x,)),
    "hvp": lambda f, x: ad.hvp(f)(x, x),
    "jacobian": lambda f, x: ad.jacobian(lambda y: y * y * f(y))(x),
    "checkpoint": lambda f, x: ad.grad(ad.checkpoint(f))(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_functions_leave_nothing_behind(left, name):
    x = np.array([0.5, 1.5])

    def f(x):
        return (np.exp(x) * np.where(x.data > 1, x, x * x)).sum() * x[0]

    def many():
        for _ in range(400):
            FUNCTIONS[name](f, x)

    assert settles(many)
    assert left() == 0


def test_a_failed_pass_leaves_nothing_behind(left):
    def rule(g, a):
        raise ZeroDivisionError("on purpose")

    broken = ad.elementwise("broken", "?", lambda a: a * 1.0, a=rule)
    w = tensor(1.0)
    with pytest.raises(ZeroDivisionError) as caught:
        broken(w * w).backward()
    del caught
    gc.collect()  # the traceback that pytest made has cycles of its own
    assert left() == 0


def test_intermediate_arrays_die_with_backward(left):
    w = tensor(np.ones(1000))
    h = np.exp(w)
    array = weakref.ref(h._data)
    loss = (h * h).sum()
    del h
    assert array() is not None
    loss.backward()
    assert array() is None
    assert loss.item() > 0


def test_a_rule_that_names_nothing_keeps_nothing():
    x = tensor(np.ones(1000))
    big = x * 2.0
    array = weakref.ref(big._data)
    out = big + 1.0
    out = -out
    del big
    gc.collect()
    assert array() is None
    assert out.shape == (1000,)

"""Threads: each records for itself, and what they share they read one at a time."""

import threading

import numpy as np
import pytest

import autodiff as ad
from autodiff import no_grad, tensor, trace_nonfinite
from autodiff.errors import NonFiniteError


def run(*functions):
    """Run functions at the same time, starting together; what they answered."""
    barrier, answers, failures = threading.Barrier(len(functions)), [None] * len(functions), []

    def work(k, function):
        try:
            barrier.wait(10)
            answers[k] = function()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=each) for each in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failures:
        raise failures[0]
    return answers


def train(seed, x, y, steps=150):
    """Fit a network of two layers; its weights."""
    rng = np.random.default_rng(seed)
    weights = [tensor(rng.normal(size=(3, 8)) * 0.5), tensor(rng.normal(size=(8, 1)) * 0.5)]
    for _ in range(steps):
        error = np.tanh(x @ weights[0]) @ weights[1] - y
        (error * error).sum().backward()
        for w in weights:
            w.data = w.data - 0.01 * w.grad
            w.zero_grad()
    return [w.data.copy() for w in weights]


def test_two_models_train_at_once_on_shared_data():
    rng = np.random.default_rng(1)
    x, y = tensor(rng.normal(size=(16, 3)), constant=True), tensor(rng.normal(size=(16, 1)), constant=True)
    alone = [train(seed, x, y) for seed in (1, 2)]
    together = run(lambda: train(1, x, y), lambda: train(2, x, y))
    for a, b in zip(alone, together, strict=True):
        for u, v in zip(a, b, strict=True):
            np.testing.assert_array_equal(u, v)


def test_gradients_of_one_graph_in_several_threads():
    x = tensor(np.linspace(0.5, 1.5, 5))
    hidden = np.sin(x)
    for _ in range(40):
        hidden = hidden * 1.01 + hidden * hidden * 0.01
    first, second = hidden.sum(), (hidden * hidden).sum()
    want = [ad.gradients(first, x), ad.gradients(second, x)]

    def many(out):
        return [ad.gradients(out, x) for _ in range(100)]

    for answers, right in zip(run(lambda: many(first), lambda: many(second)), want, strict=True):
        for answer in answers:
            np.testing.assert_array_equal(answer, right)


def test_second_derivatives_and_checkpoints_in_several_threads():
    x = np.linspace(0.5, 1.5, 5)

    def f(x):
        return np.exp(np.sin(x)).sum()

    tasks = [
        lambda: [ad.hvp(f)(x, x) for _ in range(50)],
        lambda: [ad.jvp(f, (x,), (x,))[1] for _ in range(50)],
        lambda: [ad.grad(ad.checkpoint(f))(x) for _ in range(50)],
    ]
    want = [task()[0] for task in tasks]
    for answers, right in zip(run(*tasks), want, strict=True):
        for answer in answers:
            np.testing.assert_array_equal(answer, right)


@pytest.mark.parametrize("block", [no_grad, trace_nonfinite])
def test_a_block_concerns_its_own_thread_only(block):
    """What one thread does inside a block, the other doesn't notice."""
    inside, done = threading.Event(), threading.Event()
    x = tensor(0.0)

    def one():
        with block():
            inside.set()
            assert done.wait(10)
            if block is no_grad:
                return (x * 2).constant
            with np.errstate(divide="ignore"), pytest.raises(NonFiniteError):
                np.log(x)
            return True

    def other():
        assert inside.wait(10)
        with np.errstate(divide="ignore"):
            free = not (x * 2).constant and np.log(x).item() == -np.inf
        done.set()
        return free

    assert run(one, other) == [True, True]


def test_a_new_thread_records():
    x = tensor(2.0)
    with no_grad():
        (answer,) = run(lambda: (x * 2).constant)
    assert answer is False

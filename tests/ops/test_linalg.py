"""Products: the ranks that matmul and tensordot take, batches that broadcast, and what is composed."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import UnsupportedError

from . import harness
from .harness import case, real

MATMUL = [  # the ranks of both, batches that broadcast in front, nothing to sum, nothing at all
    ((3,), (3,)),
    ((1,), (1,)),
    ((0,), (0,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((2, 0), (0, 3)),
    ((0, 2), (2, 3)),
    ((2, 3), (3, 0)),
    ((4, 2, 3), (4, 3, 2)),
    ((4, 2, 3), (3, 2)),
    ((2, 3), (4, 3, 2)),
    ((4, 2, 3), (3,)),
    ((3,), (4, 3, 2)),
    ((4, 2, 3), (1, 3, 2)),
    ((1, 2, 3), (4, 3, 2)),
    ((2, 1, 2, 3), (3, 3, 2)),
    ((2, 2, 2, 3), (3, 1)),
    ((2, 2, 2, 3), (3,)),
    ((3,), (2, 2, 3, 1)),
    ((0, 2, 3), (3, 2)),
]

CASES = [
    *[case("matmul", real(*a), real(*b)) for a, b in MATMUL],
    case("matmul", np.ones((2, 3)), real(3), order=1),
    case("matmul", real(4, 2, 3), np.ones((3, 2)), order=1),
    *[
        case("dot", real(*a), real(*b))
        for a, b in [
            ((), ()),
            ((), (2, 3)),
            ((3,), ()),
            ((3,), (3,)),
            ((0,), (0,)),
            ((2, 3), (3,)),
            ((3,), (3, 2)),
            ((2, 3), (3, 2)),
            ((2, 2, 3), (3,)),
            ((2, 3), (2, 3, 2)),
            ((3,), (2, 3, 2)),
            ((2, 1, 3), (2, 3, 2)),
        ]
    ],
    *[
        case("inner", real(*a), real(*b))
        for a, b in [
            ((), ()),
            ((2,), ()),
            ((3,), (3,)),
            ((2, 3), (3,)),
            ((2, 3), (4, 3)),
            ((2, 1, 3), (2, 3)),
        ]
    ],
    *[case("vdot", real(*a), real(*a)) for a in [(), (0,), (3,), (2, 3)]],
    case("vdot", real(2, 3), real(3, 2)),
    *[
        case("outer", real(*a), real(*b))
        for a, b in [((), ()), ((0,), (2,)), ((1,), (1,)), ((2,), (3,)), ((2, 2), (3,))]
    ],
    case("tensordot", real(2, 3, 4), real(3, 4, 2)),
    case("tensordot", real(2, 3), real(3, 2), 1),
    case("tensordot", real(2), real(3), axes=0),
    case("tensordot", real(), real(), axes=0),
    case("tensordot", real(3), real(3), axes=1),
    case("tensordot", real(0, 2), real(2, 3), axes=1),
    case("tensordot", real(2, 3), real(4, 3), axes=(1, 1)),
    case("tensordot", real(2, 3, 4), real(4, 5, 2), axes=([2, 0], [0, 2])),
    case("tensordot", real(2, 3, 4), real(4, 5, 2), axes=((0, 2), (2, 0))),
    case("tensordot", real(2, 3, 4), real(4, 2, 3), axes=((-1, 0), (-3, 1))),
    case("tensordot", real(2, 3, 4), real(4, 2, 3), axes=([0, 1, 2], [1, 2, 0])),
    *[
        case("kron", real(*a), real(*b))
        for a, b in [
            ((), ()),
            ((2,), (3,)),
            ((2, 2), (1, 3)),
            ((2,), (2, 3)),
            ((2, 1, 2), (2,)),
            ((0,), (2,)),
        ]
    ],
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


X = ad.tensor(np.arange(6.0).reshape(2, 3))
Y = np.arange(6.0).reshape(3, 2)

CALLS = [
    lambda x: np.matmul(x, Y),
    lambda x: np.linalg.matmul(x, Y),
    lambda x: np.dot(x, Y),
    lambda x: np.dot(a=x, b=Y),
    lambda x: np.inner(x, Y.T),
    lambda x: np.vdot(x, Y),
    lambda x: np.vdot(Y, x),
    lambda x: np.outer(x, Y),
    lambda x: np.outer(b=x, a=Y),
    lambda x: np.tensordot(x, Y, axes=1),
    lambda x: np.tensordot(Y, x, axes=([0], [1])),
    lambda x: np.linalg.tensordot(x, Y, axes=1),
    lambda x: np.kron(x, Y),
    lambda x: x @ Y,
    lambda x: Y @ x,
    lambda x: Y[:, 0] @ x.T,
    lambda x: x.dot(Y),
    lambda x: x @ [1.0, 2.0, 3.0],
]


@pytest.mark.parametrize("call", CALLS)
def test_numpys_functions_and_operators_keep_the_graph(call):
    got, want = call(X), call(X.data)
    assert isinstance(got, ad.Tensor)
    assert not got.constant
    np.testing.assert_array_equal(got.data, want)


def test_the_gradients_of_a_linear_model_are_the_textbooks():
    rng = np.random.default_rng(5)
    data, w, g = rng.normal(size=(7, 3)), ad.tensor(rng.normal(size=3)), rng.normal(size=7)
    np.testing.assert_allclose(ad.gradients(data @ w, [w], g)[0], data.T @ g, rtol=1e-14)


def test_a_batch_times_a_matrix_makes_no_matrix_per_member():
    import tracemalloc

    x, w = ad.tensor(np.ones((2000, 1, 50))), ad.tensor(np.ones((50, 40)))
    y = (x @ w).sum()
    tracemalloc.start()
    y.backward()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2000 * 50 * 40 / 4
    np.testing.assert_array_equal(w.grad, np.full((50, 40), 2000.0))


REFUSED = [
    (lambda: np.dot(X, Y, out=np.empty((2, 2))), "out"),
    (lambda: np.outer(X, Y, out=np.empty((6, 6))), "out"),
    (lambda: np.matmul(X, Y, dtype=np.float32), "dtype="),
    (lambda: np.matmul(X, Y, axes=[(0, 1), (0, 1), (0, 1)]), "axes="),
]


@pytest.mark.parametrize(("call", "named"), REFUSED)
def test_what_isnt_supported_is_refused_by_name(call, named):
    with pytest.raises(UnsupportedError) as caught:
        call()
    assert named in str(caught.value)


WRONG = [
    lambda x: ad.matmul(x, 2.0),
    lambda x: ad.matmul(x, x),
    lambda x: ad.dot(x, x),
    lambda x: ad.inner(x, Y),
    lambda x: ad.vdot(x, Y[0]),
    lambda x: ad.tensordot(x, x, axes=1),
    lambda x: ad.tensordot(x, Y, axes=([0, 1], [0])),
]


@pytest.mark.parametrize("call", WRONG)
def test_sizes_that_dont_fit_are_errors_as_in_numpy(call):
    for x in (X, X.data):
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy's own, on arrays and on tensors
            call(x)

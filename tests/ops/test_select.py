"""Indexing in all of NumPy's ways, and what finds its key: values, gradients, policies, refusals."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import autodiff as ad
from autodiff.errors import OperandError, ShapeError, UnsupportedError

from . import harness
from .harness import case, real


def at(*shape, key):
    """x[key], as a line of the table."""
    return case("index", real(*shape), key=key, reference=lambda a, key: a[key])


MASK = np.array([True, False, True])
GRID = np.array([[True, False, True, False], [False, False, False, True], [True, True, False, False]])

KEYS = {
    (): [(), None, Ellipsis, True, False, (None, ...), np.array(True)],
    (0,): [slice(None), [], slice(None, None, -1), np.zeros(0, bool), None],
    (1,): [0, -1, [0, 0, 0], slice(0, 0), True],
    (5,): [2, -1, np.int64(3), slice(1, 4), slice(None, None, -2), slice(10, 20), [], [4, 0, 4, 4]],
    (4,): [np.array([[0, 1], [1, 1]]), np.array(2), np.uint8([3, 3]), range(2), (..., 1), (None, [1, 1])],
    (3, 4): [
        1,
        (1, 2),
        (slice(None), 2),
        (..., -1),
        (None, slice(2), None),
        (slice(None, None, -1), slice(3, None, -2)),
        [2, 0, 2],
        (slice(None), [1, 1, 3]),
        ([0, 1, 1], [2, 3, 3]),
        ((0, 0), slice(1, 3)),
        np.ix_([0, 2], [1, 1]),
        MASK,
        GRID,
        (MASK, 1),
        (MASK, [0, 0]),
        (slice(None), GRID[0]),
        ~GRID & GRID,
        ([[0], [1]], [0, 0, 3]),
        (),
        (0, ..., 0),
    ],
    (2, 3, 4): [
        GRID[:2, :3],
        (0, MASK),
        (slice(None), [1, 1]),
        ([0, 1], slice(None), [1, 3]),
        (0, slice(None), [1, 1]),
        (..., None, [0, 0]),
        (slice(None), MASK, None, 2),
        (1, [[0, 2], [2, 2]], slice(None, None, 2)),
    ],
}

CASES = [
    *(at(*shape, key=key) for shape, keys in KEYS.items() for key in keys),
    case("scatter", real(3), key=[0, 4, 4], like=np.zeros(5), reference=False),
    case("scatter", real(), key=1, like=np.zeros(2), reference=False),
    case("scatter", real(2, 3), key=slice(1, 3), like=np.zeros((4, 3)), reference=False),
    case("take", real(5), [0, -1, 0]),
    case("take", real(5), 3),
    case("take", real(), [0, 0]),
    case("take", real(0, 2), [], axis=0),
    case("take", real(3, 4), [[0, 11], [5, 5]]),
    case("take", real(3, 4), [True, False], axis=1),
    case("take", real(3, 4), [1, 1, 0], axis=0),
    case("take", real(3, 4), 2, axis=-1),
    case("take", real(3, 4), [-9, 7, 1], axis=1, mode="clip"),
    case("take", real(3, 4), [-9, 7, 1], axis=1, mode="wrap"),
    case("take_along_axis", real(3, 4), np.array([[0, 0], [3, 1], [2, 2]]), axis=1),
    case("take_along_axis", real(3, 4), np.array([[-1, 0, 0, 2]]), axis=0),
    case("take_along_axis", real(3, 4), np.array([[1]]), axis=-1),
    case("take_along_axis", real(1, 2), np.array([[1, 0], [0, 0]]), axis=1),
    case("take_along_axis", real(3, 4), np.array([3, 3, 11]), axis=None),
    case("take_along_axis", real(0, 4), np.zeros((0, 1), int), axis=1),
    case("compress", [True, False, True], real(3, 4), axis=0),
    case("compress", [False, True], real(3, 4), axis=-1),
    case("compress", [False, True, True], real(2, 2)),
    case("compress", [], real(2)),
    case("extract", GRID, real(3, 4)),
    case("extract", [[True], [False]], real(2, 1)),
    case("extract", True, real()),
    case("select", [MASK, ~MASK], [real(3), real(2, 3)]),
    case("select", [MASK, np.array([True, True, False])], [real(3), real()], real(2, 3)),
    case("select", [MASK], [real(3)], 7.0),
    case("select", [np.array(True)], [real()]),
    case("select", [np.zeros((0,), bool)], [real(0)], 1.0),
    case("choose", [1, 0, 2], [real(3), real(3), real(3)]),
    case("choose", [[1], [0]], [real(), real(3)]),
    case("choose", np.array([-1, 5, 0]), [real(3), real(3)], mode="clip"),
    case("choose", np.array([-1, 5, 0]), [real(3), real(3)], mode="wrap"),
    case("choose", 1, [real(), real()]),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


# --- keys ------------------------------------------------------------------------------------------------


def test_a_key_that_changes_afterwards_does_not_change_the_gradient():
    t = ad.tensor([1.0, 2.0, 3.0])
    places, truths, listed = np.array([0, 0]), np.array([True, False, False]), [0]
    outs = [t[places], t[(places,)], t[truths], t[listed], ad.take(t, places), t[np.array(0) : np.array(1)]]
    places[:], truths[:], listed[0] = 2, True, 2
    for out in outs:
        assert ad.gradients(out, t, np.ones(out.shape)).tolist() == [float(out.size), 0.0, 0.0]


def test_constant_tensors_in_a_key_count_by_their_values():
    t = ad.tensor(np.arange(6.0).reshape(2, 3))
    one, both, mask = ad.tensor(1), ad.tensor([1, 1]), ad.tensor([True, False])
    assert t[one].tolist() == [3.0, 4.0, 5.0]
    assert t[0, both].tolist() == [1.0, 1.0]
    assert t[mask].tolist() == [[0.0, 1.0, 2.0]]
    assert t[[one, 0]].tolist() == [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0]]
    assert t[:, one:].tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert ad.take(t, both, axis=1).tolist() == [[1.0, 1.0], [4.0, 4.0]]


@pytest.mark.parametrize(
    "key", [1.5, "name", [0.0, 1.0], np.array([1.0]), np.array([]), np.float64(1), (0, 1.0), {"a": 0}]
)
def test_what_does_not_name_places_is_refused(key):
    with pytest.raises(OperandError, match="an index is made of integers"):
        ad.tensor(np.ones((2, 2)))[key]


def test_a_tracked_tensor_is_no_key():
    t = ad.tensor([1.0, 2.0])
    for key in (t, [t[0]], (None, t)):
        with pytest.raises(OperandError, match=r"tracked Tensor.*astype"):
            t[key]
    with pytest.raises(OperandError, match="an index is made of integers"):
        t[ad.tensor([1.0], constant=True)]


@pytest.mark.parametrize("key", [5, -6, [0, 5], (0, 0), (..., ...), np.ones(4, bool)])
def test_numpys_index_error_passes_through(key):
    with pytest.raises(IndexError):
        ad.tensor(np.ones(5))[key]


def test_plain_arrays_and_lists_give_arrays():
    assert ad.index([1.0, 2.0, 3.0], [0, -1]).tolist() == [1.0, 3.0]
    assert type(ad.index(np.ones(3), slice(2))) is np.ndarray


def test_integers_can_be_indexed_and_stay_constant():
    t = ad.tensor([1, 2, 3])[1:]
    assert t.constant
    assert t.dtype == np.array([1]).dtype


def test_what_is_picked_again_from_a_pick_is_found():
    t = ad.tensor(np.arange(12.0).reshape(3, 4))
    out = t[1:][:, ::-2][[0, 0, 1]]
    want = np.zeros((3, 4))
    want[1, [1, 3]], want[2, [1, 3]] = 2.0, 1.0
    assert ad.gradients(out, t, np.ones(out.shape)).tolist() == want.tolist()


# --- one buffer ------------------------------------------------------------------------------------------


def test_slices_share_one_array_for_their_gradients():
    t = ad.tensor(np.random.default_rng(0).normal(size=200_000))
    total = sum(ad.sum(ad.square(t[k * 20_000 : (k + 1) * 20_000])) for k in range(10))
    tracemalloc.start()
    total.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(t.grad, 2 * t.data)
    assert peak < 1.8 * t.data.nbytes  # with zeros of its own for a slice: above 2


def test_g_is_left_as_it_was():
    t, g = ad.tensor(np.ones(3)), np.ones(3)
    total = t * 1.0 + t[::-1]
    ad.gradients(total, t, g)
    total.backward(g)
    assert g.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_a_matrix_add_up_whatever_its_layout(order):
    t = ad.tensor(np.asarray(np.ones((3, 4)), order=order), copy=False)
    total = ad.sum(np.asarray(np.ones((3, 4)), order=order) * t) + ad.sum(t[[0, 0, 2, -1]])
    assert ad.gradients(total, t)[:, 0].tolist() == [3.0, 1.0, 3.0]


# --- iteration -------------------------------------------------------------------------------------------


def test_iteration_length_and_membership():
    t = ad.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    first, _, last = t
    assert len(t) == 3
    assert [row.tolist() for row in t] == t.tolist()
    assert ad.gradients(ad.sum(first * last), t).tolist() == [[5.0, 6.0], [0.0, 0.0], [1.0, 2.0]]
    assert 4.0 in t
    assert 7.0 not in t
    assert list(ad.tensor(np.ones(0))) == []
    assert [each.shape for each in reversed(ad.tensor([1.0, 2.0]))] == [(), ()]


def test_a_single_number_has_neither_length_nor_entries():
    t = ad.tensor(1.0)
    for f in (len, iter, list):
        with pytest.raises(TypeError):
            f(t)


# --- take and its kin ------------------------------------------------------------------------------------


def test_numpy_and_methods_reach_them():
    t = ad.tensor(np.arange(6.0).reshape(2, 3))
    order = np.argsort(-t.data, axis=1)
    for got, want in [
        (np.take(t, [5, 0]), [5.0, 0.0]),
        (t.take([0], axis=1), [[0.0], [3.0]]),
        (np.take_along_axis(t, order, 1), [[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]]),
        (np.take_along_axis(t, np.argmax(t, axis=1)[:, None], axis=1), [[2.0], [5.0]]),
        (np.compress([False, True], t, 0), [[3.0, 4.0, 5.0]]),
        (np.extract(t > 3, t), [4.0, 5.0]),
        (np.select([t < 1, t < 2], [t, 10 * t], -1.0), [[0.0, 10.0, -1.0], [-1.0, -1.0, -1.0]]),
        (np.choose([1, 0, 1], [t[0], t[1]]), [3.0, 1.0, 5.0]),
    ]:
        assert got.tolist() == want


def test_a_choice_that_was_not_taken_gets_0():
    a, b, c = (ad.tensor([1.0, 2.0, 3.0]) for _ in range(3))
    out = ad.select([[True, False, False], [True, True, False]], [a, b], c)
    grads = ad.gradients(out, [a, b, c], np.array([1.0, 2.0, 3.0]))
    assert [each.tolist() for each in grads] == [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]


@pytest.mark.parametrize("name", ["take", "compress", "choose"])
def test_out_is_refused_by_name(name):
    t = ad.tensor([1.0, 2.0])
    first = {"take": (t, [0]), "compress": ([True], t), "choose": ([0], [t])}[name]
    with pytest.raises(UnsupportedError, match="out="):
        getattr(np, name)(*first, out=np.zeros(1))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda t: ad.take(t, [3]), IndexError, "out of bounds"),
        (lambda t: ad.take(t, [0], mode="near"), ValueError, "mode"),
        (lambda t: ad.take(t, [0.5]), OperandError, "integers"),
        (lambda t: ad.take_along_axis(t, np.array([[0]]), 0), ShapeError, "as many axes"),
        (lambda t: ad.take_along_axis(t, np.array([True, False, True]), 0), OperandError, "truths"),
        (lambda t: ad.compress([[True]], t), ShapeError, "one axis"),
        (lambda t: ad.select([], []), ShapeError, "one or more"),
        (lambda t: ad.select([[True] * 3], [t, t]), ShapeError, "1 conditions and 2 choices"),
        (lambda t: ad.select([[1, 0, 1]], [t]), OperandError, "condition 0 .* int64"),
        (lambda t: ad.choose([0, 2, 1], [t, t]), IndexError, "out of bounds"),
        (lambda t: ad.choose([0.0], [t]), OperandError, "integers"),
    ],
)
def test_what_is_refused_says_why(call, error, says):
    with pytest.raises(error, match=says):
        call(ad.tensor([1.0, 2.0, 3.0]))


# --- any shape, any key ----------------------------------------------------------------------------------


@st.composite
def shapes_and_keys(draw):
    shape = draw(npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    full = [st.just(k) for k in range(len(shape) + 1) if 0 not in shape[:k]]
    lists = st.one_of(full).flatmap(lambda k: _arrays_for(shape, k))
    return shape, draw(st.one_of(npst.basic_indices(shape, allow_newaxis=True), lists))


def _arrays_for(shape, count):
    """For each of the first `count` axes an array of places, a slice or a number; or a mask of them."""
    together = npst.array_shapes(max_dims=2, min_side=0, max_side=3)

    def part(size, common):
        numbers = st.integers(-size, size - 1)
        return st.one_of(npst.arrays(np.int64, common, elements=numbers), numbers, st.slices(size))

    mixed = together.flatmap(lambda common: st.tuples(*(part(size, common) for size in shape[:count])))
    mask = npst.arrays(np.bool_, shape[:count])
    with_gap = mixed.map(lambda key: (*key, ..., None))
    return st.one_of(mixed, mask, with_gap)


@given(shapes_and_keys(), st.integers(0, 2**32 - 1))
@settings(max_examples=300, deadline=None)
def test_values_are_numpys_and_the_gradient_is_the_adjoint(shape_and_key, seed):
    shape, key = shape_and_key
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=shape), rng.normal(size=shape)
    t, want = ad.tensor(x), np.asarray(x[key])
    out = t[key]
    assert out.shape == want.shape
    np.testing.assert_array_equal(out.data, want)
    g = rng.normal(size=want.shape)
    by_hand = np.zeros(shape)
    np.add.at(by_hand, key, g)
    got = ad.gradients(out, t, g)
    np.testing.assert_allclose(got, by_hand, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.sum(got * v), np.sum(g * np.asarray(v[key])), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ad.gradients(out, t, g, record=True).data, got, rtol=1e-12, atol=1e-12)
    _, moved = ad.jvp(lambda a: a[key], (x,), (v,))
    np.testing.assert_array_equal(moved, v[key])

"""Sorting and partition: values, gradients, even shares at ties."""

import numpy as np
import pytest

import autodiff as ad

from . import harness
from .harness import apart, case, real

KEYS = np.array([[2.0, 1.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 3.0, -1.0, 3.0]])

CASES = [
    case("sort", apart(5)),
    case("sort", apart(1)),
    case("sort", apart(0)),
    case("sort", apart(), axis=None),
    case("sort", apart(3, 4)),
    case("sort", apart(3, 4), axis=0),
    case("sort", apart(2, 3, 4), axis=-2),
    case("sort", apart(2, 0, 3), axis=0),
    case("sort", apart(3, 4), axis=None),
    case("sort", apart(5), kind="heapsort"),
    case("sort", apart(5), stable=True),
    case("partition", apart(6), 2),
    case("partition", apart(1), 0),
    case("partition", apart(6), (1, -2)),
    case("partition", apart(3, 4), 1, axis=0),
    case("partition", apart(3, 4), -1),
    case("partition", apart(2, 3), 4, axis=None),
    *(
        case(name, real(3, 4), KEYS, axis=axis, reference=False)
        for name in ("sort_by", "unsort_by")
        for axis in (0, 1, -1)
    ),
    case("sort_by", real(3, 4), KEYS, axis=None, reference=False),
    case("unsort_by", real(12), KEYS, axis=None, reference=False),
    case("sort_by", real(0), np.zeros(0), reference=False),
    case("unsort_by", real(0), np.zeros(0), reference=False),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def gradient(f, x, g):
    """The gradient of Σ g·f(x), the same recorded, both as lists."""
    t = ad.tensor(x)
    out = f(t)
    plain = ad.gradients(out, t, np.array(g))
    np.testing.assert_array_equal(ad.gradients(out, t, np.array(g), record=True).data, plain)
    return plain.tolist()


# --- ties ------------------------------------------------------------------------------------------------


def test_tied_entries_share_what_arrives_at_their_places():
    assert gradient(ad.sort, [1.0, 2.0, 2.0, 0.0], [1.0, 2.0, 3.0, 5.0]) == [2.0, 4.0, 4.0, 1.0]


def test_where_all_tie_each_gets_the_mean():
    assert gradient(ad.sort, [3.0, 3.0, 3.0], [1.0, 2.0, 6.0]) == [3.0, 3.0, 3.0]


def test_zero_and_minus_zero_tie():
    assert gradient(ad.sort, [0.0, -0.0], [1.0, 3.0]) == [2.0, 2.0]


def test_equal_entries_of_neighbouring_rows_do_not_tie():
    assert gradient(ad.sort, [[1.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]]) == [[1.0, 2.0], [3.0, 4.0]]


def test_nan_ties_with_nothing():
    assert gradient(ad.sort, [np.nan, 1.0, np.nan], [1.0, 2.0, 3.0]) == [2.0, 1.0, 3.0]


def test_an_infinite_gradient_stays_at_its_entry():
    assert gradient(ad.sort, [2.0, 1.0, 1.0], [1.0, 3.0, np.inf]) == [np.inf, 2.0, 2.0]


def test_ties_of_a_partition_share_evenly_across_the_border():
    g = [1.0, 2.0, 6.0, 7.0]
    assert gradient(lambda t: ad.partition(t, 1), [5.0, 5.0, 5.0, 5.0], g) == [4.0] * 4
    got = gradient(lambda t: ad.partition(t, 1), [5.0, 5.0, 0.0, 5.0], g)
    assert got == [5.0, 5.0, 1.0, 5.0]


@pytest.mark.parametrize("axis", [0, 1, None])
def test_the_gradient_of_ties_sums_to_what_arrives(axis):
    g = np.random.default_rng(1).normal(size=np.sort(KEYS, axis=axis).shape)
    for f in (ad.sort, lambda t, axis: ad.partition(t, 2, axis=axis)):
        got = np.array(gradient(lambda t, f=f: f(t, axis=axis), KEYS, g))
        np.testing.assert_allclose(got.sum(axis), g.sum(axis), rtol=1e-14, atol=1e-14)


def test_forward_mode_meets_ties_as_reverse_mode_does():
    x, v, g = np.array([1.0, 2.0, 2.0]), np.array([1.0, 3.0, 7.0]), np.array([1.0, 10.0, 100.0])
    for f in (ad.sort, lambda t: ad.partition(t, 1)):
        _, moved = ad.jvp(f, (x,), (v,))
        np.testing.assert_allclose(moved @ g, np.array(gradient(f, x, g)) @ v, rtol=1e-14)
    assert ad.jvp(ad.sort, (x,), (v,))[1].tolist() == [1.0, 5.0, 5.0]


def test_float32_stays_at_ties():
    t = ad.tensor(np.float32([1, 1, 0]))
    assert ad.gradients(ad.sort(t), t, np.float32([1, 2, 3])).dtype == np.float32


# --- NumPy's calls ---------------------------------------------------------------------------------------


def test_numpy_reaches_the_rows():
    t = ad.tensor([[3.0, 1.0], [0.0, 2.0]])
    assert np.sort(t, 0).data.tolist() == [[0.0, 1.0], [3.0, 2.0]]
    assert np.sort(t, axis=None).data.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert np.partition(t, 1, 1).data.tolist() == [[1.0, 3.0], [0.0, 2.0]]


@pytest.mark.parametrize("f", [lambda t: np.sort(t, order="f"), lambda t: np.partition(t, 0, order="f")])
def test_order_of_fields_is_refused(f):
    with pytest.raises(ad.GradientError, match="order"):
        f(ad.tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    "f", [lambda t: ad.sort(t, axis=1), lambda t: ad.partition(t, 5), lambda t: ad.sort(t, kind="bogo")]
)
def test_numpys_own_errors_pass_through(f):
    with pytest.raises(ValueError, match=r"axis|kth|kind"):
        f(ad.tensor([1.0, 2.0]))


def test_the_key_of_sort_by_gets_no_gradient():
    t = ad.tensor([1.0, 2.0])
    assert ad.sort_by(np.array([5.0, 6.0]), t).constant
    assert ad.gradients(ad.sum(ad.unsort_by(t, t)), t).tolist() == [1.0, 1.0]

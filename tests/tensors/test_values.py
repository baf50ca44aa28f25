"""A Tensor as a Python object: text, names, comparisons, containers, copies on disk."""

import copy
import pickle

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, tensor
from autodiff.errors import GradientError, OperandError, UnsupportedError

REPRESENTATIONS = [
    (lambda: tensor([1.0, 2.0]), "Tensor([1., 2.])"),
    (lambda: tensor([1.0, 2.0], name="w"), "Tensor([1., 2.], name='w')"),
    (lambda: tensor(3.0), "Tensor(3.)"),
    (lambda: tensor([1, 2]), "Tensor([1, 2], dtype=int64, constant=True)"),
    (lambda: tensor(2.0, constant=True), "Tensor(2., constant=True)"),
    (lambda: tensor(np.float32(1)), "Tensor(1., dtype=float32)"),
    (lambda: tensor([1.0, 2.0]) * 2, "Tensor([2., 4.], by multiply)"),
    (lambda: tensor([[1.0], [2.0]]), "Tensor([[1.],\n        [2.]])"),
]


@pytest.mark.parametrize(("make", "text"), REPRESENTATIONS)
def test_repr(make, text):
    assert repr(make()) == text
    assert str(make()) == text


def test_repr_of_a_long_one_is_short():
    assert len(repr(tensor(np.arange(1e6)))) < 100


def test_format():
    t = tensor(3.14159)
    assert f"{t:.2f}" == "3.14"
    assert f"{t * 2:8.3f}" == "   6.283"
    assert f"{tensor([2.5]):.1f}" == "2.5"
    assert f"{tensor(3):d}" == "3"
    assert f"{t}" == "Tensor(3.14159)"
    assert f"{tensor([1.0, 2.0])}" == "Tensor([1., 2.])"


# --- names -----------------------------------------------------------------------------------------------


def test_names():
    w, c = tensor(1.0, name="w"), tensor(1.0, name="c", constant=True)
    h = w * c
    assert (w.name, c.name, h.name) == ("w", "c", None)
    h.name = "h"
    c.name = "d"
    assert (h.name, c.name) == ("h", "d")
    h.name = w.name = c.name = None
    assert (h.name, w.name, c.name) == (None, None, None)


@pytest.mark.parametrize("name", ["", 0])
def test_empty_names_are_names(name):
    assert tensor(1.0, name=name).name == name
    assert "name=" in repr(tensor(1.0, name=name))


def test_messages_name_the_tensor():
    h = tensor([1.0, 2.0]) * 2
    h.name = "hidden"
    with pytest.raises(GradientError, match="hidden"):
        h.backward()


# --- comparisons and containers --------------------------------------------------------------------------


def test_comparisons_give_arrays():
    x, y = tensor([1.0, 2.0]), tensor([2.0, 2.0])
    for got, want in [
        (x < y, [True, False]),
        (x <= 1.0, [True, False]),
        (x > [0, 5], [True, False]),
        (np.float64(1.5) >= x, [True, False]),
        (x == y, [False, True]),
        (x != np.array([2.0, 2.0]), [True, False]),
        (np.less(x, y), [True, False]),
        (np.isfinite(x), [True, True]),
    ]:
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, want)


def test_hash_is_identity():
    x, y = tensor(1.0), tensor(1.0)
    assert len({x, x, y}) == 2
    table = {x: "x", y: "y"}
    assert (table[x], table[y]) == ("x", "y")
    assert hash(x) == hash(x)


def test_truth_is_that_of_the_value():
    assert tensor(1.0)
    assert not tensor(0.0)
    assert not tensor([0.0])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tensor([1.0, 2.0]))


def test_membership_compares_values():
    x = tensor([1.0, 2.0])
    assert 2.0 in x
    assert 3.0 not in x
    assert x[0] in x


def test_iteration_gives_tensors_that_carry_gradients():
    x = tensor([[1.0, 2.0], [3.0, 4.0]])
    assert len(x) == 2
    first, second = x
    assert type(first) is Tensor
    (first * second).sum().backward()
    np.testing.assert_array_equal(x.grad, [[3.0, 4.0], [1.0, 2.0]])
    assert [row.tolist() for row in reversed(x)] == [[3.0, 4.0], [1.0, 2.0]]


@pytest.mark.parametrize("f", [len, iter, list])
def test_a_single_number_has_no_length(f):
    with pytest.raises(OperandError, match="no length"):
        f(tensor(2.0))


def test_iterating_over_nothing():
    assert list(tensor(np.zeros((0, 3)))) == []


def test_attributes():
    t = tensor(np.zeros((2, 3), np.float32))
    assert (t.shape, t.ndim, t.size, t.dtype, t.constant, t.is_leaf) == (
        (2, 3),
        2,
        6,
        np.float32,
        False,
        True,
    )
    h = t * 2
    assert (h.is_leaf, h.constant) == (False, False)
    assert tensor(1).is_leaf
    assert (np.shape(t), np.ndim(t), np.size(t)) == ((2, 3), 2, 6)
    with pytest.raises(AttributeError):
        t.gard = 1.0


def test_tensor_is_made_by_its_function():
    with pytest.raises(OperandError, match=r"tensor\(data"):
        Tensor([1.0])


def test_tensor_of_a_tensor():
    w = tensor([1.0, 2.0], name="w")
    other = tensor(w)
    (other * 2).sum().backward()
    assert w.grad is None
    assert other is not w
    assert not tensor(tensor([1.0], constant=True)).constant


def test_dtype_at_birth():
    assert tensor([1, 2], dtype=np.float32).dtype == np.float32
    assert not tensor([1, 2], dtype=float).constant
    with pytest.raises(OperandError, match="complex"):
        tensor([1.0], dtype=complex)


def test_writing_an_entry_says_how_to_do_it():
    x = tensor([1.0, 2.0])
    with pytest.raises(GradientError, match=r"where|no_grad"):
        x[0] = 5.0
    np.testing.assert_array_equal(x.data, [1.0, 2.0])


# --- copies ----------------------------------------------------------------------------------------------

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda t: pickle.loads(pickle.dumps(t)),
    "in a list": lambda t: copy.deepcopy([t])[0],
}


@pytest.mark.parametrize("how", COPIES)
def test_a_leaf_is_copied_with_name_and_gradient(how):
    w = tensor(np.array([1.0, 2.0], np.float32), name="w")
    (w * w).sum().backward()
    other = COPIES[how](w)
    assert (other.name, other.dtype, other.constant) == ("w", np.float32, False)
    np.testing.assert_array_equal(other.data, w.data)
    np.testing.assert_array_equal(other.grad, w.grad)
    (other * 10).sum().backward()
    other.data = [7.0, 7.0]
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])
    np.testing.assert_array_equal(w.data, [1.0, 2.0])


@pytest.mark.parametrize("how", COPIES)
def test_a_constant_is_copied_as_a_constant(how):
    other = COPIES[how](tensor([1, 2], name="n"))
    assert (other.name, other.constant, other.tolist()) == ("n", True, [1, 2])
    assert COPIES[how](tensor(2.0, constant=True) * 2).constant


@pytest.mark.parametrize("how", COPIES)
def test_what_hangs_on_a_graph_is_not_copied(how):
    with pytest.raises(GradientError, match=r"leaf.*multiply"):
        COPIES[how](tensor([1.0, 2.0]) * 2)
    with pytest.raises(GradientError, match=r"tensor\(t\.data\)"):
        COPIES[how](ad.exp(tensor(1.0)))


def test_a_method_that_is_not_there():
    x = tensor([1.0, 2.0])
    with pytest.raises(AttributeError):
        x.fill(0.0)
    with pytest.raises((UnsupportedError, AttributeError)):
        x.sort()

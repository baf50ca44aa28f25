"""What meets a Tensor: arrays on either side, numbers, lists, what is refused, and what is copied."""

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Scalar, Tensor, tensor
from autodiff.errors import GradientError, OperandError

X = np.array([1.0, 2.0])

# --- one tensor, never an array of objects ---------------------------------------------------------------

MIXED = {
    "array - t": (lambda x: np.ones(2) - x, [-1.0, -1.0]),
    "t - array": (lambda x: x - np.ones(2), [1.0, 1.0]),
    "array * t": (lambda x: np.array([3.0, 4.0]) * x, [3.0, 4.0]),
    "array / t": (lambda x: np.ones(2) / x, [-1.0, -0.25]),
    "array ** t": (lambda x: np.ones(2) ** x, [0.0, 0.0]),
    "matrix @ t": (lambda x: np.array([[1.0, 2.0], [3.0, 4.0]]) @ x, [4.0, 6.0]),
    "t @ matrix": (lambda x: x @ np.array([[1.0, 2.0], [3.0, 4.0]]), [3.0, 7.0]),
    "float64 * t": (lambda x: np.float64(2) * x, [2.0, 2.0]),
    "float32 + t": (lambda x: np.float32(2) + x, [1.0, 1.0]),
    "int64 - t": (lambda x: np.int64(2) - x, [-1.0, -1.0]),
    "0-d array * t": (lambda x: np.array(2.0) * x, [2.0, 2.0]),
    "list + t": (lambda x: [1.0, 2.0] + x, [1.0, 1.0]),  # noqa: RUF005 - the operator is meant
    "list * t": (lambda x: [3.0, 4.0] * x, [3.0, 4.0]),
    "t * list": (lambda x: x * [3, 4], [3.0, 4.0]),
    "tuple - t": (lambda x: (1.0, 2.0) - x, [-1.0, -1.0]),
    "bools * t": (lambda x: np.array([True, False]) * x, [1.0, 0.0]),
    "several": (lambda x: 3 * x - x / 4 + (-x) + +x, [2.75, 2.75]),
    "sum of a list": (lambda x: sum([x, x, x]), [3.0, 3.0]),
    "np.add": (lambda x: np.add(np.ones(2), x), [1.0, 1.0]),
    "np.stack": (lambda x: np.stack([x, np.ones(2), x]), [2.0, 2.0]),
    "np.concatenate": (lambda x: np.concatenate([np.ones(2), x]), [1.0, 1.0]),
}


@pytest.mark.parametrize("name", MIXED)
def test_operands_of_other_kinds_give_one_tensor(name):
    f, slope = MIXED[name]
    x = tensor(X)
    out = f(x)
    assert type(out) is Tensor
    assert out.dtype == np.float64
    np.testing.assert_array_equal(out.data, f(X) if "list" not in name else out.data)
    out.sum().backward()
    np.testing.assert_array_equal(x.grad, slope)


# --- conversions that would lose the gradient ------------------------------------------------------------

LOSSES = {
    "np.array of it": (np.array, "detach"),
    "np.array of a list": (lambda t: np.array([t, t]), r"np\.stack"),
    "np.array of objects": (lambda t: np.array([t, t], dtype=object), "detach"),
    "np.asarray": (np.asarray, r"detach.*item"),
    "np.asarray with a dtype": (lambda t: np.asarray(t, dtype=np.float32), "detach"),
    "float": (float, r"\.item\(\)"),
    "int": (int, r"\.item\(\)"),
    "complex": (complex, r"\.item\(\)"),
    "math.sin": (math.sin, r"\.item\(\)"),
    "range": (range, r"\.item\(\)"),
    "as an index": (lambda t: [1, 2, 3][t], r"\.item\(\)"),
    "as an array's index": (lambda t: np.arange(3)[t], "detach"),
    "tensor of an interior value": (lambda t: tensor(t * 2), r"\.item\(\)"),
    "np.sin of a list": (lambda t: np.sin([t, t]), r"np\.stack"),
    "np.sum of a list": (lambda t: np.sum([t, t]), r"np\.stack"),
    "t times a list of t": (lambda t: t * [t, t], r"np\.stack"),
    "ad.sin of a list": (lambda t: ad.sin([t, t]), r"np\.stack"),
    "into a slice": (lambda t: np.zeros(2).__setitem__(slice(None), t * np.ones(2)), "detach"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_conversion_that_would_lose_the_gradient_raises(name):
    f, hint = LOSSES[name]
    with pytest.raises(OperandError, match=hint):
        f(tensor(2.0, name="t"))


def test_into_an_entry_raises_as_well():
    with pytest.raises((OperandError, ValueError, TypeError)):
        np.zeros(2)[0] = tensor(2.0)


def test_constants_convert():
    c = tensor(2.0, constant=True)
    assert (float(c), int(c), math.sin(c), complex(c)) == (2.0, 2, math.sin(2.0), 2 + 0j)
    np.testing.assert_array_equal(np.array([c, c]), [2.0, 2.0])
    assert np.asarray(c).dtype == np.float64
    assert np.asarray(tensor([1, 2]), dtype=np.float32).dtype == np.float32
    assert [1, 2, 3][tensor(1)] == 2
    np.testing.assert_array_equal(np.arange(4)[tensor([1, 2])], [1, 2])


def test_an_array_of_a_constant_is_apart_from_it():
    c = tensor([1.0, 2.0], constant=True)
    np.array(c)[0] = 99.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(c)[0] = 99.0
    np.testing.assert_array_equal(c.data, [1.0, 2.0])


def test_detach_item_tolist():
    x = tensor([1.0, 2.0])
    assert x.detach().constant
    np.testing.assert_array_equal(np.asarray((x * 2).detach()), [2.0, 4.0])
    assert (x * 2).tolist() == [2.0, 4.0]
    assert (x * x).sum().item() == 5.0
    assert type(tensor(2.0).item()) is float
    with pytest.raises(ValueError, match="size 1"):
        x.item()


def test_copy_and_astype_keep_the_graph():
    x = tensor(X)
    (x.copy() * 3 + np.copy(x) + x.astype(np.float32)).sum().backward()
    np.testing.assert_array_equal(x.grad, [5.0, 5.0])
    assert x.astype(int).constant


# --- what isn't a number ---------------------------------------------------------------------------------

REFUSED = {
    "complex": (1j, "real and .imag"),
    "complex array": (np.array([1j, 1.0]), "complex128"),
    "text": ("a", "real numbers"),
    "None": (None, "None"),
    "object": (np.array([None, 1], dtype=object), "object"),
    "ragged": ([[1.0], [1.0, 2.0]], "inhomogeneous"),
    "a dict": ({"w": 1.0}, "object"),
    "dates": (np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
    "a Scalar": (Scalar(2.0), r"\.value"),
}
OPERATIONS = {
    "tensor": tensor,
    "t * v": lambda v: tensor(X) * v,
    "ad.arctan2": lambda v: ad.arctan2(tensor(X), v),
    "ad.where": lambda v: ad.where([True, False], tensor(X), v),
    "a row of any number": lambda v: ad.add_sequence([tensor(X), v]),
    "gradient": lambda v: (tensor(X) * 2).backward(g=v),
    "data": lambda v: setattr(tensor(X), "data", v),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_no_real_number_is_refused(name, what):
    value, message = REFUSED[what]
    if name == "gradient" and value is None:
        message = "not a single number"
    with pytest.raises(GradientError, match=message):
        OPERATIONS[name](value)


@pytest.mark.parametrize(
    "f", [lambda v: v * tensor(X), lambda v: v - tensor(1.0), lambda v: ad.add(v, tensor(1.0))]
)
@pytest.mark.parametrize("value", [1j, np.complex64(1), Scalar(2.0), "a", None])
def test_refused_on_the_left_as_well(f, value):
    with pytest.raises((OperandError, TypeError)):
        f(value)


def test_a_scalar_and_a_tensor_never_mix():
    s, t = Scalar(2.0), tensor(2.0)
    for f in (lambda: s + t, lambda: t + s, lambda: ad.multiply(t, s), lambda: ad.maximum(s, t)):
        with pytest.raises(OperandError, match="Scalar"):
            f()
    with pytest.raises(TypeError, match="Scalar"):
        np.multiply(t, s)


# --- arrays that are handed in ---------------------------------------------------------------------------


def test_tensor_copies_unless_told_otherwise():
    a = np.array([1.0, 2.0])
    copied, same = tensor(a), tensor(a, copy=False)
    a[0] = 5.0
    np.testing.assert_array_equal(copied.data, [1.0, 2.0])
    np.testing.assert_array_equal(same.data, [5.0, 2.0])
    same.data = [7.0, 8.0]
    np.testing.assert_array_equal(a, [5.0, 2.0])


KEPT = {
    "t * a": (lambda x, a: x * a, [3.0, 4.0]),
    "a * t": (lambda x, a: a * x, [3.0, 4.0]),
    "t / a": (lambda x, a: x / a, [3.0, 4.0]),
    "a / t": (lambda x, a: a / x, [3.0, 4.0]),
    "t ** a": (lambda x, a: x**a, [3.0, 4.0]),
    "a ** t": (lambda x, a: a**x, [3.0, 4.0]),
    "t @ a": (lambda x, a: x @ a, [[3.0, 4.0], [5.0, 6.0]]),
    "a @ t": (lambda x, a: a @ x, [[3.0, 4.0], [5.0, 6.0]]),
    "maximum": (np.maximum, [1.5, 1.5]),
    "where": (lambda x, a: np.where(a, x, 0.0), [True, False]),
    "t[mask]": (lambda x, a: x[a], [True, False]),
    "t[places]": (lambda x, a: x[a], [0, 0]),
    "t * number of 0-d": (lambda x, a: x * a, 3.0),
    "t ** 0-d": (lambda x, a: x**a, 3.0),
    "arctan2": (np.arctan2, [3.0, 4.0]),
    "clip": (lambda x, a: np.clip(x, a, None), [1.5, 1.5]),
    "repeat": (np.repeat, [1, 3]),
    "a view": (lambda x, a: x * a[::-1], [3.0, 4.0]),
}


@pytest.mark.parametrize("name", KEPT)
def test_an_array_changed_afterwards_changes_no_gradient(name):
    f, given = KEPT[name]
    a = np.array(given)
    before = a.copy()
    x, same = tensor(X), tensor(X)
    out = f(x, a)
    np.testing.assert_array_equal(a, before)  # and the operation itself didn't change it
    f(same, before).sum().backward()
    values = out.data.copy()
    a[...] = ~a if a.dtype == bool else 1 - a if a.dtype.kind == "i" else a + 10
    changed = a.copy()
    out.sum().backward()
    np.testing.assert_array_equal(x.grad, same.grad)
    np.testing.assert_array_equal(out.data, values)
    np.testing.assert_array_equal(a, changed)


def test_a_list_changed_afterwards_changes_no_gradient():
    x = tensor(np.arange(6.0).reshape(2, 3))
    key, axes = [0, 0], [1, 0]
    out = (np.transpose(x, axes) @ np.ones(2)).sum() + x[key].sum()
    key[:], axes[:] = [1, 1], [0, 1]
    out.backward()
    np.testing.assert_array_equal(x.grad, [[3.0] * 3, [1.0] * 3])


def test_an_array_that_no_rule_keeps_is_not_copied():
    a = np.ones(3)
    x = tensor(np.ones(3))
    assert all(kept is None for kept in (x + a)._node.kept)
    assert (x * a)._node.kept[1] is not a


def test_a_read_only_array_is_taken_as_it_is():
    a = np.array([3.0, 4.0])
    a.flags.writeable = False
    x = tensor(X)
    (x * a).sum().backward()
    np.testing.assert_array_equal(x.grad, a)
    assert tensor(a, copy=False).data.base is not None


@pytest.mark.parametrize("kind", [list, np.array])
def test_options_may_change_after_the_call(kind):
    x, shift = ad.tensor([1.0, 2.0, 3.0]), kind([1])
    out = (ad.roll(x, shift, axis=0) * np.array([1.0, 10.0, 100.0])).sum()
    shift[0] = 0
    out.backward()
    assert x.grad.tolist() == [10.0, 100.0, 1.0]

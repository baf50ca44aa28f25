"""backward and .grad: what arrives at a leaf, in which shape and dtype, and what a second pass finds."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import tensor
from autodiff.errors import FreedGraphError, GradientError, ImmutableError, OperandError, ShapeError

# --- what arrives ----------------------------------------------------------------------------------------


def test_grad_is_none_at_first_then_accumulates_then_resets():
    w = tensor([1.0, 2.0])
    assert w.grad is None
    (w * w).sum().backward()
    (3 * w).sum().backward()
    np.testing.assert_array_equal(w.grad, [5.0, 7.0])
    w.zero_grad()
    assert w.grad is None
    (w * w).sum().backward()
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])
    w.grad = None
    assert w.grad is None


def test_accumulating_leaves_the_array_that_was_read_before():
    w = tensor([1.0, 2.0])
    w.sum().backward()
    first = w.grad
    w.sum().backward()
    np.testing.assert_array_equal(first, [1.0, 1.0])
    np.testing.assert_array_equal(w.grad, [2.0, 2.0])


def test_a_gradient_of_several_leaves_shares_no_memory():
    a, b = tensor([1.0, 2.0]), tensor([3.0, 4.0])
    g = np.ones(2)
    (a + b).backward(g)
    a.grad[0] = 99.0
    np.testing.assert_array_equal(b.grad, [1.0, 1.0])
    np.testing.assert_array_equal(g, [1.0, 1.0])


def test_a_leaf_may_be_the_end_itself():
    w = tensor(2.0)
    w.backward()
    w.backward()
    assert w.grad == 2.0


def test_grad_can_be_set_in_the_shape_of_the_leaf():
    w = tensor(np.ones(2, np.float32))
    w.grad = [1, 2]
    assert w.grad.dtype == np.float32
    with pytest.raises(ShapeError, match=r"\(3,\).*\(2,\)"):
        w.grad = [1.0, 2.0, 3.0]


def test_interior_values_hold_no_gradient():
    w = tensor(2.0)
    h = w * w
    out = h * 3
    out.backward()
    assert h.grad is None
    assert out.grad is None
    with pytest.raises(GradientError, match="gradients"):
        h.grad = 1.0


def test_constants_are_left_alone():
    w, c = tensor([1.0, 2.0]), tensor([3.0, 4.0], constant=True)
    (w * c).sum().backward()
    np.testing.assert_array_equal(w.grad, [3.0, 4.0])
    assert c.grad is None


def test_the_same_operand_twice():
    x = tensor(3.0)
    (x * x + x * x * x).backward()
    assert x.grad == 6.0 + 27.0


def test_g_weighs_the_entries():
    w = tensor([1.0, 2.0])
    (w * w).backward([10.0, 1.0])
    np.testing.assert_array_equal(w.grad, [20.0, 4.0])


def test_g_is_read_only_once():
    w = tensor([1.0, 2.0])
    g = np.array([1.0, 2.0])
    w.backward(g)
    g[:] = 99.0
    np.testing.assert_array_equal(w.grad, [1.0, 2.0])


def test_g_may_be_a_constant_but_not_tracked():
    w = tensor([1.0, 2.0])
    (w * w).sum().backward(tensor(2.0, constant=True))
    assert type(w.grad) is np.ndarray
    np.testing.assert_array_equal(w.grad, [4.0, 8.0])
    with pytest.raises(OperandError, match="tracked"):
        (w * w).sum().backward(tensor(2.0))


@pytest.mark.parametrize("g", [[1.0], 1.0, [[1.0, 2.0]], [1.0, 2.0, 3.0]])
def test_g_of_another_shape_is_refused(g):
    with pytest.raises(ShapeError, match=r"g has shape"):
        (tensor([1.0, 2.0]) * 2).backward(g)


@pytest.mark.parametrize("shape", [(2,), (1,), (2, 3), (0,)])
def test_backward_on_a_non_scalar_says_what_to_do(shape):
    with pytest.raises(GradientError, match=r"not a single number.*[Ss]um first.*pass g"):
        (tensor(np.ones(shape)) * 2).backward()


# --- dtype and shape -------------------------------------------------------------------------------------

FUNCTIONS = {
    "plus a number": lambda x: x + 1,
    "times a number": lambda x: 2.5 * x,
    "times a float64": lambda x: np.float64(2) * x,
    "times float64s": lambda x: np.ones((3, *x.shape)) * x,
    "times an integer array": lambda x: x * np.arange(x.size).reshape(x.shape),
    "times itself": lambda x: x * x,
    "exp": np.exp,
    "power": lambda x: x**2,
    "where": lambda x: np.where(x.data > 0, x, 0.0),
    "negative": lambda x: -x,
    "cast up": lambda x: x.astype(np.float64),
    "sum": lambda x: x.sum(),
    "transpose": lambda x: x.T,
    "twice, once wider": lambda x: x * np.float64(3) * np.ones(x.shape) + x,
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3,), (2, 0, 3), (2, 1)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_gradient_has_its_variables_shape_and_dtype(name, shape, dtype):
    x = tensor(np.full(shape, 0.5, dtype))
    (FUNCTIONS[name](x)).sum().backward()
    out = FUNCTIONS[name](x)
    answer = ad.gradients(out, x, np.ones(out.shape))
    recorded = ad.gradients(out, x, np.ones(out.shape), record=True)
    for gradient in (x.grad, answer, recorded.data):
        assert isinstance(gradient, np.ndarray)
        assert gradient.shape == shape
        assert gradient.dtype == dtype


def test_an_accumulated_gradient_of_a_number_stays_an_array():
    x = tensor(np.float32(2))
    for _ in range(3):
        (x * x).backward()
    assert isinstance(x.grad, np.ndarray)
    assert x.grad.dtype == np.float32
    assert x.grad == 12


# --- constants and integers ------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [1, [1, 2], True, np.arange(3, dtype=np.uint8), np.int64(3)])
def test_integers_and_booleans_are_constants(data):
    t = tensor(data)
    assert t.constant
    assert t.dtype == np.asarray(data).dtype
    with pytest.raises(GradientError, match=f"{t.dtype}.*only floats are tracked"):
        ad.gradients((tensor(1.0) * t).sum(), t)
    with pytest.raises(GradientError, match="only floats are tracked"):
        t.sum().backward()


def test_integers_times_floats_are_floats():
    i, x = tensor([1, 2]), tensor([1.5, 2.5])
    assert (i * 2.0).dtype == np.float64
    assert (i * 2.0).constant
    (i * x).sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0, 2.0])
    assert i.grad is None


def test_what_is_computed_from_constants_says_so():
    c = tensor([1.0, 2.0], constant=True)
    with pytest.raises(GradientError, match="constant"):
        (c * 2).sum().backward()
    with pytest.raises(GradientError, match="no_grad"):
        ad.gradients(tensor(1.0), c)


def test_gradients_of_what_was_not_used_are_zeros():
    x, y = tensor([1.0, 2.0]), tensor(np.ones((2, 0), np.float32))
    unused = ad.gradients((x * x).sum(), y)
    assert unused.shape == (2, 0)
    assert unused.dtype == np.float32
    np.testing.assert_array_equal(ad.gradients(tensor(1.0) * 2, x), [0.0, 0.0])
    np.testing.assert_array_equal(ad.gradients(tensor(1.0, constant=True), x), [0.0, 0.0])


# --- twice through one graph -----------------------------------------------------------------------------


def test_a_second_pass_names_what_was_cleared_and_keep_graph():
    w = tensor([1.0, 2.0])
    loss = (w * w).sum()
    loss.backward()
    with pytest.raises(FreedGraphError, match=r"sum.*keep_graph=True"):
        loss.backward()
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])


def test_with_keep_graph_both_passes_are_right():
    w = tensor([1.0, 2.0])
    loss = (w * w * w).sum()
    loss.backward(keep_graph=True)
    np.testing.assert_array_equal(w.grad, [3.0, 12.0])
    loss.backward()
    np.testing.assert_array_equal(w.grad, [6.0, 24.0])
    with pytest.raises(FreedGraphError):
        loss.backward()


AGAIN = {
    "backward": lambda h, w: (h * 3).sum().backward(),
    "backward with keep_graph": lambda h, w: (h * 3).sum().backward(keep_graph=True),
    "gradients to the leaf": lambda h, w: ad.gradients((h * 3).sum(), w),
    "gradients to itself": lambda h, w: ad.gradients((h * 3).sum(), h),
    "recorded": lambda h, w: ad.gradients((h * 3).sum(), w, record=True),
    "in a closure of grad": lambda h, w: ad.grad(lambda x: (h * x).sum())(1.0),
    "in a closure of jvp": lambda h, w: ad.jvp(lambda x: h * x, (1.0,), (1.0,)),
}


@pytest.mark.parametrize("again", AGAIN)
def test_an_intermediate_whose_graph_was_cleared_is_no_leaf(again):
    w = tensor([1.0, 2.0])
    h = w * w
    h.sum().backward()
    before = w.grad.copy()
    with pytest.raises(FreedGraphError, match=r"multiply.*keep_graph"):
        AGAIN[again](h, w)
    np.testing.assert_array_equal(w.grad, before)


def test_the_part_that_was_not_cleared_still_works():
    w = tensor([1.0, 2.0])
    left, right = w * w, w * 3
    left.sum().backward()
    right.sum().backward()
    np.testing.assert_array_equal(w.grad, [5.0, 7.0])


def test_gradients_frees_nothing_and_touches_no_grad():
    w = tensor([1.0, 2.0])
    h = w * w
    loss = (h * w).sum()
    for _ in range(2):
        np.testing.assert_array_equal(ad.gradients(loss, w), [3.0, 12.0])
        np.testing.assert_array_equal(ad.gradients(loss, h), [1.0, 2.0])
    assert w.grad is None
    loss.backward()
    np.testing.assert_array_equal(w.grad, [3.0, 12.0])


def test_interior_nodes_keep_no_stale_total():
    w = tensor([1.0, 2.0])
    h = w * w
    first, second = (h * 2).sum(), (h * h).sum()
    for _ in range(3):
        np.testing.assert_array_equal(ad.gradients(first, w), [4.0, 8.0])
        np.testing.assert_array_equal(ad.gradients(second, [h, w])[1], [4.0, 32.0])
    assert h._node.g is None
    first.backward(keep_graph=True)
    second.backward()
    np.testing.assert_array_equal(w.grad, [8.0, 40.0])
    assert h._node.g is None
    assert w._node.g is None


# --- an error in the middle of a pass --------------------------------------------------------------------


def breaks_once(counter):
    def rule(g, a):
        if not counter:
            counter.append(1)
            raise ZeroDivisionError("on purpose")
        return g * 2.0

    return ad.elementwise("breaks_once", "?", lambda a: 2.0 * a, a=rule)


@pytest.mark.parametrize("keep", [True, False])
def test_an_error_in_a_pass_leaves_the_graph_usable_or_cleared(keep):
    w = tensor([1.0, 2.0])
    inner = w * w
    loss = (breaks_once([])(inner) + inner).sum()
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        loss.backward(keep_graph=keep)
    assert w.grad is None
    if keep:
        loss.backward()
        np.testing.assert_array_equal(w.grad, [6.0, 12.0])
    else:
        with pytest.raises(FreedGraphError):
            loss.backward()
        inner.sum().backward()  # what the pass had not reached is as it was
        np.testing.assert_array_equal(w.grad, [2.0, 4.0])


def test_after_an_error_gradients_starts_from_nothing():
    w = tensor([1.0, 2.0])
    inner = w * w
    loss = (breaks_once([])(inner) + inner).sum()
    with pytest.raises(ZeroDivisionError):
        ad.gradients(loss, w)
    np.testing.assert_array_equal(ad.gradients(loss, w), [6.0, 12.0])


# --- data ------------------------------------------------------------------------------------------------


def test_data_is_read_only():
    w = tensor([1.0, 2.0])
    for t in (w, w * 2, w.T, tensor([1.0], constant=True), tensor(2.0)):
        with pytest.raises(ValueError, match="read-only"):
            t.data[...] = 0.0


def test_data_of_a_leaf_can_be_replaced():
    w = tensor(np.array([1.0, 2.0], np.float32), name="w")
    new = np.array([3.0, 4.0])
    w.data = new
    new[:] = 99.0
    np.testing.assert_array_equal(w.data, [3.0, 4.0])
    assert w.dtype == np.float32
    assert w.name == "w"
    assert w.is_leaf
    with pytest.raises(ShapeError, match=r"\(3,\).*\(2,\)"):
        w.data = np.ones(3)
    with pytest.raises(ImmutableError, match=r"leaf.*multiply"):
        (w * 2).data = np.ones(2)


def test_a_recorded_value_keeps_the_data_it_was_computed_from():
    w = tensor([1.0, 2.0])
    loss = (w * w).sum()
    w.data = [10.0, 20.0]
    loss.backward()
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])


def test_a_step_keeps_the_leaf():
    w = tensor([1.0, 2.0])
    for _ in range(3):
        w.zero_grad()
        (w * w).sum().backward()
        w.data = w.data - 0.25 * w.grad
    np.testing.assert_array_equal(w.data, [0.125, 0.25])
    assert w.is_leaf

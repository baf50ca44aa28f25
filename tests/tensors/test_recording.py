"""What is recorded, and what is watched: no_grad, stop_gradient, slopes behind a where, trace_nonfinite."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import no_grad, stop_gradient, tensor, trace_nonfinite
from autodiff.errors import GradientError, NonFiniteError

# --- no_grad and stop_gradient ---------------------------------------------------------------------------

OPERATIONS = {
    "one operand": np.exp,
    "two": lambda x: x * x,
    "an option": lambda x: x.sum(),
    "three": lambda x: np.where([True, False], x, 0.0),
    "many": lambda x: np.stack([x, x]),
    "an index": lambda x: x[0],
    "a copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_nothing_is_recorded_inside_no_grad(name):
    x = tensor([1.0, 2.0])
    with no_grad():
        inside = OPERATIONS[name](x)
    outside = OPERATIONS[name](x)
    assert inside.constant
    assert not outside.constant
    np.testing.assert_array_equal(inside.data, outside.data)
    with pytest.raises(GradientError, match="no_grad"):
        inside.sum().backward()


def test_no_grad_ends_with_its_block_even_by_an_error():
    x = tensor(2.0)
    with pytest.raises(ZeroDivisionError), no_grad(), no_grad():
        1 / 0  # noqa: B018 - it raises
    assert not (x * 2).constant
    with no_grad():
        with no_grad():
            pass
        assert (x * 2).constant


def test_no_grad_decorates():
    @no_grad()
    def predict(x):
        return x * 2

    assert predict(tensor(1.0)).constant


def test_leaves_made_inside_no_grad_are_variables():
    with no_grad():
        w = tensor([1.0, 2.0])
        w.data = w.data * 2
    (w * w).sum().backward()
    np.testing.assert_array_equal(w.grad, [4.0, 8.0])


def test_backward_inside_no_grad_reads_what_was_recorded():
    w = tensor([1.0, 2.0])
    loss = (w * w).sum()
    with no_grad():
        loss.backward()
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])


def test_stop_gradient():
    x = tensor(3.0)
    (x * stop_gradient(x)).backward()
    assert x.grad == 3.0
    a = np.ones(2)
    assert stop_gradient(a) is a
    assert stop_gradient(x * x).constant


# --- where, beside an infinite slope ---------------------------------------------------------------------


def test_where_with_an_infinite_slope_behind_it_is_nan():
    x = tensor([0.0, 4.0])
    np.where(x > 0, np.sqrt(x), 0.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [np.nan, 0.25])


def test_the_double_where_recipe_cures_it():
    x = tensor([0.0, 4.0])
    safe = np.where(x > 0, x, 1.0)
    np.where(x > 0, np.sqrt(safe), 0.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.25])


# --- trace_nonfinite -------------------------------------------------------------------------------------


def test_it_names_the_row_the_operand_and_the_recipe_of_a_value():
    x = tensor([1.0, 0.0, 2.0])
    with (
        np.errstate(divide="ignore"),
        trace_nonfinite(),
        pytest.raises(
            NonFiniteError, match=r"value of log is -inf at \[1\].*0\.0 there.*where\(c, x, safe\)"
        ),
    ):
        np.log(x * 1.0)


def test_it_names_both_operands():
    with (
        np.errstate(divide="ignore"),
        trace_nonfinite(),
        pytest.raises(NonFiniteError, match=r"divide is inf.*3\.0.*0\.0"),
    ):
        tensor([1.0, 3.0]) / tensor([1.0, 0.0])


def test_it_names_the_row_whose_gradient_it_is():
    x = tensor([4.0, 0.0])
    with trace_nonfinite():
        loss = (np.sqrt(x) * 3).sum()
        with pytest.raises(NonFiniteError, match=r"gradient of sqrt is inf at \[1\].*where\(c"):
            loss.backward()
    assert x.grad is None


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.sqrt(x)),
        lambda x: np.sqrt(x)[0],
        lambda x: np.where([True, False], np.sqrt(x), 1.0).sum(),
        lambda x: np.sqrt(np.stack([x, x])).sum(),
    ],
)
def test_the_mask_that_turned_it_to_nan_is_not_blamed(f):
    with trace_nonfinite(), pytest.raises(NonFiniteError, match="gradient of sqrt"):
        ad.grad(f)(np.zeros(2))


@pytest.mark.parametrize("record", [False, True])
def test_a_gradient_that_is_handed_in_is_traced(record):
    x = tensor([1.0, 2.0])
    with trace_nonfinite(), pytest.raises(NonFiniteError, match="nan"):
        ad.gradients(x * 2, x, [1.0, np.nan], record=record)


def test_an_index_that_adds_in_place_is_traced():
    x = tensor([1.0, 2.0])
    with trace_nonfinite(), pytest.raises(NonFiniteError, match=r"index|take"):
        ad.gradients(x[0], x, np.inf)


def test_it_watches_constants_and_what_is_not_recorded():
    c = tensor([0.0], constant=True)
    with np.errstate(divide="ignore"), trace_nonfinite():
        with pytest.raises(NonFiniteError, match="log"):
            np.log(c)
        with no_grad(), pytest.raises(NonFiniteError, match="log"):
            np.log(tensor(0.0))


def test_finite_programs_pass_and_watching_ends():
    x = tensor([1.0, 2.0])
    with trace_nonfinite():
        (np.log(x) * x).sum().backward()
        with no_grad():
            assert (x * 2).constant
    np.testing.assert_allclose(x.grad, np.log([1.0, 2.0]) + 1)
    with np.errstate(divide="ignore"):
        assert np.log(tensor(0.0)).item() == -np.inf


def test_a_gradient_that_is_the_same_everywhere():
    x = tensor([1.0, 2.0])
    with trace_nonfinite():
        (x + -(x + 1.0)).sum().backward()
        ((x * 3 + x).mean() * 2).backward()
    np.testing.assert_array_equal(x.grad, [4.0, 4.0])


def test_it_ends_with_its_block_even_by_an_error():
    with np.errstate(divide="ignore"):
        with pytest.raises(NonFiniteError), trace_nonfinite():
            np.log(tensor(0.0))
        assert np.log(tensor(0.0)).item() == -np.inf
        with trace_nonfinite():
            with trace_nonfinite():
                pass
            with pytest.raises(NonFiniteError):
                np.log(tensor(0.0))


# --- warnings --------------------------------------------------------------------------------------------


def test_forward_warns_as_numpy_does_and_the_pass_never():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        out = np.log(tensor([0.0, 1.0]))
    out.sum().backward()
    x = tensor([0.0, 1.0])
    with np.errstate(all="raise"):
        np.sqrt(x).sum().backward()
    np.testing.assert_array_equal(x.grad, [np.inf, 0.5])
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        1 / x
    with np.errstate(all="raise"):
        assert np.geterr()["divide"] == "raise"

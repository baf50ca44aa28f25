"""where, maximum and minimum, relu, clip, nan_to_num: who gets the gradient, above all at ties and bounds."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import OperandError, OptionError, UnsupportedError

from . import harness
from .harness import apart, between, case, real

INF, NAN = np.inf, np.nan
MASK = np.array([[True, False, True], [False, False, True]])

CASES = [
    case("where", MASK, real(2, 3), real(2, 3)),
    case("where", MASK, real(), real(2, 1)),
    case("where", MASK, real(3), 1.5),
    case("where", MASK[0], real(2, 3), real(3)),
    case("where", np.array(False), real(), real()),
    case("where", np.zeros((0, 3), bool), real(3), real(1, 3)),
    case("clip", real(2, 3), -0.5, 0.5),
    case("clip", real(2, 3), None, 0.5),
    case("clip", real(2, 3), -0.5, None),
    case("clip", real(2, 3), a_min=-0.5, a_max=1.0),
    case("clip", real(2, 3), min=-0.5),
    case("clip", real(2, 3), min=-0.5, max=1.0),
    case("clip", real(2, 3), None, None),
    case("clip", real(2, 3), between(-1, 0, 3), between(0, 1, 2, 1)),
    case("clip", real(), between(-1, 0), between(0, 1)),
    case("clip", real(0, 3), between(-1, 0, 3), 1.0),
    case("clip", apart(5), 1.0, -1.0),  # empty interval: NumPy answers a_max
    case("nan_to_num", real(2, 3)),
    case("nan_to_num", real(0), nan=1.0, posinf=2.0, neginf=3.0),
]


@pytest.mark.parametrize(("it", "check"), harness.questions(CASES))
def test_operation(it, check):
    harness.ask(it, check)


def slopes(f, *x):
    """The derivative for each argument, as numbers."""
    answers = ad.grad(f, argnums=tuple(range(len(x))))(*x)
    return tuple(float(each) for each in answers)


@pytest.mark.parametrize("f", [ad.maximum, ad.minimum, ad.fmax, ad.fmin])
class TestTies:
    def test_each_gets_half(self, f):
        assert slopes(f, 2.0, 2.0) == (0.5, 0.5)

    def test_with_itself_the_derivative_is_1(self, f):
        assert slopes(lambda x: f(x, x), 2.0) == (1.0,)

    def test_infinities_tie_as_well(self, f):
        assert slopes(f, INF, INF) == (0.5, 0.5)
        assert slopes(f, -INF, -INF) == (0.5, 0.5)

    def test_of_two_nans_each_gets_half(self, f):
        assert slopes(f, NAN, NAN) == (0.5, 0.5)

    def test_a_kink_at_a_constant_gives_half(self, f):
        assert slopes(lambda x: f(x, 0.0), 0.0) == (0.5,)
        assert slopes(lambda x: f(0.0, x), 0.0) == (0.5,)

    def test_no_second_derivative(self, f):
        assert float(ad.grad(ad.grad(lambda x: f(x, 1.0)))(3.0)) == 0.0


def test_the_chosen_one_gets_all():
    assert slopes(ad.maximum, 1.0, 2.0) == (0.0, 1.0)
    assert slopes(ad.minimum, 1.0, 2.0) == (1.0, 0.0)
    assert slopes(ad.maximum, -INF, 2.0) == (0.0, 1.0)


def test_fmax_and_fmin_pass_nan_over():
    for f in (ad.fmax, ad.fmin):
        assert slopes(f, NAN, 2.0) == (0.0, 1.0)
        assert slopes(f, 2.0, NAN) == (1.0, 0.0)


def test_relu_is_flat_at_its_kink():
    assert [slopes(ad.relu, x)[0] for x in (-1.0, 0.0, -0.0, 1.0)] == [0.0, 0.0, 0.0, 1.0]


class TestWhere:
    def test_a_condition_computed_from_the_variable_gets_no_gradient(self):
        x = np.array([-1.0, 2.0, 0.0])
        assert ad.elementwise_grad(lambda t: np.where(t > 0, 3 * t, -t))(x).tolist() == [-1.0, 3.0, -1.0]

    def test_a_tensor_as_condition(self):
        x = ad.tensor([1.0, 2.0])
        out = ad.where(ad.tensor([1, 0]), x, 0.0)
        assert ad.gradients(out, x, np.ones(2)).tolist() == [1.0, 0.0]

    def test_an_infinite_slope_in_the_other_branch_gives_nan(self):
        answer = ad.elementwise_grad(lambda x: ad.where(x > 0, ad.sqrt(x), 0.0))(np.array([0.0, 4.0]))
        np.testing.assert_array_equal(answer, [NAN, 0.25])

    def test_the_operand_masked_as_well_gives_0(self):
        def f(x):
            safe = ad.where(x > 0, x, 1.0)
            return ad.where(x > 0, ad.sqrt(safe), 0.0)

        x = np.array([0.0, 4.0])
        assert ad.elementwise_grad(f)(x).tolist() == [0.0, 0.25]
        assert ad.elementwise_grad(ad.elementwise_grad(f))(x).tolist() == [0.0, -1 / 32]

    def test_an_infinite_gradient_stays_on_its_side(self):
        x, y = ad.tensor([1.0, 1.0]), ad.tensor([2.0, 2.0])
        out = ad.where([True, False], x, y)
        dx, dy = ad.gradients(out, [x, y], np.array([INF, 1.0]))
        assert dx.tolist() == [INF, 0.0]
        assert dy.tolist() == [0.0, 1.0]

    def test_of_a_condition_alone_is_refused(self):
        with pytest.raises(UnsupportedError, match="x is missing"):
            np.where(ad.tensor([1.0, 0.0]))


class TestClip:
    def test_at_an_active_bound_the_variable_gets_all(self):
        assert slopes(ad.clip, 0.0, 0.0, 1.0) == (1.0, 0.0, 0.0)
        assert slopes(ad.clip, 1.0, 0.0, 1.0) == (1.0, 0.0, 0.0)

    def test_beyond_it_the_bound_gets_all(self):
        assert slopes(ad.clip, -1.0, 0.0, 1.0) == (0.0, 1.0, 0.0)
        assert slopes(ad.clip, 2.0, 0.0, 1.0) == (0.0, 0.0, 1.0)

    def test_infinite_bounds_bound_nothing(self):
        assert slopes(ad.clip, 0.5, -INF, INF) == (1.0, 0.0, 0.0)

    def test_all_its_spellings(self):
        t = ad.tensor([-1.0, 0.5, 2.0])
        for out in (np.clip(t, 0, 1), np.clip(t, a_min=0, a_max=1), np.clip(t, min=0, max=1), t.clip(0, 1)):
            assert out.data.tolist() == [0.0, 0.5, 1.0]
            assert ad.gradients(out, t, np.ones(3)).tolist() == [0.0, 1.0, 0.0]

    def test_one_bound_given_twice_is_refused(self):
        with pytest.raises(OptionError, match="both a_min and min"):
            ad.clip(ad.tensor([1.0]), 0.0, 1.0, min=0.0)

    def test_integers_stay_integers(self):
        assert ad.clip(np.array([1, 5]), None, 3).dtype == np.int64
        assert ad.clip(ad.tensor([1, 5]), 2, None).data.tolist() == [2, 5]

    def test_without_bounds_it_is_a_value_of_its_own(self):
        x = np.array([1.0])
        assert ad.clip(x) is not x

    def test_out_is_refused(self):
        with pytest.raises(UnsupportedError, match="out="):
            np.clip(ad.tensor([1.0]), 0, 1, out=np.zeros(1))


class TestNanToNum:
    X = np.array([NAN, INF, -INF, 2.0])

    @pytest.mark.parametrize("options", [{}, {"nan": 7.0}, {"posinf": 1.0, "neginf": -1.0}])
    def test_numpys_values_and_no_gradient_where_one_was_put(self, options):
        t = ad.tensor(self.X)
        out = np.nan_to_num(t, **options)
        np.testing.assert_array_equal(out.data, np.nan_to_num(self.X, **options))
        assert ad.gradients(out, t, np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [0.0, 0.0, 0.0, 4.0]

    def test_a_copy_can_not_be_turned_off(self):
        with pytest.raises(UnsupportedError, match="copy="):
            np.nan_to_num(ad.tensor(self.X), copy=False)

    def test_a_tracked_replacement_is_refused(self):
        with pytest.raises(OperandError, match="'nan'"):
            ad.nan_to_num(ad.tensor(self.X), nan=ad.tensor(1.0))

"""NumPy's functions called with Tensors: served by a row, or refused by name; nothing ignored or dropped."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, tensor
from autodiff.errors import GradientError, UnsupportedError
from autodiff.ops.values import ON_VALUES as WITHOUT_DERIVATIVE
from autodiff.trees import flatten

M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

# --- served ----------------------------------------------------------------------------------------------

SERVED = {
    "a ufunc": np.exp,
    "two operands": lambda t: np.multiply(t, t),
    "an array first": lambda t: np.subtract(np.ones(3), t),
    "a list second": lambda t: np.add(t, [1.0, 2.0, 3.0]),
    "an option": lambda t: np.sum(t, axis=0),
    "an option by position": lambda t: np.sum(t, 0),
    "an option at its default": lambda t: np.sum(t, axis=None, dtype=None, out=None),
    "a ufunc's options at their defaults": lambda t: np.exp(t, where=True, casting="same_kind", order="K"),
    "out=None": lambda t: np.exp(t, out=None),
    "out=(None,)": lambda t: np.add(t, 1.0, out=(None,)),
    "tensors in a list": lambda t: np.concatenate([t, t]),
    "tensors and arrays in a list": lambda t: np.vstack([np.ones(3), t]),
    "tensors in nested lists": lambda t: np.block([[t, t], [t, t]]),
    "a tuple": lambda t: np.stack((t, t), axis=-1),
    "add.reduce": np.add.reduce,
    "add.reduce over an axis": lambda t: np.add.reduce(t, axis=1, keepdims=True),
    "add.reduce over all": lambda t: np.add.reduce(t, axis=None),
    "multiply.reduce": np.multiply.reduce,
    "maximum.reduce": lambda t: np.maximum.reduce(t, axis=-1),
    "minimum.reduce": np.minimum.reduce,
    "add.accumulate": np.add.accumulate,
    "multiply.accumulate": lambda t: np.multiply.accumulate(t, axis=1),
    "matmul": lambda t: np.matmul(t, t.T),
    "three operands": lambda t: np.where(M > 2, t, 0.0),
    "axes": lambda t: np.transpose(t, axes=(1, 0)),
    "shape only": lambda t: np.full_like(t, 2.0) + t,
}


@pytest.mark.parametrize("name", SERVED)
def test_a_call_of_numpy_answers_as_numpy(name):
    f = SERVED[name]
    t = tensor(M)
    out, want = f(t), np.asarray(f(M))
    assert type(out) is Tensor
    assert not out.constant
    assert out.dtype == want.dtype
    np.testing.assert_allclose(out.data, want, rtol=1e-15)
    assert ad.gradients(out, t, np.ones(out.shape)).shape == M.shape


# --- without a derivative: answered on the values --------------------------------------------------------

ON_VALUES = {
    "less": (lambda t: np.less(t, 3.0), M < 3),
    "isfinite": (np.isfinite, np.isfinite(M)),
    "argmax": (lambda t: np.argmax(t, axis=1), [2, 2]),
    "argsort": (np.argsort, np.argsort(M)),
    "method argmin": (lambda t: t.argmin(), 0),
    "zeros_like": (np.zeros_like, np.zeros((2, 3))),
    "ones_like": (np.ones_like, np.ones((2, 3))),
    "any": (lambda t: np.any(t > 5), True),
    "allclose": (lambda t: np.allclose(t, M), True),
    "array_equal": (lambda t: np.array_equal(M, t), True),
    "nonzero": (lambda t: np.nonzero(t)[0], [0, 0, 0, 1, 1, 1]),
    "count_nonzero": (np.count_nonzero, 6),
    "shape": (np.shape, (2, 3)),
    "searchsorted": (lambda t: np.searchsorted(t[0], 2.5), 2),
    "result_type": (np.result_type, np.float64),
}


@pytest.mark.parametrize("name", ON_VALUES)
def test_what_has_no_derivative_is_answered_with_arrays(name):
    f, want = ON_VALUES[name]
    answer = f(tensor(M))
    assert not isinstance(answer, Tensor)
    assert np.array_equal(answer, want)


# --- refused ---------------------------------------------------------------------------------------------

REFUSED = {
    "out= of a ufunc": (lambda t: np.add(t, t, out=np.zeros((2, 3))), "out="),
    "out= by position": (lambda t: np.exp(t, np.zeros((2, 3))), "out="),
    "out= that is a tensor": (lambda t: np.add(M, M, out=t), "out="),
    "array += t": (lambda t: np.zeros((2, 3)).__iadd__(t), "out="),
    "where= of a ufunc": (lambda t: np.add(t, t, where=M > 2), "where="),
    "dtype= of a ufunc": (lambda t: np.add(t, t, dtype=np.float32), "dtype="),
    "casting= of a ufunc": (lambda t: np.add(t, t, casting="unsafe"), "casting="),
    "order= of a ufunc": (lambda t: np.exp(t, order="F"), "order="),
    "subok= of a ufunc": (lambda t: np.exp(t, subok=False), "subok="),
    "where= of sum": (lambda t: np.sum(t, where=M > 2), "where="),
    "initial= of sum": (lambda t: np.sum(t, initial=3.0), "initial="),
    "dtype= of sum": (lambda t: np.sum(t, dtype=np.float32), "dtype="),
    "dtype by position": (lambda t: np.sum(t, 0, np.float32), "dtype="),
    "out= of sum": (lambda t: np.sum(t, out=np.zeros(())), "out="),
    "dtype= of the method": (lambda t: t.sum(dtype=np.float32), "dtype"),
    "initial= of reduce": (lambda t: np.add.reduce(t, initial=3.0), "initial"),
    "where= of reduce": (lambda t: np.add.reduce(t, where=M > 2), "where"),
    "dtype= of reduce": (lambda t: np.add.reduce(t, dtype=np.float32), "dtype"),
    "reduce without a rule": (np.subtract.reduce, r"np\.subtract\.reduce.*np\.add\.reduce"),
    "accumulate without a rule": (np.maximum.accumulate, r"np\.maximum\.accumulate"),
    "outer": (lambda t: np.add.outer(t, t), r"np\.add\.outer"),
    "reduceat": (lambda t: np.add.reduceat(t, [0, 1]), r"np\.add\.reduceat"),
    "at": (lambda t: np.add.at(t, [0], 1.0), r"np\.add\.at"),
    "at an array": (lambda t: np.add.at(np.zeros((2, 3)), [0], t), r"np\.add\.at"),
    "a ufunc without a row": (np.spacing, r"np\.spacing has no rule"),
    "two results": (np.modf, r"np\.modf has no rule"),
    "a function without a row": (lambda t: np.interp(t, [0, 9], [0, 9]), r"np\.interp has no rule"),
    "a function of a module": (np.fft.fft, r"fft has no rule"),
    "an operator without a row": (lambda t: divmod(t, 2.0)[0] << 1, "unsupported operand"),
    "an unknown keyword": (lambda t: t.sum(axes=0), "axes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_is_refused_by_name(name):
    f, message = REFUSED[name]
    t = tensor(M)
    with pytest.raises(TypeError, match=message):
        f(t)
    np.testing.assert_array_equal(t.data, M)


def test_a_function_without_a_row_names_close_ones_and_the_way_to_add_it():
    with pytest.raises(UnsupportedError, match=r"Close to it: .*nansum.*autodiff\.elementwise"):
        np.nancumsum(tensor(M))
    with pytest.raises(UnsupportedError, match=r"spacing\(t\.data\)"):
        np.spacing(tensor(M))


TRACKED_OPTIONS = {
    "axis": lambda t: np.sum(M * tensor(M), axis=t),
    "shape": lambda t: np.reshape(tensor(M), (t, 2)),
    "repeats": lambda t: np.repeat(tensor(M), t),
    "an index": lambda t: tensor(M)[t],
    "an index in a tuple": lambda t: tensor(M)[0, t],
    "an index in a list": lambda t: tensor(M)[[t]],
    "a shift": lambda t: np.roll(tensor(M), t),
    "an offset": lambda t: np.trace(tensor(M), t),
}


@pytest.mark.parametrize("name", TRACKED_OPTIONS)
def test_a_tracked_tensor_as_an_option_is_refused(name):
    with pytest.raises((GradientError, TypeError)):
        TRACKED_OPTIONS[name](tensor(1.0))


def test_a_constant_as_an_option_is_its_value():
    one = tensor(1)
    np.testing.assert_array_equal(np.sum(tensor(M), axis=one).data, M.sum(axis=1))
    np.testing.assert_array_equal(tensor(M)[one].data, M[1])
    np.testing.assert_array_equal(tensor(M)[tensor([1, 0])].data, M[[1, 0]])


@pytest.mark.parametrize("module", [np, np.linalg, np.fft])
def test_every_function_of_numpy_answers_or_refuses(module):
    """None may hand back an array computed from the entries, as if no gradient were lost."""
    t, wrong = tensor(M), []
    for name in set(module.__all__) - {"test", "show_config", "show_runtime"}:
        function = getattr(module, name)
        if not callable(function) or isinstance(function, type) or function in WITHOUT_DERIVATIVE:
            continue
        try:
            answer = function(t)
        except Exception:  # refused, or called with too little
            continue
        leaves, _ = flatten(answer)
        if any(isinstance(each, np.ndarray | np.floating) for each in leaves):
            wrong.append(name)
    assert not wrong

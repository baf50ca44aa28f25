"""gradients, grad, value_and_grad, elementwise_grad: which arguments, which structures, which errors."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, grad, no_grad, tensor, value_and_grad
from autodiff.errors import GradientError, OperandError, OptionError, ShapeError

X = np.array([1.0, 2.0, 3.0])
Layer = namedtuple("Layer", ["w", "b"])


def same(got, want):
    """Equal structures, equal arrays of equal dtype; plain arrays, not Tensors."""
    assert type(got) is type(want)
    if isinstance(want, dict):
        assert list(got) == list(want)
        got, want = list(got.values()), list(want.values())
    if isinstance(want, list | tuple):
        for a, b in zip(got, want, strict=True):
            same(a, b)
    else:
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype


def array(*entries):
    return np.array(entries[0] if len(entries) == 1 else entries)


# --- which argument --------------------------------------------------------------------------------------


def f(x, y, scale=1.0):
    return (x * x * y).sum() * scale


ARGNUMS = [
    (0, array(4.0, 12.0)),
    (1, array(1.0, 4.0)),
    (-1, array(1.0, 4.0)),
    ((0, 1), (array(4.0, 12.0), array(1.0, 4.0))),
    ((1, 0), (array(1.0, 4.0), array(4.0, 12.0))),
    ((1,), (array(1.0, 4.0),)),
    ((), ()),
]


@pytest.mark.parametrize(("argnums", "want"), ARGNUMS)
def test_argnums(argnums, want):
    same(grad(f, argnums)(array(1.0, 2.0), array(2.0, 3.0)), want)


def test_keyword_arguments_are_handed_on():
    same(grad(f)(array(1.0, 2.0), array(2.0, 3.0), scale=10.0), array(40.0, 120.0))
    same(grad(f)(array(1.0, 2.0), y=array(2.0, 3.0)), array(4.0, 12.0))


def test_value_and_grad():
    value, slope = value_and_grad(f, 1)(array(1.0, 2.0), array(2.0, 3.0))
    same(value, array(14.0))
    same(slope, array(1.0, 4.0))


def test_elementwise_grad():
    same(ad.elementwise_grad(lambda x: x * x * x)(X), 3 * X**2)
    same(ad.elementwise_grad(ad.elementwise_grad(lambda x: x * x * x))(X), 6 * X)
    same(ad.elementwise_grad(np.multiply, 1)(X, 2 * X), X)
    same(ad.elementwise_grad(np.multiply, (0, 1))(X, 2 * X), (2 * X, X))
    same(ad.elementwise_grad(np.exp)(np.float32(0)), np.float32([1.0])[0:1].reshape(()))


def test_the_name_and_the_docstring_stay():
    def loss(x):
        """How far off."""
        return x

    for made in (
        grad(loss),
        value_and_grad(loss),
        ad.elementwise_grad(loss),
        ad.jacobian(loss),
        ad.hvp(loss),
    ):
        assert (made.__name__, made.__doc__) == ("loss", "How far off.")


# --- structures ------------------------------------------------------------------------------------------

TREES = {
    "a number": (3.0, lambda t: t * t, array(6.0)),
    "a 0-d array": (array(3.0), lambda t: t * t, array(6.0)),
    "float32": (np.float32(3), lambda t: t * t, np.float32([6.0]).reshape(())),
    "an empty array": (np.zeros((0, 2)), lambda t: t.sum(), np.zeros((0, 2))),
    "a constant": (tensor(3.0, constant=True), lambda t: t * t, array(6.0)),
    "a list": ([1.0, X], lambda t: t[0] * t[1].sum(), [array(6.0), np.ones(3)]),
    "a tuple": ((2.0, 3.0), lambda t: t[0] * t[1], (array(3.0), array(2.0))),
    "a dict": (
        {"w": X, "b": 2.0},
        lambda t: t["w"].sum() * t["b"],
        {"w": array(2.0, 2.0, 2.0), "b": array(6.0)},
    ),
    "a dict in any order": (
        OrderedDict(b=2.0, a=3.0),
        lambda t: t["a"] * t["b"],
        OrderedDict(b=array(3.0), a=array(2.0)),
    ),
    "a named tuple": (Layer(2.0, 3.0), lambda t: t.w * t.w * t.b, Layer(array(12.0), array(4.0))),
    "nested": (
        {"layers": [Layer(2.0, 3.0), Layer(5.0, 7.0)], "rest": (), "scale": (1.0,)},
        lambda t: sum(layer.w * layer.b for layer in t["layers"]) * t["scale"][0],
        {
            "layers": [Layer(array(3.0), array(2.0)), Layer(array(7.0), array(5.0))],
            "rest": (),
            "scale": (array(41.0),),
        },
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_a_gradient_has_the_structure_of_the_argument(name):
    given, function, want = TREES[name]
    same(grad(function)(given), want)
    same(grad(lambda a, b: function(b) + a, argnums=(1, 0))(1.0, given), (want, array(1.0)))


def test_gradients_has_the_structure_of_wrt():
    w, b = tensor(X), tensor(2.0)
    out = (w * b).sum()
    same(ad.gradients(out, {"w": w, "more": [b]}), {"w": array(2.0, 2.0, 2.0), "more": [array(6.0)]})
    same(ad.gradients(out, ()), ())
    same(ad.gradients(w * b, b, g=array(1.0, 0.0, 10.0)), array(31.0))


def test_gradients_of_interior_values_and_of_the_value_itself():
    x = tensor(X)
    h = x * x
    out = h * 2
    same(ad.gradients(out, [h, out, x], np.ones(3)), [array(2.0, 2.0, 2.0), array(1.0, 1.0, 1.0), 4 * X])


def test_recorded_gradients_can_be_differentiated():
    x = tensor(X)
    first = ad.gradients((x * x * x).sum(), x, record=True)
    assert isinstance(first, Tensor)
    same(ad.gradients(first.sum(), x), 6 * X)
    unused = ad.gradients((x * x).sum(), tensor(1.0), record=True)
    assert isinstance(unused, Tensor)
    assert unused.constant


def test_a_recorded_g_gets_its_gradient_too():
    x, g = tensor(X), tensor(np.ones(3))
    pulled = ad.gradients(x * x, x, g=g, record=True)
    same(ad.gradients(pulled.sum(), g), 2 * X)


# --- arrays or Tensors -----------------------------------------------------------------------------------


def test_arrays_at_the_top():
    x = tensor(2.0)
    for answer in (
        grad(lambda x: x * x)(2.0),
        *value_and_grad(lambda x: x * x)(2.0),
        grad(lambda y: x.data * y)(1.0),
    ):
        assert type(answer) is np.ndarray


def test_tensors_where_the_answer_hangs_on_what_is_tracked():
    w = tensor(X)
    value, slope = value_and_grad(lambda y: (w * y * y).sum())(3.0)
    assert isinstance(value, Tensor)
    assert isinstance(slope, Tensor)
    (slope * 2).backward()
    np.testing.assert_array_equal(w.grad, [12.0] * 3)


def test_a_tracked_argument_gets_its_gradient():
    w = tensor(X)
    penalty = grad(lambda x: (x * x * x).sum())(w)
    penalty.sum().backward()
    np.testing.assert_array_equal(w.grad, 6 * X)


def test_what_the_gradient_does_not_depend_on_is_an_array():
    w = tensor(X)
    assert type(grad(lambda y: y * 2 + w.sum().detach())(1.0)) is np.ndarray


def test_the_caller_s_arrays_stay_apart():
    x, seen = X.copy(), []

    def keep(x):
        seen.append(x)
        return (x * 3).sum()

    slope = grad(keep)(x)
    slope[:] = 99.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(seen[0].data, X)
    same(grad(keep)(x), array(3.0, 3.0, 3.0))


def test_no_grad():
    with no_grad():
        same(grad(lambda x: (x * x).sum())(X), 2 * X)
        same(grad(grad(lambda x: x * x * x))(2.0), array(12.0))
        same(ad.jvp(lambda x: x * x, (X,), (X,))[1], 2 * X * X)
        same(ad.hvp(lambda x: (x * x * x).sum())(X, X), 6 * X * X)
        assert (tensor(1.0) * 2).constant

    def partly(x):
        with no_grad():
            frozen = x * x
        return (x * frozen).sum()

    same(grad(partly)(X), X * X)
    same(grad(lambda x: (x * ad.stop_gradient(x)).sum())(X), X)


# --- errors ----------------------------------------------------------------------------------------------

ERRORS = {
    "an array instead of a number": (lambda: grad(lambda x: x * x)(X), ShapeError, r"\(3,\).*jacobian.*vjp"),
    "one entry is no number": (lambda: grad(lambda x: x * x)(np.ones(1)), ShapeError, r"\(1,\).*jacobian"),
    "two results": (lambda: grad(lambda x: (x, x))(1.0), ShapeError, "2 arrays.*jacobian"),
    "no result": (lambda: grad(lambda x: None)(1.0), OperandError, "None"),
    "an integer": (lambda: grad(lambda x: x * x)(3), GradientError, r"argument 0.*int64.*3\.0 instead of 3"),
    "integers": (lambda: grad(lambda x: x.sum())([X, np.arange(3)]), GradientError, "int64"),
    "a boolean": (lambda: grad(lambda x: x * 1.0)(True), GradientError, "bool"),
    "the second is an integer": (lambda: grad(np.multiply, 1)(2.0, 3), GradientError, "argument 1"),
    "complex": (lambda: grad(lambda x: x * x)(1j), OperandError, "complex"),
    "text": (lambda: grad(lambda x: x * x)("a"), OperandError, "real numbers"),
    "too few arguments": (lambda: grad(lambda x: x, 1)(1.0), OptionError, "argnums=1.*1 argument"),
    "argnums too low": (lambda: grad(lambda x: x, -2)(1.0), OptionError, "argnums=-2"),
    "one argument twice": (lambda: grad(np.multiply, (0, -2))(1.0, 2.0), OptionError, "twice"),
    "a name": (lambda: grad(lambda x: x, "x")(1.0), OptionError, "'x'"),
    "only by keyword": (lambda: grad(lambda x: x)(x=1.0), OptionError, "0 arguments"),
    "wrt is an array": (
        lambda: ad.gradients(tensor(1.0) * 2, X),
        GradientError,
        "wrt takes Tensors.*ndarray",
    ),
    "out is an array": (lambda: ad.gradients(X, tensor(1.0)), GradientError, "ndarray"),
    "wrt is a constant": (lambda: ad.gradients(tensor(1.0), tensor(1)), GradientError, "int64"),
    "out is no number": (lambda: ad.gradients(tensor(X), tensor(X)), GradientError, "pass g"),
    "g of another shape": (
        lambda: ad.gradients(tensor(X), tensor(X), g=np.ones(2)),
        ShapeError,
        r"\(2,\).*\(3,\)",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        call()


def test_the_error_names_the_function():
    def volume(x):
        return x * x

    with pytest.raises(ShapeError, match="volume"):
        grad(volume)(X)
    with pytest.raises(GradientError, match="volume"):
        grad(volume)(1)


def test_a_function_that_depends_on_nothing():
    same(grad(lambda x: 3.0)(X), np.zeros(3))
    same(grad(lambda x: tensor(1.0) * 2)(np.float32(1)), np.float32([0.0]).reshape(()))
    same(ad.jvp(lambda x: 3.0, (X,), (X,))[1], array(0.0))
    same(ad.jacobian(lambda x: np.ones(2))(X), np.zeros((2, 3)))

"""What has no derivative: NumPy's answers, as arrays, whichever way it is asked."""

import numpy as np
import pytest

import autodiff as ad
from autodiff.errors import UnsupportedError
from autodiff.ops import FUNCTIONS, values

A = np.array([[3.0, -1.0, 2.0], [0.0, 2.0, -5.0]])
CALLS = {
    **dict.fromkeys(
        ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isclose"), (A, 2.0)
    ),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor", "array_equal", "array_equiv", "isin"), (A, A)
    ),
    **dict.fromkeys(("allclose",), (A, A + 1)),
    **dict.fromkeys(("argpartition",), (A, 1)),
    **dict.fromkeys(("searchsorted", "digitize"), (np.array([1.0, 2.0]), np.array([1.5, 3.0]))),
    "lexsort": (A,),
    "unravel_index": (4, (2, 3)),
    "ravel_multi_index": ((1, 1), (2, 3)),
    "bincount": (np.array([0, 2, 2]),),
}
PUBLIC = sorted(name for name, each in FUNCTIONS.items() if each.__module__ == values.__name__)


@pytest.mark.parametrize("name", PUBLIC)
def test_numpys_answer(name):
    args = CALLS.get(name, (A,))
    given = tuple(ad.tensor(arg, constant=True) if isinstance(arg, np.ndarray) else arg for arg in args)
    want = getattr(np, name)(*args)
    for got in (getattr(ad, name)(*given), getattr(ad, name)(*args)):
        assert not isinstance(got, ad.Tensor)
        if name == "empty_like":  # its entries are whatever lay there
            assert got.shape == want.shape
        else:
            np.testing.assert_equal(got, want)


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort", "any", "all"])
def test_methods(name):
    np.testing.assert_array_equal(getattr(ad.tensor(A), name)(axis=1), getattr(A, name)(axis=1))


@pytest.mark.parametrize(
    "call",
    [
        np.unique,
        np.histogram,
        lambda t: np.bincount(np.array([0, 1]), weights=t),
        ad.unique,
    ],
)
def test_no_gradient_is_lost_without_a_word(call):
    with pytest.raises(UnsupportedError, match=r"t\.data"):
        call(ad.tensor([1.0, 2.0]))

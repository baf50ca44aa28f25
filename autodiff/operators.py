"""What can be written with a value: + - * / @ ** [], methods, and NumPy's own functions, mapped to rows.

Needs ops/ (the rows) and protocols.py (how NumPy's calls are matched to them). Adds the class Operators,
from which the values of every engine from Tensor on inherit. Read in U10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff import protocols
from autodiff.errors import OperandError, UnsupportedError
from autodiff.ops import FUNCTIONS
from autodiff.ops.linalg import matmul
from autodiff.ops.pointwise import absolute, add, divide, multiply, negative, power, square, subtract
from autodiff.ops.select import index
from autodiff.ops.values import on_values

_BY_NAME: list[str] = []


def _method(name: str) -> Any:
    """The function `name` as a method."""
    _BY_NAME.append(name)

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return FUNCTIONS[name](self, *args, **options)

    method.__name__ = name
    method.__doc__ = f"autodiff.{name} of this value."
    return method


class Operators:
    """Python's operators and NumPy's functions as rows; comparisons give arrays."""

    __slots__ = ()

    _plain_values: Callable[[], Any]  # the engine's values as an array, for what has no derivative

    def __add__(self, other: Any) -> Any:  # self + other
        return add(self, other)

    def __radd__(self, other: Any) -> Any:  # other + self; sum([t, u]) starts from 0 + t
        return add(other, self)

    def __sub__(self, other: Any) -> Any:  # self - other
        return subtract(self, other)

    def __rsub__(self, other: Any) -> Any:  # other - self
        return subtract(other, self)

    def __mul__(self, other: Any) -> Any:  # self * other
        return multiply(self, other)

    def __rmul__(self, other: Any) -> Any:  # other * self
        return multiply(other, self)

    def __truediv__(self, other: Any) -> Any:  # self / other
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:  # other / self
        return divide(other, self)

    def __pow__(self, other: Any) -> Any:  # self ** other
        return square(self) if type(other) is int and other == 2 else power(self, other)

    def __rpow__(self, other: Any) -> Any:  # other ** self
        return power(other, self)

    def __matmul__(self, other: Any) -> Any:  # self @ other
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:  # other @ self
        return matmul(other, self)

    def __floordiv__(self, other: Any) -> Any:  # self // other
        return FUNCTIONS["floor_divide"](self, other)

    def __rfloordiv__(self, other: Any) -> Any:  # other // self
        return FUNCTIONS["floor_divide"](other, self)

    def __mod__(self, other: Any) -> Any:  # self % other
        return FUNCTIONS["mod"](self, other)

    def __rmod__(self, other: Any) -> Any:  # other % self
        return FUNCTIONS["mod"](other, self)

    def __neg__(self) -> Any:  # -self
        return negative(self)

    def __pos__(self) -> Any:  # +self
        return FUNCTIONS["positive"](self)

    def __abs__(self) -> Any:  # abs(self)
        return absolute(self)

    def __getitem__(self, key: Any) -> Any:  # self[key]
        return index(self, key)

    def __iter__(self) -> Iterator[Any]:
        count = len(self)  # type: ignore[arg-type]
        return (index(self, k) for k in range(count))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def __lt__(self, other: Any) -> Any:
        return on_values(np.less, (self, other))

    def __le__(self, other: Any) -> Any:
        return on_values(np.less_equal, (self, other))

    def __gt__(self, other: Any) -> Any:
        return on_values(np.greater, (self, other))

    def __ge__(self, other: Any) -> Any:
        return on_values(np.greater_equal, (self, other))

    def __eq__(self, other: object) -> Any:
        return on_values(np.equal, (self, other))

    def __ne__(self, other: object) -> Any:
        return on_values(np.not_equal, (self, other))

    __hash__ = object.__hash__

    def __setitem__(self, key: Any, value: Any) -> None:
        raise UnsupportedError(
            "x[i] = v would change a value that other values were computed from. Make a new one: "
            "where(mask, v, x), or concatenate the parts"
        )

    # --- NumPy's protocols -------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, way: str, *inputs: Any, **options: Any) -> Any:
        return protocols.call_ufunc(ufunc, way, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return protocols.call_function(function, args, options)

    # --- NumPy's methods ---------------------------------------------------------------------------

    sum = _method("sum")
    mean = _method("mean")
    var = _method("var")
    std = _method("std")
    prod = _method("prod")
    max = _method("max")
    min = _method("min")
    cumsum = _method("cumsum")
    cumprod = _method("cumprod")
    argmax = _method("argmax")
    argmin = _method("argmin")
    argsort = _method("argsort")
    any = _method("any")
    all = _method("all")
    clip = _method("clip")
    take = _method("take")
    repeat = _method("repeat")
    ravel = _method("ravel")
    flatten = _method("flatten")
    squeeze = _method("squeeze")
    swapaxes = _method("swapaxes")
    diagonal = _method("diagonal")
    trace = _method("trace")
    dot = _method("dot")
    astype = _method("astype")
    copy = _method("copy")

    # Functions that a Scalar has as methods, so that one program runs on both.
    square = _method("square")
    sqrt = _method("sqrt")
    exp = _method("exp")
    log = _method("log")
    sin = _method("sin")
    cos = _method("cos")
    tanh = _method("tanh")
    sigmoid = _method("sigmoid")
    softplus = _method("softplus")
    relu = _method("relu")
    maximum = _method("maximum")
    minimum = _method("minimum")

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """The same entries in another shape: reshape(2, 3) or reshape((2, 3))."""
        return FUNCTIONS["reshape"](self, _packed(shape), **options)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order: reversed, or transpose(1, 0, 2)."""
        return FUNCTIONS["transpose"](self, _packed(axes) if axes else None)

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """All axes reversed."""
        return FUNCTIONS["transpose"](self)

    @property
    def mT(self) -> Any:  # noqa: N802 - NumPy's name
        """The last two axes swapped."""
        if self.ndim < 2:  # type: ignore[attr-defined]
            raise OperandError(f".mT needs two axes or more; got shape {self.shape}")  # type: ignore[attr-defined]
        return FUNCTIONS["swapaxes"](self, -1, -2)


def _packed(args: tuple[Any, ...]) -> Any:
    return args[0] if len(args) == 1 and not isinstance(args[0], int | np.integer) else args


# Methods that take their operands in the row's order: an engine may put its own entries in their place.
QUICK = {
    "__add__": add,
    "__sub__": subtract,
    "__mul__": multiply,
    "__truediv__": divide,
    "__matmul__": matmul,
    "__neg__": negative,
    **{name: FUNCTIONS[name] for name in _BY_NAME if hasattr(FUNCTIONS[name], "row")},
}

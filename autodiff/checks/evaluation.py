"""A function held at its arguments: copies go in, plain numbers come out.

Adds `Point`, which both ways of differentiating numerically share: it decides what f is given, and refuses
what can't be nudged. Needs errors.py and ops/shapes.py. Read in U13.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from autodiff.errors import NumericalCheckError, OperandError, OptionError, ShapeError
from autodiff.primitive import Array, Shape

Function: TypeAlias = Callable[..., Any]
Gradients: TypeAlias = tuple[Array | None, ...]
Vary: TypeAlias = int | Sequence[int] | None

_DECIMAL_WORKS = "arithmetic, square, sqrt, exp, log10, abs and max work on Decimals"


def to_decimals(values: Array) -> Array:
    """The exact Decimal of each float, in an object array of the same shape."""
    return np.asarray(np.frompyfunc(Decimal, 1, 1)(values), dtype=object)


def choose(vary_ind: Vary, count: int) -> list[int]:
    """The positions that `vary_ind` means among `count` arguments; negative ones count from the end."""
    if vary_ind is None:
        return list(range(count))
    asked: Iterable[Any] = vary_ind if isinstance(vary_ind, Iterable) else [vary_ind]
    chosen = set()
    for index in asked:
        if isinstance(index, bool | np.bool_) or not isinstance(index, numbers.Integral):
            raise OptionError(f"vary_ind takes whole numbers (positions of arguments); got {index!r}")
        position = operator.index(index)
        if not -count <= position < count:
            raise OptionError(
                f"vary_ind={index} is out of range: f was given {count} argument{'s' * (count > 1)}, "
                f"numbered 0 to {count - 1} (or -1 to -{count} from the end)"
            )
        chosen.add(position % count)
    return sorted(chosen)


def check_step(h: Any) -> None:
    """OptionError unless `h` is a positive, finite number."""
    if not isinstance(h, numbers.Real | Decimal) or not math.isfinite(h) or h <= 0:
        raise OptionError(f"h is the step: one positive number; got {h!r}. Leave it out for the best step")


class Point:
    """f, its arguments and the upstream gradient; `point(i, values)` is f with argument i replaced.

    An argument that varies becomes float64 (or Decimal); one that stays fixed keeps its dtype if it is an
    integer or a bool, so it may be an index or a mask. What was given as a number reaches f as a number,
    what was given as an array (0-d too) as an array, and each call gets copies of its own.
    """

    def __init__(
        self,
        f: Function,
        args: Sequence[ArrayLike],
        back_grad: ArrayLike,
        vary_ind: Vary,
        kwargs: Mapping[str, Any] | None,
        as_decimal: bool = False,
    ) -> None:
        if not args:
            raise NumericalCheckError(
                "nothing to differentiate: give f at least one argument, after f itself"
            )
        self.f, self.kwargs, self.as_decimal = f, dict(kwargs or {}), as_decimal
        self.vary = choose(vary_ind, len(args))
        self.numbers = [isinstance(arg, numbers.Number | np.generic) for arg in args]
        self.values = [self._values(i, arg) for i, arg in enumerate(args)]
        self.g = self._convert(_real(back_grad, "back_grad").astype(np.float64))

    def _convert(self, values: Array) -> Array:
        return to_decimals(values) if self.as_decimal else values

    def _values(self, i: int, arg: ArrayLike) -> Array:
        values = _real(arg, f"argument {i}")
        if i in self.vary and values.dtype.kind == "b":
            raise OperandError(
                f"argument {i} is bool: true and false can't be nudged. "
                "Leave it out of vary_ind, and it stays fixed"
            )
        if i in self.vary or values.dtype.kind == "f":
            return self._convert(values.astype(np.float64))
        return values.copy()

    def __call__(self, i: int, values: Array) -> Array:
        """f with argument i replaced by `values`, as an array of its own whose shape back_grad fits."""
        inputs = [values if j == i else fixed for j, fixed in enumerate(self.values)]
        given = [v[()] if number else v.copy() for v, number in zip(inputs, self.numbers, strict=True)]
        kwargs = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self.kwargs.items()}
        if self.as_decimal:
            out = self._decimal_output(i, given, kwargs)
        else:
            out = _float_output(self.f(*given, **kwargs), np.iscomplexobj(values))
        if self.g.shape not in ((), out.shape):
            raise ShapeError(
                f"back_grad has shape {self.g.shape}, but f returned shape {out.shape}. "
                "The upstream gradient has the shape of f's result (or is one number, for every entry)"
            )
        return out

    def _decimal_output(self, i: int, given: list[Any], kwargs: dict[str, Any]) -> Array:
        try:
            out = _array(self.f(*given, **kwargs))
        except (TypeError, AttributeError) as problem:
            raise NumericalCheckError(
                f"f failed on Decimals (argument {i} nudged): {problem}. Only {_DECIMAL_WORKS}, with "
                'constants written as whole numbers or Decimal("0.5"). Otherwise use as_decimal=False'
            ) from problem
        if out.dtype.kind in "iu":
            return to_decimals(out.astype(object))
        kinds = {
            type(v).__name__ for v in out.flat if isinstance(v, bool) or not isinstance(v, Decimal | int)
        }
        if kinds:
            raise NumericalCheckError(
                f"f was given Decimals but returned {', '.join(sorted(kinds))}: the digits are lost. Only "
                f"{_DECIMAL_WORKS}; functions of `math` turn them into floats. Otherwise use as_decimal=False"
            )
        return to_decimals(out)

    def require_map(self, i: int, out_shape: Shape) -> None:
        """ShapeError unless argument i broadcasts to f's result, as it does if f maps over entries."""
        shape = self.values[i].shape
        lead = len(out_shape) - len(shape)
        fits = lead >= 0 and all(a in (1, b) for a, b in zip(shape, out_shape[lead:], strict=True))
        if not fits:
            raise ShapeError(
                f"argument {i} has shape {shape}, f's result has {out_shape}: f doesn't map over entries, so "
                "nudging all of them at once gives no derivative. Use numerical_gradient_full"
            )


def _real(value: ArrayLike, what: str) -> Array:
    """`value` as an array of real numbers (not yet copied), or an error that says what it is instead."""
    try:
        array = np.asarray(value)
    except ValueError as problem:
        raise OperandError(f"{what} is no array of numbers: {problem}") from problem
    if array.dtype.kind not in "biuf":
        shape = f" of shape {array.shape}" if array.ndim else ""
        raise OperandError(
            f"{what} must be real numbers; got {type(value).__name__}, dtype {array.dtype}{shape}. "
            "Give floats or arrays of floats (as_decimal=True makes the Decimals itself)"
        )
    return array


def _array(out: Any) -> Array:
    """What f returned, as an array (not yet copied)."""
    try:
        return np.asarray(out)
    except ValueError as problem:
        raise NumericalCheckError(f"f must return a number or an array of numbers: {problem}") from problem


def _float_output(out: Any, may_be_complex: bool) -> Array:
    array = _array(out)
    allowed = "iufc" if may_be_complex else "iuf"
    if array.dtype.kind not in allowed:
        raise NumericalCheckError(
            f"f must return {'' if may_be_complex else 'real '}numbers; it returned {type(out).__name__}, "
            f"dtype {array.dtype}. Return an array or a float; of a recorded value return its plain number"
        )
    # astype copies: f may hand out the same buffer at each call
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)

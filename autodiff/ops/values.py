"""What has no derivative: comparing, counting, finding places. NumPy's functions, given the values.

Needs primitive.py and trees.py. They answer with arrays, so nothing that is tracked goes in and comes out
untracked without being seen. Read in U10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.errors import UnsupportedError
from autodiff.primitive import ENGINES, FUNCTIONS
from autodiff.trees import flatten

_ANSWERS = """
    less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor logical_not
    isnan isinf isfinite isneginf isposinf isreal iscomplexobj isrealobj signbit isclose allclose array_equal
    array_equiv isin any all argmax argmin nanargmax nanargmin argsort argpartition argwhere nonzero
    flatnonzero count_nonzero searchsorted digitize lexsort unravel_index ravel_multi_index
    shape ndim size zeros_like ones_like empty_like
"""
# Not for a tracked Tensor: what they answer depends on its values, as a derivative would show.
_CONSTANTS = "unique bincount histogram"
# Only where NumPy asks: they are about arrays, not about numbers.
_ABOUT_ARRAYS = """
    array2string array_repr array_str result_type min_scalar_type can_cast may_share_memory shares_memory
    save savetxt
"""


def _named(names: str) -> dict[str, Callable[..., Any]]:
    return {name: getattr(np, name) for name in names.split() if hasattr(np, name)}


_FOR_CONSTANTS = set(_named(_CONSTANTS).values())
ON_VALUES = {*_named(_ANSWERS).values(), *_FOR_CONSTANTS, *_named(_ABOUT_ARRAYS).values()}


def on_values(function: Any, args: tuple[Any, ...], options: dict[str, Any] | None = None) -> Any:
    """`function` of NumPy on the values. Errors: UnsupportedError where a gradient would be lost."""
    leaves, rebuild = flatten((args, options or {}))
    plain = []
    for leaf in leaves:
        known = type(leaf) in ENGINES and hasattr(leaf, "data")
        if known and not leaf.constant and function in _FOR_CONSTANTS:
            raise UnsupportedError(
                f"np.{function.__name__} has no rule, and its answer depends on a tracked Tensor: the "
                f"gradient would be lost. Give it values: {function.__name__}(t.data)"
            )
        plain.append(leaf.data if known else leaf)
    args, options = rebuild(plain)
    return function(*args, **(options or {}))


def _public(name: str, function: Any) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        return on_values(function, args, options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"np.{name} of the values: an array, without a gradient."
    return call


for _name, _function in _named(f"{_ANSWERS} {_CONSTANTS}").items():
    FUNCTIONS[_name] = _public(_name, _function)

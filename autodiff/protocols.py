"""NumPy's calls, matched to rows: np.sin(t), np.sum(t, axis=0), np.add.reduce(t), np.ones(3) @ t.

Needs ops/. What isn't supported is refused with an error that names it: nothing is ignored, and no gradient
is dropped without a word. Read in U10.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.errors import UnsupportedError
from autodiff.ops import FUNCTIONS
from autodiff.ops.values import ON_VALUES, on_values
from autodiff.primitive import NUMPY

_REDUCED: dict[Any, str] = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}
_ACCUMULATED: dict[Any, str] = {np.add: "cumsum", np.multiply: "cumprod"}
_DEFAULTS = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "dtype": None, "out": None}


def call_ufunc(ufunc: np.ufunc, way: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `ufunc(*inputs)` or `ufunc.reduce(...)` answers where an operand belongs to an engine."""
    name = ufunc.__name__
    options = {k: v for k, v in options.items() if not (k in _DEFAULTS and v is _DEFAULTS[k])}
    if "out" in options:
        raise UnsupportedError(
            f"np.{name}(…, out=…) would write over an array without recording it: use the result instead"
        )
    if ufunc in ON_VALUES:
        return on_values(getattr(ufunc, way), inputs, options)
    if way == "__call__":
        if options:
            raise UnsupportedError(
                f"np.{name} of a Tensor doesn't take {', '.join(f'{each}=' for each in options)}; "
                "use where(mask, f(x), y) for a mask, astype for a dtype"
            )
        return _answering(ufunc)(*inputs)
    tables = {"reduce": _REDUCED, "accumulate": _ACCUMULATED}
    table = tables.get(way, {})
    if ufunc not in table:
        raise UnsupportedError(f"np.{name}.{way} has no rule; there are {_listed(_REDUCED, _ACCUMULATED)}")
    options.setdefault("axis", 0)
    return FUNCTIONS[table[ufunc]](*inputs, **options)


def _listed(*tables: dict[Any, str]) -> str:
    ways = ("reduce", "accumulate")
    return ", ".join(f"np.{u.__name__}.{way}" for way, table in zip(ways, tables, strict=True) for u in table)


def call_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What NumPy's `function(*args, **options)` answers where an operand belongs to an engine."""
    if function in ON_VALUES:
        return on_values(function, args, options)
    ours = _answering(function)
    args, options = _matched(function, args, options)
    allowed = _parameters(ours)
    for name in options:
        if allowed is not None and name not in allowed:
            raise UnsupportedError(
                f"np.{function.__name__} of a Tensor doesn't take {name}=: it has no rule for it, and what "
                f"has none is refused rather than ignored. It takes {', '.join(allowed)}"
            )
    return ours(*args, **options)


def _answering(function: Any) -> Callable[..., Any]:
    ours = NUMPY.get(function)
    if ours is None:
        name = function.__name__
        near = difflib.get_close_matches(name, FUNCTIONS, n=3)
        hint = f"Close to it: {', '.join(near)}. " if near else ""
        module = (getattr(function, "__module__", None) or "numpy").replace("numpy", "np")
        raise UnsupportedError(
            f"{module}.{name} has no rule here, so a Tensor can't pass through it. {hint}On plain values: "
            f"{name}(t.data). To add it: autodiff.elementwise or autodiff.operation declares a row"
        )
    return ours


@functools.cache
def _signature(function: Any) -> tuple[inspect.Signature | None, int, dict[str, Any]]:
    """The signature of a NumPy function, how many arguments it requires, and its defaults."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # some of NumPy's functions in C have none
        return None, 0, {}
    parameters = signature.parameters.values()
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    kinds = {each.kind for each in parameters}
    plain = not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return signature, len(parameters) - len(defaults) if plain else -1, defaults


@functools.cache
def _parameters(ours: Any) -> tuple[str, ...] | None:
    """The names that our function takes; None: any."""
    row = getattr(ours, "row", None)
    if row is not None:
        return (*row.operands, *row.options)
    parameters = inspect.signature(ours).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    return tuple(each.name for each in parameters)


def _matched(
    function: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as ours takes them: NumPy's required ones by position, others by name, no defaults."""
    signature, required, defaults = _signature(function)
    if signature is None:
        return args, options
    if len(args) == required:  # nearly always: nothing to sort out, and binding takes 20 µs
        return args, {
            k: v for k, v in options.items() if k not in defaults or not _is_default(v, defaults[k])
        }
    front: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in signature.bind(*args, **options).arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            front.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is parameter.empty and not named:
            front.append(value)
        elif not _is_default(value, parameter.default):
            named[name] = value
    return tuple(front), named


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, bool | int | float | str) and value == default)

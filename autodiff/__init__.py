"""An autodiff engine that grows file by file: Scalar first.

Names load when they are first used, so `autodiff.Scalar` runs in a Python without NumPy. The reading
order of the files, and which unit reads which, stands in README.md.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "combine_dicts": "closures",
    "ClosureScalar": "closures",
    "Scalar": "scalar",
    "GradientError": "errors",
    "reduce_broadcast": "ops.shapes",
    "finite_difference": "checks",
    "numerical_gradient": "checks",
    "numerical_gradient_full": "checks",
    "check_gradients": "checks",
    **dict.fromkeys(("draw", "step", "explain", "draw_difference", "plots"), "drawing"),
    **dict.fromkeys(("tensor", "Tensor"), "tensors"),
    **dict.fromkeys(("elementwise", "linear", "operation", "variadic"), "primitive"),
    **dict.fromkeys(("no_grad", "stop_gradient", "trace_nonfinite"), "recording"),
    "name_scope": "threads",
    "checkpoint": "checkpoints",
    **dict.fromkeys(("jacobian", "hessian", "hvp", "ggnvp"), "jacobians"),
    **dict.fromkeys(("gradients", "grad", "value_and_grad", "elementwise_grad", "vjp", "jvp"), "functional"),
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None and not name.startswith("_"):
        value = importlib.import_module("autodiff.ops").FUNCTIONS.get(name)
        if value is not None:
            if value.__module__.startswith("autodiff."):
                globals()[name] = value  # a user's own row isn't stored: it may be declared anew
            return value
    if home is None:
        raise AttributeError(
            f"module 'autodiff' has no attribute {name!r}; it has {', '.join(sorted(_HOMES))}"
        )
    value = getattr(importlib.import_module(f"autodiff.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    try:
        operations = importlib.import_module("autodiff.ops").FUNCTIONS
    except ImportError:  # a Python without NumPy: Scalar and drawing only
        operations = {}
    return sorted({*globals(), *_HOMES, *operations})

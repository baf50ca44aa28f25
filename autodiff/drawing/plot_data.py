"""What plots are given, as plain arrays: lists, arrays, Scalars and Tensors alike; and where they are drawn.

Needs NumPy and, found late, plot_axes.py. Not read in a unit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from autodiff.drawing.labels import number
from autodiff.drawing.style import LIGHT
from autodiff.errors import DrawingError, OperandError, ShapeError

Array = Any
F = TypeVar("F", bound=Callable[..., Any])

# Colour, dashes and marker change together, so that no line is known by its colour alone.
COLOURS = tuple(LIGHT[key] for key in ("parameter", "back", "output", "data", "quiet"))
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1)))
MARKERS = "osD^v"


def array_of(values: Any, what: str, ndim: int | None = None) -> Array:
    """The numbers in `values`, whatever holds them.

    >>> from autodiff import Scalar
    >>> array_of([Scalar(1.0), 2.0], "losses")
    array([1., 2.])
    """
    try:
        array = np.asarray(_plain(values), dtype=float)
    except (TypeError, ValueError) as problem:
        raise OperandError(f"{what} must be numbers; got {type(values).__name__}: {problem}") from problem
    if ndim is not None and array.ndim != ndim:
        raise ShapeError(f"{what} must have {ndim} axes; got shape {array.shape}. Reshape or pick first")
    return array


def _plain(values: Any) -> Any:
    kind = type(values).__name__
    if kind == "Tensor":
        return values.data
    if hasattr(values, "local_derivatives"):
        return values.value
    if isinstance(values, list | tuple):
        return [_plain(each) for each in values]
    return values


def curves_of(values: Any, what: str) -> dict[str, Array]:
    """One or several curves by name; "" for one without."""
    curves = values if isinstance(values, Mapping) else {"": values}
    found = {str(name): array_of(each, what, ndim=1) for name, each in curves.items()}
    if not found or not all(each.size for each in found.values()):
        raise ShapeError(f"{what} must hold at least one number; got none")
    return found


def looks(k: int) -> dict[str, Any]:
    """How curve k is drawn."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)], "linewidth": 2}


def plot(function: F) -> F:
    """Of a function that draws on `ax`: one that makes axes in our style where it is given none.

    Errors: DrawingError without matplotlib.
    """

    @functools.wraps(function)
    def draw(*args: Any, ax: Any = None, **options: Any) -> Any:
        if ax is not None:
            return function(*args, ax=ax, **options)
        try:
            import matplotlib

            from autodiff.drawing import plot_axes
        except ImportError as problem:
            raise DrawingError("plots need matplotlib: pip install matplotlib") from problem
        with matplotlib.rc_context(plot_axes.STYLE):
            return function(*args, ax=plot_axes.new_axes(), **options)

    return cast(F, draw)


def described(ax: Any, alt: str) -> Any:
    """The axes with their alt text, after that of what was drawn there before."""
    before = getattr(ax, "alt", "")
    ax.alt = f"{before} {alt}".strip()
    return ax


def short(value: float) -> str:
    """A number in an alt text.

    >>> short(0.123456)
    '0.123'
    """
    return number(float(value), 3)


def listed(texts: Sequence[str], most: int = 6) -> str:
    """The first of them, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a; b; and 1 more'
    """
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more

"""draw(): any graph of the package as a picture.

Needs picture.py and, found late, the adapter of the engine that made the graph. Read with U2, where
graphs are first drawn.
"""

from __future__ import annotations

import importlib
from typing import Any

from autodiff.drawing.picture import Drawing
from autodiff.errors import OperandError, OptionError

# The type of the value, and the module that describes its graph: it has VIEWS and describe(x, view, g, name).
# Names, not objects, so that nothing is imported before something of its kind is drawn.
ADAPTERS = {
    "autodiff.scalar.Scalar": "autodiff.drawing.scalars",
}


def draw(x: Any, view: str = "forward", g: float = 1.0, name: str | None = None) -> Drawing:
    """The graph that `x` was computed by, as a picture that a notebook shows.

    View "forward": the values. View "gradient", as on a blackboard: the gradient g that arrives at each
    node, the local derivative on each edge; it starts from `g`. `name` is what the picture calls x.

    >>> from autodiff import Scalar
    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> draw(a * b + 1, view="gradient", name="D").words
    'D = a × b + 1: value 3. Two parameters: a = 1, b = 2. Gradient: dD/da = 2, dD/db = 1.'
    """
    adapter = _adapter(x)
    if view not in adapter.VIEWS:
        raise OptionError(
            f"there is no view {view!r} of a {type(x).__name__}; there are {', '.join(adapter.VIEWS)}"
        )
    return Drawing(adapter.describe(x, view, g, name))


def _adapter(x: Any) -> Any:
    for kind in type(x).__mro__:
        if home := ADAPTERS.get(f"{kind.__module__}.{kind.__qualname__}"):
            return importlib.import_module(home)
    known = ", ".join(each.rpartition(".")[2] for each in ADAPTERS)
    if type(x).__name__ == "ClosureScalar":
        why = "a ClosureScalar, which keeps closures and no graph: compute the same with Scalar"
    else:
        shown = repr(x)
        shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
        why = f"{type(x).__name__} {shown}: pass the result of a computation, not its value"
    raise OperandError(f"draw takes a {known}; got {why}")

"""draw(): any graph of the package as a picture.

Needs picture.py and, found late, the adapter of the engine that made the graph. Read with U2, where
graphs are first drawn.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodiff.drawing import backward, forward
from autodiff.drawing.collapse import Collapse, collapsed
from autodiff.drawing.graphs import Graph
from autodiff.drawing.picture import Drawing
from autodiff.errors import OperandError, OptionError

# The type of the value, and the module that reads its graph: read(x, g, name), see graphs.py. Names, not
# objects, so that nothing is imported before something of its kind is drawn.
ADAPTERS = {
    "autodiff.scalar.Scalar": "autodiff.drawing.scalars",
    "autodiff.tensors.Tensor": "autodiff.drawing.tensors",
}
VIEWS = ("forward", "gradient", "backward")
SHOWS = ("values", "shapes")


def draw(
    x: Any,
    view: str = "forward",
    show: str = "values",
    depth: int | None = None,
    collapse: Collapse = None,
    name: str | None = None,
    g: Any = 1.0,
) -> Drawing:
    """The graph that `x` was computed by, as a picture that a notebook shows.

    View "forward": the values. View "gradient", as on a blackboard: the gradient g that arrives at each
    node, the local derivative on each edge; it starts from `g`. View "backward": the backward pass as a
    graph of its own. With `show="shapes"` arrays show their shapes only. `name` is what the picture calls x.
    A large graph is collapsed: `depth` levels of name scopes are shown open, `collapse` names scopes to
    close; True closes all that repeats, False nothing.

    >>> from autodiff import Scalar
    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> draw(a * b + 1, view="gradient", name="D").words
    'D = a × b + 1: value 3. Two parameters: a = 1, b = 2. Gradient: dD/da = 2, dD/db = 1.'
    """
    adapter = adapter_of(x)
    for given, known, what in ((view, VIEWS, "view"), (show, SHOWS, "show")):
        if given not in known:
            raise OptionError(
                f"there is no {what} {given!r} of a {type(x).__name__}; there are {', '.join(known)}"
            )
    with _no_garbage():
        if view == "backward":
            graph = adapter.read_backward(x, g, name)
            return Drawing(backward.describe(graph, show, collapsed(graph, depth, collapse)))
        graph = adapter.read(x, g if view == "gradient" else None, name)
        drawn = collapsed(graph, depth, collapse)
        return Drawing(forward.describe(graph, view, show, graph.out.gradient_text, drawn))


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Reading a graph makes many objects and no circles: to search them for some would double its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def read(x: Any, g: Any = None, name: str | None = None, what: str = "draw") -> Graph:
    """What the engine of `x` tells about its graph; with `g`, local derivatives and gradients, too.

    >>> from autodiff import Scalar
    >>> read(Scalar(2.0, name="x") * 3).out.text
    '6'
    """
    graph: Graph = adapter_of(x, what).read(x, g, name)
    return graph


def adapter_of(x: Any, what: str = "draw") -> Any:
    """The module that reads graphs of values like `x`, for `what`. Errors: OperandError."""
    for kind in type(x).__mro__:
        if home := ADAPTERS.get(f"{kind.__module__}.{kind.__qualname__}"):
            return importlib.import_module(home)
    known = " or a ".join(each.rpartition(".")[2] for each in ADAPTERS)
    if type(x).__name__ == "ClosureScalar":
        why = "a ClosureScalar, which keeps closures and no graph: compute the same with Scalar"
    else:
        shown = repr(x)
        shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
        why = f"{type(x).__name__} {shown}: pass the result of a computation, not its value"
    raise OperandError(f"{what} takes a {known}; got {why}")

"""explain(): a gradient as the sum over paths that it is, each path a product of local derivatives.

Needs views.py (which reads the graph of any engine), reckoning.py (the paths), explained.py (the words),
explained_html.py (the table) and highlight.py (the picture). Read with U4, where paths are added up by hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from autodiff.drawing import explained, explained_html, highlight
from autodiff.drawing.graphs import Graph
from autodiff.drawing.labels import tidy
from autodiff.drawing.page import page
from autodiff.drawing.picture import Drawing, write_whole
from autodiff.drawing.reckoning import Part, Reckoning
from autodiff.drawing.values import value_text
from autodiff.drawing.views import read
from autodiff.errors import GradientError, OptionError

SUFFIXES = (".html", ".txt", ".svg", ".png", ".pdf", ".dot")
MOST_PATHS = 6  # to one value
MOST_PARTS = 12  # values that are explained unasked


class Explanation:
    """Gradients taken apart, path by path. `str(e)` is the text, `e.drawing` the graph with the paths marked.

    `e.parts` has a Part for each value asked for: its gradient, the number of paths, the strongest of them. A
    notebook shows the table and the picture.

    >>> from autodiff import Scalar, explain
    >>> x = Scalar(3.0, name="x")
    >>> print(explain(x * x))
    dy/dx = 6, the sum over 2 paths:
    ① x →₁ y: 3
    ② x →₂ y: 3
    →₁, →₂: enters as operand 1, 2.
    """

    def __init__(self, graph: Graph, parts: tuple[Part, ...], left_out: int, g: str) -> None:
        self.parts = parts
        self._account = explained.Account(graph, parts, left_out, g)

    def __str__(self) -> str:
        return "\n".join(self._account.lines())

    def __repr__(self) -> str:
        return f"<Explanation: {self._account.title()}>"

    @cached_property
    def drawing(self) -> Drawing:
        """The graph with each path's edges marked by its number."""
        return Drawing(highlight.picture(self._account))

    @cached_property
    def _html(self) -> str:
        return explained_html.fragment(self._account, self.drawing.svg(), self.drawing.words)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """For notebooks: table and picture, the picture alone where HTML isn't shown, words everywhere."""
        bundle: dict[str, Any] = {"text/html": self._html, "text/plain": str(self)}
        if (png := self.drawing.png()) is None:
            return bundle, {}
        return {**bundle, "image/png": png}, {"image/png": {"alt": self.drawing.words}}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page (.html), the text (.txt), or the picture alone (.svg, .png, .pdf, .dot)."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(
                f"can't save as {path.name!r}: the name must end in one of {', '.join(SUFFIXES)}"
            )
        if suffix not in (".html", ".txt"):
            return self.drawing.save(path)
        whole = page(f"Explained: {self._account.title()}", self._html)
        return write_whole(path, (whole if suffix == ".html" else f"{self}\n").encode())


def explain(
    x: Any, wrt: Any = None, g: Any = 1.0, most: int = MOST_PATHS, name: str | None = None
) -> Explanation:
    """dx/d(each of wrt) as a sum over paths: "x → v1 → y: 2 × 3 = 6". None: all parameters.

    `wrt` is a value of the graph, a name in it (v1 too), or a list of these. Of many paths the `most`
    strongest are shown, with what they hold of the whole; all are counted, not walked. Between arrays a path
    is a product of Jacobians: shown is what it brings, found by pushing `g` along it. Nothing is freed, no
    `.grad` touched. Errors: FreedGraphError, OptionError (no such name), GradientError (a constant in wrt).

    >>> from autodiff import Scalar
    >>> x = Scalar(2.0, name="x")
    >>> print(explain(x * x.exp() * 0.5))
    dy/dx = 11.0836, the sum over 2 paths:
    ① x → v1 → v2 → y: 7.38906 × 2 × 0.5 = 7.38906
    ② x → v2 → y: 7.38906 × 0.5 = 3.69453
    v1 = exp(x); v2 = x × v1.
    """
    if not isinstance(most, int) or most < 1:
        raise OptionError(f"most={most!r}: how many paths to show, at least 1")
    graph = _named(read(x, g, name, what="explain"))
    if wrt is None:
        places: list[int | str] = [
            k for k, v in enumerate(graph.vertices) if v.kind == "parameter" and v.gradient is not None
        ]
    else:
        asked = wrt if isinstance(wrt, list | tuple) else [wrt]
        places = [_place(graph, each, type(x)) for each in asked]
    chosen = places if wrt is not None else places[:MOST_PARTS]
    reckoning = Reckoning(graph, {at for at in chosen if isinstance(at, int)})
    most = reckoning.affordable(most, max(1, len(chosen)))
    parts = tuple(
        reckoning.part(at, most) if isinstance(at, int) else Part(at, None, 0.0, 0, 0.0, ()) for at in chosen
    )
    return Explanation(graph, parts, len(places) - len(chosen), value_text(graph.out.gradient))


def _named(graph: Graph) -> Graph:
    """The graph with names for what lies between: v1, v2 …, as the stepper calls it."""
    taken = {vertex.name for vertex in graph.vertices}
    free: Iterator[str] = (f"v{k}" for k in count(1))
    names = (name for name in free if name not in taken)
    return Graph(
        tuple(
            vertex.but(name=next(names)) if vertex.symbol and not vertex.name else vertex
            for vertex in graph.vertices
        )
    )


def _place(graph: Graph, asked: Any, engine: type) -> int | str:
    """Where in the graph it stands; its name where it's a value that the result doesn't depend on."""
    if isinstance(asked, engine):
        key = getattr(asked, "_node", asked)
        found = [k for k, vertex in enumerate(graph.vertices) if vertex.key is key and key is not None]
        called = tidy(getattr(asked, "name", None) or "it")
        if key is None or (found and graph.vertices[found[0]].gradient is None):
            raise GradientError(
                f"explain: {called} is a constant, so no gradient flows to it. Give it a name as a Scalar, "
                "or make it a tensor without constant=True"
            )
        return found[0] if found else called
    found = [k for k, v in enumerate(graph.vertices) if v.name == tidy(asked) and v.gradient is not None]
    if len(found) != 1:
        names = [vertex.name for vertex in graph.vertices if vertex.name and vertex.gradient is not None]
        listed = f"{', '.join(names[:12])}{' …' if len(names) > 12 else ''}" or "nothing that is tracked"
        raise OptionError(
            f"explain: {len(found)} values of this graph are called {asked!r}: pass the one you mean itself"
            if found
            else f"explain: nothing tracked in this graph is called {tidy(asked)!r}; there is {listed}"
        )
    return found[0]

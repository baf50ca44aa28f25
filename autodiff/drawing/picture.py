"""Drawing: what `draw` gives back. It shows itself in a notebook, saves itself, and says itself in words.

Needs tiers.py and dot.py. Nothing is laid out before it is asked for, and then only once. Read with
U2, where graphs are first drawn.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from autodiff.drawing import tiers
from autodiff.drawing.description import Description
from autodiff.drawing.dot import to_dot
from autodiff.drawing.drawing_html import drawing_page
from autodiff.drawing.image import image
from autodiff.drawing.style import prefix_for
from autodiff.errors import DrawingError, OptionError

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".dot")


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file so that an existing one is replaced whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise DrawingError(
            f"can't save {path}: {problem}. Is there such a folder, and may you write to it?"
        ) from problem
    return path


class Drawing:
    """A drawn graph. `str(d)` is its DOT, `d.words` its alt text, `d.save("g.svg")` a file.

    >>> from autodiff import Scalar, draw
    >>> draw(Scalar(2.0, name="x") * 3).words
    'y = x × 3: value 6. One parameter: x = 2.'
    """

    def __init__(self, description: Description) -> None:
        self.description = description
        self._tier: str | None = None

    @property
    def words(self) -> str:
        """What the picture shows, for those who can't see it."""
        return self.description.words

    @cached_property
    def _dot(self) -> str:
        return to_dot(self.description)

    def __str__(self) -> str:
        return self._dot

    def __repr__(self) -> str:
        return f"<Drawing: {self.words}>"

    @cached_property
    def _svg(self) -> str:
        picture, self._tier = tiers.render(self.description, self._dot, "svg", self._tier)
        if picture is None:
            raise DrawingError("no tier gave an SVG")
        return picture.decode()

    def svg(self, prefix: str | None = None) -> str:
        """The picture as SVG, fit to stand inside an HTML page: no prologue, ids and classes of its own.

        These begin with `prefix`. Without one it is made from the graph, so give one to a picture that
        stands twice on a page.

        >>> from autodiff import Scalar, draw
        >>> 'id="second-title"' in draw(Scalar(2.0, name="x") * 3).svg("second")
        True
        """
        return self._svg if prefix is None else self._svg.replace(prefix_for(self._dot), prefix)

    @cached_property
    def _png(self) -> bytes | None:
        # The tier that made the SVG goes first: one that hung or failed then isn't tried again.
        picture, tier = tiers.render(self.description, self._dot, "png", self._tier)
        self._tier = self._tier or tier
        return picture

    def png(self) -> bytes | None:
        """The picture as PNG on white; None where neither a Graphviz nor matplotlib is installed."""
        return self._png

    @property
    def tier(self) -> str:
        """By what the picture was made: "dot", "graphviz-pure" or "own"."""
        self.svg()
        return self._tier or "own"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """For notebooks: an image with its alt text; bare SVG and PNG where no HTML is shown; words."""
        svg = self.svg()
        bundle: dict[str, Any] = {"text/html": image(svg, self.words), "image/svg+xml": svg}
        if (png := self.png()) is not None:
            bundle["image/png"] = png
        alts = {form: {"alt": self.words} for form in bundle if form.startswith("image/")}
        return {**bundle, "text/plain": self.words}, alts

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture; the suffix says as what. An existing file is replaced whole or not at all.

        .svg, .png, .pdf (one page of the picture's size), .html (a page with the words as well), .dot.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(
                f"can't save as {path.name!r}: the name must end in one of {', '.join(SUFFIXES)}"
            )
        return write_whole(path, self._content(suffix))

    def _content(self, suffix: str) -> bytes:
        if suffix == ".dot":
            return str(self).encode()
        if suffix == ".svg":
            return self.svg().encode()
        if suffix == ".html":
            return drawing_page(self.description, self.svg()).encode()
        form: Literal["png", "pdf"] = "png" if suffix == ".png" else "pdf"
        picture = self.png() if form == "png" else tiers.render(self.description, self._dot, form)[0]
        if picture is None:
            raise DrawingError(
                f"no {form.upper()} can be made here (or the graph is too large for one). Save as .svg, or "
                f"get one of: {tiers.HOW_TO_GET['dot']}; "
                f"{tiers.HOW_TO_GET['graphviz-pure'] + '; ' if form == 'png' else ''}pip install matplotlib"
            )
        return picture

    def to_graphviz(self) -> Any:
        """The same graph as a `graphviz.Source`, for code that uses that package."""
        try:
            import graphviz
        except ImportError as problem:
            raise DrawingError(
                "to_graphviz() needs the Python package graphviz: pip install graphviz. "
                "Without it, str(drawing) is the DOT text"
            ) from problem
        return graphviz.Source(str(self))

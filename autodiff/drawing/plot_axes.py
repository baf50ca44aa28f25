"""Axes that know what they show: a figure with alt text, light and dark, for notebooks and files.

Needs style.py (the palette) and matplotlib, which is imported when the first plot is drawn. Read by nobody
before U7, where the first loss curve is drawn.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
from html import escape
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from autodiff.drawing.image import image
from autodiff.drawing.labels import plain
from autodiff.drawing.picture import write_whole
from autodiff.drawing.style import DARK, LIGHT
from autodiff.errors import OptionError

DPI = 110
SIZE = (6.4, 4.0)
LARGEST_SVG = 600_000  # characters; of a larger one a notebook gets the PNG alone
SUFFIXES = (".svg", ".png", ".pdf")

# Each <use> of a mark says its colour again, and the mark's own can't be reached by a style sheet.
_COLOUR_OF_MARK = re.compile(r'(<defs>\s*<path [^>]*style=")stroke: #\w+(?:; )?')
STYLE: dict[Any, Any] = {
    "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["quiet"],
    "axes.labelcolor": LIGHT["ink"],
    "axes.facecolor": LIGHT["paper"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": False,
    "axes.titlesize": 11,
    "figure.facecolor": LIGHT["paper"],
    "xtick.color": LIGHT["quiet"],
    "ytick.color": LIGHT["quiet"],
    "xtick.labelcolor": LIGHT["ink"],
    "ytick.labelcolor": LIGHT["ink"],
    "legend.frameon": False,
    "font.size": 10.5,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "autodiff",  # the same data give the same file
}


class PlotAxes(Axes):
    """Axes of a figure of our own: the last line of a cell shows it, with its alt text.

    `ax.alt` says what is drawn. Such a figure isn't one of pyplot's, so nothing has to be closed.
    """

    alt: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return Plot(self.get_figure(root=True))._repr_mimebundle_()


class Plot:
    """A figure and what it says: `plots.show(ax)`. `p.alt` is the text, `p.save("loss.svg")` a file.

    >>> from autodiff import plots
    >>> plots.show(plots.loss_curve([4.0, 2.0, 1.0]))
    <Plot: Loss against step: from 4 at step 0 down to 1 at step 2.>
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    @property
    def alt(self) -> str:
        """What all axes of the figure show."""
        said = [text for ax in self.figure.axes if (text := getattr(ax, "alt", ""))]
        if len(said) == 1:
            return str(said[0])
        return " ".join(f"Plot {k} of {len(said)}: {text}" for k, text in enumerate(said, 1))

    def __repr__(self) -> str:
        return f"<Plot: {self.alt}>"

    def png(self) -> bytes:
        """The figure as PNG, on white."""
        return self._saved("png", dpi=DPI, metadata={"Description": self.alt})

    def svg(self) -> str:
        """The figure as SVG, with its alt text, for light and dark pages."""
        text = self._saved("svg", metadata={"Date": None}).decode()
        text = _COLOUR_OF_MARK.sub(r"\1", text[text.index("<svg") :])
        name = f"ad-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
        dark = "".join(
            f'.{name} [style*="{what}: {light}"],.{name} [{what}="{light}"]{{{what}:{DARK[key]}!important}}'
            for light, key in {LIGHT[key]: key for key in reversed(LIGHT)}.items()
            for what in ("fill", "stroke")
        )
        head = (
            f'<svg class="{name}" role="img" aria-labelledby="{name}-title" aria-describedby="{name}-desc" '
        )
        told = escape(plain(self.alt))
        title = escape(plain(self.alt.partition(":")[0]))
        inside = (
            f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{told}</desc>'
            f"<style>@media (prefers-color-scheme: dark){{{dark}}}</style>"
        )
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        return re.sub(r"<svg ([^>]*)>", lambda found: f"{head}{found[1]}>{inside}", text, count=1)

    def _saved(self, form: str, **options: Any) -> bytes:
        buffer = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.figure.savefig(buffer, format=form, **options)
        return buffer.getvalue()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """For notebooks: an image with its alt text; bare SVG and PNG where no HTML is shown; words."""
        png, svg = self.png(), self.svg()
        is_small = len(svg) <= LARGEST_SVG
        bundle: dict[str, Any] = {"text/html": image(svg if is_small else png, self.alt)}
        bundle |= {"image/png": png, "text/plain": self.alt}
        if is_small:
            bundle["image/svg+xml"] = svg
        return bundle, {kind: {"alt": self.alt} for kind in bundle if kind.startswith("image/")}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure; the suffix says as what. SVG and PNG carry the alt text."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(
                f"can't save as {path.name!r}: the name must end in one of {', '.join(SUFFIXES)}"
            )
        if suffix == ".svg":
            return write_whole(path, self.svg().encode())
        return write_whole(path, self.png() if suffix == ".png" else self._saved("pdf"))


def new_axes(size: tuple[float, float] = SIZE) -> Any:
    """Axes on a figure of their own, in our style.

    >>> type(new_axes()).__name__
    'PlotAxes'
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        return figure.add_subplot(axes_class=PlotAxes)


def show(ax: Any) -> Plot:
    """The figure of these axes with its alt text; one of pyplot's isn't shown a second time."""
    figure = ax.get_figure(root=True)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and not isinstance(ax, PlotAxes):
        pyplot.close(figure)
    return Plot(figure)

"""A PNG of our own layout, where matplotlib is installed; it is imported only when one is asked for.

Needs svg.py, whose measures it shares, and the light palette of style.py. Not read in a unit.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.labels import plain
from autodiff.drawing.layered import Box, Layout, Point
from autodiff.drawing.routes import curves, shaft
from autodiff.drawing.style import LIGHT, SMALL_SIZE
from autodiff.drawing.svg import (
    ARROW,
    HALO,
    MARGIN,
    arrange,
    bars,
    baselines,
    canvas,
    font_size,
    frame_text,
    label_lines,
    label_size,
    on_border,
    sheet,
    text_lines,
)
from autodiff.threads import Scope

DPI = 96.0
LARGEST = 16_000.0  # points along a side; beyond it nobody could look at the picture anyway
MOST_PIXELS = 16e6  # in a PNG; a larger one is made coarser, since it takes seconds and no notebook bears it


def own_png(description: Description) -> bytes | None:
    """The picture in our own layout as PNG on white; None without matplotlib, or where it would be huge."""
    figure = _figure(description)
    return None if figure is None else to_png(figure)


def own_pdf(description: Description) -> bytes | None:
    """The picture as PDF, with text as text; None without matplotlib, or where it would be huge."""
    figure = _figure(description)
    if figure is None:
        return None
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    FigureCanvasPdf(figure)
    buffer = io.BytesIO()
    with _quiet(), rc_context({"pdf.fonttype": 42}):  # TrueType: journals refuse Type 3
        figure.savefig(
            buffer, format="pdf", metadata={"CreationDate": None, "Title": plain(description.title)}
        )
    return buffer.getvalue()


def _figure(description: Description) -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    layout = arrange(description)
    width, height = canvas(description, layout)
    if max(width, height) > LARGEST:
        return None
    dpi = min(DPI, 72 * math.sqrt(MOST_PIXELS / (width * height)))
    figure = Figure(figsize=(width / 72, height / 72), dpi=dpi, facecolor=LIGHT["paper"])
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    left = (width - layout.width) / 2
    axes.set_xlim(-left, width - left)
    axes.set_ylim(height - MARGIN, -MARGIN)
    paint(axes, description, layout)
    return figure


def paint(axes: Any, description: Description, layout: Layout) -> None:
    """The picture on matplotlib axes, in the units and with the origin of `layout`."""
    axes.set_axis_off()
    for scope, box in layout.frames:
        _frame(axes, scope, box)
    place = {node.id: position for position, node in enumerate(description.nodes)}
    for edge, route, label in zip(description.edges, layout.routes, layout.labels, strict=True):
        ends = [(description.nodes[i], layout.boxes[i]) for i in (place[edge.source], place[edge.target])]
        start, end = on_border(*ends[0], route[0]), on_border(*ends[1], route[-1])
        _edge(axes, edge, [start, *route[1:-1], end], label)
    for node, box in zip(description.nodes, layout.boxes, strict=True):
        _node(axes, node, box)
    for line, _, y in baselines(description, layout):
        _text(axes, layout.width / 2, y, line, SMALL_SIZE, LIGHT["quiet"])


def to_png(figure: Any) -> bytes:
    """A matplotlib figure as PNG."""
    buffer = io.BytesIO()
    with _quiet():
        figure.savefig(buffer, format="png", dpi="figure")
    return buffer.getvalue()


@contextmanager
def _quiet() -> Iterator[None]:
    """A name in a script that matplotlib's font lacks shows as boxes; the picture is still worth having."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _text(axes: Any, x: float, y: float, text: str, size: float, colour: str, **more: Any) -> None:
    # 0.9: matplotlib's own DejaVu Sans runs wider than the fonts that an SVG is shown in.
    axes.text(x, y, text, fontsize=0.9 * size, color=colour, ha="center", parse_math=False, **more)


def _frame(axes: Any, scope: Scope, box: Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (box.x - box.width / 2, box.y - box.height / 2)
    border = FancyBboxPatch(corner, box.width, box.height, boxstyle="round,pad=0,rounding_size=9")
    border.set(fill=False, ec=LIGHT["constant"], lw=1.0, ls="--" if scope.mirrored else "-", zorder=0.5)
    axes.add_patch(border)
    _text(axes, box.x, frame_text(box), scope.name, SMALL_SIZE, LIGHT["quiet"], zorder=0.6)


def _edge(axes: Any, edge: Edge, points: list[Point], label: Box | None) -> None:
    from matplotlib.patches import PathPatch, Polygon, Rectangle
    from matplotlib.path import Path

    colour = LIGHT["back" if edge.backward else "quiet"]
    length, half = ARROW
    x, y = points[0] if edge.backward else points[-1]
    foot = x + length if edge.backward else x - length
    points = shaft(points, length, at_start=edge.backward)
    vertices, codes = [points[0]], [Path.MOVETO]
    for curve in curves(points):
        vertices += curve
        codes += [Path.CURVE4] * 3
    dashes = (2, 3) if edge.state == "later" else (5, 2.5) if edge.backward else (1, 2.5)
    dashed = edge.state == "later" or edge.backward or edge.kept
    style: Any = (0, dashes) if dashed else "solid"
    look: dict[str, Any] = {"ec": colour, "zorder": 1, "alpha": 0.55 if edge.state == "later" else 1.0}
    thick = 2.6 if edge.state == "now" else 1.3
    axes.add_patch(PathPatch(Path(vertices, codes), fill=False, lw=thick, ls=style, **look))
    axes.add_patch(Polygon([(x, y), (foot, y - half), (foot, y + half)], fc=colour, **look))
    if label and edge.label:
        corner = (label.x - label.width / 2, label.y - label.height / 2)
        axes.add_patch(Rectangle(corner, label.width, label.height, fc=LIGHT["paper"], lw=0, zorder=2))
        for line, y in label_lines(edge, label):
            _text(axes, label.x, y, line, label_size(edge), colour, zorder=2.1)


def _node(axes: Any, node: NodeBox, box: Box) -> None:
    from matplotlib.patches import Rectangle

    dashes: Any = (0, (2, 3)) if node.state == "later" else (0, (5, 2.5))
    look: dict[str, Any] = {
        "fc": LIGHT[f"{node.kind}-fill"],
        "ec": LIGHT["alarm" if node.alarm else node.kind],
        "lw": 3.5 if node.alarm else 1.0,
        "ls": dashes if node.state == "later" or node.kind == "gradient" else "solid",
        "zorder": 3,
    }
    for patch in _outlines(node, box, look):
        axes.add_patch(patch)
    for line, role, y in text_lines(node, box):
        if role != "strip":
            colour = LIGHT["back"] if role == "gradient" else LIGHT["ink"]
            weight = "bold" if role == "symbol" else "normal"
            _text(axes, box.x, y, line, font_size(node), colour, weight=weight, zorder=4)
            continue
        for what, bar in bars(node, box.x, y):
            colour = LIGHT[{"up": "parameter", "down": "back", "odd": "ink"}[what]]
            corner = (bar.x - bar.width / 2, bar.y - bar.height / 2)
            axes.add_patch(Rectangle(corner, bar.width, bar.height, fc=colour, lw=0, zorder=4))


def _outlines(node: NodeBox, box: Box, look: dict[str, Any]) -> Iterator[Any]:
    from matplotlib.patches import Ellipse, FancyBboxPatch, Polygon

    def rectangle(inset: float, radius: float) -> Any:
        corner = (box.x - box.width / 2 + inset, box.y - box.height / 2 + inset)
        style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        return FancyBboxPatch(corner, box.width - 2 * inset, box.height - 2 * inset, boxstyle=style, **look)

    if node.state == "now":
        around = rectangle(-HALO, 12)
        around.set(fill=False, ec=LIGHT["ink"], lw=2.5, ls="solid", zorder=2.5)
        yield around
    if node.kind == "parameter":
        yield Ellipse((box.x, box.y), box.width, box.height, **look)
    elif node.kind == "data":
        outline, fold = sheet(box)
        yield Polygon(outline, **look)
        yield Polygon(fold, closed=False, fill=False, ec=look["ec"], lw=1.0, zorder=3)
    else:
        yield rectangle(0.0, 0 if node.kind == "constant" else 7)
    if node.doubled:
        yield rectangle(3.0, 4)

"""A PNG of our own layout, where matplotlib is installed; it is imported only when one is asked for.

Needs svg.py, whose measures it shares, and the light palette of style.py. Not read in a unit.
"""

from __future__ import annotations

import io
import warnings
from itertools import pairwise
from typing import Any

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.layered import Box, Layout, Point
from autodiff.drawing.style import FONT_SIZE, LIGHT, SMALL_SIZE
from autodiff.drawing.svg import (
    ARROW,
    HALO,
    MARGIN,
    arrange,
    baselines,
    canvas,
    font_size,
    on_border,
    text_lines,
)

DPI = 96.0
LARGEST = 16_000.0  # points along a side; beyond it nobody could look at the picture anyway


def own_png(description: Description) -> bytes | None:
    """The picture in our own layout as PNG on white; None without matplotlib, or where it would be huge."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    layout = arrange(description)
    width, height = canvas(description, layout)
    if max(width, height) > LARGEST:
        return None
    figure = Figure(figsize=(width / 72, height / 72), dpi=DPI, facecolor=LIGHT["paper"])
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    left = (width - layout.width) / 2
    axes.set_xlim(-left, width - left)
    axes.set_ylim(height - MARGIN, -MARGIN)
    paint(axes, description, layout)
    return to_png(figure)


def paint(axes: Any, description: Description, layout: Layout) -> None:
    """The picture on matplotlib axes, in the units and with the origin of `layout`."""
    axes.set_axis_off()
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
    with warnings.catch_warnings():
        # A name in a script that matplotlib's font lacks shows as boxes; the picture is still worth having.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="png", dpi=DPI)
    return buffer.getvalue()


def _text(axes: Any, x: float, y: float, text: str, size: float, colour: str, **more: Any) -> None:
    # 0.9: matplotlib's own DejaVu Sans runs wider than the fonts that an SVG is shown in.
    axes.text(x, y, text, fontsize=0.9 * size, color=colour, ha="center", parse_math=False, **more)


def _edge(axes: Any, edge: Edge, points: list[Point], label: Box | None) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    colour = LIGHT["back" if edge.backward else "quiet"]
    length, half = ARROW
    x, y = points[0] if edge.backward else points[-1]
    foot = x + length if edge.backward else x - length
    points[0 if edge.backward else -1] = (foot, y)
    vertices, codes = [points[0]], [Path.MOVETO]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) / 2
        vertices += [(middle, y0), (middle, y1), (x1, y1)]
        codes += [Path.CURVE4] * 3
    style: Any = (0, (2, 3)) if edge.state == "later" else (0, (5, 2.5)) if edge.backward else "solid"
    look: dict[str, Any] = {"ec": colour, "zorder": 1, "alpha": 0.55 if edge.state == "later" else 1.0}
    thick = 2.6 if edge.state == "now" else 1.3
    axes.add_patch(PathPatch(Path(vertices, codes), fill=False, lw=thick, ls=style, **look))
    axes.add_patch(Polygon([(x, y), (foot, y - half), (foot, y + half)], fc=colour, **look))
    if label and edge.label:
        paper = {"facecolor": LIGHT["paper"], "edgecolor": "none", "pad": 1.5}
        _text(axes, label.x, label.y + 0.35 * FONT_SIZE, edge.label, FONT_SIZE, colour, bbox=paper, zorder=2)


def _node(axes: Any, node: NodeBox, box: Box) -> None:
    from matplotlib.patches import Ellipse, FancyBboxPatch

    look: dict[str, Any] = {
        "fc": LIGHT[f"{node.kind}-fill"],
        "ec": LIGHT["alarm" if node.alarm else node.kind],
        "lw": 3.5 if node.alarm else 1.0,
        "ls": (0, (2, 3)) if node.state == "later" else "solid",
        "zorder": 3,
    }
    if node.state == "now":
        corner = (box.x - box.width / 2 - HALO, box.y - box.height / 2 - HALO)
        around = FancyBboxPatch(
            corner, box.width + 2 * HALO, box.height + 2 * HALO, boxstyle="round,pad=0,rounding_size=12"
        )
        around.set(fill=False, ec=LIGHT["ink"], lw=2.5, zorder=2.5)
        axes.add_patch(around)
    if node.kind == "parameter":
        axes.add_patch(Ellipse((box.x, box.y), box.width, box.height, **look))
    else:
        for inset in (0.0, 3.0) if node.kind == "output" else (0.0,):
            width, height = box.width - 2 * inset, box.height - 2 * inset
            shape = "square,pad=0" if node.kind == "constant" else f"round,pad=0,rounding_size={7 - inset}"
            corner = (box.x - width / 2, box.y - height / 2)
            axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle=shape, **look))
    for line, role, y in text_lines(node, box):
        colour = LIGHT["back"] if role == "gradient" else LIGHT["ink"]
        weight = "bold" if role == "symbol" else "normal"
        _text(axes, box.x, y, line, font_size(node), colour, weight=weight, zorder=4)

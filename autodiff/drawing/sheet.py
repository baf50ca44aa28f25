"""Frames of a stepper side by side on one PNG, for places that show nothing else; made by matplotlib.

Needs raster.py, which paints each of them, and story.py. Not read in a unit.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import Any

from autodiff.drawing.layered import Layout
from autodiff.drawing.raster import DPI, LARGEST, paint, to_png
from autodiff.drawing.story import Frame
from autodiff.drawing.style import LIGHT, SMALL_SIZE
from autodiff.drawing.svg import LINE, MARGIN

MOST_FRAMES = 9
MOST_THINGS = 300  # nodes and edges painted in all; matplotlib takes some 10 ms for each
WIDTH = 1_300.0  # points that the sheet may be wide, if one frame isn't wider by itself
GAP = 40.0
NARROWEST = 300.0  # so that the words beside a small graph fit


def contact_sheet(frames: Sequence[Frame], layouts: Sequence[Layout]) -> bytes | None:
    """Up to MOST_FRAMES frames in reading order, each above its words; None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    chosen = _spread(frames)
    inner = max([NARROWEST, *(layouts[k].width for k in chosen)])
    texts = {k: _words(frames[k], inner) for k in chosen}
    across = min(len(chosen), max(1, int(WIDTH // (inner + GAP))))
    rows = [chosen[k : k + across] for k in range(0, len(chosen), across)]
    picture = max(layouts[k].height for k in chosen) + 2 * MARGIN
    tops = [0.0]
    for row in rows:
        tops.append(tops[-1] + picture + LINE * SMALL_SIZE * max(len(texts[k]) for k in row) + GAP)
    width, height = across * (inner + GAP), tops[-1]
    if max(width, height) > LARGEST:
        return None
    figure = Figure(figsize=(width / 72, height / 72), dpi=DPI, facecolor=LIGHT["paper"])
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for row, top in zip(rows, tops, strict=False):
        for column, k in enumerate(row):
            left = column * (inner + GAP) + GAP / 2
            _cell(figure, frames[k], layouts[k], (left, top + MARGIN), (width, height))
            _write(axes, texts[k], left, top + picture)
        if top:
            axes.plot([0, width], [top - GAP / 4] * 2, color=LIGHT["quiet"], linewidth=0.5)
    return _small(to_png(figure))


def _spread(frames: Sequence[Frame]) -> list[int]:
    """At most MOST_FRAMES of them, evenly; the last always, the first where three have room."""
    last, picture = len(frames) - 1, frames[-1].description
    most = max(2, min(MOST_FRAMES, MOST_THINGS // (len(picture.nodes) + len(picture.edges))))
    if last < most:
        return list(range(last + 1))
    return [round(k * last / (most - 1)) for k in range(most)] if most > 2 else [last // 2, last]


def _words(frame: Frame, width: float) -> list[str]:
    letters = int(width / (0.56 * SMALL_SIZE))
    said = [frame.heading, *frame.formulas, *([frame.bills] if frame.bills else [])]
    return [line for text in said for line in textwrap.wrap(text, letters) or [""]]


def _write(axes: Any, lines: Sequence[str], left: float, top: float) -> None:
    """The words of a frame, its heading first."""
    for k, text in enumerate(lines):
        look = {"fontsize": 0.9 * SMALL_SIZE, "color": LIGHT["ink"], "weight": "normal" if k else "bold"}
        axes.text(left, top + LINE * SMALL_SIZE * (k + 1), text, parse_math=False, **look)


def _cell(
    figure: Any, frame: Frame, layout: Layout, corner: tuple[float, float], sheet: tuple[float, float]
) -> None:
    """The picture of one frame with its upper left corner there, on axes of its own in the layout's units."""
    (left, top), (width, height) = corner, sheet
    box = left / width, 1 - (top + layout.height) / height, layout.width / width, layout.height / height
    axes = figure.add_axes(box)
    axes.set_xlim(0, layout.width)
    axes.set_ylim(layout.height, 0)
    paint(axes, frame.description, layout)
    for artist in axes.get_children():
        artist.set_clip_on(False)  # the line around the node at work may stand over the edge


def _small(png: bytes) -> bytes:
    """The same with a palette, a third of the size; Pillow is there wherever matplotlib is."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(64).save(buffer, format="png", optimize=True)
    return buffer.getvalue()

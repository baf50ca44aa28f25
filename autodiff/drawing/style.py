"""How pictures look: one palette for light and dark, one style sheet, one frame around every SVG.

Needs description.py. Adds the colours (after Okabe and Ito, told apart by the colour-blind; text has a
contrast above 4.5) and the accessible frame. Nothing here is read in a unit.
"""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ET
from typing import get_args

from autodiff.drawing.description import Description, Kind
from autodiff.drawing.labels import plain

FONTS = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
FONT_SIZE, SMALL_SIZE = 14.0, 11.0
SMALLEST = 0.7  # of its size that a wide picture may shrink to

LIGHT = {
    "paper": "#ffffff", "ink": "#1a1a1a", "quiet": "#595959", "back": "#a84300",
    "parameter": "#0072b2", "parameter-fill": "#e3f1fa", "constant": "#767676", "constant-fill": "#f4f4f4",
    "operation": "#404040", "operation-fill": "#ffffff", "output": "#00734f", "output-fill": "#e0f4ec",
    "data": "#8a3f73", "data-fill": "#f9edf5", "gradient": "#a84300", "gradient-fill": "#fff3e8",
    "alarm": "#a84300",
}  # fmt: skip
DARK = {
    "paper": "#16191d", "ink": "#f2f2f2", "quiet": "#b8b8b8", "back": "#f0ad3d",
    "parameter": "#56b4e9", "parameter-fill": "#10344b", "constant": "#9a9a9a", "constant-fill": "#23272c",
    "operation": "#c8c8c8", "operation-fill": "#23272c", "output": "#35c99a", "output-fill": "#0d3b2d",
    "data": "#dd9cc3", "data-fill": "#3a2033", "gradient": "#f0ad3d", "gradient-fill": "#38270d",
    "alarm": "#f0ad3d",
}  # fmt: skip


def css(prefix: str) -> str:
    """The style sheet of one picture: every rule begins with its class, so that pages may hold several.

    >>> css("ad-1").startswith(".ad-1 text{")
    True
    """
    fixed = (
        f".{prefix} text{{font-family:{FONTS};font-size:{FONT_SIZE}px;text-anchor:middle;stroke:none}}"
        f".{prefix} .constant text,.{prefix} .caption,.{prefix} .note{{font-size:{SMALL_SIZE}px}}"
        f".{prefix} .symbol{{font-weight:bold}}"
        f".{prefix} .line{{fill:none;stroke-width:1.3}}"
        f".{prefix} .backward .line,.{prefix} .node.gradient .shape{{stroke-dasharray:6 3}}"
        f".{prefix} .kept .line{{stroke-dasharray:1.5 3.5}}"
        f".{prefix} .bar{{stroke:none}}"
        f".{prefix} .border{{fill:none;stroke-width:1}}.{prefix} .backward .border{{stroke-dasharray:6 3}}"
        f".{prefix} .alarm .shape{{stroke-width:3.5}}"
        f".{prefix} .node .rim{{fill:none;stroke-width:1}}"
        f".{prefix} .node .halo{{fill:none;stroke-width:2.5}}"
        f".{prefix} .now .line{{stroke-width:2.6}}"
        f".{prefix} .later .shape,.{prefix} .later .line{{stroke-dasharray:2 3}}"
        f".{prefix} .later .line,.{prefix} .later .head{{opacity:.55}}"
        f".{prefix} .labels text{{paint-order:stroke;stroke-width:6;stroke-linejoin:round}}"
    )
    dark = _colours(prefix, DARK)
    return f"{fixed}{_colours(prefix, LIGHT)}@media (prefers-color-scheme: dark){{{dark}}}"


def _colours(prefix: str, palette: dict[str, str]) -> str:
    rules = [
        (".paper", f"fill:{palette['paper']};stroke:none"),
        ("text", f"fill:{palette['ink']}"),
        (".caption", f"fill:{palette['quiet']}"),
        (".note", f"fill:{palette['quiet']}"),
        (".line", f"stroke:{palette['quiet']}"),
        (".head", f"fill:{palette['quiet']};stroke:{palette['quiet']}"),
        (".backward .line", f"stroke:{palette['back']}"),
        (".backward .head", f"fill:{palette['back']};stroke:{palette['back']}"),
        (".gradient", f"fill:{palette['back']}"),
        *(
            (f".{kind} .shape", f"fill:{palette[kind + '-fill']};stroke:{palette[kind]}")
            for kind in get_args(Kind)
        ),
        *((f".{kind} .rim", f"stroke:{palette[kind]}") for kind in ("output", "data", "gradient")),
        (".up", f"fill:{palette['parameter']}"),
        (".down", f"fill:{palette['back']}"),
        (".odd", f"fill:{palette['ink']}"),
        (".border", f"stroke:{palette['constant']}"),
        (".halo", f"stroke:{palette['ink']}"),
        (".alarm .shape", f"stroke:{palette['alarm']}"),
        (".labels text", f"stroke:{palette['paper']}"),
    ]
    return "".join(f".{prefix} {what}{{{how}}}" for what, how in rules)


def prefix_for(dot: str) -> str:
    """A class and id prefix of its own for each picture, the same whenever it is drawn again.

    >>> prefix_for("digraph {}") == prefix_for("digraph {}") != prefix_for("digraph { a }")
    True
    """
    return f"ad-{hashlib.sha256(dot.encode()).hexdigest()[:10]}"


def fitting(width: float) -> str:
    """How a picture fits a page: a wide one shrinks, but not so far that nobody can read it.

    >>> fitting(1000)
    'max-width:100%;min-width:700px;height:auto'
    """
    return f"max-width:100%;min-width:{min(width, max(SMALLEST * width, 600.0)):.0f}px;height:auto"


def frame(description: Description, prefix: str, width: float, height: float, view_box: str) -> ET.Element:
    """An empty SVG with title, description for screen readers and style sheet; the picture goes inside.

    >>> empty = frame(Description("x", "x = 3", (), ()), "ad-1", 10, 20, "0 0 10 20")
    >>> [child.tag for child in empty]
    ['title', 'desc', 'style']
    """
    svg = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": prefix,
            "role": "img",
            "aria-labelledby": f"{prefix}-title",
            "aria-describedby": f"{prefix}-desc",
            "width": f"{width:g}",
            "height": f"{height:g}",
            "viewBox": view_box,
            "style": fitting(width),
        },
    )
    ET.SubElement(svg, "title", {"id": f"{prefix}-title"}).text = plain(description.title)
    ET.SubElement(svg, "desc", {"id": f"{prefix}-desc"}).text = plain(description.words)
    ET.SubElement(svg, "style").text = css(prefix)
    return svg

"""Writes a picture as SVG in our own layout.

Needs description.py, layered.py and style.py. reframe.py ends in the same classes, so that one style
sheet, light and dark, serves every tier. Not read in a unit.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.labels import plain, text_width
from autodiff.drawing.layered import Box, Layout, Link, Point, Size, lay_out
from autodiff.drawing.nested import lay_out_nested
from autodiff.drawing.routes import curves, shaft
from autodiff.drawing.style import FONT_SIZE, SMALL_SIZE, frame
from autodiff.threads import Scope

MARGIN = 10.0
ARROW = (8.0, 3.5)  # length, half the width
HALO = 5.0  # how far the line around the node at work stands off
LINE = 1.25  # height of a line of text, in font sizes
FOLD = 8.0  # of the corner of a sheet of data
BAR = 6.0  # width of a cell of a heat strip


def font_size(node: NodeBox) -> float:
    """Constants are written small."""
    return SMALL_SIZE if node.kind == "constant" else FONT_SIZE


def label_size(edge: Edge) -> float:
    """The shapes on an edge that goes forward are written small."""
    return FONT_SIZE if edge.backward else SMALL_SIZE


def bars(node: NodeBox, x: float, y: float) -> Iterator[tuple[str, Box]]:
    """The cells of a heat strip around x, standing on y: up from the middle for +, down for −."""
    height, left = 0.85 * FONT_SIZE, x - BAR * len(node.strip) / 2
    middle = y - height / 2 + 2
    for k, cell in enumerate(node.strip):
        at = left + BAR * (k + 0.5)
        if cell is None:
            yield "odd", Box(at, middle, BAR - 1, height)
        else:
            tall = max(abs(cell) * height / 2, 0.6)
            sign = -1 if cell >= 0 else 1
            yield "up" if cell >= 0 else "down", Box(at, middle + sign * tall / 2, BAR - 1, tall)


def _line_width(node: NodeBox, line: int) -> float:
    if node.role(line) == "strip":
        return BAR * len(node.strip)
    return text_width(node.lines[line], font_size(node), bold=node.role(line) == "symbol")


def _size(node: NodeBox) -> Size:
    size = font_size(node)
    width = max(_line_width(node, k) for k in range(len(node.lines)))
    height = LINE * size * len(node.lines)
    if node.kind == "parameter":  # the corners of the text must lie inside an ellipse
        return 1.25 * width + 12, 1.4 * height + 8
    if node.kind == "constant":
        return width + 8, height + 4
    if node.kind == "data":
        return width + 20, height + 12
    return max(width + 18, 34.0), height + 10


def _label_size(edge: Edge) -> Size:
    width = max(text_width(line, label_size(edge)) for line in edge.lines)
    return width + 6, LINE * FONT_SIZE * len(edge.lines)


def label_lines(edge: Edge, box: Box) -> Iterator[tuple[str, float]]:
    """Each line of an edge's label, with the y of its foot."""
    size = label_size(edge)
    for position, line in enumerate(edge.lines):
        yield line, box.y + size * (LINE * (position - (len(edge.lines) - 1) / 2) + 0.35)


def arrange(description: Description) -> Layout:
    """Our own layout of a description.

    >>> arrange(Description("x", "", (NodeBox("n0", "parameter", ("x = 3",)),), ())).routes
    ()
    """
    place = {node.id: position for position, node in enumerate(description.nodes)}
    kinds = {node.id: node.kind for node in description.nodes}
    links = [
        Link(
            place[edge.source],
            place[edge.target],
            _label_size(edge) if edge.label else None,
            edge.backward and kinds[edge.source] == "gradient",
        )
        for edge in description.edges
    ]
    below = description.below
    bands = [int(node.id in below) for node in description.nodes]
    sizes = [_size(node) for node in description.nodes]
    if any(node.scope for node in description.nodes):
        return lay_out_nested(sizes, links, bands, [node.scope for node in description.nodes])
    return lay_out(sizes, links, bands)


def canvas(description: Description, layout: Layout) -> Size:
    """Width and height of the whole picture: layout, margin and caption."""
    caption = max((text_width(line, SMALL_SIZE) for line in description.caption), default=0.0)
    below = LINE * SMALL_SIZE * len(description.caption) + (MARGIN if description.caption else 0.0)
    return max(layout.width, caption) + 2 * MARGIN, layout.height + below + 2 * MARGIN


def baselines(description: Description, layout: Layout) -> Iterator[tuple[str, float, float]]:
    """The caption's lines, each with the x of its middle and the y of its foot."""
    width, _ = canvas(description, layout)
    for position, line in enumerate(description.caption):
        yield line, width / 2 - MARGIN, layout.height + MARGIN + LINE * SMALL_SIZE * (position + 0.8)


def text_lines(node: NodeBox, box: Box) -> Iterator[tuple[str, str, float]]:
    """Each line of a node, with its role and the y of its foot."""
    size = font_size(node)
    for position, line in enumerate(node.lines):
        yield line, node.role(position), box.y + size * (LINE * (position - (len(node.lines) - 1) / 2) + 0.35)


def frame_text(box: Box) -> float:
    """The foot of a frame's name."""
    return box.y - box.height / 2 + SMALL_SIZE + 2


def on_border(node: NodeBox, box: Box, point: Point) -> Point:
    """The point of a route's end, moved from the bounding box onto the ellipse inside it."""
    if node.kind != "parameter":
        return point
    x, y = point
    reach = math.sqrt(max(0.0, 1 - ((y - box.y) / (box.height / 2)) ** 2)) * box.width / 2
    return (box.x + reach if x > box.x else box.x - reach), y


def own_svg(description: Description, prefix: str, layout: Layout | None = None) -> str:
    """The picture in our own layout; with `layout`, which must have as many nodes and edges, in that.

    >>> own_svg(Description("x", "", (NodeBox("n0", "parameter", ("x = 3",)),), ()), "ad-1")[:4]
    '<svg'
    """
    layout = layout or arrange(description)
    width, height = canvas(description, layout)
    left = (width - layout.width) / 2
    view_box = f"{-left:.1f} {-MARGIN:.1f} {width:.1f} {height:.1f}"
    svg = frame(description, prefix, round(width), round(height), view_box)
    paper = {"x": f"{-left:.1f}", "y": f"{-MARGIN:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    ET.SubElement(svg, "rect", {"class": "paper", "rx": "6", **paper})
    for scope, box in layout.frames:
        group = ET.SubElement(svg, "g", {"class": frame_class(scope)})
        _rect(group, "border", box, 9.0)
        _text(group, scope.name, "note", box.x, frame_text(box))
    place = {node.id: position for position, node in enumerate(description.nodes)}
    for edge, route, label in zip(description.edges, layout.routes, layout.labels, strict=True):
        ends = [(description.nodes[i], layout.boxes[i]) for i in (place[edge.source], place[edge.target])]
        start, end = on_border(*ends[0], route[0]), on_border(*ends[1], route[-1])
        _draw_edge(svg, edge, (start, *route[1:-1], end), label)
    for node, box in zip(description.nodes, layout.boxes, strict=True):
        _draw_node(svg, node, box)
    for line, x, y in baselines(description, layout):
        _text(svg, line, "caption", x - (width / 2 - MARGIN) + layout.width / 2, y)
    return ET.tostring(svg, encoding="unicode")


def _text(parent: ET.Element, text: str, role: str, x: float, y: float) -> None:
    ET.SubElement(parent, "text", {"class": role, "x": f"{x:.1f}", "y": f"{y:.1f}"}).text = plain(text)


def _draw_edge(svg: ET.Element, edge: Edge, route: tuple[Point, ...], label: Box | None) -> None:
    group = ET.SubElement(svg, "g", {"class": edge_class(edge)})
    length, half = ARROW
    (x, y), tip = (route[0], -length) if edge.backward else (route[-1], length)
    points = shaft(route, length, at_start=edge.backward)
    path = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    path += [f"C{' '.join(f'{x:.1f},{y:.1f}' for x, y in curve)}" for curve in curves(points)]
    ET.SubElement(group, "path", {"class": "line", "d": "".join(path)})
    head = f"{x:.1f},{y:.1f} {x - tip:.1f},{y - half:.1f} {x - tip:.1f},{y + half:.1f}"
    ET.SubElement(group, "polygon", {"class": "head", "points": head})
    if label and edge.label:
        # Paper behind the text: it stands on its own line, which must not strike it through.
        _rect(group, "paper", label, 0.0)
        for line, y in label_lines(edge, label):
            _text(group, line, "gradient" if edge.backward else "note", label.x, y)


def frame_class(scope: Scope) -> str:
    """The classes by which the style sheet finds the frame around a scope."""
    return f"frame{' backward' * scope.mirrored}"


def edge_class(edge: Edge) -> str:
    """The classes by which the style sheet finds an edge."""
    return f"edge{' backward' * edge.backward}{' kept' * edge.kept} {edge.state}".rstrip()


def _rect(parent: ET.Element, role: str, box: Box, radius: float, inset: float = 0.0) -> None:
    width, height = box.width - 2 * inset, box.height - 2 * inset
    corner = {"x": f"{box.x - width / 2:.1f}", "y": f"{box.y - height / 2:.1f}"}
    size = {"width": f"{width:.1f}", "height": f"{height:.1f}", "rx": f"{radius:g}"}
    ET.SubElement(parent, "rect", {"class": role, **corner, **size})


def node_class(node: NodeBox) -> str:
    """The classes by which the style sheet finds a node."""
    return f"node {node.kind}{' alarm' * node.alarm} {node.state}".rstrip()


def sheet(box: Box) -> tuple[list[Point], list[Point]]:
    """A sheet of paper with its corner folded: the outline, and the fold."""
    left, right = box.x - box.width / 2, box.x + box.width / 2
    top, bottom = box.y - box.height / 2, box.y + box.height / 2
    cut, inner = (right - FOLD, top), (right - FOLD, top + FOLD)
    return [(left, top), cut, (right, top + FOLD), (right, bottom), (left, bottom)], [
        cut,
        inner,
        (right, top + FOLD),
    ]


def _draw_node(svg: ET.Element, node: NodeBox, box: Box) -> None:
    group = ET.SubElement(svg, "g", {"class": node_class(node)})
    if node.state == "now":
        _rect(group, "halo", box, 12.0, inset=-HALO)
    if node.kind == "parameter":
        centre = {"cx": f"{box.x:.1f}", "cy": f"{box.y:.1f}"}
        radii = {"rx": f"{box.width / 2:.1f}", "ry": f"{box.height / 2:.1f}"}
        ET.SubElement(group, "ellipse", {"class": "shape", **centre, **radii})
    elif node.kind == "data":
        for tag, role, points in zip(("polygon", "polyline"), ("shape", "rim"), sheet(box), strict=True):
            text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            ET.SubElement(group, tag, {"class": role, "points": text})
    else:
        _rect(group, "shape", box, 0.0 if node.kind == "constant" else 7.0)
    if node.doubled:
        _rect(group, "rim", box, 5.0, inset=3.0)
    for line, role, y in text_lines(node, box):
        if role == "strip":
            draw_strip(group, node, box.x, y)
        else:
            _text(group, line, role, box.x, y)


def draw_strip(group: ET.Element, node: NodeBox, x: float, y: float) -> None:
    """The heat strip of a node, in the middle of x, standing on y."""
    for role, bar in bars(node, x, y):
        _rect(group, f"bar {role}", bar, 0.0)

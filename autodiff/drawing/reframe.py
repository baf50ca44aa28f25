"""Gives Graphviz's SVG our frame, our classes and our colours.

Needs svg.py (the classes) and style.py (the frame). Graphviz's prologue, comments and fonts are left behind.
Not read in a unit.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.style import frame
from autodiff.drawing.svg import draw_strip, edge_class, frame_class, node_class
from autodiff.errors import DrawingError


def reframed(raw: bytes, description: Description, prefix: str) -> str:
    """Graphviz's SVG without its prologue, comments and colours, in our frame with our classes.

    DrawingError when `raw` is not an SVG.
    """
    try:
        root = ET.fromstring(raw)
    except ET.ParseError as problem:
        raise DrawingError(f"its answer is not an SVG ({problem}): it begins with {raw[:60]!r}") from problem
    if _tag(root) != "svg" or "viewBox" not in root.attrib:
        raise DrawingError(f"its answer is not an SVG: its outermost element is <{_tag(root)}>")
    graph = next((child for child in root if _tag(child) == "g"), None)
    if graph is None:
        raise DrawingError("its answer is an empty SVG, without a drawing")
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    svg = frame(description, prefix, round(width), round(height), root.attrib["viewBox"])
    outer = ET.SubElement(svg, "g", {"transform": graph.get("transform", "")})
    nodes = {node.id: node for node in description.nodes}
    edges = {(edge.source, edge.target): edge for edge in description.edges}
    labels = ET.Element("g", {"class": "labels"})  # last, so that no edge runs through another's label
    for child in graph:
        if _tag(child) == "g":
            _regroup(outer, child, nodes, edges, labels)
        elif _tag(child) in ("polygon", "text"):
            _copy(outer, child, "paper" if _tag(child) == "polygon" else "caption")
    if len(labels):
        outer.append(labels)
    return ET.tostring(svg, encoding="unicode")


def _regroup(
    outer: ET.Element,
    group: ET.Element,
    nodes: dict[str, NodeBox],
    edges: dict[tuple[str, str], Edge],
    labels: ET.Element,
) -> None:
    """One node or edge: Graphviz names it in a <title>, which says what class it gets."""
    name = next((child.text or "" for child in group if _tag(child) == "title"), "")
    node = nodes.get(name)
    source, _, target = name.partition("->")
    edge = edges.get((source, target))
    if node:
        _node(ET.SubElement(outer, "g", {"class": node_class(node)}), node, group)
    elif name.startswith("cluster_n"):
        _, owner, level = name.split("_")
        roles = {"path": "border", "polygon": "border", "text": "note"}
        scope = nodes[owner].scope[int(level)]
        _copy_as(ET.SubElement(outer, "g", {"class": frame_class(scope)}), roles, group)
    elif edge:
        ours = ET.SubElement(outer, "g", {"class": edge_class(edge)})
        _copy_as(ours, {"path": "line", "polygon": "head"}, group)
        _copy_as(labels, {"text": "gradient" if edge.backward else "note"}, group)


def _copy_as(ours: ET.Element, roles: dict[str, str], group: ET.Element) -> None:
    for child in group.iter():
        if role := roles.get(_tag(child)):
            _copy(ours, child, role)


def _node(ours: ET.Element, node: NodeBox, group: ET.Element) -> None:
    line = 0
    for child in group.iter():
        tag = _tag(child)
        if tag == "text":
            role = node.role(line)
            if role == "strip":
                draw_strip(ours, node, float(child.get("x", "0")), float(child.get("y", "0")))
            else:
                _copy(ours, child, role)
            line += 1
        elif tag in ("ellipse", "polygon", "path", "polyline"):
            # The second outline is drawn over the first, and must let it show through.
            outline = child.get("fill") in ("none", "transparent") or tag == "polyline"
            _copy(ours, child, "rim" if outline else "shape")
            if node.state == "now" and not outline:
                _copy(ours, child, "halo")


_GEOMETRY = ("cx", "cy", "rx", "ry", "points", "d", "x", "y")


def _copy(parent: ET.Element, element: ET.Element, role: str) -> None:
    """The element with its place and shape only; colours and fonts come from the style sheet."""
    kept = {key: element.attrib[key] for key in _GEOMETRY if key in element.attrib}
    ET.SubElement(parent, _tag(element), {"class": role, **kept}).text = element.text


def _tag(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]

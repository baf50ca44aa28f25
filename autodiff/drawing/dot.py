"""A Description as DOT, the language of Graphviz: the same graph always gives the same text.

Needs description.py, labels.py and the palette of style.py. Adds the shapes by which kinds of nodes
are told apart, and the quoting. Read with U2, where graphs are first drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autodiff.drawing.description import Description, Edge, NodeBox
from autodiff.drawing.labels import plain, text_width
from autodiff.drawing.style import FONT_SIZE, LIGHT, SMALL_SIZE
from autodiff.threads import Scope

LONG = 8  # letters that may need more room than Graphviz gives them
BOXES = ("operation", "output", "gradient", "data")  # an ellipse has room
_SHAPES = {
    "parameter": "shape=ellipse",
    "constant": f'shape=box, fontsize={SMALL_SIZE:g}, height=0.2, width=0.2, margin="0.08,0.04"',
    "data": "shape=note",
    "operation": 'shape=box, style="rounded,filled"',
    "output": 'shape=box, style="rounded,filled", peripheries=2',
    "gradient": 'shape=box, style="rounded,filled,dashed"',
}


def quote(*lines: str) -> str:
    r"""A DOT string that shows exactly these lines, whatever characters they hold.

    Graphviz reads \ as an escape and & as the beginning of an entity, inside quotes too.

    >>> print(quote('say "a\\b" & c', "2"))
    "say \"a\\b\" &amp; c\n2"
    """
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
    return '"' + "\\n".join(plain(line).translate(escapes) for line in lines) + '"'


def to_dot(description: Description) -> str:
    """The whole picture as DOT; operands left, results right.

    >>> print(to_dot(Description("x", "x = 3", (NodeBox("n0", "parameter", ("x = 3",)),), ())))
    digraph autodiff {
      graph [rankdir=LR, ordering=in, ranksep=0.4, nodesep=0.35, pad=0.1, fontname="Helvetica", fontsize=11]
      node [fontname="Helvetica", fontsize=14, height=0.3, width=0.3, margin="0.12,0.06", style=filled]
      edge [fontname="Helvetica", fontsize=14, color="#595959", arrowsize=0.7]
      n0 [label="x = 3", shape=ellipse, color="#0072b2", fillcolor="#e3f1fa"]
    }
    <BLANKLINE>
    """
    font, size = 'fontname="Helvetica"', f"fontsize={FONT_SIZE:g}"
    head = [
        "digraph autodiff {",
        # ordering=in: operands stand in their order, so that a − b doesn't look like b − a.
        "  graph [rankdir=LR, ordering=in, ranksep=0.4, nodesep=0.35, pad=0.1,"
        f" {font}, fontsize={SMALL_SIZE:g}]",
        f'  node [{font}, {size}, height=0.3, width=0.3, margin="0.12,0.06", style=filled]',
        f'  edge [{font}, {size}, color="{LIGHT["quiet"]}", arrowsize=0.7]',
    ]
    if description.caption:
        head.append(f'  label={quote(*description.caption)}; labelloc=b; fontcolor="{LIGHT["quiet"]}"')
    below = description.below
    nodes = list(_nested([node for node in description.nodes if node.id not in below], ()))
    passed = list(_nested([node for node in description.nodes if node.id in below], ()))
    if passed:
        # Two clusters stand one below the other, and not in the middle of each other.
        nodes, passed = _cluster("forward", nodes), _cluster("backward", passed)
    edges = [_edge(edge) for edge in description.edges]
    return "\n".join([*head, *nodes, *passed, *edges, "}", ""])


def _cluster(name: str, nodes: list[str]) -> list[str]:
    return [f"  subgraph cluster_{name} {{", "  color=none", '  label=""', *nodes, "  }"]


def _nested(nodes: Sequence[NodeBox], path: tuple[Scope, ...]) -> Iterator[str]:
    """These nodes, those of each scope inside `path` in a cluster of their own."""
    level = len(path)
    scopes = dict.fromkeys(node.scope[level] for node in nodes if len(node.scope) > level)
    for scope in scopes:
        inside = [node for node in nodes if node.scope[level : level + 1] == (scope,)]
        yield f"  subgraph cluster_{inside[0].id}_{level} {{"
        colours = f'color="{LIGHT["constant"]}"; fontcolor="{LIGHT["quiet"]}"'
        style = '"rounded,dashed"' if scope.mirrored else "rounded"
        yield f"  label={quote(scope.name)}; labelloc=t; style={style}; {colours}"
        yield from _nested(inside, (*path, scope))
        yield "  }"
    yield from (_node(node) for node in nodes if len(node.scope) == level)


def _node(node: NodeBox) -> str:
    colour = LIGHT["alarm" if node.alarm else "ink" if node.state == "now" else node.kind]
    doubled = ", peripheries=2" * (node.doubled and node.kind != "output")
    alarm = ", penwidth=3.5" if node.alarm else ", penwidth=2.6" * (node.state == "now")
    if node.state == "later":
        rounded = "rounded," * ("rounded" in _SHAPES[node.kind])
        doubled += f', style="{rounded}filled,dotted"'  # the later one of two styles counts
    return (
        f"  {node.id} [label={quote(*node.lines)}, {_SHAPES[node.kind]}{doubled}, "
        f'color="{colour}", fillcolor="{LIGHT[node.kind + "-fill"]}"{alarm}{_room(node)}]'
    )


def _room(node: NodeBox) -> str:
    """Room for long text: it may be bold, or wider in the reader's font, and Graphviz knows of neither."""
    widths = [
        text_width(line, FONT_SIZE, bold=node.role(k) == "symbol")
        for k, line in enumerate(node.lines)
        if node.kind in BOXES and len(line) >= LONG and node.role(k) != "strip"
    ]
    return f", width={(max(widths) + 17) / 72:.2f}" if widths else ""


def _edge(edge: Edge) -> str:
    ends = f"  {edge.source} -> {edge.target}"
    attributes = [f"label={quote(*edge.lines)}"] if edge.label else []
    if edge.label and not edge.backward:
        attributes.append(f'fontsize={SMALL_SIZE:g}, fontcolor="{LIGHT["quiet"]}"')
    if edge.kept or edge.state == "later":
        attributes.append("style=dotted")
    if edge.state == "now":
        attributes.append("penwidth=2.6")
    if edge.backward:
        attributes.append(f'dir=back, style=dashed, color="{LIGHT["back"]}", fontcolor="{LIGHT["back"]}"')
    return f"{ends} [{', '.join(attributes)}]" if attributes else ends

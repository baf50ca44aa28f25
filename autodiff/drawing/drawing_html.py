"""A drawing as a page of its own: the picture, its words, and every node in a table.

Needs description.py, and page.py, the frame. Read by whoever hands a picture to somebody without Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff.drawing.description import Description, NodeBox
from autodiff.drawing.page import page, text

MOST_ROWS = 1_000
KINDS = {
    "parameter": "parameter",
    "constant": "constant",
    "data": "data",
    "operation": "computed",
    "output": "result",
    "gradient": "backward pass",
}


def drawing_page(description: Description, svg: str) -> str:
    """The page of one drawing.

    >>> drawing_page(Description("x", "x = 3", (), ()), "<svg/>").startswith("<!DOCTYPE html>")
    True
    """
    return page(
        description.title,
        f"<p>{text(description.words)}</p>\n"
        f'<div class="wide" tabindex="0" role="region" aria-label="The graph">{svg}</div>\n'
        f"<details><summary>The same as a table</summary>{''.join(_table(description))}</details>",
    )


def _table(description: Description) -> Iterator[str]:
    shown = description.nodes[:MOST_ROWS]
    gradients = any(node.gradient for node in shown)
    operands: dict[str, list[str]] = {node.id: [] for node in description.nodes}
    for edge in description.edges:
        flows_back = edge.backward and edge.source in operands and _is_later(edge.source, edge.target)
        operand, result = (edge.target, edge.source) if flows_back else (edge.source, edge.target)
        operands[result].append(operand)
    heads = ["Node", "What", "Name", "Operation", "From", "Shape", "Value"]
    heads += ["Gradient"] if gradients else []
    yield '<div class="wide" tabindex="0" role="region" aria-label="The nodes"><table><thead><tr>'
    yield from (f'<th scope="col">{head}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for node in shown:
        cells = [KINDS[node.kind], node.name, _operation(node), " ".join(operands[node.id])]
        cells += [node.form or "()", "" if node.value in (node.form, "()") else node.value]
        cells += [node.gradient] if gradients else []
        yield f'<tr><th scope="row">{node.id}</th>'
        yield from (f"<td>{text(cell)}</td>" for cell in cells)
        yield "</tr>"
    yield "</tbody></table></div>"
    if len(shown) < len(description.nodes):
        yield f"<p>And {len(description.nodes) - len(shown):,} nodes more.</p>"


def _operation(node: NodeBox) -> str:
    return node.lines[0] if node.symbol and node.lines else ""


def _is_later(one: str, other: str) -> bool:
    """Whether a node comes behind another one: in a backward pass edges lead to the earlier one."""
    return int(one.removeprefix("n")) > int(other.removeprefix("n"))

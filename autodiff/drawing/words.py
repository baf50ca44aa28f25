"""Alt text: what a picture shows, said as a person would say it.

Needs description.py and labels.py. Adds the formula of a small graph and the sentences about any
graph. Read with U2, where graphs are first drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from autodiff.drawing.description import Edge, NodeBox
from autodiff.drawing.labels import gradient_name

LONGEST_FORMULA = 60
MOST_LISTED = 6
_COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_STRENGTH = {"+": 1, "−": 1, "×": 2, "÷": 2, "@": 2, "**": 3}
_ATOM = 4
_AFTER = {"square": "²", "transpose": "ᵀ"}
_BEFORE = {"−": ("−", 2, 1), "√": ("√", _ATOM, 3), "∛": ("∛", _ATOM, 3), "1/": ("1 ÷ ", 3, 2)}


def formula(nodes: Sequence[NodeBox], edges: Sequence[Edge]) -> str | None:
    """The right-hand side that the last node computes, or None where it would be too long to read.

    >>> a, b = NodeBox("n0", "parameter", (), name="a"), NodeBox("n1", "parameter", (), name="b")
    >>> formula([a, b, NodeBox("n2", "output", (), symbol="×")], [Edge("n0", "n2"), Edge("n1", "n2")])
    'a × b'
    """
    if len(nodes) > LONGEST_FORMULA:
        return None  # each would take one character or more
    operands: dict[str, list[str]] = {node.id: [] for node in nodes}
    for edge in edges:
        operands[edge.target].append(edge.source)
    texts: dict[str, tuple[str, int] | None] = {}
    for node in nodes:  # parents first, so that nothing recurses; a text that is too long spreads as None
        if not node.symbol:
            text = node.name or node.value
            texts[node.id] = (text, 1 if text.startswith("−") else _ATOM)
            continue
        parts = [texts[operand] for operand in operands[node.id]]
        known = [part for part in parts if part is not None]
        combined = _combine(node, known) if len(known) == len(parts) else None
        texts[node.id] = combined if combined and len(combined[0]) <= LONGEST_FORMULA else None
    last = texts[nodes[-1].id]
    return last[0] if last else None


def _combine(node: NodeBox, parts: list[tuple[str, int]]) -> tuple[str, int]:
    symbol, detail = node.symbol, node.detail
    strength = _STRENGTH.get(symbol)
    if strength and len(parts) == 2:
        # The right operand, and both of a power, keep their brackets: they show what was computed first.
        left = _bracketed(parts[0], strength if symbol != "**" else _ATOM)
        return f"{left} {symbol} {_bracketed(parts[1], strength + 1)}", strength
    if symbol in _AFTER and len(parts) == 1 and not detail:
        return f"{_bracketed(parts[0], _ATOM)}{_AFTER[symbol]}", 3
    if symbol in _BEFORE and len(parts) == 1:
        before, least, own = _BEFORE[symbol]
        return f"{before}{_bracketed(parts[0], least)}", own
    if symbol == "abs":
        return f"|{parts[0][0]}|", _ATOM
    if symbol == "index" and len(parts) == 1:
        return f"{_bracketed(parts[0], _ATOM)}{detail or '[…]'}", _ATOM
    inside = [text for text, _ in parts] + ([detail] if detail else [])
    return f"{symbol}({', '.join(inside)})", _ATOM


def _bracketed(part: tuple[str, int], least: int) -> str:
    text, strength = part
    return text if strength >= least else f"({text})"


def title(nodes: Sequence[NodeBox], edges: Sequence[Edge]) -> str:
    """A name for the picture: the formula where it is short, the number of steps where it isn't.

    >>> title([NodeBox("n0", "parameter", (), name="a")], [])
    'a'
    """
    out = nodes[-1]
    if not out.symbol:
        return out.name or out.value
    right = formula(nodes, edges)
    return f"{out.name} = {right}" if right else f"{out.name}, computed in {_steps(nodes):,} steps"


def sentences(nodes: Sequence[NodeBox], edges: Sequence[Edge], g: str = "") -> str:
    """The whole alt text; `g` is the gradient that the view starts from, "" in a view without gradients.

    >>> sentences([NodeBox("n0", "parameter", (), name="a", value="1")], [])
    'a = 1, a parameter on its own.'
    """
    out = nodes[-1]
    if not out.symbol:
        what = "a constant" if out.kind != "parameter" else "a parameter"
        lone = f"{_told(out)}, {what}" if out.name else f"{_value(out).removeprefix('value ')}, {what}"
        return f"{lone} on its own." + (f" The gradient g = {g} arrives at it." if out.gradient else "")
    leaves = [node for node in nodes if node.kind == "parameter"]
    said = [f"{title(nodes, edges)}: {_value(out)}."]
    listed = _list([_told(node) for node in leaves])
    said.append(f"{_count(len(leaves), 'parameter')}{listed}.")
    constants = sum(node.kind == "constant" for node in nodes)
    if constants and formula(nodes, edges) is None:
        said.append(f"{_count(constants, 'constant')}.")
    if g and leaves:
        said.append(_gradients(out.name, leaves, g))
    odd = [node for node in nodes if node.alarm]
    if odd:
        verb = "is" if len(odd) == 1 else "are"
        said.append(f"{_count(len(odd), 'node')} {verb} marked (!) for nan or infinity.")
    return " ".join(said)


def backward_sentence(title: str, nodes: Sequence[NodeBox], held: int) -> str:
    """The alt text of a backward pass: how many steps it takes, what it keeps, where it ends.

    >>> backward_sentence("y = x", [NodeBox("n1", "gradient", (), name="g", value="1")], 0)
    'Backward pass of y = x: from g = 1 in no steps.'
    """
    passed = [node for node in nodes if node.kind == "gradient"]
    if not passed:
        return f"{title}: nothing in it is tracked, so there is no backward pass."
    ends = [f"{node.name} = {node.value.partition(', mean')[0]}" for node in passed[1:] if not node.symbol]
    said = f"Backward pass of {title}: from g = {passed[0].value}"
    said += f" in {_count(_steps(passed), 'step').lower()}{_list(ends).replace(':', ' to', 1)}."
    verb = "is" if held == 1 else "are"
    return f"{said} {_count(held, 'value')} of the forward pass {verb} kept for it." if held else said


def collapsed_sentence(nodes: int, boxes: int) -> str:
    """What is said of a picture that doesn't show every node by itself.

    >>> collapsed_sentence(1000, 12)
    ' The picture shows its 1,000 nodes as 12 boxes.'
    """
    return f" The picture shows its {nodes:,} nodes as {boxes:,} box{'es' * (boxes != 1)}."


def _gradients(out: str, leaves: Sequence[NodeBox], g: str) -> str:
    if g != "1":
        got = [f"{leaf.name} gets {leaf.gradient}" for leaf in leaves]
        return f"Gradient, starting from g = {g}{_list(got)}."
    return f"Gradient{_list([f'{gradient_name(out, leaf.name)} = {leaf.gradient}' for leaf in leaves])}."


def _told(node: NodeBox) -> str:
    """A leaf with its value, as far as it can be said: a large array's shape and range."""
    if node.value == "()":
        return f"{node.name} (one number)"
    if not node.form or node.value.startswith("["):
        return f"{node.name} = {node.value}"
    known = "" if node.value == node.form else f" with values {node.value.partition(', mean')[0]}"
    return f"{node.name} of shape {node.form}{known}"


def _value(node: NodeBox) -> str:
    if node.value == "()":
        return "one number"
    if node.value == node.form:
        return f"of shape {node.form}"
    large = node.form and not node.value.startswith("[")
    return f"of shape {node.form} with values {node.value}" if large else f"value {node.value}"


def _steps(nodes: Sequence[NodeBox]) -> int:
    return sum(bool(node.symbol) for node in nodes)


def _count(count: int, thing: str) -> str:
    return f"{_COUNTS[count] if count < len(_COUNTS) else f'{count:,}'} {thing}{'' if count == 1 else 's'}"


def _list(items: list[str]) -> str:
    if not items:
        return ""
    more = f" and {len(items) - MOST_LISTED:,} more" if len(items) > MOST_LISTED else ""
    return ": " + ", ".join(items[:MOST_LISTED]) + more

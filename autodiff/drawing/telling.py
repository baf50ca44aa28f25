"""From a graph to its story: each rule as a formula with numbers or shapes, each bill with what it comes to.

Needs graphs.py, derivatives.py, forward.py and story.py, and for Tensors bills.py, found late. Read with U6,
where one ordered pass takes the place of walking paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from autodiff.drawing import words
from autodiff.drawing.derivatives import LOCAL, RULES, bracketed, written
from autodiff.drawing.description import Edge, NodeBox
from autodiff.drawing.forward import box
from autodiff.drawing.graphs import Graph, Vertex
from autodiff.drawing.labels import number
from autodiff.drawing.story import Bill, Rule, Story
from autodiff.drawing.values import MOST_ENTRIES, shape_text, value_text

NOTHING = "No parameter leads here, so nothing flows back"


def tell(graph: Graph) -> Story:
    """The story of a graph that was read with its gradients.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> story = tell(read(a * b + 1, 3.0))
    >>> story.rules[0].formula, story.rules[0].bills[0].formula, story.result
    ('v1 = a × b = 1 × 2 = 2', 'a gets g × b = 3 × 2 = 6', "The gradient: {'a': 6, 'b': 3}")
    """
    return _Teller(graph).story()


class _Teller:
    def __init__(self, graph: Graph) -> None:
        between = _between({vertex.name for vertex in graph.vertices})
        self.vertices = [
            replace(vertex, name=next(between)) if vertex.symbol and not vertex.name else vertex
            for vertex in graph.vertices
        ]
        self.totals: dict[int, Any] = {}  # by vertex, what has come to it so far

    def story(self) -> Story:
        nodes = [box(vertex, k) for k, vertex in enumerate(self.vertices)]
        asked = self.vertices[-1].gradient is not None
        edges = [
            Edge(f"n{seat.at}", f"n{k}", backward=asked and seat.tracked)
            for k, vertex in enumerate(self.vertices)
            for seat in vertex.operands
        ]
        first, rules = len(edges), []  # backward, as totals are summed in the order of the pass
        for k in reversed(range(len(self.vertices))):
            vertex = self.vertices[k]
            first -= len(vertex.operands)
            if vertex.symbol:
                rules.append(Rule(k, *self._formulas(vertex), tuple(self._bills(k, first)) if asked else ()))
        start = self.vertices[-1].gradient_text if asked else ""
        return Story(
            title=words.title(nodes, edges),
            nodes=tuple(nodes),
            unknown=tuple(_unknown(vertex, k, len(nodes[k].lines)) for k, vertex in enumerate(self.vertices)),
            edges=tuple(edges),
            rules=tuple(reversed(rules)),
            start=start,
            result=f"The gradient: {self._leaves()}" if asked else NOTHING,
        )

    def _leaves(self) -> str:
        leaves = [v for v in self.vertices if v.kind == "parameter" and v.gradient is not None]
        return _dictionary({leaf.name: _shown(leaf.gradient) for leaf in leaves})

    def _formulas(self, vertex: Vertex) -> tuple[str, str]:
        """The rule by name, and then with values (v1 = a × b = 1 × 2 = 2), or shapes where these are many."""
        operands = [self.vertices[seat.at] for seat in vertex.operands]
        by_name = _applied(vertex, [_called(operand) for operand in operands])
        short = f"{vertex.name} = {by_name}"
        if all(_is_small(each.value) for each in (*operands, vertex)):
            by_value = _applied(vertex, [operand.text for operand in operands])
            return short, " = ".join((vertex.name, *dict.fromkeys((by_name, by_value, vertex.text))))
        shapes = _applied(vertex, [shape_text(each.shape) or each.text for each in operands])
        result = shape_text(vertex.shape) or "one number"
        value = f" = {value_text(vertex.value)}" if vertex.value is not None else ""
        return short, f"{short}: {shapes} → {result}{value}"

    def _bills(self, k: int, first: int) -> Iterator[Bill]:
        """What vertex k sends to its operands; its edges begin at `first`."""
        g = self.vertices[k].gradient
        for seat, operand in enumerate(self.vertices[k].operands):
            if not operand.tracked or g is None:
                continue
            amount, shape = self._amount(k, seat)
            name, before = self.vertices[operand.at].name, self.totals.get(operand.at)
            total = self.totals[operand.at] = amount if before is None else before + amount
            yield Bill(
                edge=first + seat,
                formula=f"{name} gets {self._bill(k, seat, amount, shape)}",
                amount=f"Σ {_shown(amount)}" if shape else _shown(amount),
                total=value_text(total),
                merged="" if before is None else _merged(name, before, amount, total),
            )

    def _amount(self, k: int, seat: int) -> tuple[Any, Any]:
        """The bill for this operand, and the shape it had before a broadcast was summed back, if one was."""
        vertex = self.vertices[k]
        if isinstance(vertex.gradient, float):
            return vertex.gradient * vertex.operands[seat].partial, None
        from autodiff.drawing.bills import bill

        return bill(vertex.key, seat, vertex.gradient)

    def _bill(self, k: int, seat: int, amount: Any, shape: Any) -> str:
        """The formula of a bill: g × b = 3 × 2 = 6; where a broadcast is summed back, with Σ and shapes."""
        vertex = self.vertices[k]
        partial = vertex.operands[seat].partial
        letters = dict(zip("ab", (_called(self.vertices[each.at]) for each in vertex.operands), strict=False))
        local = LOCAL.get(vertex.rule, ())[seat : seat + 1] or (("∂",) if vertex.maps else ())
        if local:
            rule = f"g × {written(local[0], {**letters, 'out': vertex.name})}"
        else:
            rules = RULES.get(vertex.rule, (f"what the rule of {vertex.rule} makes of g",))
            rule = written(rules[min(seat, len(rules) - 1)], letters)
        if shape is not None:
            rule = f"Σ ({rule}), {shape_text(shape)}→{shape_text(amount.shape) or '()'}"
        elif local and all(_is_small(each) for each in (vertex.gradient, partial, amount)):
            rule = f"{rule} = {vertex.gradient_text} × {bracketed(value_text(partial))}"
        form = "" if _is_small(amount) else f", {shape_text(amount.shape)}"
        return f"{rule}{form} = {value_text(amount)}"


def _between(taken: set[str]) -> Iterator[str]:
    """Names for what lies between: v1, v2 …, as far as the graph doesn't bear them."""
    yield from (name for name in (f"v{k}" for k in count(1)) if name not in taken)


def _unknown(vertex: Vertex, k: int, lines: int) -> tuple[str, ...]:
    """The node's lines before its value is known."""
    told = box(replace(vertex, value=None), k).lines
    return (*told, *[""] * (lines - len(told)))


def _called(vertex: Vertex) -> str:
    return vertex.name or (vertex.text if _is_small(vertex.value) else vertex.form)


def _is_small(value: Any) -> bool:
    """Whether a value is written out, entry by entry."""
    return isinstance(value, float | int) or (value is not None and value.size <= MOST_ENTRIES)


def _shown(value: Any) -> str:
    """A gradient where there is little room: its entries, or its shape."""
    if isinstance(value, float | int):
        return number(value)
    return value_text(value) if _is_small(value) else shape_text(value.shape)


def _merged(name: str, before: Any, amount: Any, total: Any) -> str:
    """How a bill is added to those before: as dictionaries of numbers, or as arrays."""
    shown = [_shown(each) for each in (before, amount, total)]
    if isinstance(total, float | int):
        shown = [_dictionary({name: each}) for each in shown]
    said = f"{shown[0]} + {shown[1]} → {shown[2]}"
    return said if _is_small(total) else f"{said} = {value_text(total)}"


def _applied(vertex: Vertex, operands: list[str]) -> str:
    """The operation on these texts, by the same hand that writes the title of a drawing."""
    if vertex.detail:
        return f"{vertex.symbol}({', '.join((*operands, vertex.detail))})"
    boxes = [NodeBox(f"n{k}", "constant", (), value=text) for k, text in enumerate(operands)]
    edges = [Edge(each.id, "out") for each in boxes]
    right = words.formula([*boxes, NodeBox("out", "operation", (), symbol=vertex.symbol)], edges)
    return right or f"{vertex.symbol}({', '.join(operands)})"


def _dictionary(entries: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in entries.items()) + "}"

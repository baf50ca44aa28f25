"""The teller for Scalar: each rule as a formula with numbers, each bill as an entry of a dictionary.

Needs scalar.py and graph.py of the package, story.py and words.py here. Adds LOCAL, the local derivatives as
they are written on a blackboard. Read with U6, where one ordered pass takes the place of walking paths.
"""

from __future__ import annotations

import re

from autodiff.drawing import words
from autodiff.drawing.description import Edge, Kind, NodeBox
from autodiff.drawing.labels import number, tidy
from autodiff.drawing.story import Bill, Rule, Story, fresh_names
from autodiff.graph import topological_order
from autodiff.scalar import Scalar

# By the name of a rule: ∂out/∂a, ∂out/∂b, fit to stand behind "g ×". [a > 0] is 1 where that holds, else 0.
LOCAL = {
    "add": ("1", "1"),
    "subtract": ("1", "(−1)"),
    "multiply": ("b", "a"),
    "divide": ("(1 ÷ b)", "(−out ÷ b)"),
    "power": ("b × a ** (b − 1)", "out × log(a)"),
    "negative": ("(−1)",),
    "absolute": ("sign(a)",),
    "square": ("2 × a",),
    "sqrt": ("(0.5 ÷ out)",),
    "exp": ("out",),
    "log": ("(1 ÷ a)",),
    "sin": ("cos(a)",),
    "cos": ("(−sin(a))",),
    "tanh": ("(1 − out ** 2)",),
    "sigmoid": ("out × (1 − out)",),
    "softplus": ("σ(a)",),
    "relu": ("[a > 0]",),
    "maximum": ("[a > b, ½ at a tie]", "[b > a, ½ at a tie]"),
    "minimum": ("[a < b, ½ at a tie]", "[b < a, ½ at a tie]"),
}
NOTHING = "No parameter leads here, so nothing flows back"
_LETTERS = re.compile(r"\b(?:a|b|out)\b")


def tell(x: Scalar, g: float, name: str | None) -> Story:
    """The story of `x`: how it was computed, and how `g` goes back to the leaves.

    >>> a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    >>> story = tell(a * b + 1, 3.0, None)
    >>> story.rules[0].formula, story.rules[0].bills[0].formula, story.result
    ('v1 = a × b = 1 × 2 = 2', 'a gets g × b = 3 × 2 = 6', "The gradient: {'a': 6, 'b': 3}")
    """
    return _Teller(x, g, name).story()


class _Teller:
    def __init__(self, x: Scalar, g: float, name: str | None) -> None:
        self.x, self.g = x, float(g)
        self.order = topological_order(x)
        self.gradients = x.gradients(g)
        self.reached: set[Scalar] = set()  # what a parameter leads to: nobody asks for other gradients
        for node in self.order:
            if node.name is not None or not self.reached.isdisjoint(node.parents):
                self.reached.add(node)
        self.nodes: list[NodeBox] = []
        self.edges: list[Edge] = []
        self.place: dict[Scalar, int] = {}
        self.operands: dict[Scalar, list[int]] = {}  # positions of edges
        self._build(name)

    def _build(self, name: str | None) -> None:
        taken = {str(node.name) for node in self.order if node.name is not None}
        last = tidy(name) if name is not None else next(fresh_names(taken, "y", "z", "out", stem="out"))
        between = fresh_names({*taken, last}, stem="v")
        for node in self.order:
            sources = []
            for operand in node.operands:
                if not isinstance(operand, Scalar):  # a plain number gets a node of its own, before its user
                    text = number(operand)
                    self.nodes.append(NodeBox(f"n{len(self.nodes)}", "constant", (text,), value=text))
                sources.append(self.place[operand] if isinstance(operand, Scalar) else len(self.nodes) - 1)
            self.place[node] = place = len(self.nodes)
            self.nodes.append(self._box(node, place, last if node is self.x else "", between))
            first = len(self.edges)
            for operand, source in zip(node.operands, sources, strict=True):
                back = isinstance(operand, Scalar) and operand in self.reached
                self.edges.append(Edge(f"n{source}", f"n{place}", backward=back))
            self.operands[node] = list(range(first, len(self.edges)))

    def _box(self, node: Scalar, place: int, last: str, between: object) -> NodeBox:
        value = number(node.value)
        if node.rule:
            kind: Kind = "output" if last else "operation"
            called = last or next(between)  # type: ignore[call-overload]
        else:
            kind, called = ("constant", "") if node.name is None else ("parameter", tidy(node.name))
        symbol = node.rule.symbol if node.rule else ""
        return NodeBox(f"n{place}", kind, (), called, symbol, value)

    def story(self) -> Story:
        bills = self._all_bills() if self.x in self.reached else {}
        rules = tuple(
            Rule(self.place[node], *self._formulas(node), tuple(bills.get(node, ())))
            for node in self.order
            if node.rule
        )
        leaves = {
            self._name(node): number(self.gradients[node]) for node in self.order if node.name is not None
        }
        return Story(
            title=words.title(self.nodes, self.edges),
            nodes=tuple(self.nodes),
            edges=tuple(self.edges),
            rules=rules,
            start=number(self.g) if self.x in self.reached else "",
            result=f"The gradient: {_dictionary(leaves)}" if self.x in self.reached else NOTHING,
        )

    def _name(self, node: Scalar) -> str:
        return self.nodes[self.place[node]].name

    def _called(self, edge: int) -> NodeBox:
        return self.nodes[int(self.edges[edge].source[1:])]

    def _formulas(self, node: Scalar) -> tuple[str, str]:
        """The node's rule with the names of its operands, and then with values: v1 = a × b = 1 × 2 = 2."""
        boxes = [self._called(edge) for edge in self.operands[node]]
        symbol, value = self.nodes[self.place[node]].symbol, number(node.value)
        by_name = _applied(symbol, [box.name or box.value for box in boxes])
        by_value = _applied(symbol, [box.value for box in boxes])
        name = self._name(node)
        return f"{name} = {by_name}", " = ".join((name, *dict.fromkeys((by_name, by_value, value))))

    def _all_bills(self) -> dict[Scalar, list[Bill]]:
        """For each rule its bills, in the order of the one ordered pass."""
        totals: dict[Scalar, float] = {}
        bills: dict[Scalar, list[Bill]] = {}
        for node in reversed(self.order):
            if node not in self.reached or not node.rule:
                continue
            bills[node] = []
            for k, partial in enumerate(node.local_derivatives()):
                operand, edge = node.operands[k], self.operands[node][k]
                if not isinstance(operand, Scalar) or operand not in self.reached:
                    continue
                amount = self.gradients[node] * partial
                before = totals.get(operand)
                totals[operand] = amount if before is None else before + amount
                merged = "" if before is None else self._merged(operand, before, amount)
                formula = self._bill(node, k, partial, amount)
                bills[node].append(Bill(edge, formula, number(amount), number(totals[operand]), merged))
        return bills

    def _merged(self, operand: Scalar, before: float, amount: float) -> str:
        one, other, both = (
            _dictionary({self._name(operand): number(each)}) for each in (before, amount, before + amount)
        )
        return f"{one} + {other} → {both}"

    def _bill(self, node: Scalar, k: int, partial: float, amount: float) -> str:
        boxes = [self._called(edge) for edge in self.operands[node]]
        letters = dict(zip("ab", (box.name or box.value for box in boxes), strict=False))
        letters["out"] = self._name(node)
        assert node.rule is not None  # for the types: a leaf sends no bills
        local = _LETTERS.sub(lambda found: _bracketed(letters[found[0]]), LOCAL[node.rule.name][k])
        factors = f"{number(self.gradients[node])} × {_bracketed(number(partial))}"
        return f"{boxes[k].name} gets g × {local} = {factors} = {number(amount)}"


def _applied(symbol: str, operands: list[str]) -> str:
    """The operation on these texts, by the same hand that writes the title of a drawing."""
    boxes = [NodeBox(f"n{k}", "constant", (), value=text) for k, text in enumerate(operands)]
    edges = [Edge(box.id, "out") for box in boxes]
    written = words.formula([*boxes, NodeBox("out", "operation", (), symbol=symbol)], edges)
    return written or f"{symbol}({', '.join(operands)})"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _dictionary(entries: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in entries.items()) + "}"

"""What differs between two graphs, vertex by vertex, and the words for it.

Needs matching.py and words.py (formulas). Read with U8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff.drawing import words
from autodiff.drawing.description import Edge, NodeBox
from autodiff.drawing.graphs import Vertex
from autodiff.drawing.labels import gradient_name
from autodiff.drawing.values import shape_text, value_text

CLOSE = 1e-9  # relative; what differs by less is rounding
MOST_LISTED = 4


@dataclass(eq=False)  # two pairs are never the same: their arrays can't be compared by ==
class Pair:
    """One vertex of the picture: as it is in a, as it is in b; None where it isn't.

    `operands` says that both take their operands from elsewhere, or in another order.

    >>> Pair("v1", None, Vertex("constant", value=2.0)).mark(("a", "b"))
    'only in b'
    """

    name: str
    one: Vertex | None
    two: Vertex | None
    below: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))  # places of its operands
    operands: bool = False

    @property
    def shown(self) -> Vertex:
        """The vertex that is drawn: that of b, if there is one."""
        vertex = self.two or self.one
        assert vertex is not None  # for the types
        return vertex

    @property
    def title(self) -> str:
        """What it is called where its value is told: "" for a constant, which is its value."""
        return self.name if self.shown.symbol or self.shown.name else ""

    @property
    def operation(self) -> bool:
        """Whether another operation stands in this place."""
        both = self.one and self.two
        return bool(both) and _called(self.one) != _called(self.two)

    @property
    def value(self) -> bool:
        """Whether the values differ, as far as both are known, or the shapes."""
        if not self.one or not self.two:
            return False
        return _differ(self.one.value, self.two.value) or (self.one.shape or ()) != (self.two.shape or ())

    @property
    def gradient(self) -> bool:
        """Whether the gradients that arrive differ."""
        if not self.one or not self.two:
            return False
        one, two = self.one.gradient, self.two.gradient
        return (one is None) != (two is None) or _differ(one, two)

    @property
    def differs(self) -> bool:
        """Whether there is anything to mark."""
        missing = self.one is None or self.two is None
        return missing or self.operation or self.operands or self.value or self.gradient

    def mark(self, names: tuple[str, str]) -> str:
        """What the picture writes on it; "" where both agree."""
        if self.one is None or self.two is None:
            return f"only in {names[self.one is None]}"
        said = [
            text
            for text, is_so in (
                ("operation", self.operation),
                ("operands", self.operands),
                ("value", self.value),
                ("gradient", self.gradient),
            )
            if is_so
        ]
        return f"differs: {', '.join(said)}" if said else ""


def _called(vertex: Vertex | None) -> str:
    return f"{vertex.symbol} {vertex.detail}".rstrip() if vertex else ""


def _differ(one: Any, two: Any) -> bool:
    if one is None or two is None:
        return False
    if isinstance(one, float | int) and isinstance(two, float | int):
        return not (
            one == two or (one != one and two != two) or abs(one - two) <= CLOSE * max(abs(one), abs(two))
        )
    import numpy as np

    if np.shape(one) != np.shape(two):
        return True
    with np.errstate(all="ignore"):
        return not bool(np.allclose(one, two, rtol=CLOSE, atol=0, equal_nan=True))


def changed_text(one: Any, two: Any) -> str:
    """Both values with an arrow between; how far arrays are apart where they look alike.

    >>> changed_text(2.0, 3.0), changed_text(None, 3.0)
    ('2 → 3', 'none → 3')
    """
    before, after = (value_text(each) or "none" for each in (one, two))
    if before != after:
        return f"{before} → {after}"
    if isinstance(one, float | int):
        return f"{before}, by {value_text(abs(one - two))}"
    return f"{before}, by up to {value_text(float(abs(one - two).max()))}"


class Comparison:
    """The pairs of two graphs in topological order, and what is said about them.

    >>> from autodiff import Scalar
    >>> from autodiff.drawing.scalars import read
    >>> graph = read(Scalar(2.0, name="x") * 3)
    >>> Comparison([Pair("x", graph.vertices[0], graph.vertices[0])], ("a", "b")).sentences()
    'No difference between a and b: the same operations, values and gradients.'
    """

    def __init__(self, pairs: Sequence[Pair], names: tuple[str, str]) -> None:
        self.pairs, self.names = pairs, names

    def sentences(self) -> str:
        """The differences first, one sentence for each kind."""
        one, two = self.names
        gone = [pair for pair in self.pairs if pair.two is None]
        new = [pair for pair in self.pairs if pair.one is None]
        operations = [pair for pair in self.pairs if pair.operation]
        operands = [pair for pair in self.pairs if pair.operands and not pair.operation]
        said = [
            _sentence(gone, f"of {one} {'is' if len(gone) == 1 else 'are'} gone", self.made),
            _sentence(new, f"of {two} {'is' if len(new) == 1 else 'are'} new", self.made),
            _sentence(operations, f"{'does' if len(operations) == 1 else 'do'} something else", self._was),
            _sentence(operands, f"{'takes' if len(operands) == 1 else 'take'} other operands", self._was),
            *self._of_values(),
            self._of_gradients(),
        ]
        told = " ".join(text for text in said if text)
        return told or f"No difference between {one} and {two}: the same operations, values and gradients."

    def made(self, pair: Pair, of: int = 1) -> str:
        """A vertex with its formula: v1 = x × 1."""
        vertex = pair.one if (of == 0 and pair.one) or pair.two is None else pair.two
        assert vertex is not None  # for the types
        if not vertex.symbol:
            return pair.title or (vertex.form if vertex.shape else f"the number {vertex.text}")
        texts = [self._text(self.pairs[place], of) for place in pair.below[vertex is pair.two]]
        if vertex.detail:
            return f"{pair.name} = {vertex.symbol}({', '.join([*texts, vertex.detail])})"
        boxes = [NodeBox(f"n{k}", "constant", (), value=text) for k, text in enumerate(texts)]
        out = NodeBox("out", "operation", (), symbol=vertex.symbol)
        right = words.formula([*boxes, out], [Edge(each.id, "out") for each in boxes])
        return f"{pair.name} = {right or vertex.symbol}"

    def _text(self, pair: Pair, of: int) -> str:
        """An operand in a formula of the first (0) or the second graph (1)."""
        constant = (pair.one, pair.two)[of] or pair.shown
        return pair.title or (constant.form if constant.shape else constant.text)

    def _was(self, pair: Pair) -> str:
        is_now = self.made(pair).partition(" = ")[2]
        return f"{self.made(pair, of=0).replace(' = ', ' was ', 1)}, is {is_now}"

    def _of_values(self) -> list[str]:
        pairs = [pair for pair in self.pairs if pair.value and pair.one and pair.two]
        shapes = [p for p in pairs if (p.one.shape or ()) != (p.two.shape or ())]  # type: ignore[union-attr]
        values = [pair for pair in pairs if pair not in shapes]
        return [
            _sentence(shapes, "has another shape" if len(shapes) == 1 else "have other shapes", _shapes),
            _sentence(values, "has another value" if len(values) == 1 else "have other values", _values),
        ]

    def _of_gradients(self) -> str:
        pairs = [pair for pair in self.pairs if pair.gradient]
        leaves = [pair for pair in pairs if pair.shown.kind == "parameter"]
        out = self.pairs[-1].name
        verb = "gets another gradient" if len(pairs) == 1 else "get other gradients"
        return _sentence(
            pairs,
            verb,
            lambda p: f"{gradient_name(out, p.name)} {changed_text(p.one.gradient, p.two.gradient)}",
            first=leaves,
        )


def _shapes(pair: Pair) -> str:
    assert pair.one is not None  # for the types
    assert pair.two is not None
    before, after = (shape_text(each.shape) or "()" for each in (pair.one, pair.two))
    return f"{pair.name} {before} → {after}"


def _values(pair: Pair) -> str:
    assert pair.one is not None  # for the types
    assert pair.two is not None
    return f"{pair.title} {changed_text(pair.one.value, pair.two.value)}".lstrip()


def _sentence(pairs: Sequence[Pair], verb: str, told: Any, first: Sequence[Pair] = ()) -> str:
    """How many, what, and the first of them by name; "" for none."""
    if not pairs:
        return ""
    listed = [*first, *(pair for pair in pairs if pair not in first)]
    names = "; ".join(told(pair) for pair in listed[:MOST_LISTED])
    more = f"; and {len(pairs) - MOST_LISTED:,} more" if len(pairs) > MOST_LISTED else ""
    return f"{len(pairs):,} node{'s' * (len(pairs) != 1)} {verb}: {names}{more}."

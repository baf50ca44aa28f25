"""The words of an explanation: each path with its product, what paths hold of the whole, which ones cancel.

Needs reckoning.py, labels.py and words.py (formulas). Read with U4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from autodiff.drawing import words
from autodiff.drawing.derivatives import bracketed
from autodiff.drawing.description import Edge, NodeBox
from autodiff.drawing.graphs import Graph
from autodiff.drawing.labels import gradient_name, number
from autodiff.drawing.paths import Hop
from autodiff.drawing.reckoning import Part, Way
from autodiff.drawing.values import MOST_ENTRIES, shape_text, value_text

LONGEST = 8  # stations of a path that are all named
ENDS = 3  # named at either end of a longer one
LONGEST_TURN = 4  # hops in which a path leaves another one and comes back
MOST_DEFINED = 16  # of v1, v2 …
MOST_PAIRS = 3
MOST_DIGITS = 30
ROUNDING = 1e-9
_CIRCLED = 0x2460  # ①
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def sign(k: int) -> str:
    """The mark of a path in text, table and picture.

    >>> sign(1), sign(10), sign(11)
    ('①', '⑩', '(11)')
    """
    return chr(_CIRCLED + k - 1) if k <= 10 else f"({k})"  # many fonts end at ⑩


def counted(count: int, thing: str = "path") -> str:
    """How many there are, exactly as long as one can read it.

    >>> counted(1), counted(2**30), counted(2**1000)
    ('1 path', '1,073,741,824 paths', 'about 10^301 paths')
    """
    digits = count.bit_length() * math.log10(2)
    shown = f"{count:,}" if digits < MOST_DIGITS else f"about 10^{digits:.0f}"
    return f"{shown} {thing}{'s' * (count != 1)}"


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.5), percent(4.7e-9)
    ('50 %', '4.7e−07 %')
    """
    return f"{number(100 * share, 3)} %"


def amount_text(value: Any) -> str:
    """A contribution: the number, the few entries, or shape and norm.

    >>> amount_text(6.0)
    '6'
    """
    if isinstance(value, float | int) or value.size <= MOST_ENTRIES:
        return value_text(value)
    from autodiff.drawing.pushes import norm

    return f"{shape_text(value.shape)}, norm {number(norm(value), 4)}"


@dataclass(frozen=True)
class Account:
    """What an explanation tells: the graph, its gradients in parts, and the `g` that it starts from."""

    graph: Graph
    parts: tuple[Part, ...]
    left_out: int
    g: str

    def ways(self) -> Iterator[tuple[str, Part, Way]]:
        """Every path that is shown, with its mark."""
        shown = ((part, way) for part in self.parts for way in part.ways)
        for k, (part, way) in enumerate(shown, 1):
            yield sign(k), part, way

    def title(self) -> str:
        """What is explained, in one line."""
        if not self.parts:
            return f"{self.graph.out.name or self.graph.out.text}: no gradient"
        return "; ".join(self._result(part) for part in self.parts)

    def lines(self) -> Iterator[str]:
        """The explanation as text."""
        if not self.parts:
            yield f"{self.title()}. Nothing in it is tracked, so there is nothing to explain."
            return
        marks = {id(way): mark for mark, _, way in self.ways()}
        for part in self.parts:
            yield self.heading(part)
            for way in part.ways:
                share = f", {self.share(way)}" if self.share(way) else ""
                yield f"{marks[id(way)]} {self.road(way)}: {self.product(way)}{share}"
            yield from self.remarks(part)
        yield from self.notes()

    # --- one gradient ------------------------------------------------------------------------------

    def _result(self, part: Part) -> str:
        value = amount_text(part.gradient)
        if self.g in ("1", "all 1"):
            link = " has shape" if value.startswith("(") else " ="
            return f"{gradient_name(self.graph.out.name, part.of)}{link} {value}"
        return f"{part.of} gets {value} from g = {self.g}"

    def heading(self, part: Part) -> str:
        """The gradient, and how many paths it is the sum of."""
        result = self._result(part)
        if not part.count:
            return f"{result}: no path leads from {part.of} to {self.graph.out.name}."
        if part.count == 1:
            return f"{result}, along one path:"
        summed = f"{result}, the sum over {counted(part.count)}"
        if not part.hidden:
            return f"{summed}:"
        best = f"the {len(part.ways)} strongest" if len(part.ways) > 1 else "the strongest"
        return f"{summed}, which were counted, not walked; {best}:"

    def road(self, way: Way) -> str:
        """Where a path leads: x → v1 → y; →₂ where a value enters twice, here as operand 2.

        A long path that turns off a stronger one, and soon comes back, is told by this turn.
        """
        if not way.hops:
            return f"{self.graph.out.name} itself"
        if turn := self._turn(way):
            return f"as {turn[0]}, but {self._stations(turn[1])}"
        if len(way.hops) < LONGEST:
            return self._stations(way.hops)
        first, last = way.hops[: ENDS - 1], way.hops[-ENDS:]
        left = len(way.hops) + 1 - 2 * ENDS
        return f"{self._stations(first)} → … {left:,} more … {self._stations(last).partition(' ')[2]}"

    def _stations(self, hops: tuple[Hop, ...]) -> str:
        names = [self.graph.vertices[hops[0].operand].name]
        return " ".join(names + [f"{self._arrow(hop)} {self.graph.vertices[hop.user].name}" for hop in hops])

    def _turn(self, way: Way) -> tuple[str, tuple[Hop, ...]] | None:
        """The mark of the strongest path to the same value, and where this one leaves it."""
        mark, leader, known = self._leaders[way.hops[0].operand]
        if way is leader or len(way.hops) < LONGEST:
            return None
        places = [k for k, hop in enumerate(way.hops) if hop not in known]
        if not places or places[-1] - places[0] >= LONGEST_TURN:
            return None
        return mark, way.hops[places[0] : places[-1] + 1]

    @cached_property
    def _leaders(self) -> dict[int, tuple[str, Way, frozenset[Hop]]]:
        """By where it begins, the strongest path with its mark."""
        first = {part.at: part.ways[0] for part in self.parts if part.at is not None and part.ways}
        return {
            part.at: (mark, way, frozenset(way.hops))
            for mark, part, way in self.ways()
            if part.at is not None and way is first[part.at]
        }

    def _arrow(self, hop: Hop) -> str:
        return f"→{str(hop.seat + 1).translate(_BELOW)}" if self._is_double(hop) else "→"

    def _is_double(self, hop: Hop) -> bool:
        return [seat.at for seat in self.graph.vertices[hop.user].operands].count(hop.operand) > 1

    def product(self, way: Way) -> str:
        """The local derivatives multiplied, from the parameter on; what comes out."""
        brought = amount_text(way.amount)
        given = [self.g] if self.g != "1" and way.factors else []
        if len(way.factors) + len(given) < 2 or self._turn(way):
            return brought
        if len(way.factors) > LONGEST:
            ends = (*way.factors[:ENDS], *way.factors[-ENDS:])
            factors = [*map(number, ends[:ENDS]), "…", *map(number, ends[ENDS:]), *given]
        else:
            factors = [*map(number, way.factors), *given]
        return f"{' × '.join([factors[0], *map(bracketed, factors[1:])])} = {brought}"

    def share(self, way: Way) -> str:
        """Which part of the gradient a path between arrays brings; "" where the product says it all."""
        if way.factors or not way.hops or not math.isfinite(way.share):
            return ""
        return f"{percent(way.share)} of the gradient"

    def remarks(self, part: Part) -> Iterator[str]:
        """What the paths that are shown hold of the whole, and which paths work against each other."""
        if part.hidden and part.total is not None and math.isfinite(part.total):
            held = (
                f"They hold {percent(part.held)}" if len(part.ways) > 1 else f"It holds {percent(part.held)}"
            )
            yield f"{held} of Σ|contribution| = {number(part.total)}."
        elif part.hidden and part.total is None:
            yield (
                f"They hold {percent(part.held)} of the gradient. Which paths between arrays are the "
                "strongest is a guess, from how much of g each edge hands on."
            )
        yield from self._against(part)
        yield from self._pairs(part)

    def _against(self, part: Part) -> Iterator[str]:
        """Contributions of both signs: their sums follow from Σ|contribution| and the gradient."""
        if part.count < 2:
            return
        if part.total is None:
            against = [mark for mark, other, way in self.ways() if other is part and way.share < -ROUNDING]
            if against:
                yield f"Against the others: {', '.join(against)}."
            return
        gradient = float(part.gradient)
        if not math.isfinite(part.total) or not math.isfinite(gradient):
            return
        more, less = (part.total + gradient) / 2, (part.total - gradient) / 2
        if min(more, less) <= ROUNDING * max(more, less):
            return
        both = f"+{number(more)} and −{number(less)}"
        if abs(gradient) <= ROUNDING * part.total:
            yield f"{both} cancel: all that the paths bring comes to nothing."
        else:
            yield f"{both} cancel in part and leave {number(gradient)}."

    def _pairs(self, part: Part) -> Iterator[str]:
        """Two paths of which one takes away what the other brings."""
        shown = [(mark, way) for mark, other, way in self.ways() if other is part]
        if part.count == 2 and part.total is not None:
            return  # said already
        pairs = [
            f"{one} and {two} cancel"
            for (one, a), (two, b) in combinations(shown, 2)
            if _cancel(a.amount, b.amount)
        ]
        if pairs:
            more = f", and {len(pairs) - MOST_PAIRS} more pairs" if len(pairs) > MOST_PAIRS else ""
            yield f"{', '.join(pairs[:MOST_PAIRS])}{more}."

    # --- signs -------------------------------------------------------------------------------------

    def notes(self) -> Iterator[str]:
        """What the names and arrows stand for."""
        hops = [hop for _, _, way in self.ways() for hop in self._named_hops(way)]
        users = sorted({hop.user for hop in hops} - {len(self.graph.vertices) - 1})
        made = [f"{self.graph.vertices[k].name} = {self._made(k)}" for k in users]
        if made:
            more = " …" if len(made) > MOST_DEFINED else ""
            yield f"{'; '.join(made[:MOST_DEFINED])}{more}."
        seats = sorted({hop.seat + 1 for hop in hops if self._is_double(hop)})
        if seats:
            arrows = ", ".join(f"→{str(seat).translate(_BELOW)}" for seat in seats)
            yield f"{arrows}: enters as operand {', '.join(map(str, seats))}."
        if self.left_out:
            yield f"{self.left_out:,} more parameters aren't explained here: name them in wrt."

    def _named_hops(self, way: Way) -> tuple[Hop, ...]:
        """The hops of a path that `road` writes out."""
        if way.hops and (turn := self._turn(way)):
            return turn[1]
        return way.hops if len(way.hops) < LONGEST else (*way.hops[: ENDS - 1], *way.hops[-ENDS:])

    def _made(self, k: int) -> str:
        vertex = self.graph.vertices[k]
        operands = [self.graph.vertices[seat.at] for seat in vertex.operands]
        texts = [operand.name or (operand.form if operand.shape else operand.text) for operand in operands]
        if vertex.detail or not vertex.symbol:
            return f"{vertex.symbol}({', '.join([*texts, vertex.detail])})"
        boxes = [NodeBox(f"n{j}", "constant", (), value=text) for j, text in enumerate(texts)]
        made = NodeBox("out", "operation", (), symbol=vertex.symbol)
        right = words.formula([*boxes, made], [Edge(each.id, "out") for each in boxes])
        return right or f"{vertex.symbol}({', '.join(texts)})"


def _cancel(a: Any, b: Any) -> bool:
    if isinstance(a, float | int):
        return bool(a) and abs(a + b) <= ROUNDING * abs(a)
    from autodiff.drawing.pushes import norm

    return norm(a) > 0 and norm(a + b) <= ROUNDING * norm(a)

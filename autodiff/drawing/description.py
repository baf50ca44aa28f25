"""What a picture shows, before anyone decides where: nodes, edges and words, the same for every engine.

Needs nothing read before. A view (forward.py, backward.py) makes a Description of a graph; dot.py and
svg.py write it down. Read with U2, where graphs are first drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autodiff.drawing.labels import rows
from autodiff.threads import Scope

# "constant": a number as it stands in the program; "data": an array that isn't tracked; "gradient": computed
# by the backward pass.
Kind = Literal["parameter", "constant", "data", "operation", "output", "gradient"]
State = Literal["", "now", "later"]  # in a picture of one moment: at work, or still to come


@dataclass(frozen=True)
class NodeBox:
    """One node: what is written in it (`lines`), and the same in parts, for the words.

    `name` is set for parameters and for the output, `symbol` for what was computed, `form` (shape and dtype)
    for arrays, `gradient` where the view shows one. `alarm` marks a value or a gradient that is nan or
    infinite. `strip` pictures the entries of a large array, each between −1 and 1 (None: not finite). `scope`
    are the blocks that the node was made in, outermost first; `count` is how many a collapsed one stands for.

    >>> NodeBox("n0", "parameter", ("a = 1",), name="a", value="1").lines
    ('a = 1',)
    """

    id: str
    kind: Kind
    lines: tuple[str, ...]
    name: str = ""
    symbol: str = ""
    value: str = ""
    form: str = ""
    gradient: str = ""
    alarm: bool = False
    state: State = ""
    strip: tuple[float | None, ...] = ()
    scope: tuple[Scope, ...] = ()
    count: int = 1

    @property
    def detail(self) -> str:
        """The options of an operation, as they stand behind its symbol."""
        return self.lines[0].removeprefix(self.symbol).strip() if self.symbol and self.lines else ""

    def role(self, line: int) -> str:
        """What the line with this index is: "symbol", "value", "strip" or "gradient"."""
        from_below = len(self.lines) - 1 - line
        gradients = len(rows(self.gradient)) if self.gradient else 0
        if from_below < gradients:
            return "gradient"
        if self.strip and from_below == gradients:
            return "strip"
        return "symbol" if line == 0 and self.symbol else "value"

    @property
    def doubled(self) -> bool:
        """Whether it has a second outline: the result, and where the backward pass begins and ends."""
        return self.kind == "output" or (self.kind == "gradient" and not self.symbol)


@dataclass(frozen=True)
class Edge:
    """From operand (`source`) to result (`target`).

    `backward`: drawn dashed with its arrow at the operand, for what flows back along it. `kept`: drawn
    dotted, from a value of the forward pass to the rule that kept it. `count`: how many it stands for.

    >>> Edge("n0", "n2", "∂ = 2", backward=True).label
    '∂ = 2'
    """

    source: str
    target: str
    label: str = ""
    backward: bool = False
    state: State = ""
    kept: bool = False
    count: int = 1

    @property
    def lines(self) -> list[str]:
        """The label, line by line."""
        return rows(self.label) if self.label else []


@dataclass(frozen=True)
class Description:
    """A graph to draw. Nodes stand in topological order; edges go by result, then by operand.

    `title` names the picture, `words` say what it shows to someone who can't see it, `caption` (lines
    under the picture) explains its signs.

    >>> Description("x", "x = 3", (NodeBox("n0", "parameter", ("x = 3",)),), ()).nodes[0].kind
    'parameter'
    """

    title: str
    words: str
    nodes: tuple[NodeBox, ...]
    edges: tuple[Edge, ...]
    caption: tuple[str, ...] = ()

    @property
    def below(self) -> frozenset[str]:
        """The nodes of a backward pass, which are drawn beneath the others: also what it alone uses."""
        passed = {node.id for node in self.nodes if node.kind == "gradient"}
        if not passed:
            return frozenset()
        used = {edge.source for edge in self.edges if edge.target not in passed}
        own = (node.id for node in self.nodes if node.kind in ("constant", "data") and node.id not in used)
        return frozenset(passed.union(own))

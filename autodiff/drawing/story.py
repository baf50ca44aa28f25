"""A computation told rule by rule: what each frame of the stepper shows and says, the same for every engine.

Needs description.py. telling.py makes a Story of a graph: the nodes, the formula of each rule, the bill it
sends to each operand. `frames` plays it. Read with U6, where order matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from autodiff.drawing.description import Description, Edge, NodeBox, State
from autodiff.drawing.labels import rows, text_width

MOST_DRAWN = 150  # nodes; of a larger graph a frame shows what lies around the node at work
AROUND = 24  # nodes that this is
MOST_BOXES = 1_200  # boxes in all frames together, about 1 kB each; beyond it only key frames are made
KEY_FRAMES = 12
MOST_LISTED = 6
LONGEST_TOTAL = 16  # letters of a sum that still grows


@dataclass(frozen=True)
class Bill:
    """What a rule sends to one operand, along the edge with this position.

    `total` is what has come to the operand by then, `merged` how this bill was added to earlier ones.

    >>> Bill(0, "a gets g × b = 1 × 2 = 2", "2", "2").merged
    ''
    """

    edge: int
    formula: str
    amount: str
    total: str
    merged: str = ""


@dataclass(frozen=True)
class Rule:
    """One use of a rule: the node it computed, its formula by name and with numbers, the bills it sends.

    >>> Rule(2, "v1 = a × b", "v1 = a × b = 1 × 2 = 2", ()).node
    2
    """

    node: int
    short: str
    formula: str
    bills: tuple[Bill, ...]


@dataclass(frozen=True)
class Story:
    """A graph and what happens in it. Nodes stand in topological order, rules in the order they ran.

    `unknown` are the lines of each node as long as it isn't computed. An edge with `backward` is one that a
    bill comes back along. `start` is the gradient of the output, ""
    where nobody asks for one; `result` says what the leaves end up with.
    """

    title: str
    nodes: tuple[NodeBox, ...]
    unknown: tuple[tuple[str, ...], ...]
    edges: tuple[Edge, ...]
    rules: tuple[Rule, ...]
    start: str
    result: str


@dataclass(frozen=True)
class Frame:
    """One moment: a heading, formulas, how the bills stand, and the picture.

    >>> Frame("Forward 1 of 1", ("v1 = 2 × 3 = 6",), "", Description("", "", (), ())).words
    'Forward 1 of 1. v1 = 2 × 3 = 6.'
    """

    heading: str
    formulas: tuple[str, ...]
    bills: str
    description: Description

    @property
    def words(self) -> str:
        """The narration: all that the frame says, as one paragraph."""
        said = [self.heading, *self.formulas, *([self.bills] if self.bills else [])]
        return " ".join(f"{text}." if text[-1:] not in ".:" else text for text in said)


def frames(story: Story) -> list[Frame]:
    """All frames of a small graph, key frames of a large one; every frame has the same nodes and edges.

    Beyond MOST_DRAWN nodes a frame has only those around the node at work, at most AROUND.
    """
    drawn = min(len(story.nodes), MOST_DRAWN)
    total = _length(story)
    every = drawn * total <= MOST_BOXES or total <= KEY_FRAMES
    chosen = range(total) if every else _key_frames(story, total)
    return list(_Play(story).frames(set(chosen)))


def _length(story: Story) -> int:
    return len(story.rules) + 2 + (len(_served(story)) + 1 if story.start else 0)


def _served(story: Story) -> list[Rule]:
    return [rule for rule in reversed(story.rules) if rule.bills]


def _key_frames(story: Story, total: int) -> set[int]:
    """First, last, where the pass turns, and between them evenly; where bills merge rather than elsewhere."""
    turn = len(story.rules) + 1
    merges = {
        turn + 1 + k for k, rule in enumerate(_served(story)) if any(bill.merged for bill in rule.bills)
    }
    chosen = {0, turn - 1, turn, total - 1} & set(range(total))
    stride = total / (KEY_FRAMES - len(chosen))
    for k in range(KEY_FRAMES - len(chosen)):
        place = range(int(k * stride), min(total, int((k + 1) * stride)))
        chosen.add(next((each for each in place if each in merges), place[len(place) // 2]))
    return chosen


def widest(moments: Sequence[Description]) -> Description:
    """A description whose layout has room for every one of these, which differ in texts only.

    >>> small, large = NodeBox("n0", "operation", ("1",)), NodeBox("n0", "operation", ("100",))
    >>> widest([Description("", "", (small,), ()), Description("", "", (large,), ())]).nodes[0].lines
    ('100',)
    """
    nodes = [
        replace(each[-1], lines=tuple(map(_longest, zip_longest(*(n.lines for n in each), fillvalue=""))))
        for each in zip(*(moment.nodes for moment in moments), strict=True)
    ]
    edges = [
        replace(each[0], label=_longest(edge.label for edge in each))
        for each in zip(*(moment.edges for moment in moments), strict=True)
    ]
    return replace(moments[0], nodes=tuple(nodes), edges=tuple(edges))


def _longest(texts: Iterable[str]) -> str:
    return max(texts, key=lambda text: text_width(text, 1.0))


class _Play:
    """Where a story has got to: what is computed, which bills have come, which rule is at work."""

    def __init__(self, story: Story) -> None:
        self.story = story
        nodes = len(story.nodes)
        self.place = {node.id: k for k, node in enumerate(story.nodes)}
        self.waiting = {rule.node for rule in story.rules}  # not computed yet
        self.due = [0] * nodes  # how many bills are still to come
        self.amounts: list[list[str]] = [[] for _ in range(nodes)]
        self.totals = [""] * nodes
        self.sent: dict[int, str] = {}  # by edge
        self.now = -1
        self.busy: set[int] = set()  # edges in use
        self.neighbours: list[list[int]] = [[] for _ in range(nodes)]
        self.incoming: list[set[int]] = [set() for _ in range(nodes)]  # by node, its edges
        for e, edge in enumerate(story.edges):
            self.due[self.place[edge.source]] += edge.backward
            source, target = self.place[edge.source], self.place[edge.target]
            self.incoming[target].add(e)
            self.neighbours[source].append(target)
            self.neighbours[target].append(source)
        self.owed = list(self.due)

    def frames(self, chosen: set[int]) -> Iterator[Frame]:
        skipped = 0
        for k, (heading, formulas) in enumerate(self._moments()):
            if k not in chosen:
                skipped += 1
                continue
            if skipped:
                heading = f"{heading} ({skipped:,} step{'s' * (skipped > 1)} later)"
            skipped = 0
            bills = self._bills() if self.totals[-1] else ""
            yield Frame(heading, formulas, bills, self._picture(heading))

    def _moments(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        story, nodes = self.story, self.story.nodes
        rules, served = story.rules, _served(story)
        steps = f"{len(rules):,} rule{'s' * (len(rules) != 1)}"
        yield story.title, (f"Forward: {steps} to apply" if rules else "Nothing to compute",)
        for k, rule in enumerate(rules, 1):
            self.waiting.discard(rule.node)
            self.now = rule.node
            self.busy = self.incoming[rule.node]
            yield f"Forward, rule {k:,} of {len(rules):,}", (rule.formula,)
        if not story.start:
            self.now, self.busy = -1, set()
            yield "Done", (story.result,)
            return
        self.now, self.busy = len(nodes) - 1, set()
        self.totals[-1] = story.start
        yield (
            "Backward",
            (f"The gradient starts at {nodes[-1].name or nodes[-1].value} with g = {story.start}",),
        )
        for k, rule in enumerate(served, 1):
            self.now, self.busy = rule.node, {bill.edge for bill in rule.bills}
            formulas = [self._complete(rule.node)]
            for bill in rule.bills:
                operand = self.place[story.edges[bill.edge].source]
                self.due[operand] -= 1
                self.amounts[operand].append(bill.amount)
                self.totals[operand] = bill.total
                self.sent[bill.edge] = bill.amount
                formulas.append(bill.formula)
                formulas += [f"Paths meet at {nodes[operand].name}: {bill.merged}"] if bill.merged else []
            yield f"Backward, rule {k:,} of {len(served):,}: {rule.short}", tuple(formulas)
        self.now, self.busy = -1, set()
        yield "Done", (story.result,)

    def _complete(self, node: int) -> str:
        """Why this node can be served now."""
        name, total, amounts = self.story.nodes[node].name, self.totals[node], self.amounts[node]
        if len(amounts) < 2:
            return f"{name} has g = {total}" + (", its only bill" if amounts else "")
        number = "both" if len(amounts) == 2 else f"all {len(amounts):,}"
        amounts = [f"({each})" if each.startswith("−") and k else each for k, each in enumerate(amounts)]
        added = f"{' + '.join(amounts)} = " if len(amounts) <= 4 and max(map(len, amounts)) <= 12 else ""
        return f"{name} has g = {added}{total}: {number} bills have come"

    def _bills(self) -> str:
        nodes = self.story.nodes
        waiting = [k for k in range(len(nodes)) if self.due[k]]
        # As they'll be served; leaves last.
        waiting.sort(key=lambda k: -k if nodes[k].symbol else len(nodes) + k)
        open_ = [f"{nodes[k].name} {self.due[k]:,} of {self.owed[k]:,}" for k in waiting]
        if not open_:
            return "Every bill has come."
        more = f", and those of {len(open_) - MOST_LISTED:,} more" if len(open_) > MOST_LISTED else ""
        return f"Bills not yet arrived: {', '.join(open_[:MOST_LISTED])}{more}."

    # --- the picture -----------------------------------------------------------------------------

    def _picture(self, heading: str) -> Description:
        story = self.story
        shown = range(len(story.nodes)) if len(story.nodes) <= MOST_DRAWN else sorted(self._around())
        ids = {story.nodes[k].id for k in shown}
        nodes = tuple(self._node(k) for k in shown)
        edges = tuple(
            self._edge(e) for e, edge in enumerate(story.edges) if edge.source in ids and edge.target in ids
        )
        return Description(heading, _alt(nodes, whole=len(nodes) == len(story.nodes)), nodes, edges)

    def _around(self) -> set[int]:
        """The nearest nodes, in steps along edges; before and after the play, those around the first leaf."""
        near = [max(self.now, 0)]
        met = set(near)
        for k in near:  # grows while it is walked
            for other in self.neighbours[k]:
                if other not in met and len(met) < AROUND:
                    met.add(other)
                    near.append(other)
        return met

    def _node(self, k: int) -> NodeBox:
        node = self.story.nodes[k]
        later = k in self.waiting
        gradient = self._gradient(k)
        lines = self.story.unknown[k] if later else node.lines
        lines = (*lines, *rows(gradient)) if gradient else lines
        state: State = "later" if later else "now" if k == self.now else ""
        return replace(
            node,
            lines=lines,
            value="" if later else node.value,
            gradient=gradient,
            state=state,
            alarm="(!)" in "".join(lines),
            strip=() if later else node.strip,
        )

    def _gradient(self, k: int) -> str:
        if not self.totals[-1]:
            return ""
        if not self.due[k]:
            return f"g = {self.totals[k]}" if self.totals[k] else ""
        due = f"{self.due[k]:,} bill{'s' * (self.due[k] > 1)} due"
        return f"{self.totals[k]}, {due}" if 0 < len(self.totals[k]) <= LONGEST_TOTAL else due

    def _edge(self, e: int) -> Edge:
        edge, label = self.story.edges[e], self.sent.get(e, "")
        state: State = "later" if self.place[edge.target] in self.waiting else "now" if e in self.busy else ""
        return replace(edge, label=label, backward=e in self.sent, state=state)


def _alt(nodes: Sequence[NodeBox], whole: bool) -> str:
    """What the picture shows beyond the narration: the values and gradients by now."""
    told = [
        f"{node.name} = {node.value}{f' ({node.gradient})' if node.gradient else ''}"
        for node in nodes
        if node.name and node.state != "later"
    ]
    more = f" and {len(told) - 2 * MOST_LISTED:,} more" if len(told) > 2 * MOST_LISTED else ""
    which = "Graph" if whole else "Part of the graph"
    return f"{which} at this moment: {', '.join(told[: 2 * MOST_LISTED])}{more}."

"""What every engine tells about a computation that is to be drawn, stepped through or explained.

Needs description.py and values.py. Adds Graph: vertices in topological order, each with its operands,
their local derivatives and the gradient that arrives. An engine's adapter (scalars.py, tensors.py) reads
it off. Read with U4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from autodiff.drawing.description import Kind
from autodiff.drawing.labels import tidy
from autodiff.drawing.values import is_odd, range_of, shape_text, value_text
from autodiff.threads import Scope

Shape = tuple[int, ...]


class Operand(NamedTuple):
    """A seat of an operation: the vertex that sits there, by position.

    `tracked`: a gradient goes back along it. `partial` is the local derivative where that is numbers: a
    float, or an array with one number per entry of the result (operations that map over entries), or per
    entry of the operand (where the result is one number). None where it isn't, or nobody asked.

    >>> Operand(0, tracked=True).partial is None
    True
    """

    at: int
    tracked: bool = False
    partial: Any = None

    def to(self, at: int) -> Operand:
        """The same seat with another vertex in it."""
        return Operand(at, self.tracked, self.partial)

    def merged(self, other: Operand) -> Operand:
        """One seat for two."""
        partial = range_of([self.partial, other.partial])
        return Operand(self.at, self.tracked or other.tracked, partial)


@dataclass(frozen=True)
class Vertex:
    """A value of a computation, and how it was made.

    `name` is set for parameters, the output and whatever else has one; `symbol` and `rule` for what an
    operation made, `detail` says its options. `value` and `gradient` are floats or arrays, None where they
    aren't known or don't arrive. `shape` is None for a Scalar. `maps`: entry by entry, so that operands
    broadcast. `folded` says what a vertex stands for that took the place of `count` operations or constants.
    `key` is the engine's own object.

    >>> Vertex("parameter", "w", value=2.0).text
    '2'
    """

    kind: Kind
    name: str = ""
    symbol: str = ""
    rule: str = ""
    detail: str = ""
    value: Any = None
    gradient: Any = None
    shape: Shape | None = None
    dtype: str = ""
    operands: tuple[Operand, ...] = ()
    scope: tuple[Scope, ...] = ()
    maps: bool = False
    folded: str = ""
    count: int = 1
    key: Any = field(default=None, compare=False)

    def but(self, **changes: Any) -> Vertex:
        """The same with some fields changed."""
        made = object.__new__(Vertex)  # dataclasses.replace takes ten times as long
        vars(made).update(vars(self), **changes)
        return made

    @property
    def form(self) -> str:
        """Shape and dtype as a picture shows them; "" for a number."""
        return shape_text(self.shape, self.dtype)

    @property
    def text(self) -> str:
        """The value on one line; the shape where the value isn't known."""
        return value_text(self.value) or self.form or "?"

    @property
    def gradient_text(self) -> str:
        """The gradient that arrives, on one line; "" where none does."""
        return value_text(self.gradient)

    @property
    def alarm(self) -> bool:
        """Whether the value or the gradient has nan or infinity in it."""
        return is_odd(self.value) or is_odd(self.gradient)


@dataclass(frozen=True)
class Graph:
    """A computation: its vertices, every operand before its user, the result last.

    >>> Graph((Vertex("parameter", "x", value=3.0),)).out.name
    'x'
    """

    vertices: tuple[Vertex, ...]

    @property
    def out(self) -> Vertex:
        """The result."""
        return self.vertices[-1]


def output_name(taken: Collection[object], name: object = None) -> str:
    """What a picture calls the result: `name`, else the first of y, z, out, out1 … that isn't taken.

    >>> output_name({"y"}), output_name({"y"}, "C")
    ('z', 'C')
    """
    return tidy(name) if name is not None else next(n for n in _possible_names() if n not in taken)


def _possible_names() -> Iterator[str]:
    yield from ("y", "z", "out")
    yield from (f"out{k}" for k in count(1))

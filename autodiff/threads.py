"""What each thread is doing: whether it records, who watches, which name scopes are open; and one clock.

Needs nothing read before. Adds `name_scope`, and the switch that lets an operation pass at once while no
thread does anything special. Read in U8 (scopes in pictures) and U14 (what it costs).
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

orders = itertools.count()  # the clock of all engines: when each node was made, each scope entered
next_order = orders.__next__

P = ParamSpec("P")
T = TypeVar("T")


class Scope(NamedTuple):
    """A named block of a program that nodes were made in; `entry` tells it from others of its name.

    `composed`: a call of a composed function. Only what it answered is marked with it: whatever of its
    ancestors is no older than `entry` was made by the call, too.
    """

    name: str
    entry: int
    composed: bool = False

    @property
    def mirrored(self) -> bool:
        """Whether it is what a picture shows of a scope's backward pass."""
        return self.entry < 0

    def mirror(self) -> Scope:
        """Itself in the backward pass, where it is another scope: entries count from −1 down."""
        return self._replace(entry=~self.entry)


class _Thread(threading.local):
    """What this thread is doing; `special` if it doesn't record, is watched, or is in a name scope."""

    special = False
    recording = True
    watch: Callable[[Any, tuple[Any, ...], Any, str], None] | None = None  # (row, operands, value, what)
    scope: tuple[Scope, ...] = ()  # outermost first
    serving: Callable[[Any], None] | None = None  # told each node that a recorded pass comes to
    outer: dict[str, Any]  # all of this as it was before the innermost block


class _Switch:
    """How many blocks do something special: what each operation asks first, as it costs next to nothing."""

    __slots__ = ("count", "told")

    def __init__(self) -> None:
        self.count = 0
        self.told: list[Callable[[bool], None]] = []  # whom to tell when it goes on (True) or off

    def add(self, change: int) -> None:
        """One more block, or one less (−1)."""
        with _lock:
            before, self.count = self.count, self.count + change
            if not (before and self.count):
                for tell in self.told:
                    tell(self.count > 0)


_lock = threading.Lock()
thread = _Thread()
switch = _Switch()


def _begin(recording: bool, watch: Any, scope: tuple[Scope, ...]) -> None:
    special = not recording or watch is not None or bool(scope)
    if special:
        switch.add(1)
    now = vars(thread)  # quicker than attribute by attribute
    now.update(recording=recording, watch=watch, scope=scope, special=special, outer=now.copy())


def _end() -> None:
    if thread.special:
        switch.add(-1)
    now = vars(thread)
    outer = now["outer"]
    now.clear()
    now.update(outer)


class behaving:  # noqa: N801 - a block, used like a function
    """A block in which this thread records or not, shows rows to `watch` (None: nobody), is in a scope."""

    __slots__ = ("_now",)

    def __init__(self, recording: bool, watch: Any, scope: tuple[Scope, ...]) -> None:
        self._now = recording, watch, scope

    def __enter__(self) -> None:
        _begin(*self._now)

    def __exit__(self, *_: object) -> None:
        _end()


class name_scope:  # noqa: N801 - a block, used like a function
    """A block whose operations belong together: `draw` puts a frame around them, or one box in their place.

    Before a function, `@name_scope("layer")`, each call is such a block. Scopes may stand inside one another;
    each entry is a scope of its own, also under a name used before.

    >>> from autodiff import Scalar, draw
    >>> w = Scalar(2.0, name="w")
    >>> with name_scope("model"):
    ...     y = w * w + 1
    >>> [box.lines for box in draw(y, depth=0).description.nodes]
    [('model', '2 operations, 1 parameter', 'y = 5')]
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = str(name)

    def __enter__(self) -> None:
        _begin(thread.recording, thread.watch, (*thread.scope, Scope(self.name, next_order())))

    def __exit__(self, *_: object) -> None:
        _end()

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function, each call of it in a scope of its own."""

        @functools.wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> T:
            with self:
                return function(*args, **options)

        return call

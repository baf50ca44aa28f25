"""The student's part of requirements.lock: what the course needs and what that needs, nothing for grading."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

HEAD = "# The versions and hashes that the course was tried with; bootstrap.py installs them.\n"
_ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==")
_VIA = re.compile(r"^ +# +(?:via +)?(?P<name>[A-Za-z0-9][\w.-]*)$")


@dataclass(frozen=True)
class Entry:
    """One locked version: its lines, and the packages that asked for it."""

    name: str
    text: str
    parents: frozenset[str]


def canonical(name: str) -> str:
    """A package's name as the lock writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def entries(lock: str) -> list[Entry]:
    """The entries of a lock in order; a package may have several, for different platforms."""
    blocks: list[list[str]] = []
    for line in lock.splitlines():
        if _ENTRY.match(line):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    return [_entry(block) for block in blocks]


def _entry(lines: list[str]) -> Entry:
    head = _ENTRY.match(lines[0])
    name = canonical(head["name"]) if head else ""
    found = (_VIA.match(line) for line in lines[1:])
    parents = frozenset(canonical(via["name"]) for via in found if via and via["name"] != "via")
    return Entry(name, "\n".join(lines) + "\n", parents)


def part_for(lock: str, wanted: Iterable[str]) -> str:
    """The lock of the wanted packages and of all that they ask for, by the lock's own `# via` lines."""
    every = entries(lock)
    kept = {canonical(name) for name in wanted}
    if absent := kept - {entry.name for entry in every}:
        raise ValueError(f"requirements.lock has no {', '.join(sorted(absent))}; make it anew")
    while more := {e.name for e in every if e.name not in kept and e.parents & kept}:
        kept |= more
    return HEAD + "".join(entry.text for entry in every if entry.name in kept)

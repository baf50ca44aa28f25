"""Arrays in dicts, lists and tuples, nested: taken apart into a list, and put together again.

Needs nothing read before but NumPy. Adds `flatten`. Read with functional.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Rebuild = Callable[[Sequence[Any]], Any]


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves of `tree` in order, and the function that puts as many others in their places.

    Dicts (in the order of their keys), lists, tuples and named tuples are branches; all else is a leaf.

    >>> leaves, rebuild = flatten({"w": [1.0, 2.0], "b": 3.0})
    >>> leaves, rebuild([10, 20, 30])
    ([1.0, 2.0, 3.0], {'w': [10, 20], 'b': 30})
    """
    if isinstance(tree, dict):
        branches, kind = list(tree.values()), type(tree)
        keys = list(tree)

        def join(parts: list[Any]) -> Any:
            return kind(zip(keys, parts, strict=True))
    elif isinstance(tree, list | tuple):
        branches, kind_of = list(tree), type(tree)

        def join(parts: list[Any]) -> Any:
            return kind_of(*parts) if hasattr(kind_of, "_fields") else kind_of(parts)
    else:
        return [tree], lambda leaves: leaves[0]
    parts = [flatten(branch) for branch in branches]

    def rebuild(leaves: Sequence[Any]) -> Any:
        at, joined = 0, []
        for inner, rebuild_inner in parts:
            joined.append(rebuild_inner(leaves[at : at + len(inner)]))
            at += len(inner)
        return join(joined)

    return [leaf for inner, _ in parts for leaf in inner], rebuild

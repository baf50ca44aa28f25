"""Whether a committed file is what its sources build: ids, texts and printed numbers, not image bytes.

Numbers in outputs may differ in their last digits (another processor), and a number before a unit of time
isn't compared at all (another day).
"""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DURATION = re.compile(rf"{_NUMBER.pattern}\s?(?:ns|µs|us|ms|s|seconds?|minutes?|times)\b")
_RTOL, _ATOL = 1e-6, 1e-12


def difference(old: str, new: str, outputs: bool = True) -> str:
    """Where two notebooks differ, in words; "" where they don't. Without `outputs` only sources count."""
    try:
        before, after = json.loads(old), json.loads(new)
        cells, wanted = before["cells"], after["cells"]
        names, ids = [cell.get("id") for cell in cells], [cell["id"] for cell in wanted]
    except (ValueError, KeyError, TypeError, AttributeError):
        return "it is no notebook of this build"
    if names != ids:
        moved = next((one for one, other in zip(ids, names, strict=False) if one != other), "")
        return f"other cells, from {moved} on" if moved else "cells missing or left over at the end"
    for cell, want in zip(cells, wanted, strict=True):
        for part in ("cell_type", "source", "metadata"):
            if cell.get(part) != want[part]:
                return f"the {part} of cell {want['id']}"
        if outputs and not _same_outputs(cell.get("outputs", []), want.get("outputs", [])):
            return f"the output of cell {want['id']}"
    rest = [{key: value for key, value in nb.items() if key != "cells"} for nb in (before, after)]
    return "" if rest[0] == rest[1] else "the notebook's metadata"


def same_text(old: str, new: str) -> bool:
    """The same words, durations aside, and the same numbers to a relative 1e-6."""
    old, new = _DURATION.sub("t", old), _DURATION.sub("t", new)
    if _NUMBER.sub("0", old) != _NUMBER.sub("0", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(_close(float(a), float(b)) for a, b in pairs)


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= _ATOL + _RTOL * max(abs(a), abs(b))


def _same_outputs(old: list[Any], new: list[Any]) -> bool:
    return len(old) == len(new) and all(
        _shape(a) == _shape(b) and all(same_text(x, y) for x, y in zip(_texts(a), _texts(b), strict=True))
        for a, b in zip(old, new, strict=True)
    )


def _shape(output: dict[str, Any]) -> tuple[Any, ...]:
    return output["output_type"], output.get("name"), sorted(output.get("data", {}))


def _texts(output: dict[str, Any]) -> list[str]:
    data = output.get("data", {})
    parts = [output.get("text", ""), *(data[kind] for kind in sorted(data) if not kind.startswith("image/"))]
    return ["".join(part) for part in parts]

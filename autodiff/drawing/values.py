"""How a value is written in a picture: a number, a few entries, or statistics and a heat strip.

Needs labels.py. Arrays bring NumPy with them, so it is imported late. Read with U10, where numbers become
arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from autodiff.drawing.labels import number

MOST_ENTRIES = 4  # of an array whose entries are written out
CELLS = 16  # of a heat strip
BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Range:
    """The least and the greatest of many values.

    >>> value_text(Range(1.0, 3.0)), value_text(Range(2.0, 2.0))
    ('1 … 3', 'all 2')
    """

    low: float
    high: float

    def __str__(self) -> str:
        if self.low != self.low:
            return "nan (!)"
        low, high = number(self.low, 3), number(self.high, 3)
        return f"all {low}" if low == high else f"{low} … {high}"


def range_of(values: Iterable[Any]) -> Range | None:
    """The range of numbers, arrays and ranges; None where one isn't known.

    >>> range_of([1.0, Range(2.0, 5.0)])
    Range(low=1.0, high=5.0)
    """
    ends = []
    for value in values:
        if value is None or (hasattr(value, "size") and not value.size):
            return None
        if isinstance(value, Range):
            ends += [value.low, value.high]
        elif isinstance(value, float | int):
            ends.append(float(value))
        else:
            ends += [float(value.min()), float(value.max())]
    if any(end != end for end in ends):  # min and max would pass over nan
        return Range(math.nan, math.nan)
    return Range(min(ends), max(ends)) if ends else None


def shape_text(shape: tuple[int, ...] | None, dtype: str = "") -> str:
    """The shape, and the dtype where it isn't float64; "" for one number of float64.

    >>> shape_text((3,)), shape_text((2, 3), "float32"), shape_text(())
    ('(3,)', '(2, 3) float32', '')
    """
    parts = [str(tuple(shape))] if shape else []
    return " ".join(parts + ([dtype] if dtype not in ("", "float64") else []))


def value_text(value: Any) -> str:
    """The value on one line; "" where it isn't known (None).

    >>> value_text(1 / 3), value_text(None)
    ('0.333333', '')
    """
    if value is None:
        return ""
    if isinstance(value, float | int):
        return number(value)
    if isinstance(value, Range):
        return str(value)
    if value.size <= MOST_ENTRIES:
        return _entries(value.tolist(), 6 if value.size == 1 else 4)
    return _statistics(value)


def short_text(value: Any) -> str:
    """The value where there is little room: of a large array the range.

    >>> short_text(2.0)
    '2'
    """
    if value is None or isinstance(value, float | int | Range) or value.size <= MOST_ENTRIES:
        return value_text(value)
    return str(range_of([value]))


def _entries(value: Any, digits: int) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_entries(each, digits) for each in value)}]"
    return number(value, digits)


def _statistics(value: Any) -> str:
    """min … max and the mean of what is finite; how many entries aren't."""
    import numpy as np

    finite = value[np.isfinite(value)]
    odd = [(int(np.isnan(value).sum()), "nan (!)"), (int(np.isinf(value).sum()), "inf (!)")]
    said = [f"{count:,} {what}" for count, what in odd if count]
    if finite.size:
        with np.errstate(all="ignore"):
            low, mean, high = (float(f(finite)) for f in (np.min, np.mean, np.max))
        if abs(mean) < 1e-12 * max(abs(low), abs(high)):
            mean = 0.0  # what rounding leaves of a sum that is 0
        said.append(str(Range(low, high)) + (f", mean {number(mean, 3)}" if low < high else ""))
    return ", ".join(said)


def is_odd(value: Any) -> bool:
    """Whether a value has nan or infinity in it.

    >>> is_odd(float("nan")), is_odd(1.0), is_odd(None)
    (True, False, False)
    """
    if value is None:
        return False
    if isinstance(value, float | int):
        return not math.isfinite(value)
    if isinstance(value, Range):
        return not (math.isfinite(value.low) and math.isfinite(value.high))
    import numpy as np

    return not bool(np.isfinite(value).all())


def strip(value: Any) -> tuple[float | None, ...]:
    """The entries of a large array in at most 16 cells: means between −1 and 1; None: not finite.

    >>> strip(2.0)
    ()
    """
    if value is None or isinstance(value, float | int | Range) or value.size <= MOST_ENTRIES:
        return ()
    import numpy as np

    cells = [cell for cell in np.array_split(np.ravel(value).astype(float), CELLS) if cell.size]
    with np.errstate(all="ignore"):
        means = [float(np.mean(cell)) for cell in cells]
    most = max((abs(mean) for mean in means if math.isfinite(mean)), default=0.0) or 1.0
    return tuple(round(mean / most, 3) if math.isfinite(mean) else None for mean in means)


def strip_text(cells: tuple[float | None, ...]) -> str:
    """A heat strip in characters; × is not finite.

    >>> strip_text((-1.0, 0.0, 1.0, None))
    '▁▅█×'
    """
    return "".join("×" if cell is None else BLOCKS[round((cell + 1) / 2 * 7)] for cell in cells)

"""Short texts for pictures: numbers, names that can't break anything, and how wide a text will be.

Needs nothing read before. Adds what every adapter and every picture writer uses. Read with U2, where
graphs are first drawn.
"""

from __future__ import annotations

import math
import unicodedata

LONGEST_NAME = 24
BOLDER = 1.12  # how much wider bold text is
_JOINER = "\u200d"  # holds emoji together; the other format characters only hide or reorder text
_LEFT_TO_RIGHT = "\u200e"


def number(value: float, digits: int = 6) -> str:
    """A number with at most `digits` significant digits; nan and infinities are marked.

    >>> number(3.0), number(-1 / 3), number(float("nan"))
    ('3', '−0.333333', 'nan (!)')
    """
    if not math.isfinite(value):
        return f"{value} (!)".replace("-", "−")
    return f"{value + 0.0:.{digits}g}".replace("-", "−")  # + 0.0 turns -0.0 into 0.0


def plain(text: str) -> str:
    """`text` on one line, without the characters that XML forbids or that reorder what stands beside them.

    >>> plain("two\\nlines\\x00")
    'two lines'
    """
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if char in "\n\r\t\v\f\x85\u2028\u2029" else char for char in text)
    return "".join(char for char in kept if not _forbidden(char))


def _forbidden(char: str) -> bool:
    if char in (_JOINER, _LEFT_TO_RIGHT):
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") or ord(char) & 0xFFFE == 0xFFFE


def tidy(name: object) -> str:
    """A name as a label shows it: one line, at most 24 characters, never empty.

    >>> tidy("w"), tidy(""), tidy("x" * 10_000)
    ('w', "''", 'xxxxxxxxxxxxxxxxxxxxxxx…')
    """
    text = " ".join(plain(str(name)[: 20 * LONGEST_NAME]).split())
    if not text:
        return repr("")
    if len(text) > LONGEST_NAME or len(str(name)) > 20 * LONGEST_NAME:
        text = text[: LONGEST_NAME - 1] + "…"
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
        text = (
            f"{_LEFT_TO_RIGHT}{text}{_LEFT_TO_RIGHT}"  # else "= 1" after a Hebrew name would move to its left
        )
    return text


def rows(text: str) -> list[str]:
    """The lines that a text stands on: a matrix row by row.

    >>> rows("g = [[1, 2], [3, 4]]")
    ['g = [[1, 2],', '[3, 4]]']
    """
    return text.replace("], [", "],\n[").split("\n")


def gradient_name(out: str, of: str) -> str:
    """What a picture calls a derivative.

    >>> gradient_name("y", "w"), gradient_name("y", "my w")
    ('dy/dw', 'dy/d(my w)')
    """
    return "/".join(f"d{name}" if name.isidentifier() else f"d({name})" for name in (out, of))


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide `text` may be at font size `size`: rather too much, since the reader's font is unknown.

    DejaVu Sans, the widest of those that a picture names, was measured in a browser.

    >>> text_width("×", 14.0) < text_width("a = 1", 14.0)
    True
    """
    return size * sum(_char_width(char) for char in text) * (BOLDER if bold else 1)


def _char_width(char: str) -> float:
    if char in "il.,'|:;!()[] ":
        return 0.4
    if char in "mwMW@%…":
        return 1.02
    if char in "+<>~&QO":
        return 0.85
    if char.isascii():
        return 0.78 if char.isupper() else 0.65
    if unicodedata.combining(char) or char in (_JOINER, _LEFT_TO_RIGHT):
        return 0.0
    return 1.4 if unicodedata.east_asian_width(char) in "WF" else 0.85

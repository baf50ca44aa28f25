"""Colours: text stands out from what is behind it, and kinds differ by more than colour."""

from __future__ import annotations

from typing import get_args

import pytest

from autodiff.drawing import style
from autodiff.drawing.description import Kind
from autodiff.drawing.dot import _SHAPES

ON_FILL = ["ink", "back"]  # node text, and g in a node
KINDS = get_args(Kind)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out(palette):
    pairs = [(text, f"{kind}-fill") for text in ON_FILL for kind in KINDS]
    pairs += [(text, "paper") for text in ("ink", "quiet", "back")]
    ratios = {pair: contrast(*(palette[part] for part in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}
    outlines = [contrast(palette[kind], palette["paper"]) for kind in KINDS]
    assert min(outlines) > 3  # what WCAG asks of graphics


def test_kinds_differ_by_shape():
    assert len(set(_SHAPES.values())) == len(KINDS)

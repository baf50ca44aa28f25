"""Any graph of the package -> description -> DOT -> SVG or PNG, and the same in words.

Needs graph.py, scalar.py and errors.py; neither NumPy nor Graphviz nor matplotlib to be imported.
`draw(x)` is all that a student calls, from U2 on. `plots`, which needs NumPy, loads when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from autodiff.drawing.difference import Difference, draw_difference
from autodiff.drawing.explanation import Explanation, explain
from autodiff.drawing.picture import Drawing
from autodiff.drawing.stepper import Stepper, step
from autodiff.drawing.tiers import TierReport, tier_report
from autodiff.drawing.views import draw

__all__ = [
    "Difference",
    "Drawing",
    "Explanation",
    "Stepper",
    "TierReport",
    "draw",
    "draw_difference",
    "explain",
    "step",
    "tier_report",
]


def __getattr__(name: str) -> Any:
    if name == "plots":
        return importlib.import_module("autodiff.drawing.plots")
    raise AttributeError(f"module 'autodiff.drawing' has no attribute {name!r}")

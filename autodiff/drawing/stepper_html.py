"""A stepper as HTML: frames that read well by themselves, and a script that makes a player of them.

Needs story.py, svg.py, page.py and the files stepper.js and stepper.css beside this one. Without the script
(an untrusted notebook) each frame stays a <details> with its picture. Not read in a unit.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from autodiff.drawing.description import Description
from autodiff.drawing.layered import Layout
from autodiff.drawing.page import page, text
from autodiff.drawing.story import Frame
from autodiff.drawing.svg import MARGIN, canvas, own_svg

SIGNS = (
    "A second line around a node: it is at work. Dotted: not computed yet. "
    "Dashed, with a number: the bill that went back along this edge."
)


@cache
def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def fragment(title: str, frames: Sequence[Frame], layouts: Sequence[Layout]) -> str:
    """The stepper as a piece of HTML, for a notebook or inside a page.

    >>> fragment("x", [], []).startswith('<div class="ad-step"')
    True
    """
    told = "".join(
        _frame(frame, layout, is_first=k == 0)
        for k, (frame, layout) in enumerate(zip(frames, layouts, strict=True))
    )
    return (
        f'<div class="ad-step" role="group" aria-label="{text(f"Step by step: {title}")}">'
        f"<style>{_beside('stepper.css')}</style>"
        f'<div class="ad-frames">{told}</div><p class="ad-signs">{SIGNS}</p>'
        f"<script>{_beside('stepper.js')}</script></div>"
    )


def stepper_page(title: str, frames: Sequence[Frame], layouts: Sequence[Layout]) -> str:
    """The stepper as a page of its own.

    >>> stepper_page("x", [], []).startswith("<!DOCTYPE html>")
    True
    """
    inside = fragment(title, frames, layouts)
    return page(f"Step by step: {title}", inside, script=_beside("stepper.js"))


def _frame(frame: Frame, layout: Layout, is_first: bool) -> str:
    said = "<br>".join(text(formula) for formula in frame.formulas)
    bills = f"<p>{text(frame.bills)}</p>" if frame.bills else ""
    return (
        f"<details{' open' * is_first}><summary>{text(frame.heading)}</summary>"
        f'<p class="ad-formula">{said}</p>{bills}{_image(frame.description, layout)}</details>'
    )


def _image(description: Description, layout: Layout) -> str:
    """The picture as an <img>: the one kind of SVG that is shown in an untrusted notebook, too."""
    width, height = canvas(description, layout)
    svg = base64.b64encode(own_svg(description, "s", layout).encode()).decode()
    at = next(
        (box.x for node, box in zip(description.nodes, layout.boxes, strict=True) if node.state == "now"),
        None,
    )
    where = "" if at is None else f' data-at="{(at + MARGIN) / width:.3f}"'
    return (
        f'<img width="{round(width)}" height="{round(height)}"{where} '
        f'alt="{text(description.words)}" src="data:image/svg+xml;base64,{svg}">'
    )

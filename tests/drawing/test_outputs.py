"""What a notebook is given: nothing that only eyes can read."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from autodiff import Scalar, check_gradients, draw, draw_difference, explain, step


def program() -> Scalar:
    return Scalar(3.0, name="x") * Scalar(2.0, name="w") + 1


def loss_curve() -> Any:
    pytest.importorskip("matplotlib")
    from autodiff import plots

    return plots.loss_curve([4.0, 2.0, 1.0])


OUTPUTS = {
    "draw": (lambda: draw(program()), "y = x × w + 1: value 7"),
    "gradient": (lambda: draw(program(), view="gradient"), "dy/dx = 2"),
    "backward": (lambda: draw(program(), view="backward"), "Backward pass of y"),
    "step": (lambda: step(program()), "The gradient: {'x': 2, 'w': 3}"),
    "explain": (lambda: explain(program()), "dy/dx = 2, along one path"),
    "difference": (lambda: draw_difference(program(), program() * 2), "2 nodes of b are new"),
    "check": (lambda: check_gradients(np.sin, 1.0), "2 of 2 derivatives right"),
    "plot": (loss_curve, "from 4 at step 0 down to 1"),
}


class Alternatives(HTMLParser):
    """What a page says in place of its pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.alts: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "img":
            self.alts.append(dict(attrs).get("alt"))


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_carries_words_and_each_picture_alt_text(output):
    make, said = OUTPUTS[output]
    shown = make()
    if hasattr(shown, "_repr_mimebundle_"):
        bundle, metadata = shown._repr_mimebundle_()
    else:
        bundle, metadata = {"text/html": shown._repr_html_(), "text/plain": repr(shown)}, {}
    assert said in bundle["text/plain"]
    pictures = [kind for kind in bundle if kind.startswith("image/")]
    assert sorted(metadata) == sorted(pictures)
    assert all(len(metadata[kind]["alt"]) > 20 for kind in pictures)
    assert all(alt and len(alt) > 20 for alt in Alternatives(bundle.get("text/html", "")).alts)
    if svg := bundle.get("image/svg+xml"):
        assert 'role="img"' in svg
        assert "<desc " in svg

"""Ten reference graphs, drawn every way: what the tests measure, and a person should look at.

`python -m tests.drawing.gallery FOLDER [GRAPH …]` writes each as SVG (light and dark) and PNG, in every view
by every tier that is on the machine, and an index.html with all of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.drawing import draw, tiers
from autodiff.drawing.page import page, text
from autodiff.drawing.picture import Drawing
from autodiff.scalar import Scalar

VIEWS = ("forward", "gradient", "backward")
KEPT: list[ad.Tensor] = []  # as a program keeps its parameters: the values of those that are gone are unknown
DARK_ONLY_THERE = "@media (prefers-color-scheme: dark)"


def parameter(values: Any, name: str) -> ad.Tensor:
    """A variable that outlives the function that makes it."""
    KEPT.append(ad.tensor(values, name=name))
    return KEPT[-1]


def line() -> Scalar:
    """a·b + 1."""
    return Scalar(1.0, name="a") * Scalar(2.0, name="b") + 1


def regression(samples: int = 3) -> Scalar:
    """The mean square error of b + w·x."""
    b, w = Scalar(15.0, name="b"), Scalar(2.0, name="w")
    errors = [(b + w * float(k - 1) - (10.0 + 5 * (k - 1))).square() for k in range(samples)]
    return sum(errors[1:], errors[0]) * (1 / samples)


def diamond() -> Scalar:
    """Two paths that part and meet."""
    x = Scalar(2.0, name="x")
    u = x * 3
    return u.sin() * (u + 1)


def skip() -> Scalar:
    """A path around two operations."""
    x = Scalar(2.0, name="x")
    return x.exp().sin() + x


def broadcast_bias() -> ad.Tensor:
    """A bias for each column, added to every row."""
    x = ad.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], name="X", constant=True)
    w, b = parameter([[1.0, -1.0], [0.5, 2.0]], "W"), parameter([0.1, -0.2], "b")
    return ad.sum(ad.tanh(x @ w + b))


def softmax_mlp() -> ad.Tensor:
    """Two layers and the cross entropy of a softmax, written with rows of the table alone."""
    rng = np.random.default_rng(0)
    x = ad.tensor(rng.normal(size=(5, 4)), name="X", constant=True)
    labels = np.eye(3)[[0, 2, 1, 1, 0]]
    w1, b1 = parameter(rng.normal(size=(4, 6)), "W₁"), parameter(np.zeros(6), "b₁")
    w2, b2 = parameter(rng.normal(size=(6, 3)), "W₂"), parameter(np.zeros(3), "b₂")
    with ad.name_scope("hidden"):
        h = ad.tanh(x @ w1 + b1)
    with ad.name_scope("scores"):
        s = h @ w2 + b2
    with ad.name_scope("softmax"):
        e = ad.exp(s - ad.max(s, axis=1, keepdims=True))
        p = e / ad.sum(e, axis=1, keepdims=True)
    return -ad.mean(ad.sum(ad.log(p) * labels, axis=1))


def concatenate_index() -> ad.Tensor:
    """Two vectors joined, some entries taken out again, one of them twice."""
    a, b = parameter([1.0, 2.0], "a"), parameter([3.0, 4.0, 5.0], "b")
    joined = ad.concatenate([a, b * b])
    return ad.sum(joined[np.array([0, 3, 3])] * joined[1:4])


def second_derivative() -> ad.Tensor:
    """The derivative of sin(x)·x, recorded, so that it is a graph itself."""
    x = parameter(0.5, "x")
    return ad.gradients(ad.sin(x) * x, [x], record=True)[0]


def two_hundred() -> Scalar:
    """A network of 13 neurons, number by number."""
    inputs = [Scalar(0.5, name="x1"), Scalar(-1.0, name="x2")]
    for layer, neurons in enumerate((6, 6, 1), 1):
        made = []
        for k in range(neurons):
            total = Scalar(0.1 * k, name=f"b{layer}{k}")
            for i, each in enumerate(inputs):
                total = total + Scalar(((5 * i + 3 * k + layer) % 7 - 3) / 4, name=f"w{layer}{k}{i}") * each
            made.append(total.tanh())
        inputs = made
    return (inputs[0] - 1.0).square()


def two_thousand() -> Scalar:
    """The regression with 285 samples, as long as it is wide."""
    return regression(285)


GRAPHS: dict[str, Callable[[], Any]] = {
    make.__name__: make
    for make in (
        line,
        regression,
        diamond,
        skip,
        broadcast_bias,
        softmax_mlp,
        concatenate_index,
        second_derivative,
        two_hundred,
        two_thousand,
    )
}
LARGE = ("two_thousand",)  # drawn to the last node by our own layout, else collapsed


def pictures(name: str) -> Iterator[tuple[str, Drawing]]:
    """Each view of a reference graph; a large one collapsed, and to the last node."""
    root = GRAPHS[name]()
    for view in VIEWS:
        yield view, draw(root, view=view)
        if name in LARGE:
            yield f"{view}-whole", draw(root, view=view, collapse=False)


def write(folder: Path, names: list[str]) -> Path:
    """All pictures of these graphs, and the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [tier for tier in tiers.TIERS if tier == "own" or tiers.find_tool(tier)]
    shown = []
    for name in names:
        shown.append(f"<h2>{text(name)}</h2><p>{text(GRAPHS[name].__doc__ or '')}</p>")
        for view, whole in pictures(name):
            shown.append(f"<h3>{name}, {view}</h3><p>{text(whole.words)}</p>")
            for tier in ["own"] if view.endswith("whole") else found:
                os.environ[tiers.VARIABLE] = tier
                drawing = Drawing(whole.description)  # laid out once, by this tier
                shown += _figures(folder, f"{name}-{view}-{tier}", drawing)
    index = folder / "index.html"
    index.write_text(page("Ten reference graphs", "\n".join(shown)), encoding="utf-8")
    return index


def _figures(folder: Path, stem: str, drawing: Drawing) -> Iterator[str]:
    svg = drawing.svg()
    dark = svg.replace(DARK_ONLY_THERE, "@media all")
    files = {f"{stem}.svg": svg.encode(), f"{stem}-dark.svg": dark.encode()}
    if (png := drawing.png()) is not None:
        files[f"{stem}.png"] = png
    for name, content in files.items():
        (folder / name).write_bytes(content)
        image = f'<img src="{name}" alt="{text(drawing.words)}">'
        yield f"<figure>{image}<figcaption>{name}</figcaption></figure>"


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), sys.argv[2:] or list(GRAPHS)))

"""The DOT text: golden for one graph, the same bytes everywhere, no name breaks it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autodiff.drawing import draw, tiers
from autodiff.drawing.dot import quote

GOLDEN = r"""digraph autodiff {
  graph [rankdir=LR, ordering=in, ranksep=0.4, nodesep=0.35, pad=0.1, fontname="Helvetica", fontsize=11]
  node [fontname="Helvetica", fontsize=14, height=0.3, width=0.3, margin="0.12,0.06", style=filled]
  edge [fontname="Helvetica", fontsize=14, color="#595959", arrowsize=0.7]
  label="g: the gradient that arrives at a node\n∂: the local derivative along an edge\ndashed: g × ∂ flows back to the operand"; labelloc=b; fontcolor="#595959"
  n0 [label="a = 1\ng = 2", shape=ellipse, color="#0072b2", fillcolor="#e3f1fa"]
  n1 [label="b = 2\ng = 1", shape=ellipse, color="#0072b2", fillcolor="#e3f1fa"]
  n2 [label="×\n2\ng = 1", shape=box, style="rounded,filled", color="#404040", fillcolor="#ffffff"]
  n3 [label="1", shape=box, fontsize=11, height=0.2, width=0.2, margin="0.08,0.04", color="#767676", fillcolor="#f4f4f4"]
  n4 [label="+\ny = 3\ng = 1", shape=box, style="rounded,filled", peripheries=2, color="#00734f", fillcolor="#e0f4ec"]
  n0 -> n2 [label="∂ = 2", dir=back, style=dashed, color="#a84300", fontcolor="#a84300"]
  n1 -> n2 [label="∂ = 1", dir=back, style=dashed, color="#a84300", fontcolor="#a84300"]
  n2 -> n4 [label="∂ = 1", dir=back, style=dashed, color="#a84300", fontcolor="#a84300"]
  n3 -> n4
}
"""  # noqa: E501  (it stands as it is written to a file)


def test_golden(graph):
    assert str(draw(graph("line"), view="gradient")) == GOLDEN


def test_the_same_graph_gives_the_same_bytes_in_every_process():
    code = (
        "import sys; from autodiff import Scalar, draw\n"
        "b, w = Scalar(15.0, name='b'), Scalar(2.0, name='w')\n"
        "C = sum((b + w * x - y).square() for x, y in ((1., 2.), (3., 4.)))\n"
        "d = draw(C, view='gradient'); sys.stdout.buffer.write((str(d) + d.svg()).encode())\n"
        "import autodiff as ad, numpy as np\n"
        "w, X = ad.tensor([1., 2.], name='w'), ad.tensor(np.eye(2), name='X', constant=True)\n"
        "with ad.name_scope('model'): z = ad.tanh(X @ w)\n"
        "for view in ('forward', 'gradient', 'backward'):\n"
        "    d = draw(ad.sum(z * z), view=view); sys.stdout.buffer.write((str(d) + d.svg()).encode())\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, tiers.VARIABLE: "own"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1
    assert answers.pop().startswith(b"digraph")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [('"', r'"\""'), ("\\N", r'"\\N"'), ("&lt;", '"&amp;lt;"'), ("a\nb\x00", '"a b"'), ("<b>", '"<b>"')],
)
def test_quoting(text, quoted):
    assert quote(text) == quoted

"""Every row of the table is drawn in every view: nodes in order, edges between them, words, an SVG."""

from __future__ import annotations

import importlib
import pkgutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import autodiff as ad
import tests.ops
from autodiff.drawing import draw
from autodiff.drawing.svg import own_svg
from autodiff.drawing.tensors import read, read_backward
from autodiff.primitive import TABLE
from tests.ops import harness

VIEWS = ("forward", "gradient", "backward")


def _cases() -> list[harness.Case]:
    """The first case of each operation in the tables of tests/ops; elementwise rows come by themselves."""
    found = harness.cases_of_rows()
    for module in pkgutil.iter_modules(tests.ops.__path__, "tests.ops."):
        found += getattr(importlib.import_module(module.name), "CASES", [])
    chosen: dict[tuple[str, tuple[str, ...]], harness.Case] = {}
    for it in found:
        chosen.setdefault((it.name, tuple(it.options)), it)
    return list(chosen.values())


CASES = _cases()


def _outs(it: harness.Case) -> list[ad.Tensor]:
    problem = harness.Problem(it)
    variables = [ad.tensor(x, name=f"x{k}") for k, x in enumerate(problem.x)]
    outs = problem.ours(*variables)
    return [out for out in outs if isinstance(out, ad.Tensor) and not out.is_leaf][:1]


@pytest.mark.parametrize("it", CASES, ids=str)
def test_every_operation_is_drawn_in_every_view(it):
    with np.errstate(all="raise", under="ignore"):
        for out in _outs(it):
            for view in VIEWS:
                picture = draw(out, view=view, name="result", collapse=False)
                _check(picture.description, view)
                assert "result" in picture.words


def _check(seen, view):
    ids = [node.id for node in seen.nodes]
    assert ids == [f"n{k}" for k in range(len(ids))]
    kinds = {node.id: node.kind for node in seen.nodes}
    assert list(kinds.values()).count("output") == 1
    for edge in seen.edges:
        source, target = int(edge.source[1:]), int(edge.target[1:])
        mirrored = view == "backward" and edge.backward
        assert (source > target) == mirrored, "operands come before what is made of them"
    made = [node.id for node in seen.nodes if node.symbol]
    reached = {edge.source if view == "backward" and edge.backward else edge.target for edge in seen.edges}
    assert set(made) <= reached, "what is computed is computed from something"
    if view == "gradient":
        assert any(edge.backward for edge in seen.edges)
    if view == "backward":
        ends = [node for node in seen.nodes if node.kind == "gradient" and node.name.startswith("d")]
        assert {node.name for node in ends} <= {f"dresult/dx{k}" for k in range(9)}
        assert ends
    for node in seen.nodes:
        assert all(line and "\n" not in line for line in node.lines)
        assert max(map(len, node.lines)) < 80
    assert ET.fromstring(own_svg(seen, "p")).tag.endswith("svg")


def test_no_row_was_left_out():
    drawn = {vertex.rule for it in CASES for out in _outs(it) for vertex in read_backward(out, 1.0).vertices}
    x = ad.tensor(2.0)
    drawn |= {vertex.rule for vertex in read(ad.grad(lambda a: a * a * x)(x)).vertices}  # grad inside grad
    assert {name for name, row in TABLE.items() if row.is_ours} - drawn == set()

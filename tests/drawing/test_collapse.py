"""Large graphs: what becomes one box, with what count and range; and that a picture always comes soon."""

from __future__ import annotations

import random
import stat

import numpy as np
import pytest

import autodiff as ad
from autodiff.drawing import draw, tiers
from autodiff.drawing.collapse import MANY
from autodiff.drawing.fold import Fold, fold
from autodiff.drawing.graphs import Graph, Operand, Vertex
from autodiff.drawing.scalars import read
from autodiff.scalar import Scalar


def regression(samples):
    b, w = Scalar(15.0, name="b"), Scalar(2.0, name="w")
    errors = [(b + w * float(k) - 3.0 * k).square() for k in range(samples)]
    return sum(errors[1:], errors[0]) * (1 / samples)


def chain(length):
    y = Scalar(0.5, name="x")
    for _ in range(length):
        y = y.sin() + 1
    return y


def doublings(length):
    y = Scalar(1.0, name="x")
    for _ in range(length):
        y = y + y
    return y


def many_leaves(count):
    return sum((Scalar(1.0, name=f"w{k}") for k in range(1, count)), Scalar(1.0, name="w0"))


def tangled(count, seed=0):
    """A graph in which nothing repeats."""
    rng = random.Random(seed)
    values = [Scalar(rng.random(), name=f"p{k}") for k in range(10)]
    while len(values) < count:
        a, b = values[-1], rng.choice(values[-50:])
        values.append(rng.choice([lambda a=a, b=b: a * b, lambda a=a, b=b: a + b, lambda a=a: a.tanh()])())
    return values[-1]


def texts(picture):
    return ["|".join(node.lines) for node in picture.description.nodes]


REGRESSION = [
    "b = 15", "w = 2", "100 numbers|0 … 99", "×|100 times|0 … 198", "+|100 times|15 … 213",
    "100 numbers|0 … 297", "−|100 times|−84 … 15", "square|100 times|0 … 7.06e+03", "+|99 in a row|202350",
    "0.01", "×|y = 2023.5",
]  # fmt: skip


def test_repeated_samples_are_one_box_with_count_and_range():
    picture = draw(regression(100))
    assert texts(picture) == REGRESSION
    assert " ".join(f"{e.source}>{e.target}" for e in picture.description.edges) == (
        "n1>n3 n2>n3 n0>n4 n3>n4 n4>n6 n5>n6 n6>n7 n7>n8 n8>n10 n9>n10"
    )
    assert picture.words.endswith(
        "Two parameters: b = 15, w = 2. 201 constants. The picture shows its 703 nodes as 11 boxes."
    )


def test_gradients_of_repeated_samples():
    seen = draw(regression(100), view="gradient").description
    assert [node.gradient for node in seen.nodes[:4]] == ["−69", "−5082", "", "−1.68 … 0.3"]
    assert [edge.label for edge in seen.edges[:4]] == ["∂ = 0 … 99", "", "∂ = 1", "∂ = 1"]


def test_a_backward_pass_collapses_like_the_forward_one():
    seen = draw(regression(100), view="backward").description
    assert ["|".join(node.lines) for node in seen.nodes if node.kind == "gradient"] == [
        "g = 1", "× 0.01|0.01", "×|100 times|−1.68 … 0.3", "×|100 times|−166 … 1.12",
        "+|−5082", "dy/dw = −5082", "+|−69", "dy/db = −69",
    ]  # fmt: skip


SMALL_OR_NOT = [
    (10, None, 73),  # small: nothing is collapsed unasked
    (10, True, 11),
    (50, False, 353),
    (50, None, 11),
]


@pytest.mark.parametrize(("samples", "collapse", "boxes"), SMALL_OR_NOT)
def test_unasked_only_above_the_limit(samples, collapse, boxes):
    assert len(draw(regression(samples), collapse=collapse).description.nodes) == boxes


def test_a_chain_is_one_box():
    assert texts(draw(chain(500))) == ["x = 0.5", "…|1,000 in a row|y = 1.93456"]
    assert texts(draw(doublings(500)))[0] == "x = 1"
    assert texts(draw(doublings(500)))[1].startswith("+|500 in a row|y = 3.27339e+150")


def test_constants_differ_by_where_they_are_used():
    a = Scalar(2.0, name="a")
    y = (a + 1) * (a + 2) * (a * 3)
    assert texts(draw(y, collapse=True)) == [
        "a = 2", "2 numbers|1 … 2", "+|2 times|3 … 4", "×|12", "3", "×|6", "×|y = 72",
    ]  # fmt: skip


def test_data_and_tensors_collapse_too():
    w = ad.tensor([1.0, 2.0], name="w")
    total = ad.tensor(0.0)
    for k in range(100):
        total = total + ad.sum(w * np.array([k, 1.0]))
    assert texts(draw(total)) == [
        "w (2,)|[1, 2]", "leaf1 = ?", "100 arrays|(2,)|0 … 99", "×|100 times|(2,)|0 … 99",
        "Σ|100 times|2 … 101", "+|100 in a row|y = 5150",
    ]  # fmt: skip


def test_what_is_far_from_the_result_is_one_box():
    picture = draw(tangled(2_000))
    seen = picture.description.nodes
    assert len(seen) <= MANY + 1
    whole = read(tangled(2_000)).vertices
    leaves = [vertex.name for vertex in whole if vertex.kind == "parameter"]
    assert [node.name for node in seen if node.kind == "parameter"] == leaves
    far = max(seen, key=lambda node: node.count)
    assert far.lines[1] == f"{far.count:,} operations"
    assert far.count + sum(node.count for node in seen if node.symbol and node is not far) == len(
        whole
    ) - len(leaves)


def test_many_leaves_do_not_all_stay():
    seen = draw(many_leaves(2_000)).description
    assert len(seen.nodes) <= MANY + 1
    assert "2,000 parameters: w0 = 1" in draw(many_leaves(2_000)).words


def test_edges_between_the_same_boxes_are_one():
    seen = draw(regression(100)).description
    ends = [(edge.source, edge.target) for edge in seen.edges]
    assert len(ends) == len(set(ends))


def test_a_fold_that_would_run_in_a_circle_is_not_made():
    x = Vertex("parameter", "x", value=1.0)
    steps = [
        Vertex("operation", symbol=s, operands=(Operand(k),)) for k, s in enumerate(("sin", "cos", "sin"))
    ]
    graph = Graph((x, *steps))
    assert fold(graph, [Fold((1, 3), "sin")]) == graph
    assert len(fold(graph, [Fold((1, 2), "both")]).vertices) == 3


@pytest.mark.parametrize("view", ["forward", "gradient", "backward"])
@pytest.mark.parametrize("make", [regression, chain, doublings, many_leaves, tangled])
def test_whatever_is_collapsed_stays_a_graph(make, view):
    seen = draw(make(400), view=view).description
    assert len(seen.nodes) <= MANY + 1
    ids = {node.id: k for k, node in enumerate(seen.nodes)}
    for edge in seen.edges:
        mirrored = view == "backward" and edge.backward
        assert (ids[edge.source] > ids[edge.target]) == mirrored
    assert sum(node.kind == "output" for node in seen.nodes) == 1


def test_the_same_text_in_a_hundred_runs():
    assert len({str(draw(tangled(600), view="backward")) for _ in range(3)}) == 1
    small = regression(3)
    for view in ("forward", "gradient", "backward"):
        assert len({str(draw(small, view=view)) for _ in range(100)}) == 1
    large = regression(60)
    assert len({str(draw(large, view="gradient")) for _ in range(20)}) == 1


# --- time --------------------------------------------------------------------------------------------


@pytest.fixture
def slow_dot(tmp_path, monkeypatch):
    """A `dot` that never answers."""
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\nprintf x >> '{tmp_path / 'calls'}'\nsleep 60\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(tiers, "find_tool", lambda tier: str(program))
    monkeypatch.setattr(tiers, "TIME_LIMIT", 0.5)


@pytest.mark.parametrize("make", [regression, chain, doublings, many_leaves, tangled])
def test_ten_thousand_nodes_become_few_enough_to_lay_out_at_once(make):
    size = {regression: 1_400, chain: 3_300}.get(make, 10_000)
    root = make(size)
    assert len(read(root).vertices) >= 9_000
    picture = draw(root)
    assert picture.svg().startswith("<svg")
    assert len(picture.description.nodes) <= 400


@pytest.mark.skipif(tiers.os.name != "posix", reason="the fake tool is a shell script")
@pytest.mark.parametrize("make", [regression, tangled])
def test_a_dot_that_never_answers_is_waited_for_once(make, slow_dot, tmp_path):
    picture = draw(make(400))
    picture._repr_mimebundle_()
    assert picture.tier == "own"
    calls = tmp_path / "calls"
    assert not calls.exists() or calls.read_text() == "x"  # once at most, not for each tool and form

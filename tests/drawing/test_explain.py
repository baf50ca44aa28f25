"""explain: gradients as sums over paths. What is counted, found and said, and what is left alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from autodiff import Scalar, explain, gradients, tensor
from autodiff.drawing import tiers
from autodiff.errors import FreedGraphError, GradientError, OperandError, OptionError

OWN_TIER = {**os.environ, "AUTODIFF_DRAWING_TIER": "own", "PYTHONIOENCODING": "utf-8"}

# the program of x and w, what the text says
TEXTS = [
    (lambda x, w: x * w, "dy/dx = 3, along one path:\n① x → y: 3\ndy/dw = 2, along one path:\n② w → y: 2"),
    (
        lambda x, w: x * 3 * x,
        "dy/dx = 12, the sum over 2 paths:\n① x → v1 → y: 3 × 2 = 6\n② x → y: 6\nv1 = x × 3.",
    ),
    (
        lambda x, w: x * x,
        "dy/dx = 4, the sum over 2 paths:\n① x →₁ y: 2\n② x →₂ y: 2\n→₁, →₂: enters as operand 1, 2.",
    ),
    (lambda x, w: x, "dx/dx = 1, along one path:\n① x itself: 1"),
    (
        lambda x, w: Scalar(5.0) * 2,
        "y: no gradient. Nothing in it is tracked, so there is nothing to explain.",
    ),
]


@pytest.mark.parametrize(("program", "text"), TEXTS)
def test_text(program, text):
    assert str(explain(program(Scalar(2.0, name="x"), Scalar(3.0, name="w")))) == text


def test_tensors_of_single_numbers_say_the_same():
    for program, text in TEXTS[:4]:
        assert str(explain(program(tensor(2.0, name="x"), tensor(3.0, name="w")))) == text


def test_g_is_a_factor_of_every_path():
    x = Scalar(2.0, name="x")
    assert str(explain(x * 3 * x, g=10.0)).splitlines()[:2] == [
        "x gets 120 from g = 10, the sum over 2 paths:",
        "① x → v1 → y: 3 × 2 × 10 = 60",
    ]


def random_graph(seed, steps=9):
    """A small tangle; few enough paths to walk them all."""
    rng = random.Random(seed)
    values = [Scalar(rng.uniform(0.5, 2.0), name=name) for name in "ab"]
    for _ in range(steps):
        one, two = (values[-1 - min(int(rng.expovariate(0.7)), len(values) - 1)] for _ in range(2))
        values.append(rng.choice([one * two, one - two, one + two, one.sin(), one * -1.5]))
    return values[-1] + values[0] * values[1]


def products(node, leaf):
    """The product of local derivatives along every path, each of them walked."""
    if node is leaf:
        yield 1.0
    for slope, operand in zip(node.local_derivatives(), node.operands, strict=True):
        if isinstance(operand, Scalar):
            yield from (slope * product for product in products(operand, leaf))


@pytest.mark.parametrize("seed", range(12))
def test_the_strongest_paths_are_those_that_walking_all_of_them_finds(seed):
    y = random_graph(seed)
    for part in explain(y, most=5).parts:
        (leaf,) = (node for node in y.gradients() if node.name == part.of)
        walked = list(products(y, leaf))
        assert part.count == len(walked)
        assert part.total == pytest.approx(sum(map(abs, walked)))
        strongest = sorted(map(abs, walked), reverse=True)[:5]
        assert [abs(way.amount) for way in part.ways] == pytest.approx(strongest)
        (whole,) = explain(y, leaf, most=100_000).parts
        assert not whole.hidden
        assert sum(way.amount for way in whole.ways) == pytest.approx(y.grad()[part.of])
        assert whole.held == pytest.approx(1.0)


def doubled(times):
    y = Scalar(1.0, name="x")
    for _ in range(times):
        y = y + y
    return y


def test_a_billion_paths_are_counted_at_once_and_exactly():
    y = doubled(30)
    explanation = explain(y)  # were they walked, this would never end
    text = str(explanation)
    (part,) = explanation.parts
    assert part.count == 2**30
    assert "the sum over 1,073,741,824 paths, which were counted, not walked; the 6 strongest:" in text
    assert "They hold 5.59e−07 % of Σ|contribution| = 1.07374e+09." in text
    assert "② as ①, but v29 →₂ y: 1" in text


def test_counts_are_exact_however_large():
    y = doubled(2_000)  # more than a float can hold
    (part,) = explain(y, most=2).parts
    assert part.count == 2**2000
    assert "about 10^602 paths" in str(explain(y, most=2))


def test_a_path_of_100_000_steps_needs_no_recursion():
    y = Scalar(1.0, name="x")
    for _ in range(100_000):
        y = y.sin()
    explanation = explain(y)
    assert len(explanation.parts[0].ways[0].hops) == 100_000
    assert "→ … 99,995 more … →" in str(explanation)
    assert len(explanation.drawing.description.nodes) == 3


# ---- what cancels


def test_paths_that_cancel_are_pointed_out():
    x = Scalar(2.0, name="x")
    assert "+3 and −3 cancel: all that the paths bring comes to nothing." in str(explain(x * 3 - x * 3))
    text = str(explain(x * 3 - x * 3 + x * 7))
    assert "+10 and −3 cancel in part and leave 7." in text
    assert "② and ③ cancel." in text
    assert "cancel" not in str(explain(x * 3 + x * 3))


def test_paths_between_arrays_that_cancel_are_pointed_out():
    w = tensor([1.0, 2.0], name="w")
    text = str(explain((w * 2).sum() - (w * 2).sum() + (w * w).sum()))
    assert "cancel." in text
    assert "Against the others: " in text
    still = explain((w * 2).sum() - (w * 2).sum())
    assert still.parts[0].gradient == pytest.approx(np.zeros(2))
    assert "① and ② cancel." in str(still)
    assert "%" not in str(still)  # of nothing there are no shares


# ---- arrays


def network():
    rng = np.random.default_rng(1)
    x, w, b = rng.normal(size=(4, 2)), tensor(rng.normal(size=(2, 3)), name="w"), tensor(np.ones(3), name="b")
    h = np.tanh(x @ w + b)
    return (h * h).sum() + (w * w).sum() * 0.1, w, b


def test_contributions_of_arrays_have_the_shape_of_the_variable_and_add_up():
    loss, w, b = network()
    for part, leaf in zip(explain(loss).parts, (w, b), strict=True):
        assert {way.amount.shape for way in part.ways} == {leaf.shape}
        np.testing.assert_allclose(sum(way.amount for way in part.ways), gradients(loss, leaf), rtol=1e-12)
        assert part.held == pytest.approx(1.0)
        norms = [np.linalg.norm(way.amount) for way in part.ways]
        assert norms == sorted(norms, reverse=True)


def test_text_of_arrays_tells_entries_or_shape_and_norm():
    loss, _, _ = network()
    lines = str(explain(loss)).splitlines()
    assert lines[0] == "dy/dw has shape (2, 3), norm 1.495, the sum over 4 paths:"
    assert lines[1].startswith("① w → v1 → v2 → v3 →₁ v4 → v5 → y: (2, 3), norm ")
    assert lines[1].endswith("% of the gradient")
    assert lines[5] == "Against the others: ③, ④."
    assert lines[7].startswith("⑤ b → v2 → v3 →₁ v4 → v5 → y: [")


def test_a_result_of_several_numbers_starts_from_g():
    w = tensor([1.0, 2.0], name="w")
    (part,) = explain(w * w, g=np.array([1.0, 10.0])).parts
    np.testing.assert_allclose(part.gradient, [2.0, 40.0])
    np.testing.assert_allclose(part.ways[0].amount, [1.0, 20.0])


def test_float32_and_rows_of_many_operands():
    w = tensor(2.0, name="w", dtype=np.float32)
    (part,) = explain(np.concatenate([np.reshape(w, (1,)), np.reshape(w * 3, (1,))]).sum()).parts
    assert [float(way.amount) for way in part.ways] == [3.0, 1.0]


# ---- with respect to what


def test_wrt_is_a_value_a_name_or_a_list():
    a, b = Scalar(2.0, name="a"), Scalar(5.0, name="b")
    v = a * b
    y = v * a
    for wrt in (v, "v1", [v]):
        assert [(part.of, part.gradient, part.count) for part in explain(y, wrt).parts] == [("v1", 2.0, 1)]
    assert [part.of for part in explain(y, (b, "a")).parts] == ["b", "a"]
    assert [part.of for part in explain(y).parts] == ["a", "b"]


def test_what_the_result_does_not_depend_on_gets_0():
    other = Scalar(1.0, name="other")
    explanation = explain(Scalar(2.0, name="x") * 3, other)
    assert str(explanation) == "dy/dother = 0: no path leads from other to y."
    assert "No path is marked" in explanation.drawing.words


def test_many_parameters_are_not_explained_unasked():
    y = sum(Scalar(float(k), name=f"p{k}") for k in range(20))
    assert len(explain(y).parts) == 12
    assert "8 more parameters aren't explained here: name them in wrt." in str(explain(y))
    assert len(explain(y, [f"p{k}" for k in range(20)]).parts) == 20


ERRORS = [
    (lambda x: (x * 2, "z"), OptionError, r"nothing tracked in this graph is called 'z'; there is x, y"),
    (lambda x: (x * Scalar(2.0, name="x"), "x"), OptionError, "2 values of this graph are called 'x'"),
    (lambda x: (x * 2, tensor(1.0)), OptionError, "nothing tracked"),
    (lambda x: (3.0, None), OperandError, "explain takes a Scalar or a Tensor; got float"),
]


@pytest.mark.parametrize(("given", "error", "message"), ERRORS)
def test_what_it_refuses(given, error, message):
    with pytest.raises(error, match=message):
        explain(*given(Scalar(1.0, name="x")))


def test_a_constant_is_refused():
    two = Scalar(2.0)
    with pytest.raises(GradientError, match="is a constant"):
        explain(Scalar(1.0, name="x") * two, two)
    with pytest.raises(GradientError, match="c is a constant"):
        explain(tensor(1.0) * 2, tensor(1.0, name="c", constant=True))
    with pytest.raises(OptionError, match="at least 1"):
        explain(Scalar(1.0, name="x") * two, most=0)


def test_it_never_frees_and_never_touches_grad():
    loss, w, _ = network()
    explain(loss)
    assert w.grad is None
    explain(loss)
    loss.backward()
    with pytest.raises(FreedGraphError, match="keep_graph=True"):
        explain(loss)


# ---- picture and table


def test_edges_bear_the_numbers_of_their_paths():
    x = Scalar(2.0, name="x")
    seen = explain(x * 3 * x).drawing.description
    assert [(edge.source, edge.target, edge.label, edge.state) for edge in seen.edges] == [
        ("n0", "n2", "① ∂ = 3", "now"),
        ("n1", "n2", "", ""),
        ("n2", "n3", "① ∂ = 2", "now"),
        ("n0", "n3", "② ∂ = 6", "now"),
    ]
    dot = str(explain(x * 3 * x).drawing)
    assert dot.count("penwidth=2.6") == 3
    assert dot.count("style=dashed") == 3


def test_marks_that_follow_each_other_are_a_range():
    seen = explain(doubled(6), most=4).drawing.description
    assert [edge.label for edge in seen.edges[-4:]] == ["①② ④ ∂ = 1", "③ ∂ = 1", "① ③④ ∂ = 1", "② ∂ = 1"]
    assert seen.edges[0].label == "①–④ ∂ = 1"


def test_a_large_graph_shows_the_paths_alone():
    seen = explain(doubled(40)).drawing.description
    assert seen.nodes[1].lines == ("v1 … v34", "34 operations")
    assert len(seen.nodes) == 8
    assert seen.words.count("brings 1") == 6
    assert "A part of the graph" in seen.words


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_every_tier_draws_it(use_tier, node_texts, tier):
    use_tier(tier)
    x = Scalar(2.0, name="x")
    texts = node_texts(explain(x * 3 * x).drawing.svg())
    assert ("x = 2", "g = 12") in texts


def test_the_table_is_made_for_a_screen_reader():
    x = Scalar(2.0, name="<b>")
    bundle, metadata = explain(x * 3 * x)._repr_mimebundle_()
    assert {"text/html", "text/plain"} <= bundle.keys()
    html = bundle["text/html"]
    root = ET.fromstring(html)
    assert root.find(".//caption").text == "The gradient as a sum over paths"
    assert [cell.text for cell in root.findall(".//thead/tr/th[@scope='col']")] == [
        "No.", "Path", "Product", "Brings", "Share",
    ]  # fmt: skip
    rows = [[cell.text for cell in row] for row in root.findall(".//tbody/tr")]
    assert rows == [
        ["dy/d(<b>) = 12, the sum over 2 paths:"],
        ["①", "<b> → v1 → y", "3 × 2", "6", "50 %"],
        ["②", "<b> → y", "6", "6", "50 %"],
    ]
    (image,) = root.iter("img")
    assert all(told == {"alt": image.get("alt")} for told in metadata.values())
    assert image.get("alt").startswith("dy/d(<b>) = 12. The graph with each path's edges marked: ①")
    assert image.get("src").startswith("data:image/svg+xml;base64,")


@pytest.mark.parametrize("suffix", [".html", ".txt", ".svg", ".dot"])
def test_save(tmp_path, suffix):
    explanation = explain(Scalar(2.0, name="x") * 3)
    text = explanation.save(tmp_path / f"e{suffix}").read_text("utf-8")
    start = {".html": "<!DOCTYPE html>", ".txt": str(explanation), ".svg": "<svg", ".dot": "digraph"}[suffix]
    assert text.startswith(start)
    with pytest.raises(OptionError, match=r"\.html, \.txt, \.svg, \.png, \.pdf, \.dot"):
        explanation.save(tmp_path / "e.gif")


def test_numbers_are_explained_and_compared_without_numpy():
    code = (
        "import sys\n"
        "for missing in ('numpy', 'matplotlib'): sys.modules[missing] = None\n"
        "from autodiff import Scalar, draw_difference, explain\n"
        "x = Scalar(2.0, name='x')\n"
        "print(explain(x * 3 - x * 3), draw_difference(x * 3, x * 4).words)\n"
        "print(explain(x * x)._repr_mimebundle_()[0].keys())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, env=OWN_TIER
    )
    assert "comes to nothing" in run.stdout
    assert "2 nodes have other values" in run.stdout

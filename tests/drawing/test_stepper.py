"""The stepper: what its frames say and show, for Scalar and Tensor, and what a notebook or a file gets."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from autodiff import Scalar, Tensor, step, tensor
from autodiff.closures import RULES, ClosureScalar
from autodiff.drawing.derivatives import LOCAL
from autodiff.drawing.story import AROUND, KEY_FRAMES
from autodiff.errors import DrawingError, FreedGraphError, OperandError, OptionError

SCALARS = ["line", "diamond", "square", "skip", "regression", "leaf"]


def bias() -> Tensor:
    x, w = tensor([[1.0, 2.0], [3.0, 4.0]], name="X", constant=True), tensor([[1.0], [2.0]], name="w")
    b = tensor([10.0], name="b")
    return (x @ w + b).sum()


def paths_meet() -> Tensor:
    u = tensor([1.0, 2.0], name="u")
    return (u * u + u).sum()


def joined() -> Tensor:
    u, v = tensor([1.0, 2.0], name="u"), tensor([3.0], name="v")
    return np.concatenate([u, v * v])[1:].mean()


def softmax() -> Tensor:
    w = tensor(np.arange(12.0).reshape(3, 4) / 10, name="W")
    z = w @ np.array([1.0, 2.0, 3.0, 4.0])
    return np.log(np.exp(z - np.max(z)).sum())


TENSORS = {"bias": bias, "paths meet": paths_meet, "joined": joined, "softmax": softmax}


@pytest.fixture
def made(graph):
    return lambda name: TENSORS[name]() if name in TENSORS else graph(name)


def moments(x):
    return [frame.description for frame in step(x)._frames]


# --- what is said -----------------------------------------------------------------------------------------


def test_the_narration_of_a_small_graph(graph):
    assert str(step(graph("line"), name="D")).splitlines() == [
        "1. D = a × b + 1. Forward: 2 rules to apply.",
        "2. Forward, rule 1 of 2. v1 = a × b = 1 × 2 = 2.",
        "3. Forward, rule 2 of 2. D = v1 + 1 = 2 + 1 = 3.",
        "4. Backward. The gradient starts at D with g = 1. "
        "Bills not yet arrived: v1 1 of 1, a 1 of 1, b 1 of 1.",
        "5. Backward, rule 1 of 2: D = v1 + 1. D has g = 1. v1 gets g × 1 = 1 × 1 = 1. "
        "Bills not yet arrived: a 1 of 1, b 1 of 1.",
        "6. Backward, rule 2 of 2: v1 = a × b. v1 has g = 1, its only bill. a gets g × b = 1 × 2 = 2. "
        "b gets g × a = 1 × 1 = 1. Every bill has come.",
        "7. Done. The gradient: {'a': 2, 'b': 1}. Every bill has come.",
    ]


def test_dictionaries_merge_where_paths_meet():
    x, y = Scalar(3.0, name="x"), Scalar(4.0, name="y")
    (frame,) = (text for text in step(x * x + x * y).frames if "rule 3 of 3: v1" in text)
    assert "Paths meet at x: {'x': 4} + {'x': 3} → {'x': 7}." in frame
    assert "Paths meet at x: {'x': 7} + {'x': 3} → {'x': 10}." in frame


def test_a_node_waits_for_all_its_bills(graph):
    told = step(graph("diamond")).frames
    by_sum, by_sine, then = told[7:10]
    assert "v1 gets g × 1 = −0.279415 × 1 = −0.279415. Bills not yet arrived: v1 1 of 2, x 1 of 1." in by_sum
    assert "v1 gets g × cos(v1) = 7 × 0.96017 = 6.72119." in by_sine
    assert "v1 has g = −0.279415 + 6.72119 = 6.44178: both bills have come." in then


def test_shapes_and_sums_of_broadcasts_of_tensors():
    told = str(step(bias()))
    for text in (
        "v1 = X @ w = [[1, 2], [3, 4]] @ [[1], [2]] = [[5], [11]]",
        "v2 = v1 + b: (2, 1) + (1,) → (2, 1)",
        "b gets Σ (g × 1), (2, 1)→(1,) = [2]",
        "v1 gets g × 1 = [[1], [1]] × [[1], [1]] = [[1], [1]]",
        "w gets Xᵀ @ g = [[4], [6]]",
        "The gradient: {'w': [[4], [6]], 'b': [2]}",
    ):
        assert text in told


def test_small_arrays_add_up_where_paths_meet():
    told = str(step(paths_meet()))
    assert "v1 = u × u = [1, 2] × [1, 2] = [1, 4]." in told
    assert "Paths meet at u: [1, 1] + [1, 2] → [2, 3]." in told
    assert "The gradient: {'u': [3, 5]}" in told


@pytest.mark.parametrize("name", [*SCALARS, *TENSORS])
def test_the_story_ends_with_the_gradient(made, name):
    x = made(name)
    said = re.search(r"Done\. The gradient: {(.*)}\. Every bill has come\.$", step(x).frames[-1])[1]
    if isinstance(x, Scalar):
        assert said == ", ".join(f"{k!r}: {v:.6g}".replace("-", "−") for k, v in x.grad().items())
    else:
        assert re.findall(r"'(\w+)': ", said) == [
            n.name for n in moments(x)[-1].nodes if n.kind == "parameter"
        ]


@pytest.mark.parametrize("name", SCALARS)
def test_every_bill_is_calculated_rightly(graph, name):
    bills = re.findall(
        r"gets g × [^=]* = (\S+) × (\S+) = (\S+?)\.(?: |$)", str(step(graph(name))).replace("\n", " ")
    )
    assert bills or name == "leaf"
    for g, partial, amount in bills:
        values = [float(each.strip("()").replace("−", "-")) for each in (g, partial, amount)]
        assert values[0] * values[1] == pytest.approx(values[2], rel=1e-5)  # six digits are said


IN_WORDS = {"power_constant", "maximum", "minimum"}  # the first is written as power, the others in words


def test_every_rule_has_a_written_local_derivative():
    assert set(LOCAL) == {rule.name for rule in RULES.values()}


@pytest.mark.parametrize("name", [name for name in RULES if name not in IN_WORDS])
def test_the_written_local_derivative_is_that_of_the_rule(name):
    rule = RULES[name]
    operands = (0.7, 1.9)[: len(LOCAL[name])]
    known = {
        **dict(zip("ab", operands, strict=False)),
        "out": rule.forward(*operands),
        "sign": lambda a: math.copysign(1.0, a),
        "σ": RULES["sigmoid"].forward,
        **{f: getattr(math, f) for f in ("cos", "sin", "log")},
    }
    python = str.maketrans({"×": "*", "÷": "/", "−": "-", "[": "(", "]": ")"})
    written = [float(eval(text.translate(python), known)) for text in LOCAL[name]]  # our own table
    assert written == pytest.approx(list(rule.partials(known["out"], *operands)))


def test_names_of_what_lies_between_avoid_those_in_the_graph():
    v1, y = Scalar(2.0, name="v1"), Scalar(3.0, name="y")
    assert step(v1 * y + 1).frames[1] == "Forward, rule 1 of 2. v2 = v1 × y = 2 × 3 = 6."


def test_where_no_parameter_leads_nothing_flows_back(graph):
    told = step(graph("constants")).frames
    assert told[-1] == "Done. No parameter leads here, so nothing flows back."
    assert "Backward" not in str(told)
    assert "nothing flows back" in step(tensor([1.0], constant=True)).frames[-1]


def test_g_is_where_the_gradient_starts(graph):
    told = step(graph("line"), g=3.0).frames
    assert "The gradient starts at y with g = 3" in told[3]
    assert told[-1].startswith("Done. The gradient: {'a': 6, 'b': 3}")


# --- what is shown ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SCALARS, "constants", *TENSORS])
def test_all_frames_show_the_same_graph_in_the_same_places(made, name):
    stepper = step(made(name))
    pictures = [frame.description for frame in stepper._frames]
    assert len({tuple(node.id for node in each.nodes) for each in pictures}) == 1
    assert len({tuple((edge.source, edge.target) for edge in each.edges) for each in pictures}) == 1
    assert len({id(layout) for layout in stepper._layouts}) == 1


@pytest.mark.parametrize("name", [*SCALARS, *TENSORS])
def test_a_node_is_served_only_when_its_gradient_is_complete(made, name):
    pictures = moments(made(name))
    for before, after in pairwise(pictures):
        served = {edge.target for edge in after.edges if edge.backward and edge.state == "now"}
        assert served <= {node.id for node in before.nodes if node.gradient.startswith("g = ")}


def test_marks_of_a_forward_and_of_a_backward_frame(graph):
    pictures = moments(graph("line"))  # a, b, ×, 1, +
    states = [[node.state for node in each.nodes] for each in pictures]
    assert states[0] == ["", "", "later", "", "later"]
    assert states[1] == ["", "", "now", "", "later"]
    assert states[4] == ["", "", "", "", "now"]
    assert states[-1] == [""] * 5
    assert [edge.state for edge in pictures[1].edges] == ["now", "now", "later", "later"]
    assert [edge.backward for edge in pictures[4].edges] == [False, False, True, False]
    assert [edge.label for edge in pictures[5].edges] == ["2", "1", "1", ""]
    assert [node.lines[-1] for node in pictures[4].nodes] == [
        "1 bill due",
        "1 bill due",
        "g = 1",
        "1",
        "g = 1",
    ]


def test_a_bill_that_has_come_shows_beside_those_that_are_due(graph):
    x, y = Scalar(3.0, name="x"), Scalar(4.0, name="y")
    lines = [each.nodes[0].lines[-1] for each in moments(x * x + x * y)]
    assert lines == [*["x = 3"] * 4, "3 bills due", "3 bills due", "4, 2 bills due", "g = 10", "g = 10"]


def test_nan_and_infinity_are_marked_when_they_come():
    x = Scalar(1e200, name="x")
    pictures = moments(x * 1e200)
    assert [each.nodes[-1].alarm for each in pictures[:2]] == [False, True]


# --- large graphs -----------------------------------------------------------------------------------------


def chain(length):
    x = y = Scalar(1.0, name="x")
    for k in range(length):
        y = y + x if k % 50 == 49 else y.sin()
    return y


def test_a_large_graph_has_key_frames():
    stepper = step(chain(200))
    assert KEY_FRAMES - 4 <= len(stepper) <= KEY_FRAMES
    assert stepper.frames[0].startswith("y, computed in 200 steps")
    assert stepper.frames[-1].startswith("Done")
    assert any("Paths meet at x" in text for text in stepper.frames)
    assert any(re.search(r"\(\d+ steps later\)", text) for text in stepper.frames)


def test_all_frames_of_a_graph_that_is_drawn_whole_stay_small():
    stepper = step(chain(140))
    assert "Part of the graph" not in stepper._html
    assert len(stepper._html) < 2_500_000


def test_of_a_huge_graph_the_neighbourhood_is_shown():
    stepper = step(chain(10_000))
    html = stepper._html
    assert len(html) < 500_000
    assert all(len(frame.description.nodes) == AROUND for frame in stepper._frames)
    assert "Part of the graph at this moment" in html


# --- what is left alone -----------------------------------------------------------------------------------


def test_stepping_frees_nothing_and_touches_no_grad():
    w = tensor([1.0, 2.0], name="w")
    loss = (w * w).sum()
    step(loss)
    assert w.grad is None
    loss.backward()
    np.testing.assert_array_equal(w.grad, [2.0, 4.0])


def test_a_freed_graph_is_refused():
    loss = (tensor([1.0, 2.0], name="w") ** 2).sum()
    loss.backward()
    with pytest.raises(FreedGraphError, match="keep_graph=True"):
        step(loss)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3.0, "step takes a Scalar or a Tensor; got float 3.0: pass the result"),
        (np.ones(2), "step takes a Scalar or a Tensor; got ndarray"),
        (ClosureScalar(1.0, "x"), "compute the same with Scalar"),
    ],
)
def test_what_has_no_graph_is_refused(given, said):
    with pytest.raises(OperandError, match=said):
        step(given)


# --- notebooks and files ----------------------------------------------------------------------------------


@pytest.fixture
def no_matplotlib(monkeypatch):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)


def test_a_notebook_gets_frames_a_contact_sheet_and_words(graph):
    stepper = step(graph("line"))
    bundle, more = stepper._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain", "image/png"}
    assert more == {"image/png": {"alt": stepper.words}}
    assert stepper.words == (
        "Step by step, forward and then backward: y = a × b + 1. The gradient: {'a': 2, 'b': 1}."
    )
    assert bundle["text/plain"] == str(stepper)
    assert bundle["image/png"].startswith(b"\x89PNG\r\n\x1a\n")
    html = bundle["text/html"]
    assert html.count("<details") == html.count("<img ") == len(stepper) == 7
    assert len(re.findall(r'alt="Graph at this moment: [^"]+" src="data:image/svg\+xml;base64,', html)) == 7
    assert repr(stepper) == "<Stepper: 7 frames of y = a × b + 1>"


def test_without_matplotlib_there_is_no_png(no_matplotlib, graph, tmp_path):
    stepper = step(graph("line"))
    assert stepper.png() is None
    bundle, more = stepper._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert more == {}
    with pytest.raises(DrawingError, match="pip install matplotlib"):
        stepper.save(tmp_path / "s.png")


def test_a_saved_page_asks_nothing_of_a_network(graph, tmp_path):
    page = step(graph("line")).save(tmp_path / "s.html").read_text(encoding="utf-8")
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert re.findall(r'(?:src|href)="(?!data:)[^"]*"|url\(|@import|https?://', page) == []


@pytest.mark.parametrize("suffix", [".html", ".png", ".txt"])
def test_save(graph, tmp_path, suffix):
    path = step(graph("line")).save(str(tmp_path / f"s{suffix}"))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size > 100


def test_another_suffix_lists_those_there_are(graph, tmp_path):
    with pytest.raises(OptionError, match=r"\.html, \.png, \.txt"):
        step(graph("line")).save(tmp_path / "s.gif")


def test_the_same_graph_gives_the_same_page(graph):
    assert step(graph("diamond"))._html == step(graph("diamond"))._html


def test_steps_where_numpy_and_matplotlib_are_missing():
    code = (
        "import sys\n"
        "for missing in ('numpy', 'matplotlib'): sys.modules[missing] = None\n"
        "from autodiff import Scalar, step\n"
        "s = step(Scalar(2.0, name='x') * 3)\n"
        "print(sorted(s._repr_mimebundle_()[0]), s.frames[-1])"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert run.stdout == "['text/html', 'text/plain'] Done. The gradient: {'x': 3}. Every bill has come.\n"

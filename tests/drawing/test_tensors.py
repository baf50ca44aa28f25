"""What is drawn of Tensors: values and shapes, data and broadcasts, what isn't known, what has been freed."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import autodiff as ad
from autodiff.drawing import draw
from autodiff.errors import FreedGraphError, GradientError, OptionError, ShapeError


def leaf(name, *values, **more):
    return ad.tensor(np.array(values if len(values) > 1 else values[0], **more), name=name)


def data(name, *values):
    return ad.tensor(np.array(values), name=name, constant=True)


W, B, X = leaf("w", 1.0, 2.0), leaf("b", 0.5), data("X", [1.0, 0.0], [0.0, 1.0], [1.0, 1.0])
LARGE = leaf("L", *np.linspace(-1.0, 1.0, 9))
HALF = leaf("h", 1.0, 2.0, dtype=np.float32)

# program: the nodes of its forward picture as "kind lines", its edges as source>target(label)
STRUCTURE = {
    "broadcast": (
        lambda: W + B,
        ["parameter w (2,)|[1, 2]", "parameter b = 0.5", "output +|y (2,)|[1.5, 2.5]"],
        "n0>n2 n1>n2(()→(2,))",
    ),
    "data": (
        lambda: ad.sum(X @ W),
        [
            "parameter w (2,)|[1, 2]",
            "data X (3, 2)|0 … 1|mean 0.667|█▅▅███",
            "operation @|(3,)|[1, 2, 3]",
            "output Σ|y = 6",
        ],
        "n1>n2 n0>n2 n2>n3",
    ),
    "the same data twice": (
        lambda: (X * W) @ (X @ W)[:2],
        [
            "parameter w (2,)|[1, 2]",
            "data X (3, 2)|0 … 1|mean 0.667|█▅▅███",
            "operation ×|(3, 2)|0 … 2|mean 1|▆▅▅█▆█",
            "operation @|(3,)|[1, 2, 3]",
            "operation index [:2]|(2,)|[1, 2]",
            "output @|y (3,)|[1, 4, 5]",
        ],
        "n1>n2 n0>n2((2,)→(3, 2)) n1>n3 n0>n3 n3>n4 n2>n5 n4>n5",
    ),
    "x * x": (lambda: W * W, ["parameter w (2,)|[1, 2]", "output ×|y (2,)|[1, 4]"], "n0>n1 n0>n1"),
    "numbers": (
        lambda: 2 * B - 1,
        ["parameter b = 0.5", "constant 2", "operation ×|1", "constant 1", "output −|y = 0"],
        "n1>n2 n0>n2 n2>n4 n3>n4",
    ),
    "options": (
        lambda: ad.sum(LARGE.reshape(3, 3), axis=0),
        [
            "parameter L (9,)|−1 … 1|mean 0|▁▂▃▄▅▅▆▇█",
            "operation reshape (3, 3)|(3, 3)|−1 … 1|mean 0|▁▂▃▄▅▅▆▇█",
            "output Σ axis=0|y (3,)|[−0.75, 0, 0.75]",
        ],
        "n0>n1 n1>n2",
    ),
    "float32": (
        lambda: HALF * 3,
        ["parameter h (2,) float32|[1, 2]", "constant 3", "output ×|y (2,) float32|[3, 6]"],
        "n0>n2 n1>n2",
    ),
    "variadic": (
        lambda: ad.concatenate([W, np.zeros(1), W]),
        [
            "parameter w (2,)|[1, 2]",
            "data (1,)",
            "output concatenate axis=0|y (5,)|0 … 2|mean 1.2|▆█▅▆█",
        ],
        "n0>n2 n1>n2 n0>n2",
    ),
    "leaf": (lambda: W, ["parameter w (2,)|[1, 2]"], ""),
    "constant": (lambda: X, ["data X (3, 2)|0 … 1|mean 0.667|█▅▅███"], ""),
    "empty": (
        lambda: ad.tensor(np.ones((0, 2)), name="e") * 2,
        ["parameter e (0, 2)", "constant 2", "output ×|y (0, 2)|[]"],
        "n0>n2 n1>n2",
    ),
}


def texts(seen):
    return [f"{node.kind} {'|'.join(node.lines)}" for node in seen.nodes]


@pytest.mark.parametrize("name", STRUCTURE)
def test_nodes_and_edges(name):
    program, nodes, edges = STRUCTURE[name]
    seen = draw(program()).description
    assert texts(seen) == nodes
    labels = [f"{e.source}>{e.target}{f'({e.label})' if e.label else ''}" for e in seen.edges]
    assert " ".join(labels) == edges


def test_show_shapes_writes_no_values_but_constants():
    seen = draw(ad.sum(X @ W) * 2, show="shapes").description
    assert texts(seen) == [
        "parameter w (2,)", "data X (3, 2)", "operation @|(3,)", "operation Σ", "constant 2", "output ×|y",
    ]  # fmt: skip


# program: the lines that end nodes of its gradient picture, the labels of its edges
GRADIENTS = {
    "one number per entry": (
        lambda: ad.sum(W * W),
        ["g = [2, 4]", "g = [1, 1]", "g = 1"],
        ["∂ = [1, 2]", "∂ = [1, 2]", "∂ = 1"],
    ),
    "a broadcast and its reverse": (
        lambda: ad.sum(W + B),
        ["g = [1, 1]", "g = 2", "g = [1, 1]", "g = 1"],
        ["∂ = 1", "∂ = 1\nΣ (2,)→()", "∂ = 1"],
    ),
    "a product of matrices says what flows back": (
        lambda: ad.sum(X @ W),
        ["g = [2, 2]", "█▅▅███", "g = [1, 1, 1]", "g = 1"],
        ["", "Xᵀ @ g", "∂ = 1"],
    ),
    "as far as it has names": (
        lambda: ad.sum((X * 2) @ ad.exp(W)),
        ["g = [10.87, 29.56]", "g = [4, 4]", "█▅▅███", "g = [1, 1, 1]", "g = 1"],
        ["∂ = [2.718, 7.389]", "", "", "∂ = 1"],
    ),
    "large arrays": (
        lambda: ad.sum(ad.square(LARGE)),
        ["g = −2 … 2", "g = all 1", "g = 1"],
        ["∂ = −2 … 2", "∂ = 1"],
    ),
    "an array starts from ones": (lambda: W * 3, ["g = [3, 3]", "3", "g = [1, 1]"], ["∂ = 3", ""]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    program, lines, labels = GRADIENTS[name]
    seen = draw(program(), view="gradient").description
    assert [node.lines[-1] for node in seen.nodes] == lines
    assert [edge.label for edge in seen.edges] == labels


def test_the_gradient_starts_from_g():
    seen = draw(W * 3, view="gradient", g=[1.0, 10.0])
    assert seen.description.nodes[0].gradient == "[3, 30]"
    assert seen.words.endswith("Gradient, starting from g = [1, 10]: w gets [3, 30].")
    with pytest.raises(ShapeError, match="g has shape"):
        draw(W * 3, view="gradient", g=[1.0, 2.0, 3.0])


def test_names_of_results_in_between_and_of_leaves_that_have_none():
    hidden = W * 2
    hidden.name = "hidden"
    seen = draw(ad.sum(hidden * ad.tensor([1.0, 2.0])), name="loss").description
    assert [node.name for node in seen.nodes] == ["w", "", "hidden", "leaf1", "", "loss"]


def test_a_value_that_nobody_keeps_is_not_invented():
    out = ad.sum(ad.tensor([1.0, 2.0, 3.0], name="gone") + 1)  # no rule needs it, and its Tensor is gone
    assert texts(draw(out).description) == [
        "parameter gone (3,)", "constant 1", "operation +|(3,)", "output Σ|y = 9",
    ]  # fmt: skip


def test_data_replaced_after_the_use_do_not_pass_for_those_used():
    w = leaf("w", 1.0, 2.0)
    total, squares = ad.sum(w + 1), ad.sum(w * w)
    w.data = [5.0, 5.0]
    assert draw(total).description.nodes[0].lines == ("w (2,)",)
    assert draw(squares).description.nodes[0].lines == ("w (2,)", "[1, 2]")  # a rule kept them


def test_nan_and_infinity_are_counted_and_marked():
    x = leaf("x", 1.0, np.nan, np.inf, -np.inf, 3.0)
    seen = draw(x * 2)
    assert [node.alarm for node in seen.description.nodes] == [True, False, True]
    assert seen.description.nodes[0].lines == ("x (5,)", "1 nan (!), 2 inf (!), 1 … 3", "mean 2", "▆×××█")
    assert "penwidth=3.5" in str(seen)
    assert seen.words.endswith("Two nodes are marked (!) for nan or infinity.")


def test_drawing_frees_nothing_and_leaves_grad_alone():
    w = leaf("w", 1.0, 2.0)
    loss = ad.sum(w * w)
    for view in ("forward", "gradient", "backward"):
        draw(loss, view=view).svg()
    assert w.grad is None
    loss.backward()
    assert w.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("view", ["forward", "gradient", "backward"])
def test_a_freed_graph_is_refused_with_the_way_out(view):
    loss = ad.sum(W * W)
    loss.backward()
    with pytest.raises(FreedGraphError, match="keep_graph=True"):
        draw(loss, view=view)


@pytest.mark.parametrize("view", ["gradient", "backward"])
def test_a_constant_has_no_gradient_to_show(view):
    seen = draw(X, view=view)
    assert not any(node.gradient for node in seen.description.nodes)
    assert not seen.description.edges


def test_recorded_also_inside_no_grad_and_in_another_thread():
    loss = ad.sum(W * W)
    pictures = []
    with ad.no_grad():
        pictures.append(str(draw(loss, view="backward")))
        thread = threading.Thread(target=lambda: pictures.append(str(draw(loss, view="backward"))))
        thread.start()
        thread.join()
    assert pictures == [str(draw(loss, view="backward"))] * 2


def test_checkpoints_and_own_rows_are_drawn():
    thrice = ad.elementwise("thrice", "3·", lambda a: 3 * a, a=lambda g: 3 * g)
    out = ad.checkpoint(lambda a: thrice(a) * a)(W)
    seen = draw(ad.sum(out + thrice(W)), view="gradient").description
    assert [node.symbol for node in seen.nodes] == ["", "checkpoint", "thrice", "+", "Σ"]
    assert seen.nodes[0].gradient == "[9, 15]"


def test_words_say_shapes_where_values_are_many():
    assert draw(ad.mean(X @ W + B), name="m").words == (
        "m = mean(X @ w + b): value 2.5. Two parameters: w = [1, 2], b = 0.5."
    )
    assert draw(LARGE * B).words == (
        "y = L × b: of shape (9,) with values −0.5 … 0.5, mean 0. "
        "Two parameters: b = 0.5, L of shape (9,) with values −1 … 1."
    )


def test_an_unknown_show_lists_what_there_is():
    with pytest.raises(OptionError, match=r"no show 'colours' of a Tensor; there are values, shapes"):
        draw(W * 2, show="colours")


def test_an_integer_tensor_is_data():
    assert texts(draw(ad.tensor([1, 2], name="i")).description) == ["data i (2,) int64|[1, 2]"]
    with pytest.raises(GradientError):
        draw(W * 2, view="gradient", g="much")

"""What is drawn: nodes, edges, labels and words of small graphs, line by line."""

from __future__ import annotations

import pytest

from autodiff.closures import ClosureScalar
from autodiff.drawing import draw
from autodiff.drawing.labels import number, tidy
from autodiff.errors import OperandError, OptionError
from autodiff.scalar import Scalar

# graph: its nodes as "kind lines", its edges as source>target
STRUCTURE = {
    "line": (
        ["parameter a = 1", "parameter b = 2", "operation ×|2", "constant 1", "output +|y = 3"],
        "n0>n2 n1>n2 n2>n4 n3>n4",
    ),
    "diamond": (
        [
            "parameter x = 2",
            "constant 3",
            "operation ×|6",
            "operation sin|−0.279415",
            "constant 1",
            "operation +|7",
            "output ×|y = −1.95591",
        ],
        "n0>n2 n1>n2 n2>n3 n2>n5 n4>n5 n3>n6 n5>n6",
    ),
    "square": (["parameter x = 3", "output ×|y = 9"], "n0>n1 n0>n1"),
    "skip": (
        ["parameter x = 2", "operation exp|7.38906", "operation sin|0.893855", "output +|y = 2.89385"],
        "n0>n1 n1>n2 n2>n3 n0>n3",
    ),
    "leaf": (["parameter x = 3"], ""),
    "constants": (["constant 5", "constant 2", "output −|y = −3"], "n1>n2 n0>n2"),
}


@pytest.mark.parametrize("name", STRUCTURE)
def test_nodes_in_topological_order_and_edges_by_operand(graph, name):
    nodes, edges = STRUCTURE[name]
    seen = draw(graph(name)).description
    assert [f"{node.kind} {'|'.join(node.lines)}" for node in seen.nodes] == nodes
    assert " ".join(f"{edge.source}>{edge.target}" for edge in seen.edges) == edges
    assert [node.id for node in seen.nodes] == [f"n{i}" for i in range(len(nodes))]


def test_regression_counts(graph):
    seen = draw(graph("regression")).description
    kinds = [node.kind for node in seen.nodes]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "parameter": 2, "constant": 7, "operation": 14, "output": 1,
    }  # fmt: skip
    assert len(seen.edges) == 30  # two for each of 15 operations


def test_gradient_view_shows_g_on_nodes_and_local_derivatives_on_edges(graph):
    seen = draw(graph("line"), view="gradient").description
    assert [node.lines[-1] for node in seen.nodes] == ["g = 2", "g = 1", "g = 1", "1", "g = 1"]
    assert [(edge.label, edge.backward) for edge in seen.edges] == [
        ("∂ = 2", True), ("∂ = 1", True), ("∂ = 1", True), ("", False),
    ]  # fmt: skip


def test_gradient_starts_from_g(graph):
    seen = draw(graph("line"), view="gradient", g=10.0)
    assert [node.gradient for node in seen.description.nodes] == ["20", "10", "10", "", "10"]
    assert seen.words.endswith("Gradient, starting from g = 10: a gets 20, b gets 10.")


def test_nothing_that_only_constants_lead_to_gets_a_gradient(graph):
    seen = draw(graph("constants"), view="gradient").description
    assert not any(node.gradient for node in seen.nodes)
    assert not any(edge.backward for edge in seen.edges)
    assert seen.caption == ()


def test_drawing_asks_no_gradient_of_a_forward_view():
    root = Scalar(0.0, name="x").sqrt()  # its slope is infinite
    assert draw(root).words == "y = sqrt(x): value 0. One parameter: x = 0."
    with pytest.raises(ZeroDivisionError, match="sqrt"):
        draw(root, view="gradient")


def test_nan_and_infinity_are_marked_on_every_node_they_reach():
    x = Scalar(float("inf"), name="x")
    seen = draw((x - x) * 2)
    assert [node.alarm for node in seen.description.nodes] == [True, True, False, True]
    assert seen.words.endswith("Three nodes are marked (!) for nan or infinity.")
    assert "penwidth=3.5" in str(seen)


WORDS = [
    (lambda a, b: a * b + 1, "y = a × b + 1: value 7. Two parameters: a = 2, b = 3."),
    (lambda a, b: a - (b - 1), "y = a − (b − 1): value 0. Two parameters: a = 2, b = 3."),
    (lambda a, b: (a + b) * -a, "y = (a + b) × (−a): value −10. Two parameters: a = 2, b = 3."),
    (lambda a, b: (a**2) ** b, "y = (a ** 2) ** b: value 64. Two parameters: a = 2, b = 3."),
    (lambda a, b: (a + 1).square(), "y = (a + 1)²: value 9. One parameter: a = 2."),
    (lambda a, b: abs(a / -b), "y = |a ÷ (−b)|: value 0.666667. Two parameters: a = 2, b = 3."),
    (lambda a, b: a.maximum(b), "y = max(a, b): value 3. Two parameters: a = 2, b = 3."),
    (lambda a, b: a * -2.5, "y = a × (−2.5): value −5. One parameter: a = 2."),
    (lambda a, b: a, "a = 2, a parameter on its own."),
    (lambda a, b: Scalar(4.0), "4, a constant on its own."),
]


@pytest.mark.parametrize(("program", "words"), WORDS)
def test_words(program, words):
    assert draw(program(Scalar(2.0, name="a"), Scalar(3.0, name="b"))).words == words


def test_words_of_a_large_graph_count(graph):
    assert draw(graph("regression"), name="C", view="gradient").words == (
        "C, computed in 15 steps: value 30.1767. Two parameters: b = 15, w = 2. Seven constants. "
        "Gradient: dC/db = 5.4, dC/dw = −11.2667."
    )


def test_the_output_is_not_called_like_a_parameter():
    y, z = Scalar(1.0, name="y"), Scalar(1.0, name="z")
    assert draw(y + z).description.nodes[-1].name == "out"
    assert draw(y + z, name="cost").description.nodes[-1].name == "cost"


def test_two_leaves_of_one_name_are_drawn_both():
    seen = draw(Scalar(1.0, name="w") * Scalar(2.0, name="w"), view="gradient").description
    assert [node.lines for node in seen.nodes[:2]] == [("w = 1", "g = 2"), ("w = 2", "g = 1")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (-0.0, "0"),
        (1 / 3, "0.333333"),
        (-2.5e-7, "−2.5e−07"),
        (123456789.0, "1.23457e+08"),
        (float("-inf"), "−inf (!)"),
    ],
)
def test_numbers_are_short(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (0, "0"),
        ("", "''"),
        (" \n ", "''"),
        ("a\nb", "a b"),
        ("\x00\x1b[1mw", "[1mw"),
        ("\u202ew", "w"),
        ("\ud800w\ufffe", "w"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("x" * 10_000, "x" * 23 + "…"),
        ("\x00" * 10_000 + "x", "''"),
        ("שלום", "\u200eשלום\u200e"),
    ],
)
def test_names_are_tidied(name, text):
    assert tidy(name) == text


def test_an_unknown_view_lists_the_views(graph):
    with pytest.raises(OptionError, match=r"no view 'sideways' of a Scalar; there are forward, gradient"):
        draw(graph("line"), view="sideways")


def test_an_unknown_option_is_refused(graph):
    with pytest.raises(TypeError, match="colour"):
        draw(graph("line"), colour="red")


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (3.0, r"takes a Scalar or a Tensor; got float 3\.0"),
        ("x" * 1000, r"got str 'x{50,}…"),
        (None, "got NoneType None"),
        (ClosureScalar(1.0, name="a"), "keeps closures and no graph"),
    ],
)
def test_what_is_no_graph_is_refused(thing, message):
    with pytest.raises(OperandError, match=message):
        draw(thing)


def test_g_must_be_a_number(graph):
    with pytest.raises(OperandError, match="takes real numbers"):
        draw(graph("line"), view="gradient", g="1")

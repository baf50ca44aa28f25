"""draw_difference: what is matched, what is marked, what the words say first."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Scalar, draw_difference, tensor
from autodiff.drawing import tiers
from autodiff.drawing.graphs import Graph, Operand, Vertex
from autodiff.drawing.matching import match, union
from autodiff.drawing.scalars import read
from autodiff.errors import FreedGraphError, OperandError, OptionError


def x() -> Scalar:
    return Scalar(2.0, name="x")


def w() -> Scalar:
    return Scalar(3.0, name="w")


def swapped():
    one, two = x(), w()
    return two - one


def squared_once():
    once = x() * w()
    return once * once


def squared_twice():
    one, two = x(), w()
    return (one * two) * (one * two)


# two programs; what is gone, what is new, what is otherwise, and how the words begin
CASES = {
    "the same": (
        lambda: x() * w() + 1,
        lambda: x() * w() + 1,
        ((), (), ()),
        "No difference between a and b: the same operations, values and gradients.",
    ),
    "folded": (
        lambda: (x() * 1 + 0) * w(),
        lambda: x() * w(),
        (("the number 1", "v1 = x × 1", "the number 0", "v2 = v1 + 0"), (), ()),
        "4 nodes of a are gone: the number 1; v1 = x × 1; the number 0; v2 = v1 + 0.",
    ),
    "put in between": (
        (x() * w() + 1).sin,
        lambda: (x() * w() + 1).exp().sin(),
        ((), ("v3 = exp(v2)",), ("x", "w", "v1 = x × w", "v2 = v1 + 1", "y = sin(v3)")),
        "1 node of b is new: v3 = exp(v2). 1 node has another value: y 0.656987 → ",
    ),
    "another operation": (
        lambda: (x() * 3).sin() - x(),
        lambda: (x() * 3).cos() - x(),
        None,
        "1 node does something else: v2 was sin(v1), is cos(v1). 2 nodes have other values: v2 −0.279415 → ",
    ),
    "another constant": (
        lambda: x() * 3,
        lambda: x() * 4,
        ((), (), ("x", "the number 4", "y = x × 4")),
        "2 nodes have other values: 3 → 4; y 6 → 8. 1 node gets another gradient: dy/dx 3 → 4.",
    ),
    "operands swapped": (
        lambda: x() - w(),
        swapped,
        None,
        "1 node takes other operands: y was x − w, is w − x. 1 node has another value: y −1 → 1.",
    ),
    "computed once": (
        squared_twice,
        squared_once,
        None,
        "1 node of a is gone: v1 = x × w.",
    ),
    "another parameter": (
        lambda: x() * 3,
        lambda: w() * 3,
        (("x",), ("w",), ("y = w × 3",)),
        "1 node of a is gone: x. 1 node of b is new: w.",
    ),
    "nothing in common": (
        lambda: x() * 3,
        lambda: w().sin(),
        (("x", "the number 3", "y of a = x × 3"), ("w", "y of b = sin(w)"), ()),
        "3 nodes of a are gone: x; the number 3; y of a = x × 3. 2 nodes of b are new: w; y of b = sin(w).",
    ),
    "of a parameter": (x, x, ((), (), ()), "No difference"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_differs(case):
    a, b, lists, words = CASES[case]
    seen = draw_difference(a(), b())
    assert seen.words.startswith(words)
    if lists is not None:
        assert (seen.gone, seen.new, seen.changed) == lists


@pytest.mark.parametrize("case", CASES)
def test_the_other_way_round_gone_is_new(case):
    a, b, lists, _ = CASES[case]
    seen = draw_difference(b(), a())
    if lists is not None:
        assert len(seen.new) == len(lists[0])
        assert len(seen.gone) == len(lists[1])


def test_marks_are_texts_and_outlines_not_colours_alone():
    seen = draw_difference((x() * 1).sin(), x().sin(), names=("old", "new")).description
    assert [("|".join(node.lines), node.state) for node in seen.nodes] == [
        ("x = 2", ""),
        ("1|only in old", "later"),
        ("×|only in old|v1 = 2", "later"),
        ("sin|y = 0.909297", ""),
    ]
    assert [(edge.source, edge.target, edge.state) for edge in seen.edges] == [
        ("n0", "n2", "later"),
        ("n1", "n2", "later"),
        ("n0", "n3", "now"),
        ("n2", "n3", "later"),
    ]
    assert seen.caption == ("dotted: only in old", "heavy, in the colour of the text: only in new")


def test_in_dot_the_marks_are_styles():
    gone, new = (
        str(draw_difference((x() * 1).sin(), x().sin())),
        str(draw_difference(x().sin(), (x() * 1).sin())),
    )
    assert gone.count('filled,dotted"') == 2
    assert new.count("penwidth=2.6") == 5  # two nodes, three edges


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_every_tier_draws_it(use_tier, node_texts, tier):
    use_tier(tier)
    svg = draw_difference(x().sin(), (x() * 1).sin()).svg()
    assert ("×", "only in b", "v1 = 2") in node_texts(svg)
    assert svg.count('class="halo"') == 2


# ---- engines


def test_a_scalar_and_a_tensor_are_compared_by_what_they_compute():
    one = x() * w() + 1
    two = tensor(2.0, name="x") * tensor(3.0, name="w") + 1
    assert draw_difference(one, two).words.startswith("No difference")
    assert draw_difference(one, two * 2).words.startswith("2 nodes of b are new")


def test_a_wrong_engine_is_found_by_its_gradients(monkeypatch):
    right = tensor(2.0, name="x") * tensor(3.0, name="w") + 1
    real = Scalar.gradients
    monkeypatch.setattr(
        Scalar,
        "gradients",
        lambda self, g=1.0: {k: 2 * v if k.name == "x" else v for k, v in real(self, g).items()},
    )
    seen = draw_difference(right, x() * w() + 1, names=("right", "wrong"))
    assert seen.words == "1 node gets another gradient: dy/dx 3 → 6."
    assert seen.description.nodes[0].lines == ("x = 2", "differs: gradient", "g: 3 → 6")


def network(with_bias):
    data, w1 = np.ones((4, 2)), tensor(np.ones((2, 3)), name="W")
    h = data @ w1
    return (np.tanh(h + tensor(np.zeros(3), name="c")) if with_bias else np.tanh(h)).sum()


def test_arrays():
    seen = draw_difference(network(True), network(False))
    assert seen.words == "2 nodes of a are gone: c; v2 = v1 + c."
    assert seen.changed == ()


def test_arrays_that_print_alike_say_how_far_they_are_apart():
    one = np.linspace(0, 1, 9)
    two = one + 1e-7 * (one == 0.5)
    words = draw_difference(tensor(one, name="t") * 2, tensor(two, name="t") * 2).words
    assert words == "1 node has another value: y 0 … 2, mean 1, by up to 2e−07."
    assert (
        "No difference"
        in draw_difference(tensor(one, name="t") * 2, tensor(one * (1 + 1e-15), name="t") * 2).words
    )


def test_arrays_of_the_same_name_are_told_apart():
    def doubled(factor):
        one, two = (tensor([1.0, 2.0], name="t") for _ in "ab")
        return one * two * factor

    assert "3 nodes get other gradients" in draw_difference(doubled(1), doubled(2)).words


def test_another_shape():
    words = draw_difference(tensor(np.ones(3), name="t") * 2, tensor(np.ones(4), name="t") * 2).words
    assert words.startswith("2 nodes have other shapes: t (3,) → (4,); y (3,) → (4,).")


def test_nan_is_equal_to_nan():
    one, two = (tensor([1.0, np.nan], name="t") * 2 for _ in "ab")
    assert draw_difference(one, two).words.startswith("No difference")


# ---- matching


def test_nothing_is_matched_by_identity():
    shared = x()
    a = read(shared * 3)
    assert match(a, read(x() * 3)) == {0: 0, 1: 1, 2: 2}
    assert match(a, a) == {0: 0, 1: 1, 2: 2}


def test_equal_constants_stay_with_their_users():
    one, two = x() * 3 + w() * 3, w() * 3
    assert draw_difference(one, two).gone == ("x", "the number 3", "v1 = x × 3", "y of a = v1 + v2")
    assert draw_difference(two, one).new == ("x", "the number 3", "v2 = x × 3", "y of b = v2 + v1")


def test_what_would_make_a_circle_is_let_go():
    """Matched from above, sin below exp would be exp below sin."""
    sine, exponential = Vertex("operation", symbol="sin"), Vertex("operation", symbol="exp")
    leaf, end = Vertex("parameter", "x"), Vertex("output", "y", "+")

    def chain(first, second, turned):
        seats = [Operand(1), Operand(2)] if not turned else [Operand(2), Operand(1)]
        steps = first.but(operands=(Operand(0),), detail=str(turned)), second.but(operands=(Operand(1),))
        return Graph((leaf, *steps, end.but(operands=tuple(seats))))

    a, b = chain(sine, exponential, False), chain(exponential, sine, True)
    order = union(a, b, match(a, b))
    place = {k: number for number, (k, _) in enumerate(order)}
    assert all(place[seat.at] < place[k] for k, vertex in enumerate(a.vertices) for seat in vertex.operands)
    assert len(order) > 4  # not all of them could stay together


RESULTS = [
    (lambda: x().sin(), lambda: x().sin() * 2, ["x", "", "v1", "y of b"]),
    (lambda: x().sin() * 2, lambda: x().sin(), ["x", "v1", "", "y of a"]),
    (lambda: x() * 3, lambda: w().sin(), ["x", "w", "", "y of a", "y of b"]),
    (lambda: x() * 3, lambda: x() + 4, ["x", "", "y"]),
]


@pytest.mark.parametrize(("a", "b", "names"), RESULTS)
def test_a_result_is_called_y_only_once(a, b, names):
    assert sorted(node.name for node in draw_difference(a(), b()).description.nodes) == sorted(names)


def test_large_graphs_show_where_they_part():
    def chain(extra):
        y = x()
        for k in range(3_000):
            y = y * 1.001
            if k == 1_000 and extra:
                y = y + 0.5
        return y

    seen = draw_difference(chain(False), chain(True))
    assert seen.words.startswith("2 nodes of b are new: the number 0.5; v1002 = v1001 + 0.5.")
    assert "The picture shows 7 of 6,003 nodes" in seen.words
    assert len(seen.description.nodes) == 7


# ---- errors


def test_what_it_refuses():
    with pytest.raises(OperandError, match="draw_difference takes a Scalar or a Tensor; got int"):
        draw_difference(x(), 3)
    with pytest.raises(OptionError, match="two different names"):
        draw_difference(x(), x(), names=("a", "a"))
    freed = network(True)
    freed.backward()
    with pytest.raises(FreedGraphError, match="keep_graph"):
        draw_difference(freed, network(True))


def test_a_slope_that_is_not_finite_does_not_keep_values_from_being_compared():
    a, b = Scalar(0.0, name="x").sqrt(), Scalar(0.0, name="x").sqrt() + 1
    assert draw_difference(a, b).words.startswith("2 nodes of b are new: the number 1; y of b = v1 + 1.")

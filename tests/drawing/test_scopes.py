"""name_scope: what belongs together stands in a frame, or is closed to one box; it is kept per thread."""

from __future__ import annotations

import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import autodiff as ad
from autodiff.drawing import draw
from autodiff.drawing.svg import arrange
from autodiff.errors import OptionError
from autodiff.threads import switch
from tests.drawing.test_layered import edges_of, everything, overlap

WEIGHTS = [ad.tensor([[1.0, 2.0], [3.0, 4.0]], name=f"W{k}") for k in range(3)]


def network():
    """Two layers, the second with a scope inside, and a loss outside of all."""
    x = ad.tensor([1.0, -1.0], name="x", constant=True)
    with ad.name_scope("first"):
        h = ad.tanh(WEIGHTS[0] @ x)
    with ad.name_scope("second"):
        with ad.name_scope("inner"):
            h = WEIGHTS[1] @ h
        h = h + 1
    return ad.sum(h * h)


def skipping():
    """A value that passes a scope by."""
    w = ad.tensor([1.0, 2.0], name="w")
    a = w * 2
    with ad.name_scope("block"):
        b = ad.sin(a) * 3
    return ad.sum(a + b)


def returning():
    """A scope that is left and entered again: its operations surround one of another scope."""
    w = ad.tensor([1.0, 2.0], name="w")
    with ad.name_scope("outer") as _:
        a = w * 2
        b = a + 1
    with ad.name_scope("other"):
        c = ad.sin(b) + b
    return ad.sum(c)


def scopes(picture):
    return ["/".join(scope.name for scope in node.scope) for node in picture.description.nodes]


def texts(picture):
    return ["|".join(node.lines) for node in picture.description.nodes]


def test_nodes_know_their_scope_and_leaves_stand_where_alone_they_are_used():
    picture = draw(network(), show="shapes")
    assert list(zip(scopes(picture), (line.split("|")[0] for line in texts(picture)), strict=True)) == [
        ("first", "W0 (2, 2)"), ("second/inner", "W1 (2, 2)"), ("first", "x (2,)"), ("first", "@"),
        ("first", "tanh"), ("second/inner", "@"), ("second", "1"), ("second", "+"), ("", "×"), ("", "Σ"),
    ]  # fmt: skip


CLOSED = [
    ({"depth": 0}, ["first", "second", "×", "Σ"]),
    ({"depth": 1}, ["W0", "x", "@", "tanh", "inner", "1", "+", "×", "Σ"]),
    ({"collapse": "first"}, ["W1", "first", "@", "1", "+", "×", "Σ"]),
    ({"collapse": ["inner", "first"]}, ["first", "inner", "1", "+", "×", "Σ"]),
    ({"depth": 5}, ["W0", "W1", "x", "@", "tanh", "@", "1", "+", "×", "Σ"]),
]


@pytest.mark.parametrize(("options", "boxes"), CLOSED, ids=str)
def test_closing(options, boxes):
    seen = draw(network(), show="shapes", **options).description
    assert [(node.symbol or node.name or node.value) for node in seen.nodes] == boxes


REFUSED = [
    ({"collapse": "third"}, "no scope 'third' to collapse; there are first, inner, second"),
    ({"collapse": ["first", 3]}, "no scope 3 to collapse"),
    ({"depth": -1}, "0 or more; got -1"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_there_is_not_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        draw(network(), **options)


def test_a_closed_scope_says_what_is_in_it_and_what_leaves_it():
    picture = draw(network(), depth=0)
    assert texts(picture)[:2] == [
        "first|2 operations, 1 parameter|(2,)|[−0.7616, −0.7616]",
        "second|2 operations, 1 parameter|(2,)|[−1.285, −4.331]",
    ]
    assert picture.words.endswith("The picture shows its 10 nodes as 4 boxes.")


def test_gradients_of_a_closed_scope_are_those_of_what_leaves_it():
    seen = draw(network(), view="gradient", depth=0).description
    assert [node.gradient for node in seen.nodes] == ["[−28.56, −39.79]", "[−2.57, −8.662]", "[1, 1]", "1"]
    assert all(edge.backward for edge in seen.edges)


def test_a_scope_entered_again_is_another_one():
    w = ad.tensor(2.0, name="w")
    y = w
    for _ in range(3):
        with ad.name_scope("step"):
            y = y * w + 1
    assert [node.symbol for node in draw(y, depth=0).description.nodes] == ["", "step", "step", "step"]
    assert texts(draw(y, collapse=True)) == ["w = 2", "step|3 in a row, 6 operations|y = 23"]


def test_large_graphs_close_their_scopes_first():
    w = ad.tensor(0.5, name="w")
    y = w
    for _ in range(200):
        with ad.name_scope("step"):
            y = ad.sin(y * w)
    picture = draw(y + 1)
    assert [node.symbol for node in picture.description.nodes] == ["", *["step"] * 200, "", "+"]


def test_dot_has_a_cluster_for_each_scope_one_inside_the_other():
    dot = str(draw(network()))
    assert dot.count("subgraph cluster_n") == 3
    second, inner = dot.index('label="second"'), dot.index('label="inner"')
    assert second < inner < dot.index("  }\n", second)


@pytest.mark.parametrize("view", ["forward", "gradient"])
@pytest.mark.parametrize("make", [network, skipping, returning])
def test_frames_hold_what_is_theirs_and_nothing_else(make, view):
    seen = draw(make(), view=view).description
    layout = arrange(seen)
    boxes = everything(layout)
    assert not any(overlap(a, b) for k, a in enumerate(boxes) for b in boxes[:k])
    names = {scope.name for node in seen.nodes for scope in node.scope}
    assert {scope.name for scope, _ in layout.frames} == names
    for within, frame in layout.frames:
        for node, box in zip(seen.nodes, layout.boxes, strict=True):
            if within in node.scope:
                (left, right, top, bottom), (x0, x1, y0, y1) = edges_of(frame), edges_of(box)
                assert left < x0
                assert x1 < right
                assert top < y0
                assert y1 < bottom
            else:
                assert not overlap(frame, box)


@pytest.mark.parametrize("make", [network, skipping, returning])
def test_routes_run_from_box_to_box_through_the_frames(make):
    seen = draw(make(), view="gradient").description
    layout = arrange(seen)
    place = {node.id: k for k, node in enumerate(seen.nodes)}
    for edge, route in zip(seen.edges, layout.routes, strict=True):
        source, target = layout.boxes[place[edge.source]], layout.boxes[place[edge.target]]
        assert route[0][0] == pytest.approx(source.x + source.width / 2)
        assert route[-1][0] == pytest.approx(target.x - target.width / 2)
        assert abs(route[0][1] - source.y) <= source.height / 2
        assert abs(route[-1][1] - target.y) <= target.height / 2
        steps = [round(x, 6) for x, _ in route]
        assert steps == sorted(steps)


@pytest.mark.parametrize("tier", ["dot", "graphviz-pure", "own"])
def test_every_tier_draws_the_frames(tier, use_tier):
    use_tier(tier)
    svg = ET.fromstring(draw(network()).svg())
    groups = [g for g in svg.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "frame"]
    assert sorted(text.text for g in groups for text in g.iter("{http://www.w3.org/2000/svg}text")) == [
        "first", "inner", "second",
    ]  # fmt: skip


def test_a_hostile_name_is_tidied():
    w = ad.tensor(2.0, name="w")
    with ad.name_scope('<script>"\n' + "x" * 10_000):
        y = w * w
    (scope,) = draw(y).description.nodes[-1].scope
    assert scope.name == '<script>" xxxxxxxxxxxxx…'
    assert "<script" not in draw(y).svg()


# --- in the engine ------------------------------------------------------------------------------------


def scope_of(t):
    return [scope.name for scope in getattr(t._node, "scope", ()) if not scope.composed]


def test_scopes_nest_end_and_survive_an_error():
    w = ad.tensor([1.0, 2.0])
    with ad.name_scope("a"), ad.name_scope("b"):
        inside = w * 2, ad.sum(w, axis=0), ad.concatenate([w, w]), ad.where([True, False], w, 0.0)
    with pytest.raises(ZeroDivisionError), ad.name_scope("a"):
        1 / 0  # noqa: B018
    assert [scope_of(each) for each in inside] == [["a", "b"]] * 4
    assert scope_of(w * 2) == []
    assert switch.count == 0


def test_scopes_go_with_no_grad_and_checkpoint():
    w = ad.tensor([1.0, 2.0])
    with ad.name_scope("a"):
        with ad.no_grad():
            assert (w * 2).constant
        assert scope_of(w * 2) == ["a"]
        assert scope_of(ad.checkpoint(lambda t: t * t)(w)) == ["a"]


def test_each_thread_has_scopes_of_its_own():
    w, seen = ad.tensor(2.0), []
    with ad.name_scope("here"):
        thread = threading.Thread(target=lambda: seen.append(scope_of(w * w)))
        thread.start()
        thread.join()
        seen.append(scope_of(w * w))
    assert seen == [[], ["here"]]


def test_outside_a_scope_nothing_is_stored():
    node = (ad.tensor(2.0) * 3)._node
    assert not hasattr(node, "scope")
    assert np.isfinite(node.order)

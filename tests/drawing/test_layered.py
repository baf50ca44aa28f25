"""Our own layout: everything inside, nothing on top of anything else, at any depth."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff.drawing import draw
from autodiff.drawing.layered import Box, Layout, Link, lay_out
from autodiff.scalar import Scalar

ROUNDING = 1e-6


@st.composite
def dags(draw_one):
    count = draw_one(st.integers(1, 25))
    sides = st.floats(1.0, 120.0)
    sizes = draw_one(st.lists(st.tuples(sides, sides), min_size=count, max_size=count))
    label = st.none() | st.tuples(sides, st.floats(1.0, 40.0))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1), label)
    links = draw_one(st.lists(ends, max_size=50))
    return sizes, [Link(min(a, b), max(a, b), size) for a, b, size in links if a != b]


def edges_of(box: Box) -> tuple[float, float, float, float]:
    return (
        box.x - box.width / 2,
        box.x + box.width / 2,
        box.y - box.height / 2,
        box.y + box.height / 2,
    )


def overlap(a: Box, b: Box) -> bool:
    left_a, right_a, top_a, bottom_a = edges_of(a)
    left_b, right_b, top_b, bottom_b = edges_of(b)
    return (
        left_a < right_b - ROUNDING
        and left_b < right_a - ROUNDING
        and top_a < bottom_b - ROUNDING
        and top_b < bottom_a - ROUNDING
    )


def everything(layout: Layout) -> list[Box]:
    return [*layout.boxes, *(label for label in layout.labels if label)]


@settings(deadline=None)
@given(dags())
def test_no_two_boxes_or_labels_overlap_and_all_lie_inside(graph):
    sizes, links = graph
    layout = lay_out(sizes, links)
    boxes = everything(layout)
    assert len(layout.boxes) == len(sizes)
    assert [label is not None for label in layout.labels] == [link.label is not None for link in links]
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    for box in boxes:
        left, right, top, bottom = edges_of(box)
        assert left >= -ROUNDING
        assert top >= -ROUNDING
        assert right <= layout.width + ROUNDING
        assert bottom <= layout.height + ROUNDING


@settings(deadline=None)
@given(dags())
def test_routes_run_from_left_to_right_and_end_on_their_boxes(graph):
    sizes, links = graph
    layout = lay_out(sizes, links)
    for link, route in zip(links, layout.routes, strict=True):
        source, target = layout.boxes[link.source], layout.boxes[link.target]
        assert route[0][0] == pytest.approx(source.x + source.width / 2)
        assert route[-1][0] == pytest.approx(target.x - target.width / 2)
        assert abs(route[0][1] - source.y) <= source.height / 2
        assert abs(route[-1][1] - target.y) <= target.height / 2
        assert all(a[0] <= b[0] + ROUNDING for a, b in pairwise(route))


@settings(deadline=None)
@given(dags())
def test_no_edge_runs_through_a_box(graph):
    sizes, links = graph
    layout = lay_out(sizes, links)
    for link, route in zip(links, layout.routes, strict=True):
        for (x0, y0), (x1, y1) in pairwise(route):
            # A curve between these points stays in their rectangle.
            piece = Box((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, abs(y1 - y0))
            for position, box in enumerate(layout.boxes):
                if position not in (link.source, link.target):
                    assert not overlap(piece, box)


@settings(deadline=None)
@given(dags(), st.data())
def test_the_lower_part_stands_below_the_upper_one_in_every_column(graph, data):
    sizes, links = graph
    first = data.draw(st.integers(0, len(sizes) - 1))
    bands = [int(k >= first) for k in range(len(sizes))]
    links = [Link(a.source, a.target, a.label, mirrored=a.source >= first) for a in links]
    layout = lay_out(sizes, links, bands)
    assert not any(overlap(a, b) for a, b in combinations(everything(layout), 2))
    for k, box in enumerate(layout.boxes):
        for other in layout.boxes[:k]:
            same_column = abs(box.x - other.x) < ROUNDING
            if same_column and bands[k] and not bands[layout.boxes.index(other)]:
                assert box.y - box.height / 2 > other.y + other.height / 2
    assert layout.width < 1e6
    assert layout.height < 1e6


def test_operands_enter_in_their_order():
    layout = lay_out([(40.0, 40.0)] * 3, [Link(1, 2), Link(0, 2)])
    assert layout.routes[0][-1][1] < layout.routes[1][-1][1]
    assert layout.boxes[1].y < layout.boxes[0].y  # uncrossed, though node 0 came first


def test_an_operand_used_twice_has_two_routes():
    first, second = lay_out([(40.0, 40.0)] * 2, [Link(0, 1), Link(0, 1)]).routes
    assert first[0] != second[0]
    assert first[-1] != second[-1]


def deep(length: int) -> Scalar:
    y = Scalar(0.5, name="x")
    for _ in range(length):
        y = y.sin()
    return y


def skips(length: int) -> Scalar:
    x = y = Scalar(0.5, name="x")
    for _ in range(length):
        y = y + x
    return y


def tree(leaves: int) -> Scalar:
    layer = [Scalar(1.0, name=f"w{i}") for i in range(leaves)]
    while len(layer) > 1:
        layer = [a + b for a, b in zip(layer[::2], layer[1::2], strict=True)]
    return layer[0]


@pytest.mark.parametrize(
    ("root", "nodes", "edges"),
    [(deep(2_000), 2_001, 2_000), (skips(2_000), 2_001, 4_000), (tree(1_024), 2_047, 2_046)],
    ids=["chain", "skips", "wide"],
)
@pytest.mark.parametrize("view", ["forward", "gradient"])
def test_two_thousand_nodes_are_drawn_to_the_last(root, nodes, edges, view):
    svg = ET.fromstring(draw(root, view=view, collapse=False).svg())
    classes = [group.get("class", "").split()[0] for group in svg.iter("{http://www.w3.org/2000/svg}g")]
    assert (classes.count("node"), classes.count("edge")) == (nodes, edges)


def test_depth_does_not_recurse():
    drawing = draw(deep(20_000), collapse=False)
    assert drawing.svg().count("<rect") == 20_002  # paper, each operation, the second outline of the output
    assert drawing.tier == "own"
    assert drawing.words.startswith("y, computed in 20,000 steps")

"""The backward pass as a graph: its steps, what they keep of the forward pass, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.drawing import draw
from autodiff.scalar import Scalar


def scalars():
    return Scalar(2.0, name="a"), Scalar(3.0, name="b")


def tensors():
    data = ad.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], name="X", constant=True)
    return ad.tensor([1.0, 2.0], name="w"), ad.tensor(0.5, name="b"), data


# program: the nodes of the backward pass as "id lines"; "operand>user" for what flows back; the same for what
# is kept
SCALARS = {
    "product and sum": (
        lambda a, b: a * b + 1,
        ["n5 g = 1", "n6 × b|3", "n7 × a|2", "n8 dy/db = 2", "n9 dy/da = 3"],
        "n5>n6 n5>n7 n7>n8 n6>n9",
        "n1>n6 n0>n7",
    ),
    "a rule that needs its result": (
        lambda a, b: a.exp(),
        ["n2 g = 1", "n3 × y|7.38906", "n4 dy/da = 7.38906"],
        "n2>n3 n3>n4",
        "n1>n3",
    ),
    "bills that meet": (
        lambda a, b: a * a,
        ["n2 g = 1", "n3 × a|2", "n4 × a|2", "n5 +|4", "n6 dy/da = 4"],
        "n2>n3 n2>n4 n3>n5 n4>n5 n5>n6",
        "n0>n3 n0>n4",
    ),
    "a sum hands g on as it is": (
        lambda a, b: a + b,
        ["n3 g = 1", "n4 dy/db = 1", "n5 dy/da = 1"],
        "n3>n4 n3>n5",
        "",
    ),
    "a difference turns the sign": (
        lambda a, b: a - b,
        ["n3 g = 1", "n4 −|−1", "n5 dy/db = −1", "n6 dy/da = 1"],
        "n3>n4 n4>n5 n3>n6",
        "",
    ),
    "only what a parameter leads to": (
        lambda a, b: a * (Scalar(4.0) + 1),
        ["n5 g = 1", "n6 × 5|5", "n7 dy/da = 5"],
        "n5>n6 n6>n7",
        "n3>n6",
    ),
    "a leaf": (lambda a, b: a, ["n1 g = 1", "n2 da/da = 1"], "n1>n2", ""),
}
TENSORS = {
    "a product of matrices keeps the data": (
        lambda w, b, x: ad.sum(x @ w),
        ["n4 g = 1", "n5 stretch ()→(3,)|(3,)|[1, 1, 1]", "n6 @|(2,)|[2, 2]", "n7 dy/dw (2,)|[2, 2]"],
        "n4>n5 n5>n6 n6>n7",
        "n1>n6",
    ),
    "a broadcast is summed back": (
        lambda w, b, x: ad.sum(w + b),
        [
            "n4 g = 1", "n5 stretch ()→(2,)|(2,)|[1, 1]", "n6 Σ↓ (2,)→()|2",
            "n7 dy/db = 2", "n8 dy/dw (2,)|[1, 1]",
        ],
        "n4>n5 n5>n6 n6>n7 n5>n8",
        "",
    ),
    "what a rule computes from the forward pass flows with it": (
        lambda w, b, x: ad.sin(b),
        ["n2 g = 1", "n3 cos|0.877583", "n4 ×|0.877583", "n5 dy/db = 0.877583"],
        "n2>n4 n4>n5",
        "n0>n3 n3>n4",
    ),
}  # fmt: skip


def check(picture, lines, flows, kept):
    seen = picture.description
    passed = [node for node in seen.nodes if node.kind == "gradient"]
    assert [f"{node.id} {'|'.join(node.lines)}" for node in passed] == lines
    assert " ".join(f"{edge.target}>{edge.source}" for edge in seen.edges if edge.backward) == flows
    assert " ".join(f"{edge.source}>{edge.target}" for edge in seen.edges if edge.kept) == kept
    assert [node.id for node in seen.nodes] == [f"n{k}" for k in range(len(seen.nodes))]


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
    program, *meant = SCALARS[name]
    check(draw(program(*scalars()), view="backward"), *meant)


@pytest.mark.parametrize("name", TENSORS)
def test_tensors(name):
    program, *meant = TENSORS[name]
    check(draw(program(*tensors()), view="backward"), *meant)


@pytest.mark.parametrize("name", SCALARS)
def test_the_forward_part_is_the_forward_view(name):
    out = SCALARS[name][0](*scalars())
    forward, backward = (draw(out, view=view).description for view in ("forward", "backward"))
    assert backward.nodes[: len(forward.nodes)] == forward.nodes
    assert backward.edges[: len(forward.edges)] == forward.edges


def test_the_pass_starts_from_g():
    a, b = scalars()
    seen = draw(a * b, view="backward", g=10.0).description
    assert [node.value for node in seen.nodes if not node.symbol] == ["2", "3", "10", "20", "30"]


def test_backward_equals_the_gradient_it_pictures():
    w, b, x = tensors()
    loss = ad.mean(ad.square(x @ w + b) * ad.exp(b))
    ends = {
        node.name: node.value
        for node in draw(loss, view="backward", name="loss").description.nodes
        if node.name.startswith("dloss")
    }
    dw, db = ad.gradients(loss, [w, b])
    assert ends == {"dloss/dw": f"[{dw[0]:.4g}, {dw[1]:.4g}]", "dloss/db": f"{db:.6g}"}


def test_a_pass_through_a_recorded_pass():
    x = ad.tensor(2.0, name="x")
    first = ad.gradients(x * x * x, x, record=True)
    seen = draw(first, view="backward").description
    assert next(node.value for node in seen.nodes if node.name == "dy/dx") == "12"


def test_words():
    a, b = scalars()
    assert draw(a * b + 1, view="backward").words == (
        "Backward pass of y = a × b + 1: from g = 1 in two steps to dy/db = 2, dy/da = 3. "
        "Two values of the forward pass are kept for it."
    )
    assert draw(Scalar(1.0) + 1, view="backward").words == (
        "y = 1 + 1: nothing in it is tracked, so there is no backward pass."
    )


def test_dot_keeps_the_two_passes_apart_and_tells_them_by_more_than_colour():
    a, b = scalars()
    dot = str(draw(a * b, view="backward"))
    assert dot.index("subgraph cluster_forward") < dot.index("subgraph cluster_backward")
    assert 'style="rounded,filled,dashed"' in dot
    assert dot.count("dir=back, style=dashed") == 4
    assert dot.count("style=dotted") == 2


@pytest.mark.parametrize("program", [SCALARS["bills that meet"][0], SCALARS["product and sum"][0]])
def test_our_own_layout_puts_the_backward_pass_below(program):
    from autodiff.drawing.svg import arrange

    seen = draw(program(*scalars()), view="backward").description
    boxes = dict(zip((node.id for node in seen.nodes), arrange(seen).boxes, strict=True))
    upper = [boxes[node.id] for node in seen.nodes if node.id not in seen.below]
    lower = [boxes[node.id] for node in seen.nodes if node.id in seen.below]
    for one in upper:
        for other in lower:
            if abs(one.x - other.x) < (one.width + other.width) / 2:
                assert one.y + one.height / 2 < other.y - other.height / 2


def test_infinite_slopes_are_shown_by_tensors_and_refused_by_scalars():
    x = ad.tensor(0.0, name="x")
    with np.errstate(all="ignore"):
        seen = draw(ad.sqrt(x), view="backward").description
    assert next(node.lines for node in seen.nodes if node.name == "dy/dx") == ("dy/dx = inf (!)",)
    with pytest.raises(ZeroDivisionError, match="sqrt"):
        draw(Scalar(0.0, name="x").sqrt(), view="backward")

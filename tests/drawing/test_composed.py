"""Composed functions and Scalars in scopes, and the mirror of a scope in the backward pass."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import autodiff as ad
from autodiff import Scalar, primitive
from autodiff.drawing import draw
from autodiff.drawing.svg import arrange
from autodiff.primitive import composed
from autodiff.scalar import _scopes
from autodiff.threads import switch


@pytest.fixture(autouse=True)
def _nothing_stays_declared(monkeypatch):
    monkeypatch.setattr(primitive, "FUNCTIONS", dict(primitive.FUNCTIONS))


def declared(function):
    """As a student declares it; made anew for each test."""
    return composed()(function)


def softmax(z):
    e = ad.exp(z - ad.max(z, axis=-1, keepdims=True))
    return e / ad.sum(e, axis=-1, keepdims=True)


def variance(x):
    return ad.mean(ad.square(x - ad.mean(x)))


def vector():
    return ad.tensor([1.0, 2.0, 4.0], name="x")


def frames(picture):
    """The operations of each frame, by its path; "" is outside of all."""
    found = {}
    for node in picture.description.nodes:
        if node.symbol and node.kind != "gradient":
            path = "/".join(scope.name for scope in node.scope)
            found.setdefault(path, []).append(node.symbol)
    return {path: " ".join(symbols) for path, symbols in found.items()}


# --- composed functions -------------------------------------------------------------------------------


def nested():
    spread = declared(variance)

    def standardized(x):
        return (x - ad.mean(x)) / ad.sqrt(spread(x) + 1)

    return declared(standardized)(vector())


def scope_around():
    with ad.name_scope("model"):
        return declared(softmax)(vector() * 2)


def scope_inside():
    def step(x):
        with ad.name_scope("inner"):
            x = x * 2
        return ad.sin(x) + x

    return declared(step)(vector())


def one_calls_another():
    spread = declared(variance)

    def var(x):
        return spread(x)

    return declared(var)(vector())


def several_answers():
    def both(x):
        y = ad.exp(x) * 2
        return ad.sin(y), ad.cos(y)

    sine, cosine = declared(both)(vector())
    return sine + cosine


def an_answer_that_was_there_before():
    return declared(lambda x: x)(vector() * 2) + 1


COMPOSED = {
    "by its name": (lambda: declared(softmax)(vector()), {"softmax": "max − exp Σ ÷"}),
    "one in another": (
        nested, {"standardized": "mean − + √ ÷", "standardized/variance": "mean − square mean"},
    ),
    "in a named scope": (scope_around, {"model": "×", "model/softmax": "max − exp Σ ÷"}),
    "a named scope inside": (scope_inside, {"step/inner": "×", "step": "sin +"}),
    "one that only calls another": (one_calls_another, {"var": "mean − square mean"}),
    "several answers": (several_answers, {"both": "exp × sin cos", "": "+"}),
    "one operation": (lambda: declared(ad.sin)(vector()), {"": "sin"}),
    "two operations": (lambda: ad.sec(vector()), {"": "cos ÷"}),
    "nothing": (an_answer_that_was_there_before, {"": "× +"}),
    "called twice": (lambda: declared(variance)(declared(softmax)(vector())), {
        "softmax": "max − exp Σ ÷", "variance": "mean − square mean",
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_what_a_call_records_stands_in_a_frame_of_its_name(name):
    program, meant = COMPOSED[name]
    assert frames(draw(program(), show="shapes")) == meant


def test_functions_of_ours_are_grouped_where_they_record_three_operations_or_more():
    weights = ad.tensor([1.0, 2.0, 3.0], name="weights")
    assert set(frames(draw(ad.average(vector(), weights=weights)))) == {"average"}
    assert set(frames(draw(ad.percentile(vector(), 30)))) == {"percentile"}
    assert set(frames(draw(ad.diff(vector())))) == {"diff"}
    assert set(frames(draw(vector()[1:] + ad.stack([vector(), vector()])[0, 1:]))) == {""}


def test_operands_stand_outside_and_numbers_inside():
    def shifted(x):
        return ad.exp(ad.sin(x + 1))

    nodes = draw(declared(shifted)(vector())).description.nodes
    assert [(node.kind, len(node.scope)) for node in nodes] == [
        ("parameter", 0), ("constant", 1), ("operation", 1), ("operation", 1), ("output", 1),
    ]  # fmt: skip


def test_what_a_rule_has_prepared_stands_in_the_mirror():
    seen = draw(ad.sum(declared(softmax)(vector())), view="backward", show="shapes").description
    (mask,) = [node for node in seen.nodes if node.kind == "data"]
    assert [(scope.name, scope.mirrored) for scope in mask.scope] == [("softmax", True)]


@pytest.mark.parametrize("options", [{"depth": 0}, {"collapse": "softmax"}, {"collapse": True}])
def test_a_call_can_be_closed_like_a_scope(options):
    picture = draw(declared(softmax)(vector() * 2), **options)
    assert ["|".join(node.lines) for node in picture.description.nodes[-1:]] == [
        "softmax|5 operations|y (3,)|[0.002428, 0.01794, 0.9796]"
    ]


@pytest.mark.parametrize("function", [softmax, variance])
def test_values_and_gradients_are_those_of_the_bare_function(function):
    x, marked = vector(), declared(function)
    weights = np.array([0.3, -1.0, 2.0])
    bare = ad.value_and_grad(lambda x: ad.sum(weights * function(x)))(x.data)
    for got, meant in zip(
        ad.value_and_grad(lambda x: ad.sum(weights * marked(x)))(x.data), bare, strict=True
    ):
        np.testing.assert_array_equal(got, meant)
    np.testing.assert_array_equal(marked(x.data), function(x.data))
    ad.check_gradients(marked, x.data, order=2)


def test_a_call_that_fails_leaves_nothing_behind():
    def failing(x):
        y = ad.exp(ad.sin(x * 2))
        raise ZeroDivisionError(y)

    x = vector()
    with pytest.raises(ZeroDivisionError):
        declared(failing)(x)
    assert frames(draw(x * 2)) == {"": "×"}


def test_threads_do_not_meet_in_a_frame():
    inside, outside = threading.Barrier(2, timeout=60), {}

    def slow(x):
        x = ad.exp(x * 2)
        inside.wait()
        inside.wait()
        return ad.sin(x)

    def work():
        inside.wait()
        outside["y"] = ad.cos(ad.exp(vector()) + 1)
        inside.wait()

    thread = threading.Thread(target=work)
    thread.start()
    y = declared(slow)(vector())
    thread.join()
    assert frames(draw(y)) == {"slow": "× exp sin"}
    assert frames(draw(outside["y"])) == {"": "exp + cos"}


def test_a_call_opens_no_scope_so_its_operations_cost_what_they_cost():
    seen = []

    def watching(x):
        seen.append(switch.count)
        return x * 2

    declared(watching)(vector())
    assert seen == [0]


def test_without_a_scope_there_is_no_mark():
    assert not hasattr(vector()[1:]._node, "scope")
    assert not hasattr(composed(scope=False)(softmax)(vector())._node, "scope")


def test_name_scope_before_a_function_is_a_scope_for_each_call():
    @ad.name_scope("layer")
    def layer(w, x):
        """A layer."""
        return ad.tanh(w * x)

    w = ad.tensor(2.0, name="w")
    y = layer(w, layer(w, 1.0))
    assert (layer.__name__, layer.__doc__) == ("layer", "A layer.")
    assert [node.symbol for node in draw(y, depth=0).description.nodes] == ["", "layer", "layer"]


def test_one_scope_may_be_entered_within_itself():
    scope, w = ad.name_scope("block"), ad.tensor(2.0, name="w")
    with scope:
        y = w * 2
        with scope:
            y = y + 1
        y = ad.sin(y)
    assert frames(draw(y)) == {"block": "× sin", "block/block": "+"}
    assert switch.count == 0


# --- Scalars ------------------------------------------------------------------------------------------


def samples(count=3):
    b, w = Scalar(15.0, name="b"), Scalar(2.0, name="w")
    total = Scalar(0.0)
    for k, (x, y) in enumerate(((-1.0, 5.2), (0.5, 12.0), (3.0, 24.7))[:count], start=1):
        with ad.name_scope(f"sample {k}"):
            error = b + w * x - y
            squared = error * error
        total = total + squared
    return total


def test_scalars_stand_in_the_same_frames():
    assert frames(draw(samples(2))) == {"sample 1": "× + − ×", "sample 2": "× + − ×", "": "+ +"}
    boxes = draw(samples(2), depth=0).description.nodes
    assert [node.symbol or node.name or node.value for node in boxes] == [
        "b", "w", "0", "sample 1", "+", "sample 2", "+",
    ]  # fmt: skip


def test_a_scalar_in_a_composed_function():
    def step(x):
        return (x * x + 1).sin()

    assert frames(draw(declared(step)(Scalar(2.0, name="x")))) == {"step": "× + sin"}


def test_values_and_gradients_of_scalars_are_those_without_scopes():
    assert samples().grad() == pytest.approx({"b": 5.4 * 3, "w": -11.2666666667 * 3})


def test_outside_a_scope_a_scalar_remembers_nothing():
    before = len(_scopes)
    x = Scalar(2.0, name="x")
    y = x * 3
    with ad.no_grad():
        z = y + 1
    assert (x.scope, y.scope, z.scope, len(_scopes)) == ((), (), (), before)


def test_a_scope_keeps_no_scalar_alive():
    before = len(_scopes)
    y = samples()
    assert len(_scopes) == before + 12
    gone = weakref.ref(y)
    del y
    assert gone() is None
    assert len(_scopes) == before
    with ad.name_scope("long"):
        y = Scalar(1.0, name="x")
        for _ in range(100_000):
            y = y + 1
    del y
    gc.collect()
    assert len(_scopes) == before


def test_each_thread_has_scopes_of_its_own_for_scalars_too():
    x, seen = Scalar(2.0, name="x"), []
    with ad.name_scope("here"):
        thread = threading.Thread(target=lambda: seen.append((x * x).scope))
        thread.start()
        thread.join()
        seen.append([scope.name for scope in (x * x).scope])
    assert seen == [(), ["here"]]


# --- the mirror in the backward pass ------------------------------------------------------------------


def network():
    w1, w2 = ad.tensor([[1.0, 2.0], [3.0, 4.0]], name="W1"), ad.tensor([[0.5, -0.5], [0.1, 0.2]], name="W2")
    with ad.name_scope("hidden"):
        h = ad.tanh(w1 @ ad.tensor([1.0, -1.0], name="x", constant=True))
    with ad.name_scope("output"), ad.name_scope("inner"):
        h = w2 @ h
    return ad.sum(ad.sin(h))


def composed_regression():
    return -ad.sum(ad.log(declared(softmax)(ad.tensor([[0.1, 0.2], [0.4, 0.5]], name="W") * 2)))


def product():
    a, b = Scalar(2.0, name="a"), Scalar(3.0, name="b")
    with ad.name_scope("square"):
        c = a * a
    with ad.name_scope("rest"):
        return (c * b).sin()


MIRRORED = {
    network: {"hidden", "output", "output/inner"},
    samples: {"sample 1", "sample 2", "sample 3"},
    composed_regression: {"softmax"},
    product: {"square", "rest"},
}


def paths(description, mirrored):
    return {
        "/".join(scope.name for scope in node.scope[: k + 1])
        for node in description.nodes
        for k, scope in enumerate(node.scope)
        if scope.mirrored == mirrored
    }


@pytest.mark.parametrize("make", MIRRORED)
def test_each_frame_has_its_mirror(make):
    seen = draw(make(), view="backward").description
    assert paths(seen, mirrored=False) == paths(seen, mirrored=True) == MIRRORED[make]
    for node in seen.nodes:
        assert len({scope.mirrored for scope in node.scope}) <= 1
        assert node.kind != "gradient" or all(scope.mirrored for scope in node.scope)


def test_rules_stand_in_the_mirror_of_their_operation_and_gradients_in_that_of_their_parameter():
    seen = draw(product(), view="backward").description
    got = {
        "|".join(node.lines): "/".join(scope.name for scope in node.scope)
        for node in seen.nodes
        if node.kind == "gradient"
    }
    assert got == {
        "g = 1": "rest", "× cos(12)|0.843854": "rest", "× b|2.53156": "rest", "× 4|3.37542": "rest",
        "× a|5.06312": "square", "+|10.1262": "square",
        "dy/db = 3.37542": "rest", "dy/da = 10.1262": "square",
    }  # fmt: skip


@pytest.mark.parametrize("make", MIRRORED)
def test_dot_has_a_cluster_for_each_and_dashes_around_the_mirror(make):
    dot = str(draw(make(), view="backward"))
    forward, backward = dot.split("subgraph cluster_backward")
    assert forward.count("subgraph cluster_n") == backward.count("subgraph cluster_n") == len(MIRRORED[make])
    assert forward.count("style=rounded;") == backward.count('style="rounded,dashed";') == len(MIRRORED[make])


@pytest.mark.parametrize("make", MIRRORED)
def test_our_own_layout_frames_both(make):
    layout = arrange(draw(make(), view="backward").description)
    names = [path.rpartition("/")[2] for path in MIRRORED[make]]
    for mirrored in (False, True):
        assert sorted(scope.name for scope, _ in layout.frames if scope.mirrored == mirrored) == sorted(names)


@pytest.mark.parametrize("tier", ["dot", "graphviz-pure", "own"])
def test_every_tier_marks_the_frames_of_the_backward_pass(tier, use_tier):
    use_tier(tier)
    svg = draw(network(), view="backward").svg()
    assert (svg.count('class="frame"'), svg.count('class="frame backward"')) == (3, 3)


CLOSED = [
    ({"depth": 0}, ["hidden", "output"]),
    ({"collapse": "inner"}, ["inner"]),
    ({"collapse": ["hidden", "inner"]}, ["hidden", "inner"]),
]


@pytest.mark.parametrize(("options", "names"), CLOSED, ids=str)
def test_a_scope_and_its_mirror_are_closed_together(options, names):
    seen = draw(network(), view="backward", **options).description
    for passed in (False, True):
        closed = [
            node.symbol
            for node in seen.nodes
            if (node.kind == "gradient") == passed and any("operation" in line for line in node.lines)
        ]
        assert sorted(closed) == names


def test_a_closed_mirror_says_what_it_holds_and_what_leaves_it():
    seen = draw(network(), view="backward", depth=0).description
    said = ["|".join(node.lines) for node in seen.nodes if any("operation" in line for line in node.lines)]
    assert said == [
        "hidden|2 operations, 1 parameter|(2,)|[−0.7616, −0.7616]",
        "output|1 operation, 1 parameter|(2,)|[0, −0.2285]",
        "output|4 operations, 1 gradient",
        "hidden|5 operations, 1 gradient|dy/dW1 (2, 2)|[[0.2509, −0.2509],|[−0.1282, 0.1282]]",
    ]


def test_words_tell_of_the_whole_whatever_is_closed():
    open_, closed = (draw(product(), view="backward", depth=depth).words for depth in (None, 0))
    assert open_ == (
        "Backward pass of y = sin(a × a × b): from g = 1 in six steps to dy/db = 3.37542, dy/da = 10.1262. "
        "Four values of the forward pass are kept for it."
    )
    assert closed == f"{open_} The picture shows its 14 nodes as 4 boxes."


def test_a_picture_drawn_inside_a_scope_is_the_same():
    y = network()
    outside = str(draw(y, view="backward"))
    with ad.name_scope("drawing"):
        assert str(draw(y, view="backward")) == outside

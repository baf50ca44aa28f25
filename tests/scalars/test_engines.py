"""ClosureScalar and Scalar: one lecture's code, the same answers, different costs."""

import copy
import gc
import itertools
import operator
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import ClosureScalar, GradientError, Scalar, combine_dicts
from autodiff.errors import ImmutableError, NameClashError
from autodiff.graph import count_paths, count_visits, paths, topological_order

ENGINES = pytest.mark.parametrize("Number", [ClosureScalar, Scalar])


# --- merging dictionaries ------------------------------------------------------------------------

MERGES = [
    ({"a": 2, "b": 3, "c": 4}, {"a": 5, "c": 6, "x": 7}, {"a": 7, "b": 3, "c": 10, "x": 7}),
    ({"a": -1.3, "b": -4, "c": 3}, {"b": 3, "c": 4, "d": 5}, {"a": -1.3, "b": -1, "c": 7, "d": 5}),
    ({}, {"a": 1}, {"a": 1}),
    ({"a": 1}, {}, {"a": 1}),
    ({}, {}, {}),
    ({"": 1, 0: 2}, {"": 3, 0: 4}, {"": 4, 0: 6}),
]


@pytest.mark.parametrize(("a", "b", "merged"), MERGES)
def test_combine_dicts(a, b, merged):
    before = dict(a), dict(b)
    assert combine_dicts(a, b) == merged
    assert (a, b) == before


@pytest.mark.parametrize(
    ("op", "shared"), [(operator.sub, -3), (operator.mul, 10), (max, 5), (lambda p, q: p, 2)]
)
def test_combine_dicts_takes_any_operator_in_order(op, shared):
    assert combine_dicts({"a": 2, "b": 3}, {"a": 5, "c": 4}, op) == {"a": shared, "b": 3, "c": 4}


DICTS = st.dictionaries(st.text(max_size=2), st.integers())


@given(DICTS, DICTS, DICTS)
def test_combining_is_commutative_associative_and_keeps_the_total(a, b, c):
    assert combine_dicts(a, b) == combine_dicts(b, a)
    assert combine_dicts(combine_dicts(a, b), c) == combine_dicts(a, combine_dicts(b, c))
    assert combine_dicts(a, {}) == a
    assert sum(combine_dicts(a, b).values()) == sum(a.values()) + sum(b.values())


# --- the lecture's code, unchanged -----------------------------------------------------------------


@ENGINES
def test_the_first_example(Number):
    a, b = Number(1, name="a"), Number(2, name="b")
    d = a * b + Number(1)
    assert (d.value, d.grad(1.0), d.grad(), d.grad(3.0)) == (
        3,
        {"a": 2, "b": 1},
        {"a": 2, "b": 1},
        {"a": 6, "b": 3},
    )


@ENGINES
def test_the_regression_loop(Number):
    xs = np.random.RandomState(0).uniform(-10, 10, 10)  # the lecture's own draw
    ys = 10 + 5 * xs
    n = len(xs)
    values, costs = {"b": 15.0, "w": 2.0}, []
    for _ in range(200):
        b, w = Number(values["b"], name="b"), Number(values["w"], name="w")
        cost = Number(0.0)
        for x, y in zip(xs, ys, strict=True):
            h = b + w * Number(x)  # x is an np.float64
            diff = h + Number(-1.0) * Number(y)
            cost = cost + diff.square()
        cost = cost * Number(1.0 / n)
        grad = cost.grad(1.0)
        by_hand = [2 * np.mean(b.value + w.value * xs - ys), 2 * np.mean((b.value + w.value * xs - ys) * xs)]
        # 10 terms of size ~1e3 added in another order
        assert [grad["b"], grad["w"]] == pytest.approx(by_hand, rel=1e-13, abs=1e-12)
        values = {name: values[name] - 0.01 * grad[name] for name in values}
        costs.append(cost.value)
    assert all(after < before for before, after in itertools.pairwise(costs))
    # What other systems gave for this exercise, some of them in float32: right to the last digit printed.
    assert [values["b"], values["w"]] == pytest.approx([10.3074, 4.9611], abs=1e-4)
    assert np.mean((values["b"] + values["w"] * xs - ys) ** 2) == pytest.approx(0.06785, abs=1e-5)


STEPS = st.lists(
    st.tuples(st.sampled_from("+*²"), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12
)
SMALL = st.integers(-3, 3)  # whole numbers, so that both engines must agree to the last bit


def run(Number, values, steps):
    pool = [Number(float(v), name=f"x{k}") for k, v in enumerate(values)] + [Number(2.0)]
    for op, i, j in steps:
        a, b = pool[-1 - i % len(pool)], pool[j % len(pool)]
        made = a + b if op == "+" else a * b if op == "*" else a.square()
        if abs(made.value) < 1e4:  # beyond 2**53 whole numbers round
            pool.append(made)
    return pool[-1]


@given(st.lists(SMALL, min_size=1, max_size=3), STEPS, SMALL)
def test_both_engines_agree_on_random_programs(values, steps, g):
    lecture, recorded = run(ClosureScalar, values, steps), run(Scalar, values, steps)
    assert recorded.value == lecture.value
    assert recorded.grad(float(g)) == lecture.grad(float(g))


# --- order, sharing, depth ---------------------------------------------------------------------------

x, y = Scalar(0.7, name="x"), Scalar(-1.1, name="y")
a = 1.3 * x
b = x + x
REVEALING = [
    ("a shared leaf", x * y + y.exp(), x, y.value),
    ("x + x", x + x, x, 2.0),
    ("x * x", x * x, x, 1.4),
    ("diamond", a.exp() + a.tanh(), x, 1.3 * (np.exp(0.91) + 1 - np.tanh(0.91) ** 2)),
    ("doubling twice", b + b, x, 4.0),
    ("skip, a first", a + a * a, x, 1.3 * (1 + 2 * 0.91)),
    ("skip, a last", a * a + a, x, 1.3 * (1 + 2 * 0.91)),
    ("three uses", a * a * a, x, 1.3 * 3 * 0.91**2),
    (
        "a run, then a diamond",
        2.0 - 3.0 * (a.exp() + a).tanh(),
        x,
        -3.0 * (1 - np.tanh(np.exp(0.91) + 0.91) ** 2) * (np.exp(0.91) + 1) * 1.3,
    ),
    ("x - x", x - x, x, 0.0),
    ("x / x", x / x, x, 0.0),
]


@pytest.mark.parametrize(("out", "leaf", "slope"), [pytest.param(*c[1:], id=c[0]) for c in REVEALING])
def test_graphs_that_reveal_a_wrong_order(out, leaf, slope):
    assert out.grad()[leaf.name] == pytest.approx(slope, rel=1e-14, abs=1e-15)
    assert out.grad(2.0)[leaf.name] == 2.0 * out.grad()[leaf.name]  # and nothing is left from the first pass


def doubling(Number, n):
    out = Number(1.0, name="x")
    for _ in range(n):
        out = out + out
    return out


@pytest.mark.parametrize("n", range(8, 17))
def test_the_doubling_chain_costs_2_to_the_n_or_n(n):
    assert count_visits(doubling(ClosureScalar, n)) == 2 ** (n + 1) - 1
    assert count_visits(doubling(Scalar, n)) == 2 * n + 1
    assert count_paths(doubling(Scalar, n)) == 2**n
    assert doubling(Scalar, n).grad() == {"x": 2.0**n}


def test_a_million_nodes_deep():
    assert sys.getrecursionlimit() < 10_000
    leaf = out = Scalar(1.0, name="x")
    for _ in range(500_000):
        out = out * 1.0000001
        out = out + 1e-9
    assert len(topological_order(out)) == 1_000_001
    assert count_paths(out) == 1
    # (1 + 1e-7)**500_000 by logarithms; half a million roundings of 1e-16 each
    assert out.grad() == pytest.approx({"x": np.exp(500_000 * np.log1p(1e-7))}, rel=1e-9)
    gone = weakref.ref(out)
    del out
    assert gone() is None
    assert leaf.value == 1.0


def test_a_graph_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        leaf = Scalar(1.0, name="x")
        middle = leaf * leaf
        out = middle.exp()
        out.grad()
        gone = weakref.ref(middle)
        del middle, out
        assert gone() is None
    finally:
        gc.enable()


def test_topological_order_puts_every_parent_first_and_is_the_order_of_making():
    out = (a * a + a).exp() * x
    nodes = topological_order(out)
    assert nodes[-1] is out
    for place, node in enumerate(nodes):
        assert all(parent in nodes[:place] for parent in node.parents)


def test_paths_from_result_to_leaf():
    u, v = 2 * x, x * x
    out = u * v
    names = {out: "out", u: "u", v: "v", x: "x"}
    assert [[names[n] for n in path] for path in paths(out, x)] == [
        ["out", "u", "x"],
        ["out", "v", "x"],
        ["out", "v", "x"],
    ]
    assert list(paths(x, x)) == [(x,)]
    assert list(paths(out, y)) == []


def test_the_gradient_is_the_sum_over_paths_of_products_of_local_derivatives():
    out = (a * a + a).exp() * x + x.sin()
    total = 0.0
    for path in paths(out, x):
        product = 1.0
        for child, parent in itertools.pairwise(path):
            # a parent that stands twice has one path per seat, so take the mean of its seats' derivatives
            seats = [d for p, d in zip(child.operands, child.local_derivatives(), strict=True) if p is parent]
            product *= sum(seats) / len(seats)
        total += product
    assert total == pytest.approx(out.grad()["x"], rel=1e-14)


def test_gradients_by_object_reach_every_node():
    constant = Scalar(5.0)
    middle = x * constant
    out = middle * middle
    by_object = out.gradients(0.5)
    assert by_object[out] == 0.5
    assert by_object[middle] == pytest.approx(0.7 * 5.0, rel=1e-15)
    assert by_object[constant] == pytest.approx(by_object[middle] * 0.7, rel=1e-15)
    assert out.grad(0.5) == {"x": by_object[x]}


def test_a_result_without_leaves_has_no_gradient():
    assert (Scalar(2.0) * 3).grad() == {}
    assert Scalar(2.0, name="x").grad(4.0) == {"x": 4.0}


@given(st.lists(SMALL, min_size=1, max_size=3), STEPS)
def test_grad_and_gradients_agree_to_the_last_bit(values, steps):
    out = run(Scalar, values, steps)
    by_object = out.gradients(0.1)
    assert out.grad(0.1) == {node.name: total for node, total in by_object.items() if node.name is not None}
    assert list(by_object) == topological_order(out)


def test_threads_may_share_leaves_and_nodes():
    shared = (x * y + x).exp() * y
    alone = (shared * shared + shared).grad()

    def differentiate(_):
        return [(shared * shared + shared).grad() for _ in range(50)]

    with ThreadPoolExecutor(4) as pool:
        answers = [each for several in pool.map(differentiate, range(8)) for each in several]
    assert all(answer == alone for answer in answers)


# --- names -------------------------------------------------------------------------------------------


def test_two_leaves_of_one_name_in_one_graph_raise():
    one, two = Scalar(1.0, name="b"), Scalar(2.0, name="b")
    with pytest.raises(
        NameClashError, match=r"both named 'b'.*Scalar\(1\.0, name='b'\).*Scalar\(2\.0, name='b'\)"
    ):
        (one * two).grad()
    assert (one * two).gradients()[one] == 2.0  # by object they are apart
    assert (one + one).grad() == {"b": 2.0}


def test_equal_names_merge_in_the_lectures_class():
    one, two = ClosureScalar(1.0, name="b"), ClosureScalar(2.0, name="b")
    assert (one * two).grad() == {"b": 3.0}


@ENGINES
@pytest.mark.parametrize("name", ["", 0, False, ("layer", 1), "naïve — 名"])
def test_anything_hashable_is_a_name(Number, name):
    leaf = Number(3.0, name=name)
    assert (leaf * leaf).grad() == {name: 6.0}


@pytest.mark.parametrize("name", [0.5, Scalar(2.0)])
def test_a_name_that_looks_like_an_operand_is_none(name):
    leaf = Scalar(3.0, name=name)
    assert (leaf.operands, leaf.parents, leaf.local_derivatives()) == ((), (), ())
    assert topological_order(leaf) == [leaf]
    assert (leaf * leaf + leaf).grad() == {name: 7.0}
    assert ((leaf * 2).name, Scalar(1.0).name) == (None, None)


def test_leaves_come_in_the_order_of_making():
    first, second, third = (Scalar(1.0, name=name) for name in ("p", "q", "r"))
    out = third * second + (first + third * 2.0)
    assert list(out.grad()) == ["p", "q", "r"]
    assert list(out.gradients()) == topological_order(out)


def test_unrelated_graphs_share_no_keys():
    assert (Scalar(1.0, name="p") * 2).grad() == {"p": 2.0}
    assert (Scalar(1.0, name="q") * 3).grad() == {"q": 3.0}


# --- what a graph relies on stays -----------------------------------------------------------------


def test_a_value_is_fixed_and_the_message_shows_the_way():
    leaf = Scalar(1.0, name="w")
    with pytest.raises(ImmutableError, match=r"Scalar\(0\.5, name='w'\)"):
        leaf.value = 0.5
    assert leaf.value == 1.0


def test_the_lectures_class_saves_what_a_rule_needs_at_forward_time():
    leaf = ClosureScalar(3.0, name="x")
    out = leaf * leaf
    leaf.value = 100.0
    assert out.grad() == {"x": 6.0}


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_leaves_can_be_copied_and_results_say_why_not(duplicate):
    twin = duplicate(x)
    assert twin is not x
    assert (twin.value, twin.name) == (x.value, "x")
    with pytest.raises(GradientError, match="hangs on its graph"):
        duplicate(x * 2)


def test_text():
    assert repr(x) == "Scalar(0.7, name='x')"
    assert repr(Scalar(2)) == "Scalar(2.0)"
    assert repr(x * 2) == "Scalar(1.4, by multiply)"
    assert f"{x:.3f} {x}" == "0.700 Scalar(0.7, name='x')"
    assert repr(ClosureScalar(2.0)) == "ClosureScalar(2.0)"

"""check_gradients: right functions pass to second order in both modes; wrong rows are caught, explained."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import autodiff as ad
from autodiff import check_gradients
from autodiff.errors import NumericalCheckError, OperandError, OptionError, ShapeError
from autodiff.primitive import FUNCTIONS, TABLE, elementwise, linear, operation

RNG = np.random.default_rng(7)


def real(*shape):
    """Entries of size 0.5 to 2, either sign: away from kinks at 0."""
    return np.asarray(RNG.uniform(0.5, 2.0, shape) * RNG.choice([-1.0, 1.0], shape))


def mlp(p, x):
    for layer in p["layers"]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return {"loss": (x * x).sum(), "out": x}


MLP = {"layers": [{"w": real(3, 4), "b": real(4)}, {"w": real(4, 2), "b": real(2)}]}
X = real(3)

RIGHT = [
    ("a number", lambda x: x * x * x, (1.3,)),
    ("0-d", ad.exp, (np.array(0.5),)),
    ("size 1", ad.exp, (real(1),)),
    ("empty", ad.exp, (real(0, 3),)),
    ("broadcasting", lambda a, b, c: a * b + b / c, (real(3), real(2, 1), 1.5)),
    ("matmul", lambda a, b: a @ b, (real(2, 3), real(3, 4))),
    ("slices", lambda x: x[1:] * x[:-1], (real(5),)),
    ("repeated indices", lambda x: x[np.array([0, 2, 2])] ** 3, (real(4),)),
    ("where", lambda x: ad.where(x > 0, x * x, ad.exp(x)), (real(2, 3),)),
    ("a kink elsewhere", lambda x: abs(x) * x, (real(4),)),
    ("sums", lambda x: (x * x).sum(axis=1), (real(2, 3),)),
    ("a fixed integer", lambda x, n: x**n, (real(3), 3)),
    ("fixed indices in a nest", lambda p: p["x"][p["at"]] ** 2, ({"x": real(4), "at": np.array([3, 0])},)),
    ("a list and a tuple", lambda p, q: [p[0] * q[1], (q[0],)], ([real(2), real(3)], (real(2), real(2)))),
    ("an integer beside floats in the result", lambda x: (x * x, np.array([1, 2])), (real(2),)),
    ("a constant result", lambda x: np.ones(2), (real(3),)),
    ("Tensors as arguments", lambda x: x * x, (ad.tensor([1.0, 2.0]),)),
    ("what only a Tensor has", lambda x: x * x if x.constant else x**2, (real(3),)),
    ("float32", lambda x: ad.exp(x) * x, (real(3).astype(np.float32),)),
    ("computing in float32", lambda x: ad.exp(x.astype(np.float32)) * 2, (real(3),)),
    ("steep", lambda x: ad.sin(2e4 * x), (real(3),)),
    ("a small slope on a large value", lambda x: 1e7 + x * x, (real(3),)),
    ("a tiny function", lambda x: 1e-12 * ad.exp(x), (real(3),)),
    ("zero by cancelling", lambda x: (ad.exp(x) / ad.exp(x).sum()).sum(), (real(4),)),
    ("nested", mlp, (MLP, X)),
]


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize(("name", "f", "args"), RIGHT, ids=[row[0] for row in RIGHT])
def test_a_right_function_passes_to_second_order_in_both_modes(name, f, args, every):
    report = check_gradients(f, *args, order=2, every_entry=every)
    assert report, str(report)
    assert {(each.mode, each.order) for each in report.findings} == {
        (mode, order) for mode in ("reverse", "forward") for order in (1, 2)
    }
    assert report.raise_if_wrong() is report


def test_every_argument_is_named_as_f_names_it():
    report = check_gradients(mlp, MLP, X)
    assert [each.argument for each in report.findings if each.mode == "reverse"] == [
        "p['layers'][0]['w']",
        "p['layers'][0]['b']",
        "p['layers'][1]['w']",
        "p['layers'][1]['b']",
        "x",
    ]


# --- wrong rows ------------------------------------------------------------------------------------------


def own(call):
    """A row of this file, taken out of the table again: it must not count as one of the package's."""
    assert ad.Tensor in call.row.entries
    TABLE.pop(call.row.name)
    FUNCTIONS.pop(call.row.name)
    return call


def plain(a):
    """The mistake of M61: numbers in a rule."""
    return np.asarray(getattr(a, "_data", a))


def softmax(a):
    e = np.exp(a - a.max())
    return e / e.sum()


twice = own(elementwise("w_square", "²", lambda a: a * a, a=lambda g, a: g * a * 4))
half = own(elementwise("w_half", "²", lambda a: a * a, a=lambda g, a: g * a))
minus = own(elementwise("w_cos", "cos", lambda a: np.cos(+a), a=lambda g, a: g * ad.sin(a)))
forgets = own(elementwise("w_exp", "exp", lambda a: np.exp(+a), a=lambda g, out: out))
gated = own(elementwise("w_relu", "r", lambda a: 2 * a, a=lambda g: 2 * g * (g > 0)))
nothing = own(elementwise("w_zero", "³", lambda a: a**3, a=lambda g: g * 0.0))
factor = own(elementwise("w_factor", "²", lambda a: a * a, a=lambda g, a: g * a * 2.2))
times_x = own(elementwise("w_times", "²", lambda a: a * a, a=lambda g, a: g * a * a * 2))
negative_lost = own(elementwise("w_lost", "²", lambda a: a * a, a=lambda g, a: g * a * 2 * (a > 0)))
not_finite = own(elementwise("w_nan", "²", lambda a: a * a, a=lambda g, a: g * a / (a * 0.0)))
slightly = own(elementwise("w_slight", "²", lambda a: a * a, a=lambda g, a: g * a * 2.0000001))
matmul_t = own(linear("w_mm", "@", np.dot, a=lambda g, b: (g @ b.T).T, b=lambda g, a: a.T @ g))
doubled = own(linear("w_double", "⧺", lambda a: np.concatenate([a, a]), a=lambda g: g))
row_sums = own(linear("w_rows", "Σ", lambda a: a.sum(axis=1), a=lambda g: g))
flipped = own(linear("w_flip", "↔", lambda a: a[::-1], a=lambda g: g))
mean = own(operation("w_mean", "μ", lambda a: a.mean(), a=lambda g, a: g * (a * 0 + 1)))
total = own(operation("w_sum", "Σ", lambda a: a.sum(), a=lambda g, a: g * np.full(a.shape, 1 / 6)))
trace = own(operation("w_all", "Σ", lambda a: a.sum(), a=lambda g: g * np.eye(3)))
first_row = own(operation("w_first", "Σ", lambda a: a.sum(), a=lambda g: g * np.eye(4, 3)[:1].T.repeat(3, 1)))
diagonal = own(operation("w_softmax", "σ", softmax, a=lambda g, out: g * out * (1 - out)))
second = own(elementwise("w_second", "²", lambda a: a * a, a=lambda g, a: g * 2 * plain(a)))
jvp_only = own(
    operation("w_jvp", "²", lambda a: a * a, a=lambda g, a: g * a * 2, jvp=lambda given, kept: given[0] * 3)
)
not_linear = own(linear("w_linear", "²", lambda a: a * a, a=lambda g, a: g * a * 2))
relu = own(elementwise("w_relu_0", "relu", lambda a: np.maximum(a, 0), a=lambda g, a: g * (a > 0)))
relu_3 = own(elementwise("w_relu_3", "relu", lambda a: np.maximum(a, 0), a=lambda g, a: g * (3 * (a >= 0))))

V, M = real(5), real(3, 3)
MIXED = np.array([1.0, -0.7, 2.0, -1.5])

WRONG_ROWS = [
    # name, f, args, order, words that the report must have
    ("factor 2", twice, (V,), 1, "twice what was expected"),
    ("half", half, (V,), 1, "half of what was expected"),
    ("sign", minus, (V,), 1, "sign differs"),
    ("forgotten upstream", forgets, (V,), 1, "upstream gradient"),
    ("forgotten upstream, forward", forgets, (V,), 1, "twice the tangent doesn't move"),
    ("a gate on g", gated, (V,), 1, "upstream gradient"),
    ("no gradient", nothing, (V,), 1, "got is 0: no gradient arrives"),
    ("a factor", factor, (V,), 1, "1.1 times what was expected, everywhere"),
    ("times x", times_x, (V,), 1, "times the argument"),
    ("where x < 0", negative_lost, (MIXED,), 1, "wrong only where the argument is negative. Got is 0 there"),
    ("nan", not_finite, (V,), 1, "trace_nonfinite"),
    ("off by 5e-8", slightly, (V,), 1, "almost right"),
    ("transposed matmul", matmul_t, (M, real(3, 3)), 1, "the transposed gradient would fit"),
    ("missing un-broadcast", doubled, (V,), 1, "sum over a stretched axis missing"),
    ("missing stretch", row_sums, (real(2, 3),), 1, "stretch of a summed one"),
    ("other places", flipped, (V,), 1, "the right numbers, in other places"),
    ("only reverse", flipped, (V,), 1, "only reverse mode differs"),
    (
        "mean for sum",
        mean,
        (real(2, 3),),
        1,
        "6 times what was expected, and 6 is the number of entries of a",
    ),
    ("sum for mean", total, (real(2, 3),), 1, "1/6 of what was expected"),
    ("off the diagonal", trace, (M,), 1, "right on the diagonal, wrong off it. Got is 0 there"),
    ("one row", first_row, (M,), 1, "wrong only at 1, 2 along axis 0"),
    ("diagonal of the Jacobian", diagonal, (V,), 1, "only the diagonal of the Jacobian"),
    ("only forward", jvp_only, (V,), 1, "only forward mode differs"),
    ("a kind that isn't so", not_linear, (V,), 1, "only forward mode differs"),
    ("only second order", second, (V,), 2, "the first derivative is right"),
    ("outside of a kink", relu_3, (np.array([0.0, 1.0]),), 1, "got lies outside"),
]


@pytest.mark.parametrize(
    ("f", "args", "order", "words"), [row[1:] for row in WRONG_ROWS], ids=[row[0] for row in WRONG_ROWS]
)
def test_a_wrong_row_is_caught_and_explained(f, args, order, words):
    report = check_gradients(f, *args, order=order)
    assert not report
    assert words in str(report)
    assert any(words in hint for each in report.findings if each.verdict == "wrong" for hint in each.look)
    with pytest.raises(NumericalCheckError, match=re.escape(words)):
        report.raise_if_wrong()


# Not those that a difference can't tell (5e-8), or that a direction steps over (a kink in one entry).
COARSE = [row for row in WRONG_ROWS if row[1] not in (slightly, relu_3)]


@pytest.mark.parametrize(("f", "args", "order"), [row[1:4] for row in COARSE], ids=[row[0] for row in COARSE])
def test_one_random_direction_catches_it_too(f, args, order):
    assert not check_gradients(f, *args, order=order, every_entry=False)


def test_a_wrong_row_inside_of_a_program_is_caught():
    report = check_gradients(lambda w, x: ad.exp(twice(w @ x) * 0.1), real(2, 3), real(3))
    assert {each.argument for each in report.findings if each.verdict == "wrong"} == {"w", "x"}


def test_the_wrong_argument_is_found_beside_a_right_one():
    verdicts = {
        (each.argument, each.mode): each.verdict
        for each in check_gradients(lambda a, b: twice(a) * b, V, real(5)).findings
    }
    assert verdicts == {
        ("a", "reverse"): "wrong",
        ("b", "reverse"): "right",
        ("a", "forward"): "wrong",
        ("b", "forward"): "right",
    }


def test_in_a_large_input_a_wrong_direction_is_followed_up():
    report = check_gradients(lambda a, b: twice(a) * b, real(3000), 1.5)
    (first, second, *_) = [each for each in report.findings if each.mode == "reverse"]
    assert (first.argument, first.verdict) == ("a", "wrong")
    assert first.checked.startswith("200 of 3000 entries")
    assert "twice what was expected" in first.look[0]
    assert (second.argument, second.verdict) == ("b", "right")


def test_second_derivatives_wait_for_the_first():
    report = check_gradients(twice, V, order=2)
    assert {each.order for each in report.findings} == {1}
    assert "second derivatives weren't looked at" in str(report)


# --- kinks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [True, False])
def test_a_valid_choice_at_a_kink_is_told_and_not_wrong(every):
    report = check_gradients(relu, np.array([0.0, 1.0, -1.0]), back_grad=np.ones(3), every_entry=every)
    assert report
    assert {each.verdict for each in report.findings} == {"at a kink"}
    assert "at a kink or a tie" in str(report)
    assert "between them, a valid choice" in str(report)
    assert "at a kink" in report.summary


def test_a_kink_within_the_step_is_not_a_kink_at_the_argument():
    assert {each.verdict for each in check_gradients(relu, np.array([3e-6, -3e-6])).findings} == {"right"}


def test_slopes_that_rounding_hides_are_told():
    report = check_gradients(lambda x: twice(x) + 1e12, V)
    assert report
    assert {each.verdict for each in report.findings} == {"too flat to tell"}
    assert report.summary == "Gradient check of <lambda>: 0 of 2 derivatives right, 2 too flat to tell"


# --- what it costs ---------------------------------------------------------------------------------------


def test_a_random_direction_takes_two_evaluations_whatever_the_size():
    calls = {"arrays": 0, "tensors": 0}

    def f(x):
        calls["tensors" if isinstance(x, ad.Tensor) else "arrays"] += 1
        return x * x

    assert check_gradients(f, real(5000))
    assert calls == {"arrays": 2, "tensors": 2}  # one recording for each mode


def test_the_complex_step_takes_one_evaluation_an_entry():
    calls = []
    assert check_gradients(lambda x: calls.append(0) or ad.exp(x), real(50), modes="reverse")
    assert len(calls) <= 50 + 4


def test_where_f_is_not_analytic_differences_are_taken():
    (finding,) = check_gradients(lambda x: abs(x) * x, V, modes="reverse").findings
    assert finding.checked == "5 entries, central difference"
    (finding,) = check_gradients(ad.exp, V, modes="reverse").findings
    assert finding.checked == "5 entries, complex step"


# --- options ---------------------------------------------------------------------------------------------


def test_back_grad_vary_ind_and_kwargs():
    def f(a, b, power=1):
        return a**power * b

    report = check_gradients(f, V, real(5), back_grad=2.0, vary_ind=0, kwargs={"power": 3})
    assert report
    assert [each.argument for each in report.findings] == ["a", "a"]
    assert report.findings[0].got == pytest.approx(report.findings[0].expected)


def test_arguments_are_never_changed():
    x, g = real(3), real(3)
    before = x.copy(), g.copy()

    def f(x):
        out = x * 1.0
        if isinstance(x, np.ndarray):
            x[...] = 0.0
        return out

    assert check_gradients(f, x, back_grad=g)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(g, before[1])


REFUSED = [
    (lambda: check_gradients(ad.exp), NumericalCheckError, "at least one argument"),
    (lambda: check_gradients(ad.exp, V, order=3), OptionError, "order is 1 or 2; got 3"),
    (lambda: check_gradients(ad.exp, V, modes=("back",)), OptionError, "reverse, forward; got ('back',)"),
    (lambda: check_gradients(ad.exp, V, modes=()), OptionError, "modes are any of"),
    (lambda: check_gradients(ad.exp, V, rtol=-1.0), OptionError, "positive"),
    (lambda: check_gradients(ad.exp, V, vary_ind=1), OptionError, "vary_ind=1 is out of range"),
    (lambda: check_gradients(ad.exp, 3), OperandError, "Give 2.0, not 2"),
    (lambda: check_gradients(lambda a, n: a * n, V, 3, vary_ind=1), OperandError, "names argument 1"),
    (lambda: check_gradients(ad.exp, V + 1j), OperandError, "complex128"),
    (lambda: check_gradients(ad.exp, V, back_grad=np.ones(4)), ShapeError, "has shape (4,)"),
    (lambda: check_gradients(lambda x: np.array([1, 2]), V), NumericalCheckError, "it returned int64"),
    (lambda: check_gradients(ad.log, np.array([0.0, 1.0])), NumericalCheckError, "nan or inf"),
]


@pytest.mark.parametrize(("ask", "error", "words"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_makes_no_sense_is_refused(ask, error, words):
    with pytest.raises(error, match=re.escape(words)):
        ask()


def test_an_error_of_f_itself_comes_through():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        check_gradients(f, V)


# --- the report ------------------------------------------------------------------------------------------


class Table(HTMLParser):
    """What a reader of the HTML meets: each tag with its attributes, and the texts."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def test_the_text_has_what_is_needed_to_look():
    text = str(check_gradients(twice, np.array([1.0, 3.0]), back_grad=1.0, modes="reverse"))
    first, line, look = text.splitlines()
    assert first == "Gradient check of w_square: 1 of 1 derivatives wrong"
    assert line.startswith(
        "✗ wrong: a, reverse (2 entries, complex step): worst at [1]: got 12, expected 6; "
    )
    assert "relative error 1, allowed difference" in line
    assert look.startswith("    look: got is twice")


def test_the_table_is_readable_without_colours():
    report = check_gradients(lambda a, b: twice(a) * b, V, 1.5)
    table = Table(report._repr_html_())
    kinds = [tag for tag, _ in table.tags]
    assert kinds.count("table") == kinds.count("caption") == 1
    assert sum(attrs.get("scope") == "col" for _, attrs in table.tags) == 9
    assert sum(attrs.get("scope") == "row" for _, attrs in table.tags) == len(report.findings)
    assert report.summary in table.texts
    assert [text for text in table.texts if text.startswith(("✓", "✗"))] == [
        "✗ wrong", "✓ right", "✗ wrong", "✓ right"
    ]  # fmt: skip


def test_names_are_escaped():
    html = check_gradients(lambda p: p["<b>&"] * 2, {"<b>&": V})._repr_html_()
    assert "<b>" not in html
    assert "p[&#x27;&lt;b&gt;&amp;&#x27;]" in html
    assert "&lt;lambda&gt;" in html


def test_light_to_import():
    """The numbers alone load no engine."""
    code = "import sys, autodiff; autodiff.finite_difference; print('autodiff.functional' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"

"""From answers to points, names and words: the machinery of checks, on a small exercise of its own."""

import math

import numpy as np
import pytest

from autodiff.errors import OptionError
from course.checking.evaluate import diagnose, evaluate, same_answer, without_answers
from course.checking.exercise import (
    Case,
    Exercise,
    Raised,
    Signature,
    Verdict,
    answers_like,
    compare,
    confirm,
)
from course.checking.registry import find, unit_of
from course.checking.report import Report, shorten
from course.checking.seeds import generator, judging_seeds, seed, variant_seed
from course.checking.truth import true_gradients

SEEDS = judging_seeds("build", "u99-double", "ada", 0, "secret")


def cases(rng):
    return [
        Case("a small one", ("forward",), {"x": float(rng.uniform(1, 2))}),
        Case("a large one", ("forward", "values"), {"x": float(rng.uniform(100, 200))}),
        Case("again", ("state",), {"x": float(rng.uniform(1, 2))}),
    ]


def judge(case, answer):
    return [compare(case.families[-1], answer.get("twice"), 2 * case.data["x"], "twice x")]


def like(factor, offset=0.0):
    return answers_like(lambda case: {"twice": factor * case.data["x"] + offset})


DOUBLE = Exercise(
    id="u99-double",
    points=7,
    needs=("double",),
    cases=cases,
    probe=lambda names, case: {"twice": names["double"](case.data["x"])},
    judge=judge,
    families={"forward": 0.2, "values": 0.5, "state": 0.3},
    labels={"forward": "small numbers", "values": "large numbers", "state": "a second time"},
    signatures=[
        Signature("triples", like(3), title="multiplies by three", hint="Count again."),
        Signature(
            "squares", answers_like(lambda c: {"twice": c.data["x"] ** 2}), title="squares", hint="At 3?"
        ),
        Signature("M48", lambda case, answer: answer["no such key"] == 1),
    ],
    hints=("first", "second", "third"),
)


def result_of(function):
    return evaluate(DOUBLE, lambda case: DOUBLE.probe({"double": function}, case), SEEDS)


@pytest.mark.parametrize(
    ("function", "points", "status", "mistake"),
    [
        (lambda x: 2 * x, 7.0, "pass", None),
        (lambda x: x + x, 7.0, "pass", None),
        (lambda x: np.float64(2 * x), 7.0, "pass", None),
        (lambda x: 3 * x, 0.0, "wrong_value", "triples"),
        (lambda x: x * x, 0.0, "wrong_value", "squares"),
        (lambda x: 2 * x + 1e-6, 0.0, "wrong_value", None),  # unknown: no name is said
        (lambda x: 2 * x if x < 50 else 3 * x, 3.5, "wrong_value", "triples"),
        (lambda x: [2 * x], 0.0, "wrong_dtype", None),
        (lambda x: str(2 * x), 0.0, "wrong_dtype", None),
        (lambda x: complex(2 * x), 0.0, "wrong_dtype", None),
        (lambda x: None, 0.0, "wrong_dtype", None),
        (lambda x: True, 0.0, "wrong_dtype", None),
        (lambda x: math.nan, 0.0, "not_finite", None),
        (lambda x: math.inf, 0.0, "not_finite", None),
    ],
)
def test_points_status_and_name(function, points, status, mistake):
    result = result_of(function)
    assert (result.points, result.status, result.mistake and result.mistake.name) == (points, status, mistake)


def test_nothing_counts_without_the_forward_family():
    result = result_of(lambda x: 0.0 if x < 1.5 else 2 * x)
    assert result.points == 0
    assert [f.points for f in result.families] == [0, 0, 0]


def test_an_answer_that_changes_is_nondeterministic():
    calls = iter(range(10**6))
    assert result_of(lambda x: 2 * x + next(calls)).status == "nondeterministic"


def test_a_name_needs_failures_at_both_seeds():
    first = next(iter(cases(generator(SEEDS[0]))))
    result = result_of(lambda x: 3 * x if x == first.data["x"] else 2 * x)
    assert result.points < 7
    assert result.mistake is None


def test_two_explanations_are_none():
    twin = Signature("also-triples", like(3), title="too", hint="too")
    failures = [result_of(lambda x: 3 * x).failure]
    assert diagnose(DOUBLE.signatures, failures).name == "triples"
    assert diagnose([*DOUBLE.signatures, twin], failures) is None


def test_an_error_fails_the_families_of_its_case():
    def ask(case):
        return Raised("ValueError", "no", line=3) if case.name == "again" else {"twice": 2 * case.data["x"]}

    result = evaluate(DOUBLE, ask, SEEDS)
    assert (result.points, result.status) == (4.9, "raised")
    assert "line 3 of your code" in str(Report(DOUBLE, result))


@pytest.mark.parametrize(
    ("got", "want", "status"),
    [
        (1.0, 1.0, "pass"),
        (1.0 + 1e-13, 1.0, "pass"),
        (1.0 + 1e-9, 1.0, "wrong_value"),
        (np.ones(3), np.ones(3), "pass"),
        (np.ones(2), np.ones(3), "wrong_shape"),
        (1.0, np.ones(3), "wrong_shape"),  # a number that would broadcast
        (np.ones((3, 1)), np.ones(3), "wrong_shape"),
        (np.array([]), np.ones(1), "wrong_shape"),
        (np.array([1.0, np.nan]), np.ones(2), "not_finite"),
        (np.array(["1.0"]), np.ones(1), "wrong_dtype"),
        (np.ones(1, dtype=complex), np.ones(1), "wrong_dtype"),
        ([1.0, [2.0]], np.ones(2), "wrong_dtype"),
    ],
)
def test_compare(got, want, status):
    assert compare("values", got, want, "here").status == status


@pytest.mark.parametrize(
    ("holds", "status"),
    [
        (True, "pass"),
        (1.0, "pass"),
        (0.0, "wrong_value"),
        (None, "wrong_value"),
        ("1", "wrong_value"),
        (float("nan"), "wrong_value"),
    ],
)
def test_confirm(holds, status):
    assert confirm("state", holds, "x", "bad", "good").status == status


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "u99.double"}, "looks like u05-multiply"),
        ({"families": {"forward": 0.5, "values": 0.4, "state": 0.3}}, "sum to 1"),
        ({"families": {"values": 0.5, "forward": 0.2, "state": 0.3}}, "start with 'forward'"),
        ({"labels": {"forward": "x"}}, "one label per family"),
        ({"signatures": [DOUBLE.signatures[0], DOUBLE.signatures[0]]}, "named twice"),
    ],
)
def test_an_exercise_that_is_put_together_wrongly(change, message):
    fields = {name: getattr(DOUBLE, name) for name in Exercise.__dataclass_fields__}
    with pytest.raises(ValueError, match=message):
        Exercise(**{**fields, **change})


def test_a_signature_without_words_is_refused():
    with pytest.raises(ValueError, match="give its title and hint"):
        Signature("unheard-of", like(1))


def test_a_judge_that_answers_for_nothing_is_the_makers_fault():
    fields = {name: getattr(DOUBLE, name) for name in Exercise.__dataclass_fields__}
    silent = Exercise(**{**fields, "judge": lambda case, answer: []})
    strange = Exercise(**{**fields, "judge": lambda case, answer: [Verdict("style", "pass", 1, 1, "x")]})
    for exercise in (silent, strange):
        with pytest.raises(ValueError, match="the judge answered for"):
            evaluate(exercise, lambda case: {"twice": 0.0}, SEEDS)


def test_a_verdict_may_carry_a_share():
    fields = {name: getattr(DOUBLE, name) for name in Exercise.__dataclass_fields__}
    half = Exercise(
        **{
            **fields,
            "judge": lambda c, a: [
                Verdict(f, "pass", 1, 1, "x", 0.5 if f == "values" else 1) for f in c.families
            ],
        }
    )
    assert evaluate(half, lambda case: {}, SEEDS).points == pytest.approx(7 * (0.2 + 0.25 + 0.3))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": math.nan}, {"a": math.nan}, True),
        ({"a": 1.0}, {"a": 1.0 + 1e-16}, True),
        ({"a": 1.0}, {"a": 1.0 + 1e-15}, False),
        ({"a": 1.0}, {"b": 1.0}, False),
        ({"a": "x"}, {"a": "x"}, True),
        ({"a": "x"}, {"a": 1.0}, False),
        ({"a": np.ones(2)}, {"a": np.ones(3)}, False),
        (Raised("E", "at 0x1"), Raised("E", "at 0x2"), True),
        (Raised("E", ""), Raised("F", ""), False),
        (Raised("E", ""), {}, False),
    ],
)
def test_same_answer(one, other, same):
    assert same_answer(one, other) is same


# --- words -------------------------------------------------------------------------------------------


def test_the_report_shows_what_works_first_then_the_case_both_numbers_the_name_and_one_hint():
    report = Report(DOUBLE, result_of(lambda x: 2 * x if x < 50 else 3 * x))
    text = str(report)
    assert text.index("✓ forward") < text.index("✓ state") < text.index("✗ values")
    assert "a large one" in text
    failure = report.result.failure
    assert f"yours {failure.verdict.got:.10g}, right {failure.verdict.want:.10g}" in text
    assert "it multiplies by three" in text
    assert "Hint 1: Count again." in text
    assert "first" not in text.split("Hint 1")[1].split("For another")[0].replace("First", "")
    assert 'check("u99-double", hints=2)' in text
    assert "L0" in text
    assert "no mark" in text


@pytest.mark.parametrize(
    ("hints", "shown"), [(1, ["first"]), (2, ["first", "second"]), (3, ["first", "second", "third"])]
)
def test_hints_come_one_by_one(hints, shown):
    text = str(Report(DOUBLE, result_of(lambda x: 0.0), hints))
    assert [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("Hint")] == shown
    assert ("For another hint" in text) is (hints < 3)


def test_a_report_in_html_escapes_what_a_student_wrote_and_says_the_same_in_words():
    def bad(x):
        return "<script>alert(1)</script>\x1b[31m\u202e"

    bundle = Report(DOUBLE, result_of(bad))._repr_mimebundle_()
    assert "<script" not in bundle["text/html"]
    assert "&lt;script&gt;" in bundle["text/html"]
    for text in bundle.values():
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "✗ not yet" in bundle["text/html"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (None, "None"),
        (True, "True"),
        (np.zeros((2, 2)), "[[0., 0.],  [0., 0.]] of shape (2, 2)"),
        ("a\nb", "a\\nb"),
        ("x" * 500, "x" * 159 + "…"),
    ],
)
def test_shorten(value, text):
    assert shorten(value) == text


def test_a_result_without_answers_keeps_its_reason():
    text = str(Report(DOUBLE, without_answers(DOUBLE, "missing", "Not there yet: double.")))
    assert "0 of 7 points" in text
    assert "Not there yet: double." in text


# --- seeds, truth, finding ---------------------------------------------------------------------------


def test_seeds_tell_everything_apart_and_stay_the_same():
    exercise = "u05-multiply"
    parts = [("a", "b"), ("ab", ""), ("b", "a"), ("a", "b", 0), ("a\x1fb",)]
    variants = [variant_seed("1", exercise, student) for student in ("ada", "bob")]
    judged = [judging_seeds("1", exercise, "ada", k, secret) for k, secret in ((0, "s"), (1, "s"), (0, "t"))]
    assert len({*(seed(*p) for p in parts), *variants, *(s for pair in judged for s in pair)}) == 13
    assert variant_seed("1", "u05-multiply", "ada") == 299427065867661620525726686806085743434
    assert generator(5).random() == generator(5).random()


def test_truth_is_exact_and_shown_with_a_central_difference():
    truths = true_gradients(lambda x, y, z: x * y + np.exp(x), 0.7, -2.0, 5.0, g=3.0)
    (by_x, shown_x), (by_y, _), (by_z, _) = ((t.value, t.shown) for t in truths)
    assert by_x == pytest.approx(3 * (-2 + math.exp(0.7)), rel=1e-14)
    assert shown_x == pytest.approx(by_x, abs=1e-9)  # a central difference of numbers near 6: about 1e-10
    assert shown_x != by_x
    assert (by_y, by_z) == (pytest.approx(2.1, rel=1e-14), 0.0)


@pytest.mark.parametrize("name", ["u05", "u5", "u05-multiply", "u5-multiply", "u05_scalar"])
def test_a_unit_is_found_by_any_of_its_names(name):
    assert unit_of(name) == "u05_scalar"


def test_an_unknown_exercise_names_the_closest():
    with pytest.raises(OptionError, match=r"Did you mean 'u05-multiply'"):
        find("u05-mutliply")
    with pytest.raises(OptionError, match="there are u04"):
        unit_of("u99")
    with pytest.raises(OptionError, match="there is no unit"):
        unit_of("")

"""From answers to points, names and words: the machinery of checks, on a small exercise of its own."""

import dataclasses
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


THREE = Signature("three", like(3), title="a", hint="b")
THREE_OR_SO = Signature(
    "about", lambda case, answer: answer["twice"] > 2 * case.data["x"], title="a", hint="b"
)
ALL_THREE = dataclasses.replace(THREE, everywhere=True)
FOUR = Signature("four", like(4), title="a", hint="b")
BROKEN = Signature("broken", lambda case, answer: list(case.families)[9], title="a", hint="b")
STEP = Signature("step", lambda c, a: {round(a["twice"] - 2 * c.data["x"], 6), "any"}, title="a", hint="b")
STEPS = Signature("steps", lambda c, a: {round(a["twice"] - 2 * c.data["x"], 6)}, title="a", hint="b")


def raising(x):
    raise KeyError(x)


@pytest.mark.parametrize(
    ("function", "signatures", "name"),
    [
        (lambda x: 3 * x, [THREE, FOUR], "three"),
        (lambda x: 3 * x, [FOUR], None),
        (lambda x: 3 * x, [THREE, THREE_OR_SO], None),  # one explains all that the other does, and more
        (lambda x: 4 * x, [THREE, THREE_OR_SO], "about"),
        (lambda x: 3 * x, [ALL_THREE], "three"),
        (lambda x: 2 * x if x < 50 else 3 * x, [THREE], "three"),
        (lambda x: 2 * x if x < 50 else 3 * x, [ALL_THREE], None),  # it would have failed elsewhere, too
        (lambda x: 3 * x if x < 50 else 4 * x, [THREE, FOUR], None),  # two mistakes in one answer
        (lambda x: 3 * x if x < 50 else raising(x), [THREE], None),  # an error among the failing cases
        (raising, [THREE, THREE_OR_SO, BROKEN], None),
        (lambda x: 3 * x, [THREE, BROKEN], "three"),
        (lambda x: 2 * x + 0.5, [STEPS], "steps"),
        (lambda x: 2.001 * x, [STEPS], None),  # an explanation for every case, and never the same
        (lambda x: 2.001 * x, [STEP], "step"),  # "any" is the one that holds throughout
        (lambda x: 2 * x, [THREE], None),
    ],
)
def test_a_name_only_if_it_explains_every_failing_case_and_no_other_does(function, signatures, name):
    exercise = dataclasses.replace(DOUBLE, signatures=signatures)

    def ask(case):
        try:
            return {"twice": function(case.data["x"])}
        except KeyError as problem:
            return Raised("KeyError", str(problem))

    result = evaluate(exercise, ask, SEEDS)
    assert (result.mistake and result.mistake.name) == name


def test_an_answer_that_changes_is_named_only_if_both_times_it_fits():
    asked = iter(range(10**6))
    unsteady = evaluate(DOUBLE, lambda c: {"twice": c.data["x"] * (3 + next(asked) % 2)}, SEEDS)
    assert (unsteady.status, unsteady.mistake) == ("nondeterministic", None)
    noisy = dataclasses.replace(DOUBLE, signatures=[THREE])
    told = evaluate(noisy, lambda c: {"twice": 3 * c.data["x"], "time": next(asked)}, SEEDS)
    assert (told.status, told.mistake) == ("nondeterministic", THREE)


def test_an_answer_kept_from_the_question_before_does_not_come_twice():
    kept = []

    def ask(case):
        kept.append(case.data["x"])
        return {"twice": 2 * kept[max(0, len(kept) - 2)]}

    assert "nondeterministic" in {f.status for f in evaluate(DOUBLE, ask, SEEDS).families}


def test_what_is_shown_first_follows_the_order_of_the_probes():
    answers = {"a small one": 2.0, "a large one": 7.0, "again": 7.0}

    def ask(case, **odd):
        if case.name in odd:
            return odd[case.name]
        good = case.name == "a small one"
        return {"twice": 2 * case.data["x"] if good else answers[case.name]}

    first = [
        evaluate(DOUBLE, lambda case, odd=odd: ask(case, **odd), SEEDS).failure
        for odd in (
            {},
            {"again": {"twice": np.ones(2)}},
            {"again": {"twice": np.ones(2)}, "a small one": {"twice": 0.5}},
            {"again": Raised("ValueError", "no"), "a small one": {"twice": 0.5}},
        )
    ]
    told = [(f.case.name, f.verdict.status) for f in first]
    assert told == [
        ("a large one", "wrong_value"),
        ("again", "wrong_shape"),
        ("a small one", "wrong_value"),
        ("again", "raised"),
    ]


def test_two_explanations_are_none():
    twin = Signature("also-triples", like(3), title="too", hint="too")
    failures = list(result_of(lambda x: 3 * x).failures)
    assert diagnose(DOUBLE.signatures, failures).name == "triples"
    assert diagnose([*DOUBLE.signatures, twin], failures) is None


def test_an_error_fails_the_families_of_its_case():
    def ask(case):
        return Raised("ValueError", "no", line=3) if case.name == "again" else {"twice": 2 * case.data["x"]}

    result = evaluate(DOUBLE, ask, SEEDS)
    assert (result.points, result.status) == (4.9, "raised")
    assert "line 3 of your code" in str(Report(DOUBLE, result))


class Floating(float):
    pass


class Array(np.ndarray):
    pass


class Pretends:
    def __float__(self):
        return 1.0

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)

    def __eq__(self, other):
        return True

    __hash__ = None


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("got", "want", "status"),
    [
        (1.0, 1.0, "pass"),
        (1, 1.0, "pass"),
        (np.float64(1), 1.0, "pass"),
        (np.array(1.0), 1.0, "pass"),
        (1.0, np.array(1.0), "pass"),
        (np.ones(3), np.ones(3), "pass"),
        (np.ones((2, 2), order="F"), np.ones((2, 2)), "pass"),
        (np.arange(3), np.arange(3.0), "pass"),
        (np.arange(3, dtype=np.uint8), np.arange(3.0), "pass"),
        (1.0 + 1e-13, 1.0, "pass"),
        (1e300 * (1 + 1e-13), 1e300, "pass"),
        (-0.0, 0.0, "pass"),
        (0.0, -0.0, "pass"),
        (5e-324, 0.0, "pass"),
        # value
        (1.0 + 1e-9, 1.0, "wrong_value"),
        (1e300 * (1 + 1e-11), 1e300, "wrong_value"),
        (-1.7e308, 1.7e308, "wrong_value"),  # their difference overflows
        (np.array([1.0, 1.0, 1.0 + 1e-9]), np.ones(3), "wrong_value"),
        (np.array([1e300, 0.0]), np.array([1e300, 1.0]), "wrong_value"),  # a norm would hide it
        (np.float32(0.1), 0.1, "wrong_value"),
        # shape
        (np.ones(2), np.ones(3), "wrong_shape"),
        (1.0, np.ones(3), "wrong_shape"),  # a number that would broadcast
        (0.0, np.zeros(5), "wrong_shape"),
        (np.zeros(1), np.zeros(5), "wrong_shape"),
        (np.ones(1), 1.0, "wrong_shape"),
        (np.ones((3, 1)), np.ones(3), "wrong_shape"),
        (np.ones((3, 2)), np.ones((2, 3)), "wrong_shape"),
        (np.array([]), np.ones(1), "wrong_shape"),
        (np.zeros((0, 3)), np.ones((1, 3)), "wrong_shape"),
        (np.full(2, NAN), np.ones(3), "wrong_shape"),  # looked at before finiteness
        # finiteness
        (NAN, 1.0, "not_finite"),
        (INF, 1.0, "not_finite"),
        (np.array([1.0, NAN]), np.ones(2), "not_finite"),
        (np.array([1.0, -INF]), np.ones(2), "not_finite"),
        # where inf or nan is right
        (INF, INF, "pass"),
        (-INF, INF, "wrong_value"),
        (1e308, INF, "wrong_value"),
        (NAN, INF, "wrong_value"),
        (NAN, NAN, "pass"),
        (0.0, NAN, "wrong_value"),
        (np.array([INF, 1.0]), np.array([INF, 1.0]), "pass"),
        (np.array([INF, NAN]), np.array([INF, 1.0]), "not_finite"),
        (np.array([INF, 2.0]), np.array([INF, 1.0]), "wrong_value"),
        (np.array([INF, INF]), np.array([INF, -INF]), "wrong_value"),
        # kind
        (True, 1.0, "wrong_dtype"),
        (np.True_, 1.0, "wrong_dtype"),
        (np.array([True]), np.ones(1), "wrong_dtype"),
        (1 + 0j, 1.0, "wrong_dtype"),
        (np.ones(1, dtype=complex), np.ones(1), "wrong_dtype"),
        ("1.0", 1.0, "wrong_dtype"),
        (np.array(["1.0"]), np.ones(1), "wrong_dtype"),
        (np.ones(1, dtype=object), np.ones(1), "wrong_dtype"),
        (np.float16(1), 1.0, "wrong_dtype"),
        (np.ones(3, dtype=np.float16), np.ones(3), "wrong_dtype"),
        (np.longdouble(1), 1.0, "wrong_dtype"),
        (np.datetime64(1, "s"), 1.0, "wrong_dtype"),
        (10**400, 1.0, "wrong_dtype"),
        (None, 1.0, "wrong_dtype"),
        ([1.0, 1.0], np.ones(2), "wrong_dtype"),
        ([1.0, [2.0]], np.ones(2), "wrong_dtype"),
        ((1.0,), np.ones(1), "wrong_dtype"),
        ({}, 1.0, "wrong_dtype"),
        (Floating(1.0), 1.0, "wrong_dtype"),
        (np.ones(3).view(Array), np.ones(3), "wrong_dtype"),
        (np.ma.array(np.ones(3), mask=[0, 1, 0]), np.ones(3), "wrong_dtype"),
        (np.ones((3, 1)).view(np.matrix), np.ones((3, 1)), "wrong_dtype"),
        (np.ones(2, dtype=[("a", float)]), np.ones(2), "wrong_dtype"),
        (Pretends(), 1.0, "wrong_dtype"),
        (Pretends(), np.ones(3), "wrong_dtype"),
    ],
)
def test_compare(got, want, status):
    assert compare("values", got, want, "here").status == status


@pytest.mark.parametrize(("dtype", "status"), [("float32", "pass"), ("float64", "wrong_dtype"), ("", "pass")])
def test_a_kind_may_be_asked_for(dtype, status):
    assert compare("values", np.ones(2, np.float32), np.ones(2), "here", dtype=dtype).status == status


def test_nothing_is_compared_with_an_empty_array():
    with pytest.raises(ValueError, match="an empty array passes any comparison"):
        compare("values", np.array([]), np.array([]), "here")


@pytest.mark.parametrize(
    ("answer", "alike"),
    [
        ({"a": 2.0, "b": np.arange(3.0)}, True),
        ({"a": 2.0, "b": np.arange(3.0), "more": "text"}, True),
        ({"a": 2.0 + 1e-11, "b": np.arange(3.0)}, True),
        ({"a": 2.1, "b": np.arange(3.0)}, False),
        ({"a": 2.0, "b": np.arange(3.0).reshape(3, 1)}, False),
        ({"a": 2.0, "b": 1.0}, False),
        ({"a": "2", "b": np.arange(3.0)}, False),
        ({"a": 2.0}, False),
        (Raised("ValueError", ""), False),
    ],
)
def test_answers_like_looks_at_numbers_and_arrays(answer, alike):
    recognise = answers_like(lambda case: {"a": 2.0, "b": np.arange(3.0)})
    assert recognise(Case("any", ("forward",), {}), answer) is alike


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
        ({"family_hints": {"style": "x"}}, "a hint for no family"),
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
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": np.ones(2, np.float32)}, {"a": np.ones(2)}, False),
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

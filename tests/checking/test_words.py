"""What a student may read: hidden cases by category, one hint a family, errors in plain words."""

import dataclasses
import subprocess
import sys

import pytest

from course.checking.evaluate import evaluate, without_answers
from course.checking.exercise import STATUSES, Case, Raised
from course.checking.explanations import ANY_ERROR, ERRORS, explain
from course.checking.report import Report

from .test_judging import DOUBLE, SEEDS

SECRET = "the case nobody sees"


def cases(rng):
    return [
        Case("a small one", ("forward",), {"x": float(rng.uniform(1, 2))}),
        Case("a large one", ("forward", "values"), {"x": float(rng.uniform(100, 200))}),
        Case(SECRET, ("state",), {"x": float(rng.uniform(1e6, 2e6))}, hidden=True),
    ]


HIDING = dataclasses.replace(DOUBLE, cases=cases)


def raising(x):
    raise ValueError("a text of the student's that tells " + repr(x))


def result_of(function, exercise=HIDING):
    def ask(case):
        try:
            return {"twice": function(case.data["x"])}
        except ValueError as problem:
            return Raised("ValueError", str(problem), line=7)

    return evaluate(exercise, ask, SEEDS)


def wrong_if_hidden(wrong):
    return lambda x: wrong(x) if x > 1000 else 2 * x


TURNS = iter(range(10**6))

# what the hidden case alone gets, and the words for it
HIDDEN = {
    "a number": (lambda x: 3 * x, "a wrong number"),
    "an error": (raising, "an error was raised"),
    "a text": (lambda x: "<b>" + str(x), "the wrong kind of value"),
    "nan": (lambda x: float("nan"), "nan or inf"),
    "the same twice, no": (lambda x: float(next(TURNS)), "answered differently"),
}


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("hints", [1, 2, 3])
def test_of_a_hidden_case_a_student_reads_the_category_alone(name, hints):
    wrong, words = HIDDEN[name]
    result = result_of(wrong_if_hidden(wrong))
    report = Report(HIDING, result, hints)
    assert result.failure is not None
    for text in (str(report), report.to_html()):
        assert "A case that isn't shown fails in state (a second time)" in text.replace("&#x27;", "'")
        assert words in text
        for kept in (
            SECRET,
            "yours",
            "right 2",
            "line 7",
            "ValueError",
            "triples",
            "multiplies by three",
            "Count again",
        ):
            assert kept not in text
    assert SECRET in str(Report(HIDING, result, full=True))


def test_a_name_is_told_only_if_cases_that_are_shown_give_it_away():
    only_hidden = result_of(wrong_if_hidden(lambda x: 3 * x))
    assert (only_hidden.mistake.name, only_hidden.told) == ("triples", None)
    everywhere = result_of(lambda x: 3 * x)
    assert everywhere.told.name == everywhere.mistake.name == "triples"
    other_where_hidden = result_of(lambda x: 3 * x if x < 1000 else 5 * x)
    assert (other_where_hidden.told.name, other_where_hidden.mistake) == ("triples", None)
    assert "multiplies by three" in str(Report(HIDING, other_where_hidden))
    assert "(triples): it multiplies by three" in str(Report(HIDING, only_hidden, full=True))


def hints_of(exercise, function, hints=1):
    lines = Report(exercise, result_of(function, exercise), hints).findings()
    return [line for line in lines if line.startswith("Hint")]


OWN = dataclasses.replace(
    DOUBLE, signatures=[], family_hints={"values": "look at large ones", "state": "ask again"}
)


@pytest.mark.parametrize(
    ("function", "hints", "shown"),
    [
        (lambda x: x + 1, 1, ["Hint 1: first"]),  # the forward family fails: the others wait for it
        (lambda x: x + 1, 3, ["Hint 1: first", "Hint 2: second", "Hint 3: third"]),
        (lambda x: 2 * x if x < 50 else 0.0, 1, ["Hint 1: look at large ones"]),
        (lambda x: 2 * x if x < 50 else 0.0, 2, ["Hint 1: look at large ones", "Hint 2: first"]),
        (lambda x: [x], 1, ["Hint 1: Print the type() of what you return."]),
        (raising, 1, ["Hint 1: The kind of the value is right, but not the value"]),
    ],
)
def test_hints(function, hints, shown):
    found = hints_of(OWN, function, hints)
    assert len(found) == len(shown)
    assert all(line.startswith(start) for line, start in zip(found, shown, strict=True))


def test_every_failed_family_gets_one_hint():
    def ask(case):
        return {"twice": 2 * case.data["x"] if case.name == "a small one" else 0.0}

    report = Report(OWN, evaluate(OWN, ask, SEEDS))
    hints = [line for line in report.findings() if line.startswith("Hint")]
    assert hints == ["Hint for values: look at large ones", "Hint for state: ask again"]


ERRONEOUS = {
    "NameError": "undefined_name",
    "UnboundLocalError": "def f():\n    a += 1\nf()",
    "SyntaxError": "def f(:\n    pass",
    "IndentationError": "def f():\npass",
    "TabError": "if 1:\n        a = 1\n\ta = 2",
    "AttributeError": "None.value",
    "TypeError": "1 + ''",
    "KeyError": "{}['x']",
    "IndexError": "[][1]",
    "ZeroDivisionError": "1 / 0",
    "OverflowError": "10.0 ** 400",
    "ValueError": "int('x')",
    "RecursionError": "def f():\n    f()\nf()",
    "ModuleNotFoundError": "import no_such_module",
    "ImportError": "from math import no_such_name",
    "AssertionError": "assert False",
    "SystemExit": "raise SystemExit",
}


@pytest.mark.parametrize("name", ERRONEOUS)
def test_every_common_error_has_words_of_its_own(name):
    with pytest.raises(BaseException) as caught:  # noqa: PT011  # of any type: the next line looks
        exec(compile(ERRONEOUS[name], "cell", "exec"), {})
    assert caught.type.__name__ == name
    assert explain(Raised(name, "")) == ERRORS[name] != ANY_ERROR
    assert explain(Raised("StrangeError", "")) == ANY_ERROR


def test_words_are_sentences_without_code_for_experts():
    for text in [*ERRORS.values(), ANY_ERROR, *(explain(Raised("", "", s)) for s in STATUSES)]:
        assert text[0].isupper() or text.startswith("nan")
        assert text[-1] in ".?"
        assert not {"simply", "obviously", "just"} & set(text.lower().split())


def test_a_cell_that_raised_is_told_with_what_that_means():
    problem = Raised("SyntaxError", "invalid syntax", line=3)
    text = str(
        Report(DOUBLE, without_answers(DOUBLE, "raised", "The cell raised SyntaxError.", problem=problem))
    )
    assert "The cell raised SyntaxError." in text
    assert "What that means: Python can't read the line" in text
    assert "Hint" not in text


def test_a_script_that_does_not_parse_is_told_in_the_terminal(tmp_path):
    path = tmp_path / "u05_scalar.py"
    path.write_text("# %% id=u05-multiply\nclass Scalar:\n    def __add__(self other):\n        pass\n")
    command = [sys.executable, "-m", "course.cli", "check", "u05", str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "Cell 1 (line 2 of the cell) raised SyntaxError" in told.stdout
    assert "missing colon, bracket or quotation mark" in told.stdout

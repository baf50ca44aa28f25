"""Pages: what a student writes is shown as it stands, and students and instructors read what is theirs."""

import dataclasses
import html
import re

import pytest

from course.checking.evaluate import evaluate
from course.checking.exercise import STATUSES, Case
from course.checking.seeds import judging_seeds
from course.grading.feedback import dashboard, student_html, student_markdown
from course.grading.limits import Isolation
from course.grading.outcome import Job, Outcome, outcome_of
from course.grading.outputs import cell, visible

from .fake import exercise

HELD = Isolation("L2", ("rlimits", "seccomp"), ("namespaces",), 1000)
DOUBLE = exercise("u99-double", "double", 2.0)
SEEDS = judging_seeds("build", "u99-double", "ada", 1, "secret")
JOB = Job("key", "ada", "u99_fake", "u99-double", 1, SEEDS, "build")


def outcome(answer=lambda x: 3 * x, made=DOUBLE, notes=()):
    def ask(case):
        x = case.data["x"]
        return {"one": answer(x[0]), "many": answer(x)}

    return outcome_of(JOB, made, evaluate(made, ask, SEEDS), HELD, notes)


# what is handed in, what must not stand in HTML or Markdown
NASTY = {
    "a script": ("<script>alert(1)</script>", "<script"),
    "an image": ('<img src=x onerror="alert(1)">', "<img"),
    "an attribute": ('" onmouseover="alert(1)', '" onmouseover="'),
    "an apostrophe": ("' onfocus='alert(1)", "' onfocus='"),
    "a template": ("{{ 7 * 7 }}{% raw %}", "49"),
    "a direction": ("abc\u202edef\u2066", "\u202e"),
    "an isolate": ("abc\u2066def\u2069", "\u2066"),
    "a mark": ("\u200f\u200e\ufeff", "\u200f"),
    "a colour": ("\x1b[31mred\x1b[0m", "\x1b"),
    "a null": ("a\x00b", "\x00"),
    "half a letter": ("\ud800", "\ud800"),
    "lines": ("one\r\n# two", "\n# two"),
    "another line": ("one\u2028two", "\u2028"),
    "a tag letter": ("a\U000e0041b", "\U000e0041"),
}


@pytest.mark.parametrize("name", NASTY)
def test_nothing_that_was_handed_in_becomes_markup(name):
    text, never = NASTY[name]
    made = dataclasses.replace(outcome(notes=[text]), comment=text, automatic=1.0, student=text)
    made = dataclasses.replace(made, findings=[text], mistake_title=text, mistake="M99")
    pages = [
        student_html(text, [made], HELD),
        student_markdown(text, [made], HELD),
        dashboard([made], [text], HELD),
    ]
    for page in pages:
        assert never not in page or ("on" in never and page is pages[1])  # Markdown has no attributes
    page = html.unescape(pages[0])
    assert visible(text) in page  # and it's still to be read


MARKDOWN = [
    "# a heading",
    "- a list",
    "+ a list",
    "1. a list",
    "2) a list",
    "> a quote",
    "=====",
    "-----",
    "***",
    "___",
    "    code",
    "`code`",
    "```",
    "~~~",
    "*bold* _and_ **more**",
    "~~struck~~",
    "[a link](http://example.org)",
    "![an image](http://example.org/x.png)",
    "[a]: http://example.org",
    "http://example.org",
    "HTTPS://example.org",
    "www.example.org",
    "someone@example.org",
    "<http://example.org>",
    "&lt;b&gt;",
    "a | table",
    "$x^2$",
    "\\# escaped",
]


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown_shows_a_text_as_it_stands(text):
    page = student_markdown("ada", [dataclasses.replace(outcome(), findings=[text])], HELD)
    (line,) = [
        x for x in page.splitlines() if html.unescape(re.sub(r"\\([^a-z0-9])", r"\1", x)) == text.strip()
    ]
    assert not re.match(r"#|[-+=>*_]|\d+[.)]|    |```|~~~", line)
    plain = re.sub(r"\\.", "", line)
    assert not re.search(r"[`*_\[\]|~$<@]|://|www\.", plain)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("＝1+1", "'＝1+1"),
        ("＠x", "'＠x"),
        ("\t=1", "\\t=1"),
        ("\r=1", "\\r=1"),
        ("  =1", "'  =1"),
        ("-3.5", "-3.5"),
        ("a=1", "a=1"),
        ("\u202e=1", "\\u202e=1"),
    ],
)
def test_no_cell_is_a_formula(text, shown):
    assert cell(text) == shown


# --- who reads what ----------------------------------------------------------------------------------


def test_a_students_page_holds_no_code_and_no_operators_words():
    made = outcome(lambda x: x)  # a known mistake, with the code as-is
    assert (made.mistake, made.confidence) == ("as-is", "sure")
    for page in (student_html("ada", [made], HELD), student_markdown("ada", [made], HELD).replace("\\", "")):
        assert "it does nothing" in page
        assert "as-is" not in page
        assert "Isolation L2: your code ran in a closed room of its own" in page
        assert not re.search("rlimits|seccomp|namespaces|Landlock", page)
    assert "(as-is)" in " ".join(made.record)
    page = dashboard([made], [], HELD)
    assert "as-is" in page
    assert "rlimits" in page


@pytest.mark.parametrize("status", STATUSES)
def test_the_dashboard_says_a_status_in_words(status):
    made = dataclasses.replace(outcome(), status=status)
    page = html.unescape(dashboard([made], [], HELD))
    assert f"1 × {STATUSES[status]}" in page
    assert status not in re.findall(r"\b\w+_\w+\b", page)


def hidden_cases(rng):
    return [
        *DOUBLE.cases(rng),
        Case("nobody sees this", ("values",), {"x": rng.uniform(1e6, 2e6, 3)}, hidden=True),
    ]


def test_of_a_hidden_case_the_record_keeps_all_and_the_page_the_category():
    made = outcome(
        lambda x: x if float(x.sum()) > 1e5 else 2 * x, dataclasses.replace(DOUBLE, cases=hidden_cases)
    )
    pages = [student_html("ada", [made], HELD), student_markdown("ada", [made], HELD).replace("\\", "")]
    for page in map(html.unescape, pages):
        assert "A case that isn't shown fails in values (an array): a wrong number." in page
        assert not re.search("nobody sees|yours|does nothing|Look", page)
    assert made.mistake == "as-is"  # the instructor's row
    assert "nobody sees this" in " ".join(made.record)
    assert "yours" in " ".join(made.record)
    assert made.hints == sum(line.startswith("Hint ") for line in made.findings) == 1


def test_an_outcome_comes_back_as_it_was_stored():
    made = outcome(lambda x: x)
    again = Outcome.from_json(made.to_json())
    assert again.to_json() == made.to_json()
    assert (again.record, again.hints) == (made.record, made.hints)
    assert again.record

"""Cells moved, split, merged, doubled, retyped, torn: what is found for an exercise, what is said of it."""

import json

import pytest

from course.grading import Limits
from course.grading.extract import Given, extract, read_submission
from course.grading.intake import Submission

from .conftest import DOUBLE

BLANK = "def double(x):\n    raise NotImplementedError\n"
TRIPLE = "def triple(x):\n    return 3 * x\n"
GIVEN = (
    Given("setup", "import math"),
    Given("u99-double", BLANK, True),
    Given("helper", "two = 2"),
    Given("u99-triple", BLANK.replace("double", "triple"), True),
)


def cell(id_, source, kind="code", **metadata):
    return {"cell_type": kind, "id": id_, "source": source, "metadata": metadata}


def found(*cells, exercise="u99-double", needs=("double",)):
    text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})
    reading = read_submission(Submission("ada", {"a.ipynb": text.encode()}), Limits())
    return extract(reading, exercise, list(needs), GIVEN)


def fence(source):
    return f"```python\n{source}```"


SETUP = cell("setup", "import math")
TORN = "<<<<<<< HEAD\ndef double(x):\n=======\ndef double(y):\n>>>>>>> other\n    return 2\n"

# the cells, the status, what the last cell to run holds, what a note says
CASES = {
    "as it was handed out": ([SETUP, cell("u99-double", DOUBLE)], "", "2 * x", ""),
    "its id is lost, nbgrader's is there": (
        [cell("x", DOUBLE, nbgrader={"grade_id": "u99-double"})], "", "2 * x", "",
    ),
    "its id is lost": ([cell("x", DOUBLE)], "", "2 * x", "no cell bears its id"),
    "the blank stays, solved below": (
        [cell("u99-double", BLANK), cell("x", DOUBLE)], "", "2 * x", "the blank is as it was",
    ),
    "the blank stays": ([cell("u99-double", BLANK)], "", "NotImplementedError", ""),
    "solved twice alike": (
        [cell("u99-double", DOUBLE), cell("u99-double", f"# twice\n{DOUBLE}")], "", "2 * x", "",
    ),
    "solved twice": (
        [cell("u99-double", DOUBLE), cell("u99-double", DOUBLE.replace("2", "5"))],
        "ambiguous", "2 * x", "the better counts",
    ),
    "retyped to Markdown": (
        [cell("u99-double", fence(DOUBLE), "markdown")], "", "2 * x", "its type was changed to markdown",
    ),
    "retyped to raw": ([cell("u99-double", DOUBLE, "raw")], "", "2 * x", "its type was changed to raw"),
    "swallowed by the next": (
        [cell("u99-triple", DOUBLE + TRIPLE)], "", "2 * x", "no cell bears its id",
    ),
    "split within the function": (
        [cell("u99-double", "def double(x):\n    y = 2 * x"), cell("x", "    return y")],
        "", "return y", "read as one cell",
    ),
    "what it needs was moved below": (
        [cell("u99-double", "def double(x):\n    return math.sqrt(4) * x"), SETUP],
        "", "sqrt", "was moved below u99-double; run before it",
    ),
    "deleted": ([SETUP], "missing", "", "No cell 'u99-double'"),
    "torn by git": ([cell("u99-double", TORN)], "unreadable", "", "line 1: git left two versions"),
    "broken": ([cell("u99-double", "def double(x)\n    return 2 * x")], "", "def double(x)", ""),
    "checks and points edited": (
        [cell("u99-double", DOUBLE, nbgrader={"grade_id": "u99-double", "points": 1000, "grade": True})],
        "", "2 * x", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_cell_is_found_or_said_to_be_missing(name):
    cells, status, text, told = CASES[name]
    got = found(*cells)
    assert got.status == status
    last = got.scripts[0].cells[-1][1] if got.scripts else ""
    assert text in last
    notes = [*got.notes, *(note for script in got.scripts for note in script.notes)]
    assert told in " ".join(notes)
    if not told:
        assert notes == []


def test_another_exercises_cell_is_not_taken_for_it():
    got = found(cell("u99-triple", TRIPLE), cell("u99-double", BLANK), needs=("double",))
    assert "NotImplementedError" in got.scripts[0].cells[-1][1]


def test_what_stands_below_the_exercise_is_not_run():
    got = found(SETUP, cell("u99-double", DOUBLE), cell("x", "double = None"))
    assert [label for label, _ in got.scripts[0].cells] == ["<setup>", "<u99-double>"]


def test_two_files_that_solve_it_differently_are_both_tried():
    files = {"a.py": DOUBLE.encode(), "b.py": DOUBLE.replace("2", "7").encode()}
    got = extract(read_submission(Submission("ada", files), Limits()), "u99-double", ["double"], GIVEN)
    assert got.status == "ambiguous"
    assert len(got.scripts) == 2

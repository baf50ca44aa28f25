"""`ask` between two processes: a student's own check and the grader find the same; only numbers cross."""

from dataclasses import replace

import pytest

from course.checking.local import check_namespace
from course.grading import grade_folder

from . import hunt
from .conftest import QUICK, fill, notebook

HONEST = """
import numpy as np
def hunt(ask, engines, x):
    return next(name for name in engines if not np.allclose(ask(name, x), np.cos(x)))
"""
ONE_LINE = "def hunt(ask, engines, x):\n    return {}\n"
KEPT = "kept = []\ndef hunt(ask, engines, x):\n    kept.append(ask)\n    return kept[0](engines[0], x)\n"
PEEK = """
def hunt(ask, engines, x):
    try:
        ask("nobody", x)
    except RuntimeError as problem:
        assert type(problem).__name__ == "AskError"
        raise ValueError(str(problem))
"""
FORGED = """
import sys
def hunt(ask, engines, x):
    frame = sys._getframe()
    while "self" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["self"].channel.send({"kind": "ask", "id": %s, "keys": ["0"], "types": ["float"],
        "shapes": [""], "sizes": [%d]}, b"\\0" * 8)
    frame.f_locals["self"].channel.receive()
    return "d"
"""
BARE = """
import sys
def hunt(ask, engines, x):
    frame = sys._getframe()
    while "self" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["self"].channel.send({"kind": "ask", "id": frame.f_locals["request"]["id"]})
"""
AT_ONCE = """
import sys
frame = sys._getframe()
while "self" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["self"].channel.send({"kind": "ask", "id": frame.f_locals["request"]["id"]})
"""
NUMBER = 'frame.f_locals["request"]["id"]'

# student: (cell, status, points, what the report says)
STUDENTS = {
    "honest": (HONEST, "pass", 8, ""),
    "guess": (ONE_LINE.format("'a'"), "wrong_value", 0, ""),
    "one-too-many": (ONE_LINE.format("[ask('a', x) for _ in range(6)]"), "raised", 0, "more than 5 times"),
    "as-many-as-there-are": (
        HONEST.replace("    return", "    ask('a', x)\n    ask('b', x)\n    return"),
        "pass",
        8,
        "",
    ),
    "for-ever": (
        "def hunt(ask, engines, x):\n    while True:\n        try:\n            ask('a', x)\n"
        "        except RuntimeError:\n            pass\n",
        "timeout",
        0,
        "",
    ),
    "a-list": (ONE_LINE.format("ask('a', [1.0])"), "raised", 0, "type list"),
    "a-string": (ONE_LINE.format("ask('a', 'b')"), "raised", 0, "got str"),
    "a-number-for-a-name": (ONE_LINE.format("ask(7, x)"), "raised", 0, "as a string; got int"),
    "a-subclass": (
        "import numpy as np\nclass Sub(np.ndarray): pass\n" + ONE_LINE.format("ask('a', x.view(Sub))"),
        "raised",
        0,
        "type Sub",
    ),
    "too-large": (ONE_LINE.format("ask('a', x.repeat(400_000))"), "raised", 0, "1048576"),
    "kept": (KEPT, "nondeterministic", 0, ""),
    "peek": (PEEK, "raised", 0, "gave no answer to that (LookupError)"),
    "forged": (FORGED % (NUMBER, 8), "wrong_value", 0, ""),
    "forged-sizes": (FORGED % (NUMBER, 9), "protocol", 0, "sizes"),
    "forged-number": (FORGED % ("77", 8), "protocol", 0, "nobody had asked"),
    "bare": (BARE, "protocol", 0, "without its columns"),
    "before-it-is-asked": (AT_ONCE, "protocol", 0, "no known kind"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    fill(folder, {name: notebook([("u98-hunt", cell)]) for name, (cell, *_) in STUDENTS.items()})
    found = grade_folder(folder, out, units=hunt.units, limits=QUICK, secret="a secret for tests", slots=2)
    return {o.student: o for o in found.outcomes}, out


@pytest.mark.parametrize("student", STUDENTS)
def test_what_a_hunter_gets(graded, student):
    _, status, points, told = STUDENTS[student]
    found = graded[0][student]
    assert (found.status, found.points) == (status, points), found
    assert told in " ".join([*found.findings, *found.notes])


@pytest.mark.parametrize("student", ["honest", "guess", "one-too-many", "a-list", "a-string", "a-subclass"])
def test_a_students_own_check_says_the_same(graded, student):
    space = {}
    exec(STUDENTS[student][0], space)
    found = check_namespace(replace(hunt.EXERCISE, id="u05-hunt"), space)
    assert found.status == graded[0][student].status


def test_a_functions_own_words_reach_nobody(graded):
    written = [path.read_bytes() for path in graded[1].rglob("*") if path.is_file()]
    assert any(b"gave no answer to that" in data for data in written)
    assert not any(b"nobody may read" in data for data in written)


def test_an_oracle_that_breaks_is_the_graders_fault(tmp_path):
    fill(tmp_path / "class", {"ann": notebook([("u98-hunt", HONEST)])})
    found = grade_folder(
        tmp_path / "class",
        tmp_path / "out",
        units=hunt.units_with_a_broken_oracle,
        limits=QUICK,
        secret="s" * 16,
    )
    assert [o.status for o in found.outcomes] == ["ungradable"]

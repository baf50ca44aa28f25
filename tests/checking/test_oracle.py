"""ask(handle, *arrays): counted, plain numbers both ways, and nothing of what is asked gets out."""

import dataclasses

import numpy as np
import pytest

from course.checking.exercise import Case
from course.checking.local import check_namespace
from course.checking.oracle import AskError, Questions, put

from .test_judging import DOUBLE

ENGINES = {
    "right": lambda x: 2 * x,
    "wrong": lambda x: 3 * x,
    "breaks": lambda x: 1 / (len(x) - len(x)),
    "words": lambda x: "42",
    "shape": lambda x: np.outer(x, x),
}


def oracle(case):
    return lambda handle, *arrays: ENGINES[handle](*arrays)


def hunt(names, case, ask):
    return {"caught": float(names["double"](ask))}


HUNT = dataclasses.replace(DOUBLE, probe=hunt, oracle=oracle, asks=4)
CASE = Case("hunt", ("forward",), {"x": 1.0})


@pytest.mark.parametrize(
    ("handle", "arrays", "answer"),
    [
        ("right", (1.5,), 3.0),
        ("right", (2,), 4.0),
        ("wrong", (np.array([1, 2]),), [3.0, 6.0]),
        ("shape", (np.ones(2),), [[1.0, 1.0], [1.0, 1.0]]),
        ("right", (np.float32(0.5),), 1.0),
    ],
)
def test_numbers_go_in_and_floats_come_out(handle, arrays, answer):
    found = Questions(HUNT, CASE)(handle, *arrays)
    assert type(found) in (float, np.ndarray)
    assert np.array_equal(found, answer)


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("handle", "arrays", "told"),
    [
        ("nobody", (1.0,), "'nobody' gave no answer to that"),
        ("breaks", (np.ones(2),), "(ZeroDivisionError)"),
        ("words", (1.0,), "no number"),
        ("right", ("1",), "got str"),
        ("right", ([1.0],), "got list"),
        ("right", (1j,), "got complex"),
        ("right", (np.ones(2).view(Sub),), "got Sub"),
        ("right", (np.array(["a"]),), "got ndarray"),
        ("right", (1.0, 2.0, 3.0), "(TypeError)"),
        (7, (1.0,), "got int"),
        ("x" * 200, (1.0,), "as a string"),
        ("right", (np.zeros((1 << 20) + 1),), "at most 1048576 numbers"),
    ],
)
def test_what_gets_no_answer(handle, arrays, told):
    with pytest.raises(AskError) as caught:
        Questions(HUNT, CASE)(handle, *arrays)
    assert told in str(caught.value)
    assert caught.value.__cause__ is None  # nothing of the function's own error


def test_an_argument_is_the_askers_own():
    kept = []
    one = dataclasses.replace(HUNT, oracle=lambda case: lambda handle, x: kept.append(x) or x)
    mine = np.ones(2)
    Questions(one, CASE)("any", mine)[:] = 7
    kept[0][:] = 9
    assert mine.tolist() == [1, 1]


def test_questions_are_counted_by_the_case_and_failed_ones_count():
    ask = Questions(HUNT, CASE)
    for k in range(4):
        if k == 2:
            with pytest.raises(AskError):
                ask("nobody")
        else:
            ask("right", 1.0)
    for _ in range(2):
        with pytest.raises(AskError, match="more than 4 times"):
            ask("right", 1.0)
    assert Questions(HUNT, CASE)("right", 1.0) == 2.0


@pytest.mark.parametrize("change", [{"oracle": None}, {"asks": 0}, {"asks": -1}])
def test_an_oracle_and_a_limit_go_together(change):
    with pytest.raises(ValueError, match="an oracle goes with asks"):
        dataclasses.replace(HUNT, **change)
    with pytest.raises(ValueError, match="has no oracle"):
        Questions(DOUBLE, CASE)


def test_a_students_check_asks_in_its_own_process():
    seen = put(HUNT, {"double": lambda ask: ask("wrong", 1.0) != ask("right", 1.0)}, CASE)
    assert seen == {"caught": 1.0}


def test_what_a_student_does_not_catch_is_an_error_of_theirs():
    one = dataclasses.replace(HUNT, id="u05-hunt", judge=lambda c, a: [])
    found = check_namespace(one, {"double": lambda ask: [ask("right", 1.0) for _ in range(9)]})
    assert (found.status, found.failure.answer.type) == ("raised", "AskError")

"""A tiny unit of two exercises, a class folder made from texts, and limits that keep the tests quick."""

import json

import pytest

from course.checking.exercise import Case, Exercise, Signature, answers_like, compare
from course.grading import Limits
from course.grading.unit import Unit

PROBES = '''
import numpy as np


def ask(names, case):
    """Call the one function there is, with a number and with an array."""
    (function,) = names.values()
    x = case.data["x"]
    return {"one": function(float(x[0])), "many": function(np.array(x))}
'''

namespace = {}
exec(PROBES, namespace)  # the instructor's text, in the instructor's process

DOUBLE = "def double(x):\n    return 2 * x\n"
TRIPLE = "def triple(x):\n    return 3 * x\n"
QUICK = Limits(cpu=1, wall=5, memory=640 << 20, budget=12)


def cases(rng):
    return [Case(f"numbers {k}", ("forward", "values"), {"x": rng.uniform(1, 2, 3)}) for k in range(3)]


def exercise(name, needs, factor):
    def judge(case, answer):
        x = case.data["x"]
        one = compare("forward", answer["one"], factor * x[0], "one number")
        return [one, compare("values", answer["many"], factor * x, "an array")]

    return Exercise(
        id=name,
        points=5,
        needs=(needs,),
        cases=cases,
        probe=namespace["ask"],
        judge=judge,
        families={"forward": 0.4, "values": 0.6},
        labels={"forward": "one number", "values": "an array"},
        signatures=[
            Signature("as-is", answers_like(lambda c: {"one": c.data["x"][0]}), "does nothing", "Look.")
        ],
        hints=("first", "second", "third"),
    )


def notebook(cells, **more):
    """A notebook's text; cells are (id, source)."""
    made = [
        {
            "cell_type": "code",
            "id": id_,
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for id_, source in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def both(double=DOUBLE, triple=TRIPLE):
    setup = ("setup", 'STUDENT = "s"\nfrom course.checking import check\n')
    check = ("u99-double-check", 'check("u99-double")')
    return notebook([setup, ("u99-double", double), check, ("u99-triple", triple)])


def fill(folder, students):
    """Write {student: notebook text | {file: text or bytes}} as a class folder."""
    for student, files in students.items():
        for name, data in ({"work.ipynb": files} if isinstance(files, str) else files).items():
            path = folder / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


@pytest.fixture(scope="session")
def unit():
    exercises = {
        "u99-double": exercise("u99-double", "double", 2.0),
        "u99-triple": exercise("u99-triple", "triple", 3.0),
    }
    return Unit("u99_fake", exercises, (), PROBES, "0123456789ab")

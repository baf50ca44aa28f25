"""A class folder made from texts, and limits that keep the tests quick."""

import json

import pytest

from course.grading import Limits

from . import fake

DOUBLE = "def double(x):\n    return 2 * x\n"
TRIPLE = "def triple(x):\n    return 3 * x\n"
QUICK = Limits(cpu=1, wall=5, memory=640 << 20, budget=12)


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
    return fake.unit()

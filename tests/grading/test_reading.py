"""What students hand in, read as text: every odd file gives cells, or one sentence that names the place."""

import json

import pytest

from course.grading.extract import extract, read_submission
from course.grading.intake import Submission, safe_name
from course.grading.limits import Limits
from course.grading.magics import plain_python
from course.grading.reader import UnreadableError, read

from .conftest import DOUBLE, notebook

CELLS = [("u99-double", DOUBLE)]
TEXT = notebook(CELLS)
V3 = json.dumps(
    {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]}]}
)
LIST = notebook([("u99-double", DOUBLE.splitlines(keepends=True))])


def nbgrader(grade_id):
    cell = {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": grade_id}}, "source": DOUBLE}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 2})


@pytest.mark.parametrize(
    ("data", "source"),
    [
        (TEXT.encode(), DOUBLE),
        (TEXT.encode("utf-8-sig"), DOUBLE),
        (TEXT.encode("utf-16"), DOUBLE),
        (TEXT.encode("utf-16-le"), DOUBLE),
        (TEXT.encode("utf-16-be"), DOUBLE),
        (TEXT.replace("\\n", "\\r\\n").encode(), DOUBLE),
        (LIST.encode(), DOUBLE),
        (nbgrader("u99-double").encode(), DOUBLE),
        (V3.encode(), "a = 1\nb = 2"),
    ],
)
def test_a_notebook_is_read_in_any_dress(data, source):
    (cell,) = read("a.ipynb", data, 10**6).cells
    assert cell.source == source


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.ipynb", b"no JSON at all", "no notebook"),
        ("a.ipynb", b"", "no notebook"),
        ("a.ipynb", b"[" * 200_000, "nested too deeply"),
        ("a.ipynb", b'{"cells": ' + b"9" * 100_000 + b"}", "list of cells"),
        ("a.ipynb", b'{"cells": [], "cells": []}', "'cells' stands twice"),
        ("a.ipynb", b"[]", "this is a list"),
        ("a.ipynb", b'{"nbformat": 4}', "no list of cells"),
        ("a.ipynb", b'{"cells": [3]}', "cell 1 is no cell"),
        ("a.ipynb", b'{"cells": [{"cell_type": "code", "source": {"a": 1}}]}', "source of cell 1"),
        ("a.ipynb", b'{"cells": "\xff"}', "not utf-8 at byte 11"),
        ("a.ipynb", b" " * 2_000_000, "2000000 bytes, at most"),
        ("a.py", b"# -*- coding: klingon -*-\n", "unknown encoding"),
        ("a.py", b"x = '\xff'\n", "UTF-8"),
    ],
)
def test_what_is_no_notebook_is_unreadable_and_says_why(name, data, told):
    with pytest.raises(UnreadableError, match=told) as caught:
        read(name, data, 10**6)
    assert str(caught.value).startswith(name)


def test_a_percent_script_has_cells_with_ids():
    text = (
        f'"""A."""\n# %% [markdown] id=t\n# Text\n# %% id="u99-double" role=exercise\n{DOUBLE}# %%\nx = 1\n'
    )
    cells = read("a.py", text.encode(), 10**6).cells
    assert [c.id for c in cells] == ["", "u99-double", ""]
    assert cells[1].source.strip() == DOUBLE.strip()


def test_a_notebook_saved_as_python_has_cells():
    cells = read("a.py", b"# In[1]:\n\nx = 1\n\n# In[ ]:\n\ny = 2\n", 10**6).cells
    assert [c.source.strip() for c in cells] == ["x = 1", "y = 2"]


@pytest.mark.parametrize(
    ("source", "plain", "notices"),
    [
        ("x = 1", "x = 1", 0),
        ("x = (5\n% 3)", "x = (5\n% 3)", 0),
        ("%matplotlib inline\nx = 1", "None\nx = 1", 1),
        ("if True:\n    !ls -l\n", "if True:\n    None\n", 1),
        ("x = !ls", "x = None", 1),
        ("x = %who", "x = None", 1),
        ("%time y = 2", "y = 2", 1),
        ("print?\nx = 1", "None\nx = 1", 1),
        ("%%bash\nrm -r x", "pass", 1),
        ("%%time\nx = 1", "pass\nx = 1", 1),
        ("def f(:\n", "def f(:\n", 0),
        ("x" + "+x" * 100_000, "x" + "+x" * 100_000, 1),
    ],
)
def test_magics_become_nothing_with_a_notice(source, plain, notices):
    text, told = plain_python(source)
    assert (text, len(told)) == (plain, notices)


def test_the_stated_student_is_read_as_text():
    text = notebook([("s", 'STUDENT = "ada"\nimport os; os._exit(1)'), *CELLS])
    reading = read_submission(Submission("ada", {"a.ipynb": text.encode()}, ()), Limits())
    assert reading.stated == "ada"


def test_one_unreadable_file_does_not_hide_another():
    files = {"a.ipynb": b"{", "b.ipynb": TEXT.encode()}
    reading = read_submission(Submission("ada", files, ()), Limits())
    assert extract(reading, "u99-double", ["double"]).status == ""
    assert extract(reading, "u99-triple", ["triple"]).status == "unreadable"


def test_page_names_are_plain_and_never_shared():
    names = ["ada", "ä", "a/b", "a:b", "..", "=cmd|x"]
    assert safe_name("ada") == "ada"
    assert len({safe_name(n) for n in names}) == len(names)
    assert all(safe_name(n).isascii() and "/" not in safe_name(n) and ":" not in safe_name(n) for n in names)

"""From cells to files: golden notebooks, bytes, nbformat's schema, the script that a student can run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import course.units
from course.authoring import notebooks
from course.authoring.percent import parse, read
from course.authoring.sources import read_sources

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def sources(units):
    return read_sources(units / "u98_double")


def built(sources):
    unit, cells = sources.unit, sources.exercises
    return {
        "exercises.ipynb": notebooks.to_text(notebooks.exercises(unit, cells)),
        "exercises.py": notebooks.script(unit, cells),
        "solutions.ipynb": notebooks.to_text(notebooks.solutions(unit, cells)),
        "lesson.ipynb": notebooks.to_text(notebooks.lesson(unit, sources.lesson)),
    }


@pytest.mark.parametrize("name", ["exercises.ipynb", "exercises.py", "solutions.ipynb", "lesson.ipynb"])
def test_the_files_are_the_golden_ones_to_the_byte(name, sources):
    golden = GOLDEN / name.replace("exercises.py", "exercises.txt")  # so named, no tool reformats it
    assert built(sources)[name] == golden.read_text(encoding="utf-8")


def test_the_same_sources_give_the_same_bytes(units, sources):
    assert built(sources) == built(read_sources(units / "u98_double"))


@pytest.mark.parametrize("name", ["exercises.ipynb", "solutions.ipynb", "lesson.ipynb"])
def test_the_notebooks_are_valid_and_bear_the_sources_ids(name, sources):
    notebook = nbformat.reads(built(sources)[name], as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    cells = sources.lesson if name.startswith("lesson") else sources.exercises
    student = [] if name.startswith("lesson") else ["u98-student"]
    assert [cell.id for cell in notebook.cells] == student + [cell.id for cell in cells]
    assert "version" not in notebook.metadata.language_info
    assert built(sources)[name].endswith("}\n")


def test_a_students_copy_holds_no_line_of_a_solution(sources):
    made = built(sources)
    for line in ("return 2 * x", "return self.a * x + self.c", "BEGIN SOLUTION"):
        assert line in made["solutions.ipynb"]
        assert line not in made["exercises.ipynb"]
        assert line not in made["exercises.py"]


def test_the_script_has_the_notebooks_cells(sources):
    made = built(sources)
    script = parse(made["exercises.py"], Path("exercises.py"))
    notebook = json.loads(made["exercises.ipynb"])["cells"]
    assert [(c.id, c.type, c.source) for c in script] == [
        (c["id"], c["cell_type"], "".join(c["source"])) for c in notebook
    ]
    assert [c.keys for c in script[1:]] == [c.keys for c in sources.exercises]


def test_the_script_runs_and_its_blanks_are_reported(sources, tmp_path):
    path = tmp_path / "exercises.py"
    path.write_text(built(sources)["exercises.py"], encoding="utf-8")
    site = Path(__file__).parent / "site"
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert "u98-double: 0 of 4 points" in ran.stdout
    assert "u98-line: 0 of 2.5 points" in ran.stdout
    assert ran.stdout.count("The blank is still there") == 2


def test_every_unit_of_the_course_makes_valid_files():
    import course.units
    from course.authoring.build import plan
    from course.authoring.sources import find_units

    every = [read_sources(folder) for folder in find_units(Path(course.units.__path__[0]))]
    made = plan(every, lessons=False)
    assert len(made.files) == sum(3 * bool(one.exercises) + bool(one.lesson) for one in every)


def test_a_cell_that_nothing_is_asked_of_has_no_grader_data(sources):
    cells = {c["id"]: c for c in json.loads(built(sources)["exercises.ipynb"])["cells"]}
    graded = [name for name, cell in cells.items() if "nbgrader" in cell["metadata"]]
    assert graded == ["u98-double", "u98-double-check", "u98-line", "u98-line-check"]
    assert cells["u98-line-check"]["metadata"]["nbgrader"]["points"] == 2.5
    assert cells["u98-line"]["metadata"]["course"] == {"alt": "nothing's drawn", "tracks": ["full"]}


def test_a_title_survives_in_the_script(units, sources):
    again = read(units / "u98_double" / "exercises.py")
    assert notebooks.script(sources.unit, again).startswith('"""U98 Doubling: exercises.')


def test_what_explains_a_solution_stands_in_the_solutions_only():
    made = read_sources(Path(course.units.__path__[0]) / "u05_scalar")
    unit, cells = made.unit, made.exercises
    why = next(cell for cell in cells if cell.role == "why")
    (made_cell,) = (c for c in notebooks.solutions(unit, cells)["cells"] if c["id"] == why.id)
    assert "nbgrader" not in made_cell["metadata"]  # a solution cell of Markdown would be no valid one
    for text in (notebooks.to_text(notebooks.exercises(unit, cells)), notebooks.script(unit, cells)):
        assert why.id not in text
        assert "looks right" not in text

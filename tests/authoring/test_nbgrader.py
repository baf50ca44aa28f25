"""The real nbgrader, in an environment of its own: it releases, validates and grades what we build.

Its release of our solutions is our exercise notebook, cell for cell, and its points are our points.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import course.units
from course.authoring.build import main as build
from course.checking.local import check_namespace
from course.checking.registry import find
from course.grading.unit import load_units
from course.validate import trials

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UNITS = Path(__file__).parent / "units"
FILE = "u98_double.ipynb"
RIGHT = {
    "u98-double": "    return 2 * x",
    "u98-line": ["        return self.a * x + self.c", "        return self.a"],
}
ANSWERS = {  # student: what stands in place of the blanks; a missing one stays blank
    "anna": RIGHT,
    "ben": {
        "u98-double": "    return x + x",
        "u98-line": ["        return self.c + x * self.a", "        return -self.a"],
    },
    "cleo": {"u98-line": ["        return 1.0", "        return self.a"]},
}
SCORES = """
import json, sys
from nbgrader.api import Gradebook
assignment = sys.argv[1]
with Gradebook("sqlite:///gradebook.db", "autodiff") as book:
    told = {
        submission.student.id: {
            grade.name: [grade.score, grade.max_score]
            for notebook in submission.notebooks
            for grade in notebook.grades
        }
        for submission in book.assignment_submissions(assignment)
    }
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python that has nbgrader and this checkout."""
    if importlib.util.find_spec("nbgrader"):
        return sys.executable
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        pytest.skip("nbgrader is not installed, and there is no uv to get it with")
    venv = tmp_path_factory.mktemp("nbgrader") / "venv"
    made = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    for command in (
        [uv, "venv", "--quiet", "--no-project", "--python", sys.executable, venv],
        [uv, "pip", "install", "--quiet", "--python", made, "--editable", f"{ROOT}[course,nbgrader]"],
    ):
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        if ran.returncode:
            pytest.skip(f"nbgrader can't be installed here: {ran.stderr.strip().splitlines()[-1]}")
    return str(made)


@pytest.fixture(scope="module")
def nbgrader(python, tmp_path_factory):
    """A function that runs nbgrader in a course folder, where our solutions are released as its source."""
    folder, jupyter = tmp_path_factory.mktemp("class"), str(tmp_path_factory.mktemp("jupyter"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course.units, "__path__", [*course.units.__path__, str(UNITS)])
        assert build(["--units", str(UNITS), "--into", str(folder), "--no-lessons"]) == 0
    environment = {
        **os.environ,
        **dict.fromkeys(("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"), jupyter),
        "PATH": str(Path(python).parent) + os.pathsep + os.environ["PATH"],  # nbgrader calls alembic
        "PYTHONPATH": str(Path(__file__).parent / "site"),
        "PYTHONIOENCODING": "utf-8",
    }

    def run(*arguments):
        ran = subprocess.run(
            [python, *arguments],
            check=False,
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    run.folder = folder
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'autodiff'\n")
    source = folder / "source" / "u98" / FILE
    source.parent.mkdir(parents=True)
    source.write_bytes((folder / "solutions" / FILE).read_bytes())
    run("-m", "nbgrader", "generate_assignment", "u98", "--create")
    return run


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def solved(notebook, answers):
    """Our exercise notebook with answers in place of its blanks."""
    for cell in notebook["cells"]:
        bodies = answers.get(cell["id"], [])
        text = "".join(cell["source"])
        for body in [bodies] if isinstance(bodies, str) else bodies:
            indent = body[: len(body) - len(body.lstrip())]
            text = text.replace(f"{indent}# YOUR CODE HERE\n{indent}raise NotImplementedError()", body, 1)
        cell["source"] = text
    return notebook


def our_points(notebook, names=tuple(RIGHT)):
    """{check cell: points} of a notebook by our own check."""
    namespace = {"__name__": "student"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and not cell["id"].endswith("-check"):
            exec("".join(cell["source"]), namespace)
    return {f"{name}-check": check_namespace(find(name), namespace).points for name in names}


def test_nbgraders_release_of_our_solutions_is_our_exercise_notebook(nbgrader):
    theirs, ours = (read(nbgrader.folder / place / FILE) for place in ("release/u98", "exercises"))
    assert theirs["cells"] == ours["cells"]


def test_nbgrader_gives_the_points_that_we_give(nbgrader, units):
    expected = {}
    for student, answers in ANSWERS.items():
        notebook = solved(read(nbgrader.folder / "exercises" / FILE), answers)
        path = nbgrader.folder / "submitted" / student / "u98" / FILE
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        expected[student] = our_points(notebook)
    assert expected["anna"] == {"u98-double-check": 4, "u98-line-check": 2.5}
    assert expected["ben"] == {"u98-double-check": 4, "u98-line-check": 1.0}
    assert expected["cleo"] == {"u98-double-check": 0, "u98-line-check": 0}

    nbgrader("-m", "nbgrader", "autograde", "u98")
    most = {"u98-double-check": 4, "u98-line-check": 2.5}
    assert json.loads(nbgrader("-c", SCORES, "u98")) == {
        student: {name: [points, most[name]] for name, points in given.items()}
        for student, given in expected.items()
    }


@pytest.mark.parametrize(
    ("student", "words"),
    [("anna", "Success! Your notebook passes all the tests."), ("cleo", "VALIDATION FAILED ON 2")],
)
def test_nbgrader_validates_a_students_notebook(student, words, nbgrader):
    path = nbgrader.folder / f"{student}.ipynb"
    notebook = solved(read(nbgrader.folder / "exercises" / FILE), ANSWERS[student])
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert words in nbgrader("-m", "nbgrader", "validate", path.name)


def with_answer(notebook, exercise, text):
    """The notebook with another text in the exercise's cell."""
    for cell in notebook["cells"]:
        if cell["id"] == exercise:
            cell["source"] = text
    return notebook


def test_the_courses_own_exercises_validate_once_solved_and_get_our_points(nbgrader):
    expected = {"anna": {}, "ben": {}}
    most = {}
    for unit in load_units():
        source = nbgrader.folder / "source" / "kit" / f"{unit.name}.ipynb"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_bytes((ROOT / "solutions" / source.name).read_bytes())
        tried = list(trials(unit))
        wrong = next(t for t in tried if t.kind == "wrong")  # each unit has one exercise by now
        right = next(t for t in tried if t.kind == "solution")
        for student, trial in (("anna", right), ("ben", wrong)):
            blank = read(ROOT / "exercises" / source.name)
            notebook = with_answer(blank, trial.exercise.id, trial.cells[-1][1])
            path = nbgrader.folder / "submitted" / student / "kit" / source.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(notebook), encoding="utf-8")
            expected[student] |= our_points(notebook, [trial.exercise.id])
            most[f"{trial.exercise.id}-check"] = trial.exercise.points
            if student == "anna":
                shutil.copy(path, nbgrader.folder / source.name)
                assert "Success! Your notebook passes" in nbgrader("-m", "nbgrader", "validate", source.name)
    assert expected["anna"] == most
    assert all(points < most[name] for name, points in expected["ben"].items())
    nbgrader("-m", "nbgrader", "generate_assignment", "kit", "--create")
    nbgrader("-m", "nbgrader", "autograde", "kit")
    assert json.loads(nbgrader("-c", SCORES, "kit")) == {
        student: {name: [points, most[name]] for name, points in given.items()}
        for student, given in expected.items()
    }

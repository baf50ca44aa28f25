"""The real exercises through the isolated grader: every named mistake is named, every variant passes."""

from importlib.resources import files

import pytest

from course.authoring.percent import read
from course.checking.registry import unit_names
from course.grading import grade_folder
from course.grading.unit import load_units

from .conftest import fill


def handed_in(folder):
    """{student: (exercise, kind, name)}, after writing one submission for each solution in mistakes.py."""
    told = {}
    for unit in load_units():
        home = files("course.units") / unit.name
        cells = read(home / "exercises.py")
        before = [c for c in cells if c.type == "code" and not c.role]
        setup = "".join(f"# %% id={c.id}\n{c.source}\n" for c in before)
        solutions = [c for c in read(home / "mistakes.py") if c.keys.get("kind")]
        for number, cell in enumerate(solutions):
            student, exercise = f"{unit.name}-{number:02}", cell.keys["exercise"]
            told[student] = (exercise, cell.keys["kind"], cell.keys["name"])
            fill(folder, {student: {"work.py": f"{setup}# %% id={exercise}\n{cell.source}\n"}})
        for exercise in unit.exercises.values():
            source = "\n".join(f"from autodiff import {name}" for name in exercise.needs)
            student = f"{exercise.id}-imported"
            told[student] = (exercise.id, "imported", "")
            fill(folder, {student: {"work.py": f"# %% id={exercise.id}\n{source}\n"}})
    return told


@pytest.mark.skipif(not unit_names(), reason="no unit is there yet")
def test_every_solution_comes_to_what_it_is_named_for(tmp_path):
    told = handed_in(tmp_path / "class")
    graded = grade_folder(tmp_path / "class", tmp_path / "out", secret="a secret for tests")
    own = {o.student: o for o in graded.outcomes if told[o.student][0] == o.exercise}
    for student, (_, kind, name) in told.items():
        found = own[student]
        if kind == "right":
            assert (found.status, found.points) == ("pass", found.max_points), (student, found)
        elif kind == "imported":
            assert (found.status, found.points) == ("forbidden_import", 0), (student, found)
        else:
            assert found.points < found.max_points, (student, name, found)
            assert name in (found.mistake, *same_as(found)), (student, name, found)


def same_as(outcome):
    """What the named mistake can't be told apart from."""
    units = load_units()
    exercise = next(u.exercises[outcome.exercise] for u in units if outcome.exercise in u.exercises)
    return next((s.same_as for s in exercise.signatures if s.name == outcome.mistake), ())

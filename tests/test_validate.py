"""The kill matrix: every named wrong solution is caught and named, every accepted variant passes."""

from dataclasses import replace

import pytest

from course import validate
from course.checking.exercise import Exercise
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.unit import load_units

UNITS = load_units()


@pytest.mark.slow
def test_the_kill_matrix(capsys):
    outcomes = validate.validate(UNITS)
    with capsys.disabled():
        print("\n" + validate.table(outcomes))
    assert [(o.trial.exercise.id, o.trial.kind, o.trial.name, o.faults) for o in outcomes if o.faults] == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_exercise_has_enough_wrong_and_right_answers(unit):
    every = list(validate.trials(unit))
    for exercise in unit.exercises.values():
        kinds = [trial.kind for trial in every if trial.exercise is exercise]
        assert (kinds.count("solution"), kinds.count("blank"), kinds.count("import")) == (1, 1, 1)
        assert kinds.count("wrong") >= 4
        assert kinds.count("right") >= 2
        named = {trial.name for trial in every if trial.exercise is exercise and trial.kind == "wrong"}
        assert {signature.name for signature in exercise.signatures} == named  # no signature without proof


def _trial(kind, name="", family="", text=None):
    unit = next(u for u in UNITS if u.name == "u05_scalar")
    found = next(t for t in validate.trials(unit) if t.kind == kind and t.name == name)
    cells = found.cells if text is None else (*found.cells[:-1], (found.exercise.id, text))
    return replace(found, cells=cells, family=family or found.family)


def _without_signatures(trial):
    fields = {name: getattr(trial.exercise, name) for name in Exercise.__dataclass_fields__}
    return replace(trial, exercise=Exercise(**{**fields, "signatures": []}))


@pytest.mark.parametrize(
    ("trial", "fault"),
    [
        (replace(_trial("wrong", "M16"), kind="right"), "1 of 5 points"),
        (replace(_trial("right", "one-helper"), kind="wrong"), "a wrong solution got all points"),
        (replace(_trial("right", "one-helper"), kind="blank"), "a blank got 5 points"),
        (replace(_trial("blank"), kind="import"), "the status missing"),
        (_without_signatures(_trial("wrong", "M16")), "called no name"),
        (replace(_trial("wrong", "M16"), name="M14"), "called M16"),
        (_trial("wrong", "M47", family="values"), "the family values let it pass"),
    ],
)
def test_the_matrix_shows_what_is_not_as_it_must_be(trial, fault):
    with Launcher(Limits()) as launcher:
        outcome = validate.run(trial, launcher)
    assert any(fault in found for found in outcome.faults), outcome.faults
    assert fault in validate.table([outcome])

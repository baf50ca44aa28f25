"""The kill matrix: every named wrong solution is caught and named, every accepted variant passes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import course.units
from course import standards, trials, validate
from course.authoring.sources import find_units, read_sources
from course.checking.exercise import Exercise
from course.grading.launch import Launcher
from course.grading.limits import Limits
from course.grading.unit import load_units

UNITS = load_units()
SHOWN = "shown at the end of the run"  # tests/conftest.py prints it, whichever process ran the test


@pytest.fixture(scope="module")
def every():
    """What all answers of all units come to."""
    return trials.run_all(UNITS)


@pytest.mark.slow
def test_the_kill_matrix(every, record_property):
    outcomes = every
    record_property(SHOWN, validate.table(outcomes))
    assert [(o.trial.exercise.id, o.trial.kind, o.trial.name, o.faults) for o in outcomes if o.faults] == []
    assert [str(finding) for unit in UNITS for finding in standards.findings(unit, outcomes)] == []


def test_no_solution_would_be_released():
    sources = [read_sources(folder) for folder in find_units(Path(course.units.__path__[0]))]
    assert [str(finding) for finding in standards.leaked(sources)] == []


def _trial(kind, name="", family="", text=None):
    unit = next(u for u in UNITS if u.name == "u05_scalar")
    found = next(t for t in trials.trials(unit) if t.kind == kind and t.name == name)
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
        outcome = trials.run(trial, launcher)
    assert any(fault in found for found in outcome.faults), outcome.faults
    assert fault in validate.table([outcome])


# ---- what an exercise must have

U05 = next(u for u in UNITS if u.name == "u05_scalar")


@pytest.fixture(scope="module")
def outcomes(every):
    """Those of one unit, for tests that take something away."""
    return [outcome for outcome in every if outcome.trial.unit.name == U05.name]


def _found(outcomes, **changed):
    """What is found when the exercise is another one."""
    (exercise,) = U05.exercises.values()
    exercise = replace(exercise, **changed)
    unit = replace(U05, exercises={exercise.id: exercise})
    return [f.text for f in standards.findings(unit, outcomes)]


def _is(kind, *names):
    return lambda o: o.trial.kind == kind and (not names or o.trial.name in names)


TAKEN_AWAY = [  # which answers are left out, what is said then
    (_is("wrong"), "0 named wrong solutions, at least 3"),
    (_is("right"), "0 accepted variants, at least 1"),
    (_is("wrong", "M16"), "nothing proves the signature of M16"),
    (_is("wrong", "value-of-sum"), "no wrong solution fails the family forward"),
]


def test_nothing_is_found_where_all_is_there(outcomes):
    assert _found(outcomes) == []


@pytest.mark.parametrize(("without", "said"), TAKEN_AWAY)
def test_what_is_missing_is_told(outcomes, without, said):
    left = [o for o in outcomes if not without(o)]
    assert any(said in text for text in _found(left)), _found(left)


def test_what_is_provided_imports_nothing_that_is_not(outcomes):
    unit = replace(U05, provides=("errors", "scalar"))
    texts = [str(finding) for finding in standards.findings(unit, outcomes)]
    assert "u05_scalar/unit.toml: provides has scalar, which imports closures: add that too" in texts
    assert not any("imports errors" in text for text in texts)


@pytest.mark.parametrize("hints", [("Look.", "Look.", "Look again."), ("Look.", " ", "Look again.")])
def test_hints_are_three_different_texts(outcomes, hints):
    assert any("three different texts" in text for text in _found(outcomes, hints=hints))


def test_a_twin_that_can_be_told_apart_is_none(outcomes):
    signatures = [s for s in U05.exercises["u05-multiply"].signatures if s.name != "M14"]
    signatures = [replace(s, same_as=("M14",)) if s.name == "M16" else s for s in signatures]
    (text,) = _found(outcomes, signatures=signatures)
    assert "M14 is declared same_as M16, but they part in the case" in text
    twin = next(o for o in outcomes if _is("wrong", "M16")(o))
    twins = [
        replace(twin, trial=replace(twin.trial, name="M14")) if _is("wrong", "M14")(o) else o
        for o in outcomes
    ]
    assert _found(twins, signatures=signatures) == []


def test_an_answer_that_takes_a_fifth_of_the_limit_is_told(outcomes, monkeypatch):
    slow = iter(range(1000))
    monkeypatch.setattr(standards.time, "thread_time", lambda: next(slow) * 0.3)
    texts = _found(outcomes)
    assert any(text.startswith("the solution takes") and "a fifth of the limit" in text for text in texts)
    assert any(text.startswith("the right one-helper takes") for text in texts)


def test_time_is_counted_in_the_cells_and_in_the_probe(monkeypatch):
    calls = iter(range(1000))
    monkeypatch.setattr(standards.time, "thread_time", lambda: float(next(calls)))
    trial = _trial("solution")
    asked = []
    counting = replace(trial.exercise, probe=lambda *a: asked.append(1) or trial.exercise.probe(*a))
    assert standards.cpu_seconds(replace(trial, exercise=counting)) == 1 + len(asked)  # one tick each


@pytest.mark.parametrize(("name", "accepted"), [("M16", True), ("M14", False)])
def test_a_mistake_may_be_called_by_its_twins_name(name, accepted):
    signatures = [
        replace(s, same_as=("twin",)) if s.name == name else s for s in _trial("blank").exercise.signatures
    ]
    trial = replace(_trial("wrong", "M16"), name="twin")
    trial = replace(trial, exercise=replace(trial.exercise, signatures=signatures))
    with Launcher(Limits()) as launcher:
        faults = trials.run(trial, launcher).faults
    assert faults == (() if accepted else ("called M16",))


@pytest.mark.slow
def test_the_verb_prints_the_matrix_and_writes_it(tmp_path, capsys):
    assert validate.main(["u05", "--json", str(tmp_path / "matrix.json")]) == 0
    told = capsys.readouterr().out
    assert "caught and named" in told
    rows = json.loads((tmp_path / "matrix.json").read_text())
    assert rows["findings"] == rows["left_to_write"] == []
    named = next(row for row in rows["trials"] if row["name"] == "M16")
    assert named["called"] == ["M16", "M16"]
    assert named["families"][0]["values"] == "wrong_value"


def test_a_unit_that_is_not_there_is_told(capsys):
    assert validate.main(["u44"]) == 1
    assert "there is no unit 'u44'" in capsys.readouterr().out

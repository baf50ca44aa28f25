"""The gradebook and what is written from it: nothing twice, nothing lost, a person's points win."""

import ast
import contextlib
import csv
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import course.checking
import course.grading
import course.grading.grade
import course.grading.launch
from course.cli import main
from course.grading import grade_folder, print_table
from course.grading.grade import IsolationTooLowError
from course.grading.intake import IntakeError
from course.grading.outputs import COLUMNS, cell
from course.grading.secret import SecretError, master_secret
from course.grading.store import Store, StoreError
from course.grading.wall import Wall

from . import fake
from .conftest import DOUBLE, QUICK, both, fill, notebook

SECRET = "a secret for tests"
TABLES = {
    "build": ["unit", "build", "grader", "environment", "isolation", "at"],
    "submission": ["hash", "student", "received"],
    "job": ["key", "state", "lease", "tries"],
    "result": ["job", "exercise", "family", "status", "points", "seed", "mistake"],
    "manual": ["student", "exercise", "points", "comment", "by", "at"],
    "audit": ["at", "event"],
}
SAME = (
    "grades.csv",
    "grades.json",
    "dashboard.html",
    "feedback/ada.html",
    "feedback/ada.md",
    "feedback/bob.md",
)


@pytest.fixture
def folder(tmp_path):
    wrong = "def double(x):\n    raise ValueError(object())\n"
    return fill(tmp_path / "class", {"ada": both(), "bob": notebook([("u99-double", wrong)])})


def grade(folder, out, **more):
    return grade_folder(folder, out, limits=QUICK, **{"units": fake.units, "secret": SECRET, **more})


def test_two_runs_with_one_secret_are_equal_byte_for_byte(folder, tmp_path):
    for name in ("one", "two"):
        grade(folder, tmp_path / name)
    for name in SAME:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    before = (tmp_path / "one/times.jsonl").read_text(encoding="utf-8")
    again = grade(folder, tmp_path / "one")  # nothing is graded twice
    assert (tmp_path / "one/times.jsonl").read_text(encoding="utf-8") == before
    assert again.code == 0
    for name in SAME:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_the_tables_are_those_agreed_on_and_manual_points_win(folder, tmp_path, capsys):
    out = tmp_path / "out"
    grade(folder, out)
    with Store(out / "gradebook.sqlite") as store:
        store.set_manual("bob", "u99-double", 3.5, "=a good <idea>", "me")
    graded = grade(folder, out)
    row = next(r for r in graded.rows if (r["student"], r["exercise"]) == ("bob", "u99-double"))
    assert (row["points"], row["manual"]) == (3.5, "manual (automatic: 0)")
    assert "&lt;idea&gt;" in (out / "feedback/bob.html").read_text(encoding="utf-8")
    database = sqlite3.connect(out / "gradebook.sqlite")
    try:
        for table, columns in TABLES.items():
            assert [c[1] for c in database.execute(f"PRAGMA table_info({table})")] == columns
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("SELECT count(*), sum(state='done') FROM job").fetchone() == (4, 4)
        assert database.execute("SELECT sum(points) FROM result").fetchone() == (10.0,)
    finally:
        database.close()
    with open(out / "grades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [(r["student"], r["exercise"]) for r in rows] == sorted(
        (r["student"], r["exercise"]) for r in rows
    )
    assert len(json.loads((out / "grades.json").read_text(encoding="utf-8"))["rows"]) == 4
    print_table(graded.rows)
    assert "ada" in capsys.readouterr().out


def test_an_interrupted_run_goes_on_where_it_was(folder, tmp_path, monkeypatch):
    out = tmp_path / "out"

    @contextlib.contextmanager
    def interrupted(label, total):
        told = []

        def step(text):
            told.append(text)
            if len(told) == 2:
                raise KeyboardInterrupt

        yield step

    monkeypatch.setattr(course.grading.grade, "progress", interrupted)
    with pytest.raises(KeyboardInterrupt):
        grade(folder, out, slots=1)
    finished = times(out)
    assert 2 <= len(finished) < 4
    assert multiprocessing.active_children() == []
    monkeypatch.undo()
    graded = grade(folder, out, slots=1)
    assert sorted(times(out)) == [(s, e) for s in ("ada", "bob") for e in ("u99-double", "u99-triple")]
    assert sum(row["points"] for row in graded.rows) == 10


def times(out):
    rows = map(json.loads, (out / "times.jsonl").read_text(encoding="utf-8").splitlines())
    return [(row["student"], row["exercise"]) for row in rows]


def test_the_graders_own_fault_is_no_zero_in_silence(folder, tmp_path):
    graded = grade(folder, tmp_path / "out", units=fake.units_with_a_bug)
    assert {row["status"] for row in graded.rows if row["student"] == "ada"} == {"ungradable"}
    assert graded.code == 4
    assert grade(folder, tmp_path / "out").code == 0  # mended: the next run grades it


@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_judges_and_dies_is_replaced(folder, tmp_path, monkeypatch, times):
    monkeypatch.setenv(fake.DEATHS, str(tmp_path / "deaths"))
    (tmp_path / "deaths").write_text("x" * times, encoding="utf-8")
    graded = grade(folder, tmp_path / "out", units=fake.units_that_end_the_grader, slots=1)
    assert (tmp_path / "deaths").read_text(encoding="utf-8") == ""
    assert sum(row["points"] for row in graded.rows) == 10
    assert graded.code == 0


def test_what_ends_the_process_each_time_is_ungradable_and_the_rest_is_graded(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(fake.DEATHS, str(tmp_path / "deaths"))
    (tmp_path / "deaths").write_text("x" * 3, encoding="utf-8")
    graded = grade(folder, tmp_path / "out", units=fake.units_that_end_the_grader, slots=1)
    assert [row["status"] for row in graded.rows].count("ungradable") == 1
    assert graded.code == 4


def test_what_ends_the_grader_three_times_is_ungradable(tmp_path):
    with Store(tmp_path / "g.sqlite") as store:
        for _ in range(3):
            assert store.claim("key")
            assert store.take_over() == 1
        assert not store.claim("key")


def test_a_second_submission_is_a_second_attempt(folder, tmp_path):
    out = tmp_path / "out"
    first = grade(folder, out)
    fill(folder, {"bob": notebook([("u99-double", DOUBLE)])})
    second = grade(folder, out)
    assert [r["attempt"] for r in first.rows] == [1, 1, 1, 1]
    assert [r["attempt"] for r in second.rows] == [1, 1, 2, 2]
    assert sum(row["points"] for row in second.rows) == 15


@pytest.mark.parametrize(
    ("value", "text"),
    [("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\t=x", "\\t=x"), (" =x", "' =x"),
     ("-1.5", "-1.5"), (-1.5, "-1.5"), (2.0, "2"), ("a\u202eb", "a\\u202eb"), ("a\nb", "a\\nb"), ("ä", "ä")],
)  # fmt: skip
def test_no_cell_is_a_formula(value, text):
    assert cell(value) == text


def test_the_secret_is_made_once_and_kept_private(tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_SECRET", raising=False)
    made = master_secret(tmp_path)
    assert master_secret(tmp_path) == made
    assert os.name == "nt" or (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    (tmp_path / "short").write_text("x", encoding="utf-8")
    with pytest.raises(SecretError, match="too short"):
        master_secret(tmp_path, tmp_path / "short")


def test_no_environment_of_the_grader_tells_the_secret(tmp_path):
    spy = (
        "import os\nseen = dict(os.environ)\n"
        "try:\n    seen['/proc'] = open(f'/proc/{os.getppid()}/environ').read()\nexcept OSError:\n    pass\n"
        "raise ValueError(repr(seen)[:60], 'never-to-be-seen' in repr(seen), 'HOST_VARIABLE' in repr(seen))\n"
    )
    folder = fill(tmp_path / "class", {"eve": notebook([("u04-combine", spy)])})
    command = [sys.executable, "-m", "course.cli", "grade", str(folder), "-o", str(tmp_path / "out")]
    environment = {**os.environ, "COURSE_SECRET": "never-to-be-seen", "HOST_VARIABLE": "host"}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    record = (tmp_path / "out/grades.json").read_text(encoding="utf-8")
    assert "never-to-be-seen" not in record
    assert "HOST_VARIABLE=" not in record


def test_exit_codes(tmp_path, capsys, monkeypatch):
    empty, out = tmp_path / "empty", str(tmp_path / "out")
    empty.mkdir()
    assert main(["grade", str(empty), "-o", out]) == 2
    assert main(["grade", str(tmp_path / "nowhere"), "-o", out]) == 2
    monkeypatch.setattr(course.grading.launch, "_walls", lambda refused: [Wall()])
    assert main(["grade", str(empty), "-o", out]) == 3
    told = capsys.readouterr().err
    assert "missing: files of others can be read" in told
    assert "--require-isolation L1" in told
    assert main(["grade", str(empty), "-o", out, "--require-isolation", "L1"]) == 2
    folder = fill(tmp_path / "class", {"ada": both()})
    with pytest.raises(IsolationTooLowError):
        grade(folder, tmp_path / "out")
    monkeypatch.undo()
    fill(tmp_path / "other", {"ada": notebook([("x", "y = 1")])})
    with pytest.raises(IntakeError, match="no submission"):
        grade(tmp_path / "other", tmp_path / "out")
    (tmp_path / "out/gradebook.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="gradebook"):
        grade(folder, tmp_path / "out")


FORBIDDEN_CALLS = {"eval", "exec", "__import__"}
FORBIDDEN_MODULES = {"pickle", "dill", "shelve", "marshal", "joblib", "yaml", "cloudpickle"}
FORBIDDEN_METHODS = {"load", "loadtxt", "genfromtxt", "fromstring", "fromfile", "memmap"}  # of numpy


@pytest.mark.parametrize("package", [course.grading, course.checking])
def test_nothing_that_runs_data_touches_what_students_send(package):
    for path in Path(str(package.__file__)).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = forbidden(node)
            assert not found or (path.name == "driver.py" and found == "exec"), (
                f"{path.name}:{node.lineno}: {found}"
            )


def forbidden(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
        return node.func.id
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("np", "numpy")
    ):
        return node.attr if node.attr in FORBIDDEN_METHODS else ""
    names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return next((n for n in names if n.split(".")[0] in FORBIDDEN_MODULES), "")

"""`course start --prepare-only`: the copies, the key, the signatures, and what it leaves alone."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from course import start

NAME = "u98_double.ipynb"


@pytest.fixture
def student(checkout, monkeypatch, tmp_path_factory):
    """The folder that holds a built course, as the working folder, with Jupyter's own data apart."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path_factory.mktemp("jupyter")))
    monkeypatch.chdir(checkout)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (checkout / "notebooks").mkdir()
    lesson = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (checkout / "notebooks" / NAME).write_text(json.dumps(lesson))
    return checkout


def prepare(*arguments):
    return start.main(["--prepare-only", *arguments])


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def write_answer(path, answer):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] == "u98-double":
            cell["source"] = answer
    path.write_text(json.dumps(notebook), encoding="utf-8")


def ship(folder, old, new):
    for path in (folder / "exercises").iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_it_copies_with_the_students_key_and_signs(student, capsys):
    assert prepare("--student", "anna") == 0
    work = student / "work"
    assert sorted(p.relative_to(work).as_posix() for p in work.rglob("*.*") if p.is_file()) == [
        ".course",
        f"exercises/{NAME}",
        f"notebooks/{NAME}",
    ]
    assert cells(work / "exercises" / NAME)[0]["source"] == ['STUDENT = "anna"']
    assert cells(student / "exercises" / NAME)[0]["source"] == ['STUDENT = ""']
    shipped = (student / "exercises" / NAME).read_text(encoding="utf-8")
    copied = (work / "exercises" / NAME).read_text(encoding="utf-8")
    assert copied.replace("anna", "").replace('\\"\\"', '\\"\\"') == shipped
    notary = NotebookNotary()
    try:
        for folder in ("exercises", "notebooks"):
            assert notary.check_signature(nbformat.read(work / folder / NAME, as_version=4))
        assert not notary.check_signature(nbformat.read(student / "exercises" / NAME, as_version=4))
    finally:
        notary.store.close()
    told = capsys.readouterr().out
    assert "2 new. Your key: anna." in told
    assert "isolation L0 here: checks are for learning" in told


def test_a_second_run_brings_new_versions_and_keeps_what_was_changed(student, capsys):
    assert prepare("--student", "anna", "--py") == 0
    exercise, script = (student / "work" / "exercises" / name for name in (NAME, "u98_double.py"))
    assert 'STUDENT = "anna"' in script.read_text(encoding="utf-8")
    before = exercise.read_bytes()
    assert prepare("--py") == 0
    assert "all as it was. Your key: anna." in capsys.readouterr().out
    assert exercise.read_bytes() == before

    write_answer(exercise, "def double(x):\n    return x + x")
    mine = exercise.read_bytes()
    assert prepare("--py") == 0
    told = capsys.readouterr().out
    assert "1 with your work, kept" in told
    assert "newer" not in told

    ship(student, "Write each function", "Write every function")
    assert prepare("--py") == 0
    told = capsys.readouterr().out
    assert "1 updated, 1 with your work, kept" in told
    assert f"exercises/{NAME}: the course has a newer one" in told
    assert exercise.read_bytes() == mine
    assert "Write every function" in script.read_text(encoding="utf-8")

    exercise.unlink()
    assert prepare() == 0
    assert "Write every function" in exercise.read_text(encoding="utf-8")


def test_a_notebook_that_was_only_run_is_brought_up_to_date(student):
    assert prepare("--student", "anna") == 0
    exercise = student / "work" / "exercises" / NAME
    notebook = json.loads(exercise.read_text(encoding="utf-8"))
    notebook["cells"][0]["execution_count"] = 1
    exercise.write_text(json.dumps(notebook), encoding="utf-8")
    assert prepare() == 0
    assert cells(exercise)[0]["execution_count"] == 1  # nothing new is there: not even its outputs go
    ship(student, "Write each function", "Write every function")
    assert prepare() == 0
    assert "Write every function" in exercise.read_text(encoding="utf-8")


def test_another_key_goes_into_unchanged_files_only(student, capsys):
    assert prepare("--student", "anna", "--py") == 0
    exercise = student / "work" / "exercises" / NAME
    write_answer(exercise, "def double(x):\n    return x + x")
    assert prepare("--student", "ben", "--py") == 0
    assert (
        f'exercises/{NAME}: has another key. To change it, write STUDENT = "ben"' in capsys.readouterr().out
    )
    assert cells(exercise)[0]["source"] == ['STUDENT = "anna"']
    assert 'STUDENT = "ben"' in (exercise.parent / "u98_double.py").read_text(encoding="utf-8")


def test_files_that_were_there_before_are_the_students(student):
    mine = student / "work" / "exercises" / NAME
    mine.parent.mkdir(parents=True)
    mine.write_text("my own")
    assert prepare("--student", "anna") == 0
    assert mine.read_text() == "my own"


def test_without_a_key_a_random_one_is_made_and_remembered(student, capsys, monkeypatch):
    assert prepare() == 0
    key = re.search(r"Your key: (s-[0-9a-f]{8})\.", capsys.readouterr().out)[1]
    monkeypatch.chdir(student / "work")  # from inside the copies it's the same work folder
    assert prepare() == 0
    assert f"all as it was. Your key: {key}." in capsys.readouterr().out
    assert not (student / "work" / "work").exists()


def test_on_a_terminal_the_key_is_asked_for_once(student, capsys, monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", lambda prompt: "  anna ")
    assert prepare() == 0
    monkeypatch.setattr("builtins.input", lambda prompt: pytest.fail("asked again"))
    assert prepare() == 0
    assert capsys.readouterr().out.count("Your key: anna.") == 2


def test_what_cannot_be_done_is_told(student, capsys, monkeypatch, tmp_path_factory):
    assert prepare("--student", 'a"b') == 1
    assert "try --student with another" in capsys.readouterr().err
    assert prepare("--student", "anna") == 0
    (student / "work" / ".course").write_text("broken")
    assert prepare() == 1
    assert "Delete it and start again" in capsys.readouterr().err
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(start, "homes", lambda: (elsewhere, elsewhere))
    assert prepare() == 1
    assert "there are no notebooks to copy" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_the_lab_tells_its_address_and_ctrl_c_ends_it(student):
    command = [sys.executable, "-m", "course.cli", "start", "--no-browser", "--student", "anna"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        start_new_session=True,
    ) as child:  # fmt: skip
        told = []
        try:
            while "stops it" not in (line := child.stdout.readline()):
                assert line, "it ended before it told an address"
                told.append(line)
            assert re.match(r"JupyterLab: http://\S+/lab\?token=\w+", told[-1])
            time.sleep(0.5)
            os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to all of them
            rest = child.stdout.read()
            assert child.wait(timeout=30) == 0
            assert "Your work is in" in rest
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)

"""check(...) in a session and `course check` in a terminal."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from course.authoring.percent import read
from course.authoring.regions import blanked
from course.check import main
from course.checking import check
from course.checking.local import check_namespace
from course.checking.registry import find
from course.console import command
from course.units import __path__ as units

MULTIPLY = find("u05-multiply")
CELLS = {cell.id: cell for cell in read(Path(units[0]) / "u05_scalar" / "exercises.py")}
SETUP, SOLUTION = CELLS["u05-setup"].source, CELLS["u05-multiply"].source


def namespace(source, **more):
    made = {"__name__": "__main__", **more}
    exec(SETUP, made)
    exec(source, made)
    return made


def test_a_right_answer_gets_all_points_and_a_blank_none():
    assert check_namespace(MULTIPLY, namespace(SOLUTION)).points == 5
    result = check_namespace(MULTIPLY, namespace(blanked(CELLS["u05-multiply"])))
    assert (result.points, result.status) == (0, "missing")
    assert "blank is still there" in result.notes[0]


def test_a_name_that_is_not_there_yet():
    result = check_namespace(MULTIPLY, {})
    assert (result.points, result.status) == (0, "missing")
    assert "Scalar" in result.notes[0]


@pytest.mark.parametrize(
    "text", ["from autodiff import Scalar", "from autodiff.closures import ClosureScalar as Scalar"]
)
def test_what_is_imported_was_not_written(text):
    result = check_namespace(MULTIPLY, namespace(text))
    assert (result.points, result.status) == (0, "forbidden_import")
    assert "imported, not written" in result.notes[0].lower()


def test_an_error_is_told_with_the_line_of_the_students_own_code():
    source = SOLUTION.replace(
        "left, right = self.value, other.value", "left, right = self.value, other.valeu"
    )
    result = check_namespace(MULTIPLY, namespace(source))
    answer = result.failure.answer
    assert (result.status, answer.type) == ("raised", "AttributeError")
    assert "valeu" in answer.message
    assert source.splitlines()[answer.line - 1].strip() == "left, right = self.value, other.valeu"


@pytest.mark.parametrize("attack", ["raise SystemExit(0)", "raise KeyError('x')", "import sys; sys.exit()"])
def test_what_a_students_code_raises_ends_no_session(attack):
    body = f"class Scalar:\n    def __init__(self, *a, **k):\n        {attack}\n"
    assert check_namespace(MULTIPLY, namespace(body)).status == "raised"


def test_check_takes_names_from_the_session_or_objects(capsys):
    made = namespace(SOLUTION)
    points = check("u05-multiply", made["Scalar"])
    told = capsys.readouterr()
    assert points == 5.0
    assert type(points) is float
    assert "5 of 5 points" in told.out
    assert "L0" in told.out
    assert told.err == ""


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (("u05-multiply", 1, 2), {}, TypeError, "looks at Scalar"),
        (("u05-multiply",), {"hints": 4}, ValueError, "1, 2 or 3"),
        (("u05-nothing",), {}, ValueError, "there is no exercise"),
    ],
)
def test_check_used_wrongly(arguments, options, kind, message):
    with pytest.raises(kind, match=message):
        check(*arguments, **options)


def test_the_same_student_gets_the_same_numbers_and_another_gets_others():
    bad = SOLUTION.replace("self.grad(g * right)", "self.grad(g * left)")
    shown = [
        str(check_namespace(MULTIPLY, namespace(bad, STUDENT=key)).failure.case.name)
        for key in ("ada", "ada", "bob")
    ]
    assert shown[0] == shown[1] != shown[2]


# --- in a terminal -----------------------------------------------------------------------------------


def script(tmp_path, source, name="u05_scalar.py"):
    path = tmp_path / name
    path.write_text(
        f"# %% id=u05-setup\n{SETUP}\n\n# %% id=u05-multiply\n{source}\n\n# %%\ncheck('u05-multiply')\n"
    )
    return path


def test_a_file_is_checked_and_the_exit_code_says_whether_all_is_right(tmp_path, capsys):
    assert main(["u05", str(script(tmp_path, SOLUTION))]) == 0
    assert "All of it is right." in capsys.readouterr().out
    wrong = SOLUTION.replace(
        "self.grad(g * right), other.grad(g * left)", "self.grad(g * left), other.grad(g * right)"
    )
    assert main(["u05-multiply", str(script(tmp_path, wrong)), "--hints", "2"]) == 1
    told = capsys.readouterr().out
    assert "uses each factor's own value as its slope in a product" in told
    assert "M16" not in told
    assert "check u05-multiply --hints 3" in told
    assert told.count("u05-multiply:") == 1  # the file's own check cell isn't run as well


def test_an_error_in_a_cell_is_told_and_the_next_one_runs(tmp_path, capsys):
    path = script(tmp_path, SOLUTION)
    path.write_text("# %%\n1 / 0\n\n# %%\n!ls\n%matplotlib inline\n\n" + path.read_text())
    assert main(["u05", str(path)]) == 0
    assert "cell 1, line 1 raised ZeroDivisionError" in capsys.readouterr().out


def test_the_newest_file_in_work_is_taken(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["u05"]) == 2
    told = capsys.readouterr().out
    assert f"there is no folder work/ in {tmp_path}" in told
    assert command("start") in told
    (tmp_path / "work" / "exercises").mkdir(parents=True)
    assert main(["u05"]) == 2
    assert "no file of u05_scalar in work/exercises" in capsys.readouterr().out
    script(tmp_path / "work" / "exercises", SOLUTION)
    assert main(["u05"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"), [(["u77"], "there is no unit"), (["u05", "nowhere.py"], "nowhere.py")]
)
def test_wrong_usage(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().out


def test_a_notebook_that_is_none_says_so(tmp_path, capsys):
    path = tmp_path / "u05_scalar.ipynb"
    path.write_text("{not json")
    assert main(["u05", str(path)]) == 2
    assert "u05_scalar.ipynb" in capsys.readouterr().out


def test_a_console_without_unicode_gets_a_report_too(tmp_path):
    path = script(tmp_path, SOLUTION)
    code = textwrap.dedent(f"""
        from course.checking import check
        exec(open({str(path)!r}).read().split("# %%\\ncheck")[0])
        print(check("u05-multiply"))
    """)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        check=True,
    )
    assert done.stdout.decode("ascii").splitlines()[-1] == "5.0"

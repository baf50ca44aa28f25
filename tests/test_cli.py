"""The `course` command: verbs, suggestions, exit codes, and consoles of every kind."""

import importlib
import io
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from course import cli, console, doctor
from course import testing as course_testing

ROOT = Path(__file__).resolve().parents[1]


def course(*arguments, environment=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "course.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        **options,
    )


@pytest.fixture
def verb(monkeypatch):
    """Make `course try` call a function."""

    def make(function):
        module = types.ModuleType("course_verb_for_tests")
        module.main = function
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(cli.VERBS, "try", ("a verb for tests", f"{module.__name__}:main"))

    return make


class Terminal(io.StringIO):
    def isatty(self):
        return True


# ---- verbs


@pytest.mark.parametrize("name", cli.VERBS)
def test_every_verb_leads_to_a_function(name):
    module, function = cli.VERBS[name][1].split(":")
    assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_alone_it_lists_the_verbs(arguments, capsys):
    try:
        code = cli.main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 0
    told = capsys.readouterr().out
    assert all(f"  {name} " in told for name in cli.VERBS)


@pytest.mark.parametrize(
    ("typed", "meant"), [("dmeo", "demo"), ("Demo", "demo"), ("doktor", "doctor"), ("tests", "test")]
)
def test_a_mistyped_verb_gets_a_suggestion(typed, meant, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([typed])
    assert stop.value.code == 2
    assert f"Did you mean {meant}?" in capsys.readouterr().err


def test_a_verb_like_no_other_gets_the_list(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["xyzzy"])
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert "'xyzzy' is no verb" in told
    assert "Did you mean" not in told


def test_the_version_is_the_packages(capsys):
    from autodiff import __version__

    assert cli.main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_help_imports_no_package_beyond_the_standard_library():
    code = "import sys; from course import cli; cli.main([]); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in told.stdout.splitlines()[-1].split()}
    assert not loaded & {"numpy", "matplotlib", "IPython", "jinja2", "pytest"}


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_exit_code_is_the_verbs(code, verb):
    verb(lambda argv: code)
    assert cli.main(["try"]) == code


def test_a_verb_gets_the_arguments_behind_it(verb):
    seen = []
    verb(lambda argv: seen.extend(argv) or 0)
    cli.main(["try", "--help", "-x", "a b"])
    assert seen == ["--help", "-x", "a b"]


# ---- consoles


def test_control_c_is_one_line_and_130(verb, capsys):
    def interrupted(argv):
        raise KeyboardInterrupt

    verb(interrupted)
    assert cli.main(["try"]) == 130
    assert capsys.readouterr().err == "\ninterrupted\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE")
def test_a_reader_that_leaves_is_no_error():
    read, write = os.pipe()
    os.close(read)
    told = subprocess.run(
        [sys.executable, "-m", "course.cli", "--version"],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert told.stderr == b""
    assert told.returncode == 141


def test_a_console_without_a_letter_prints_a_question_mark():
    told = subprocess.run(
        [sys.executable, "-c", "from course import console; console.prepare(); print('∂x → 3')"],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert told.stdout.split() == [b"?x", b"?", b"3"]
    assert told.returncode == 0


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {}, False),
    ],
)
def test_colour_only_where_it_is_wanted(stream, environment, coloured, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in console.paint("text", "red", stream())) is coloured


def test_an_unknown_style_names_the_known_ones():
    with pytest.raises(ValueError, match=r"bold.*got 'pink'"):
        console.paint("text", "pink")


def test_progress_is_one_line_that_goes_away():
    stream = Terminal()
    with console.progress("fitting", total=3, stream=stream) as step:
        for _ in range(3):
            step("loss 0.5")
    told = stream.getvalue()
    assert "fitting 3/3 loss 0.5" in told
    assert "\n" not in told
    assert told.endswith(" \r")


def test_progress_is_silent_in_a_file():
    stream = io.StringIO()
    with console.progress("fitting", stream=stream) as step:
        step()
    assert stream.getvalue() == ""


# ---- doctor


def test_doctor_finds_all_that_is_needed():
    told = course("doctor")
    assert told.returncode == 0, told.stdout
    for word in ("Python", "numpy", "jupyterlab", "drawing", "graphviz-pure"):
        assert word in told.stdout


def test_doctor_names_what_is_missing(monkeypatch, capsys):
    groups = doctor.requirements()
    monkeypatch.setattr(
        doctor, "requirements", lambda: {**groups, "course": [("no-such-package", ">=2"), ("numpy", "<1")]}
    )
    assert doctor.main([]) == 1
    told = capsys.readouterr().out
    assert "!! no-such-package missing, wanted >=2" in told
    assert "Missing: no-such-package, numpy" in told
    assert "bootstrap.py" in told


def test_doctor_forgives_missing_test_tools(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "requirements", lambda: {"dev": [("no-such-package", "")]})
    assert doctor.main([]) == 0
    assert "still lacks no-such-package" in capsys.readouterr().out


def test_doctor_reports_a_drawing_tier_that_is_none():
    told = course("doctor", environment={"AUTODIFF_DRAWING_TIER": "crayons"})
    assert told.returncode == 1
    assert "crayons" in told.stdout
    assert told.stderr == ""


# ---- test


def test_test_passes_its_arguments_to_pytest(tmp_path):
    told = course("test", "--version", cwd=tmp_path)
    assert told.returncode == 0
    assert "pytest" in told.stdout + told.stderr


def test_test_needs_a_checkout(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(course_testing, "__file__", str(tmp_path / "site-packages" / "course" / "testing.py"))
    monkeypatch.chdir(tmp_path)
    assert course_testing.main([]) == 2
    assert "no checkout" in capsys.readouterr().err


def test_test_needs_pytest(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert course_testing.main([]) == 2
    assert "pytest and hypothesis not installed" in capsys.readouterr().err

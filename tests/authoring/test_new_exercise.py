"""A new exercise, made in a copy of the checkout: it validates, builds, and says what is left."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course.authoring.errors import BuildError
from course.new_exercise import with_imports, write

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the checkout, to be changed."""
    to = tmp_path_factory.mktemp("checkout")
    for folder in ("autodiff", "course", "notebooks", "exercises", "solutions"):
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "bootstrap.py", "LICENSE", "requirements.lock"):
        shutil.copy(ROOT / file, to)
    return to


def course(copy, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "course.cli", *arguments],
        cwd=copy,
        env={
            **os.environ,
            "PYTHONPATH": str(copy),
            "PYTHONIOENCODING": "utf-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
def test_a_new_unit_validates_builds_and_is_released_once_it_is_written(copy):
    told = course(
        copy, "new-exercise", "u88", "chain-rule", "--unit-title", "The chain rule", "--points", "5"
    )
    assert told.returncode == 0, told.stderr
    folder = copy / "course" / "units" / "u88_the_chain_rule"
    told = course(copy, "validate", "u88")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "4 named wrong solutions, 4 caught and named; 1 accepted variants, 1 passed" in told.stdout
    assert "u88_the_chain_rule/checks.py:" in told.stdout
    assert "places are still to be written" in told.stdout
    told = course(copy, "build", "u88")
    assert told.returncode == 0, told.stdout + told.stderr
    assert (copy / "exercises" / "u88_the_chain_rule.ipynb").is_file()
    told = course(copy, "release", str(copy / "out"), "--units", "u88")
    assert told.returncode == 1
    assert "something left to write" in told.stderr
    for path in folder.iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace("TODO", "Now"), encoding="utf-8")
    assert course(copy, "build", "u88").returncode == 0
    told = course(copy, "validate", "u88")
    assert told.returncode == 0, told.stdout
    assert "still to be written" not in told.stdout
    told = course(copy, "release", str(copy / "out"), "--units", "u88")
    assert told.returncode == 0, told.stderr


@pytest.mark.slow
def test_an_exercise_joins_a_unit_that_is_there(copy):
    told = course(copy, "new-exercise", "u04", "squares")
    assert told.returncode == 0, told.stderr
    told = course(copy, "validate", "u04")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "u04-squares" in told.stdout
    assert "u04-combine" in told.stdout
    again = course(copy, "new-exercise", "u04", "squares")
    assert again.returncode == 1
    assert "has u04-squares already" in again.stderr


def test_what_is_made_keeps_the_style(tmp_path):
    folder, _ = write(tmp_path, "u88", "chain-rule", "The chain rule")
    settings = ["--config", str(ROOT / "pyproject.toml")]
    checked = [folder / "checks.py", folder / "probes.py"]
    for command in (["check", "--ignore", "D1,I001"], ["format", "--check"]):
        told = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *settings, *checked],
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize(
    ("prefix", "name", "title", "said"),
    [
        ("u8", "chain-rule", "Title", "named like u08"),
        ("u88", "Chain", "Title", "named like chain-rule"),
        ("u88", "import", "Title", "named like chain-rule"),
        ("u88", "a-check", "Title", "named like chain-rule"),
        ("u88", "chain-rule", "", "there is no unit u88"),
        ("u87", "chain-rule", "Title", "Leave --unit-title out"),
        ("u87", "first", "", "has u87-first already"),
    ],
)
def test_what_cannot_be_made_is_told_and_writes_nothing(prefix, name, title, said, tmp_path):
    folder, _ = write(tmp_path, "u87", "first", "There already")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BuildError, match=said):
        write(tmp_path, prefix, name, title)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["u87_there_already"]


def test_imports_that_are_there_are_not_written_again(tmp_path):
    head = "import numpy as np\nfrom a import b, c\n"
    assert with_imports('"""Doc."""\n\nfrom a import (\n    b,\n)\n\nx = 1\n', head, tmp_path) == (
        '"""Doc."""\n\nfrom a import (\n    b,\n)\nimport numpy as np\nfrom a import c\n\nx = 1\n'
    )

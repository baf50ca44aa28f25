"""Scalar and the drawings run in a Python that has nothing installed, as they must in a browser."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """A new virtual environment's Python, without even pip."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def run(code: str) -> str:
        told = subprocess.run(
            [python, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=folder,
        )
        assert told.returncode == 0, told.stderr
        return told.stdout.strip()

    return run


GRADIENT = "from autodiff import {name}; x = {name}(2.0, 'x'); print((x * x + x).grad())"


def test_numpy_is_not_there(bare_python):
    assert bare_python("import importlib.util as u; print(u.find_spec('numpy'))") == "None"


@pytest.mark.parametrize("name", ["Scalar", "ClosureScalar"])
def test_a_gradient_needs_no_numpy(bare_python, name):
    assert bare_python(GRADIENT.format(name=name)) == "{'x': 5.0}"


def test_importing_the_package_imports_none_of_its_files(bare_python):
    told = bare_python("import autodiff; print([m for m in sys.modules if m.startswith('autodiff')])")
    assert told == "['autodiff']"


def test_a_drawing_needs_no_numpy(bare_python):
    code = (
        "from autodiff import Scalar, draw\nprint(draw(Scalar(2.0, 'x') * 3.0)._repr_mimebundle_()[0].keys())"
    )
    assert "image/svg+xml" in bare_python(code)

"""Adding an operation takes one file, as CONTRIBUTING.md says: its example, put where it says, in a copy."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HOME = re.search(r"put at the end of `(autodiff/ops/\w+\.py)`", TEXT)[1]
ROW = re.search(r"is complete:\n\n```python\n(.*?)```", TEXT, re.S)[1]
NAME = re.match(r"(\w+) =", ROW)[1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the checkout in which the example stands where CONTRIBUTING.md puts it."""
    to = tmp_path_factory.mktemp("checkout")
    for folder in ("autodiff", "course", "tests/ops"):
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", to)
    with (to / HOME).open("a", encoding="utf-8") as file:
        file.write(f"\n{ROW}")
    return to


def python(copy, *args):
    told = subprocess.run(
        [sys.executable, *args],
        cwd=copy,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(copy)},
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def test_it_is_there_with_all_its_derivatives(copy):
    code = f"""
import numpy as np, autodiff as ad
assert ad.__file__.startswith({str(copy)!r})
f = ad.{NAME}
x = np.array([0.3, -1.2])
assert np.allclose(f(x), 1 - np.cos(x))
assert np.allclose(ad.elementwise_grad(f)(x), np.sin(x), rtol=1e-14)
assert np.allclose(ad.elementwise_grad(ad.elementwise_grad(f))(x), np.cos(x), rtol=1e-14)
assert np.allclose(ad.jvp(f, (x,), (np.ones(2),))[1], np.sin(x), rtol=1e-14)
assert {NAME!r} in dir(ad)
"""
    python(copy, "-c", code)


def test_its_tests_are_there_unasked(copy):
    told = python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/ops", "-k", NAME)
    assert int(re.search(r"(\d+) passed", told)[1]) >= 6


def test_the_page_of_operations_has_it(copy):
    told = python(copy, "-c", "from course.authoring.reference import page; print(page())")
    line = next(line for line in told.splitlines() if line.startswith(f"| `{NAME}`"))
    assert "g * sin(a)" in line


def test_a_row_with_options_needs_a_case(copy):
    with (copy / HOME).open("a", encoding="utf-8") as file:
        file.write(
            f'\n{NAME}_times = elementwise("{NAME}_times", "", lambda a, n=1: n * a, a=lambda g, n: g * n)\n'
        )
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/ops/test_complete.py"],
        cwd=copy, capture_output=True, text=True, env={"PYTHONPATH": str(copy)}, check=False,
    )  # fmt: skip
    assert told.returncode == 1
    assert f"{NAME}_times" in told.stdout

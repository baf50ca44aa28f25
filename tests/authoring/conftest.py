"""A unit that only these tests know, u98_double, seen by the registry while a test asks for it."""

from pathlib import Path

import pytest

import course.units

UNITS = Path(__file__).parent / "units"


@pytest.fixture
def units(monkeypatch):
    """The folder of test units, in the registry beside the real ones."""
    monkeypatch.setattr(course.units, "__path__", [*course.units.__path__, str(UNITS)])
    return UNITS


@pytest.fixture
def checkout(units, tmp_path):
    """A folder into which the test unit was built, lessons left out."""
    from course.authoring.build import main

    assert main(["--units", str(units), "--into", str(tmp_path), "--no-lessons"]) == 0
    return tmp_path

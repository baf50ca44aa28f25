"""What is committed in notebooks/, exercises/ and solutions/ is what the units' sources build."""

import pytest

from course.authoring.build import main


def told(capsys):
    return "\n" + capsys.readouterr().out  # names each file that differs, and what to run


def test_committed_files_have_their_sources_cells(capsys):
    assert main(["--check", "--no-lessons"]) == 0, told(capsys)


@pytest.mark.slow
def test_committed_lessons_show_what_a_new_run_shows(capsys):
    assert main(["--check"]) == 0, told(capsys)

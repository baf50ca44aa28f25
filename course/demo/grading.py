"""Three submissions of one exercise, graded as a class would be: a right one, a wrong one, a blank."""

from __future__ import annotations

import shutil
from pathlib import Path

from course.grading.grade import grade_folder
from course.grading.outputs import print_table
from course.grading.unit import load_units
from course.trials import Trial, trials

UNIT = "u05"
STUDENTS = {"ada": ("solution", ""), "ben": ("wrong", "M16"), "cleo": ("blank", "")}


def submission(trial: Trial) -> str:
    """A student's script of that answer, cell by cell."""
    return "".join(f"# %% id={name}\n{text}\n\n" for name, text in trial.cells)


def grade_three(folder: Path) -> Path:
    """Write three submissions into `folder`, grade them, print the table; the folder of the results."""
    (unit,) = load_units([UNIT])
    answers = {(trial.kind, trial.name): trial for trial in trials(unit)}
    handed_in, out = folder / "submissions", folder / "grades"
    for stale in (handed_in, out):  # a demo tells the same story every time
        shutil.rmtree(stale, ignore_errors=True)
    for student, answer in STUDENTS.items():
        path = handed_in / student / f"{unit.name}.py"
        path.parent.mkdir(parents=True)
        path.write_text(submission(answers[answer]), encoding="utf-8")
    print_table(grade_folder(handed_in, out, unit_names=[UNIT]).rows)
    return out

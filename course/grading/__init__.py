"""Grades submissions: in as text, run in processes apart, out as plain numbers, judged here, recorded."""

from course.grading.grade import Graded, grade_folder
from course.grading.limits import Isolation, Limits
from course.grading.outputs import print_table

__all__ = ["Graded", "Isolation", "Limits", "grade_folder", "print_table"]

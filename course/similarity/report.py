"""The pairs of a class as a page, a table for a spreadsheet, and lines for a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from importlib.resources import files

from autodiff.drawing.page import page
from course.grading.feedback import environment_of_pages
from course.grading.outputs import cell, visible
from course.similarity.pairs import Compared, Match, Pair

COLUMNS = (
    "student_a", "student_b", "share", "exercise", "exercise_share", "fingerprints", "lines_a", "lines_b",
)  # fmt: skip
VERDICT = "Pairs to look at, no verdict: what a passage means, only a talk with both can tell."


def percent(share: float) -> str:
    """A share without decimals: 87 %."""
    return f"{100 * share:.0f} %"


def line_ranges(lines: Sequence[tuple[int, int]]) -> str:
    """Lines in words: lines 3-9, 12."""
    told = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in lines)
    return f"line{'s' if '-' in told or ',' in told else ''} {told}"


def marked(match: Match, side: int) -> list[tuple[str, bool]]:
    """The lines of one side, each with whether it's in common."""
    shared = {n for first, last in match.lines[side] for n in range(first, last + 1)}
    return [(visible(text), n in shared) for n, text in enumerate(match.sources[side].split("\n"), 1)]


def html_text(told: Compared, shown: Sequence[Pair]) -> str:
    """similarity.html."""
    environment = environment_of_pages()
    environment.filters.update(percent=percent, lines=line_ranges, marked=marked)
    template, style = (
        (files("course.similarity") / f"report.{form}").read_text("utf-8") for form in ("html.j2", "css")
    )
    inside = environment.from_string(template).render(told=told, shown=shown)
    return page("Submissions that are alike", inside, style)


def csv_text(shown: Sequence[Pair]) -> str:
    """similarity.csv: a row for each exercise of each pair."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in shown:
        for match in pair.matches:
            lines = (line_ranges(each) for each in match.lines)
            row = (*pair.students, round(pair.share, 4), match.exercise, round(match.share, 4), match.shared)
            writer.writerow([cell(value) for value in (*row, *lines)])
    return file.getvalue()


def terminal_text(told: Compared, shown: Sequence[Pair]) -> str:
    """One line a pair, each exercise with its lines, and what the list is not."""
    rows = []
    for pair in shown:
        places = "; ".join(
            f"{m.exercise} {percent(m.share)} ({line_ranges(m.lines[0])} and {line_ranges(m.lines[1])})"
            for m in pair.matches
        )
        rows.append(
            f"{percent(pair.share):>5}  {visible(pair.students[0])}, {visible(pair.students[1])}: {places}"
        )
    rows += [f"note: {visible(note)}" for note in told.notes]
    counted = f"{len(shown)} of {len(told.pairs)} pairs shown, of {told.students} students."
    return "\n".join([*rows, f"{counted} {VERDICT}"])

"""grades.csv, grades.json, times.jsonl and the table on the terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from course import console
from course.checking.report import shorten
from course.grading.outcome import Outcome

COLUMNS = (
    "student", "unit", "exercise", "attempt", "points", "max_points", "status", "mistake", "confidence",
    "seed", "late", "manual", "isolation", "build",
)  # fmt: skip
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def row_of(outcome: Outcome) -> dict[str, Any]:
    """One row of grades.csv and grades.json."""
    manual = "" if outcome.automatic is None else f"manual (automatic: {number(outcome.automatic)})"
    return {
        "student": outcome.student,
        "unit": outcome.unit,
        "exercise": outcome.exercise,
        "attempt": outcome.attempt,
        "points": outcome.points,
        "max_points": outcome.max_points,
        "status": outcome.status,
        "mistake": outcome.mistake,
        "confidence": outcome.confidence,
        "seed": outcome.seed,
        "late": outcome.late,  # the learning platform's to say, like `received`
        "manual": manual,
        "isolation": outcome.isolation["level"],
        "build": outcome.build,
    }


def number(value: float) -> str:
    """Points: two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def visible(text: str) -> str:
    """A text whose control and direction characters can be seen and do nothing."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def cell(value: Any) -> str:
    """A CSV cell that no spreadsheet takes for a formula; real numbers stay numbers."""
    text = number(value) if isinstance(value, float) else visible(str(value))
    if text.lstrip().startswith(tuple("=+-@＝＋－＠")) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """grades.csv."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([cell(row[name]) for name in COLUMNS] for row in rows)
    return file.getvalue()


def json_text(
    outcomes: Iterable[Outcome], versions: Mapping[str, str], isolation: Mapping[str, Any], handed_in: str
) -> str:
    """grades.json: the same rows, with families, versions, how student code was held, how it came in."""
    rows = [
        {**row_of(o), "received": o.received, "families": o.families, "isolation": o.isolation}
        for o in outcomes
    ]
    told = {
        "versions": dict(versions), "isolation": dict(isolation), "handed_in": handed_in, "rows": rows
    }  # fmt: skip
    return json.dumps(told, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8", newline="\n", errors="backslashreplace")
    os.replace(draft, path)


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """The summary: student, exercise, points, status, mistake."""
    lines = [("student", "exercise", "points", "status", "mistake")]
    for row in rows:
        points = f"{number(row['points'])} of {number(row['max_points'])}"
        status = "manual" if row["manual"] else row["status"]
        lines.append((shorten(row["student"], 24), row["exercise"], points, status, row["mistake"]))
    widths = [max(len(line[k]) for line in lines) for k in range(5)]
    for place, line in enumerate(lines):
        text = "  ".join(
            part.rjust(width) if k == 2 else part.ljust(width)
            for k, (part, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        style = "bold" if place == 0 else {"pass": "green", "manual": "blue"}.get(line[3], "yellow")
        print(console.paint(text, style))

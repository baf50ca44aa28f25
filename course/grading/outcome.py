"""What the grader records of one question: plain data, from which every output is made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from course.checking.evaluate import Result
from course.checking.exercise import Exercise
from course.checking.report import Report
from course.grading.limits import Isolation

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_UNNAMED = {"wrong_value", "wrong_shape", "wrong_dtype", "not_finite", "nondeterministic", "raised"}


@dataclass(frozen=True)
class Outcome:
    """One student, one exercise."""

    student: str
    unit: str
    exercise: str
    attempt: int
    points: float
    max_points: float
    status: str
    mistake: str
    mistake_title: str
    confidence: str  # sure: a known mistake at two seeds; not sure: none is known; "" where none is meant
    seed: str
    build: str
    isolation: dict[str, Any]
    families: list[dict[str, Any]]
    findings: list[str]
    notes: list[str]
    record: list[str] = field(default_factory=list)  # the instructor's findings: hidden cases and codes, too
    hints: int = 0  # how many were shown
    automatic: float | None = None  # the grader's own points where a person gave others
    comment: str = ""
    received: str = ""  # as the platform said, told anew by each run
    late: str = ""

    def to_json(self) -> str:
        """As stored."""
        return json.dumps(asdict(self), ensure_ascii=True, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """As it was stored."""
        return cls(**json.loads(text))

    def with_manual(self, points: float, comment: str) -> Outcome:
        """The same with a person's points, which always win."""
        return replace(self, points=points, automatic=self.points, comment=comment)


@dataclass(frozen=True)
class Job:
    """What is to be graded: all that an outcome says of its origin."""

    key: str
    student: str
    unit: str
    exercise: str
    attempt: int
    seeds: tuple[int, int]
    build: str


def outcome_of(
    job: Job, exercise: Exercise, result: Result, isolation: Isolation, notes: Iterable[str], folder: str = ""
) -> Outcome:
    """A result as plain data; addresses and folder names, which differ from run to run, taken out."""
    report = Report(exercise, result, hints=1, note="")
    told = report.findings()
    families = [
        {
            "name": family.name,
            "label": exercise.labels[family.name],
            "status": family.status,
            "points": round(family.points, 4),
            "max_points": family.max_points,
        }
        for family in result.families
    ]
    mistake = result.mistake
    return Outcome(
        job.student,
        job.unit,
        job.exercise,
        job.attempt,
        result.points,
        result.max_points,
        result.status,
        mistake.name if mistake else "",
        mistake.title if mistake else "",
        "sure" if mistake else "not sure" if result.status in _UNNAMED else "",
        ":".join(f"{one:032x}" for one in job.seeds),
        job.build,
        isolation.as_dict(),
        families,
        [scrub(line, folder) for line in told],
        [scrub(line, folder) for line in notes],
        [scrub(line, folder) for line in replace(report, full=True).findings()],
        sum(line.startswith("Hint ") for line in told),
    )


def scrub(text: str, folder: str = "") -> str:
    """A text without what is different in every process."""
    if folder:
        text = text.replace(folder, "")
    return _ADDRESS.sub("0x…", text)

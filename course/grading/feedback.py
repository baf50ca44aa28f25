"""Pages: one per student as HTML and Markdown, and the class on one dashboard. No script, nothing fetched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import jinja2

from autodiff.drawing.page import page
from course.checking.exercise import STATUSES
from course.grading.intake import safe_name
from course.grading.limits import Isolation
from course.grading.outcome import Outcome
from course.grading.outputs import number, visible


def environment_of_pages() -> jinja2.Environment:
    """Templates that escape all they are given, and show controls and directions instead of obeying them."""
    return jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )


def _environment() -> jinja2.Environment:
    environment = environment_of_pages()
    environment.filters["number"] = number
    environment.globals["statuses"] = STATUSES
    environment.loader = jinja2.FunctionLoader(_beside)
    return environment


def _beside(name: str) -> str:
    return (files("course.grading") / name).read_text(encoding="utf-8")


def _page(title: str, template: str, **told: Any) -> str:
    inside = _environment().get_template(template).render(**told)
    return page(title, inside, _beside("page.css"))


def student_html(student: str, outcomes: Sequence[Outcome], isolation: Isolation) -> str:
    """A student's page."""
    told = _student(student, outcomes, isolation)
    return _page(f"{visible(student)}: feedback", "feedback.html.j2", **told)


def _student(student: str, outcomes: Sequence[Outcome], isolation: Isolation) -> dict[str, Any]:
    total, most = sum(o.points for o in outcomes), sum(o.max_points for o in outcomes)
    told = {"student": student, "outcomes": outcomes, "total": total, "most": most}
    return {**told, "isolation": isolation, "held": held(isolation)}


def held(isolation: Isolation) -> str:
    """How the code was run, in a student's words; the level stands for the rest, which instructors read."""
    room = "a program of its own" if isolation.level in ("L0", "L1") else "a closed room of its own"
    return (
        f"Isolation {isolation.level}: your code ran in {room}, on numbers drawn for you that nobody had "
        "seen. Only the numbers that it answered with were judged."
    )


def student_markdown(student: str, outcomes: Sequence[Outcome], isolation: Isolation) -> str:
    """The same in Markdown."""
    told = _student(student, outcomes, isolation)
    lines = [f"# {_plain(student)}", "", f"{number(told['total'])} of {number(told['most'])} points", ""]
    for o in outcomes:
        lines += [f"## {o.exercise}: {number(o.points)} of {number(o.max_points)} points", ""]
        if o.automatic is not None:
            lines += [f"Given by hand (automatic: {number(o.automatic)}). {_plain(o.comment)}", ""]
        for f in o.families:
            mark = "passed" if f["status"] == "pass" else "not yet"
            points = f"{number(f['points'])} of {number(f['max_points'])}"
            lines.append(f"- {mark}: **{f['name']}**, {_plain(f['label'])} ({points})")
        lines += ["", *(line for text in o.findings for line in (_plain(text), ""))]
        lines += [f"> {_plain(text)}" for text in o.notes] + ([""] if o.notes else [])
    lines += ["---", _plain(held(isolation)), ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """A text that Markdown shows as it stands: no markup, no HTML, no link of the student's."""
    shown = visible(text.strip()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = re.sub(r"([\\`*_{}\[\]#|~$@]|(?<=[a-z]):(?=/)|(?<=www)\.|^[-+=])", r"\\\1", shown, flags=re.I)
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", escaped)


def dashboard(outcomes: Sequence[Outcome], notes: Sequence[str], isolation: Isolation) -> str:
    """Students by exercises, and the mistakes made most often."""
    exercises = sorted({(o.unit, o.exercise) for o in outcomes})
    students = sorted({o.student for o in outcomes})
    by_place = {(o.student, o.exercise): o for o in outcomes}
    titles = {(o.exercise, o.mistake): o.mistake_title for o in outcomes if o.mistake}
    counted = Counter((o.exercise, o.mistake) for o in outcomes if o.mistake)
    states = Counter(o.status for o in outcomes)
    rows = [
        {
            "student": student,
            "page": f"feedback/{safe_name(student)}.html",
            "cells": [by_place[student, exercise] for _, exercise in exercises],
            "total": sum(by_place[student, exercise].points for _, exercise in exercises),
        }
        for student in students
    ]
    mistakes = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:20]
    return _page(
        "The class",
        "dashboard.html.j2",
        exercises=[exercise for _, exercise in exercises],
        rows=rows,
        mistakes=[(e, m, titles[e, m], count) for (e, m), count in mistakes],
        states=sorted(states.items(), key=lambda item: (-item[1], item[0])),
        notes=notes,
        isolation=isolation,
    )

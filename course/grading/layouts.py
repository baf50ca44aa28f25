"""Whose file is it, and from when? Learning platforms say so in the names of what they let one download.

Only what the platform wrote is believed, and in each name what stands first: the end of a file's name is the
student's own, and could imitate another student's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

METADATA = "submission_metadata.yml"
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?P<number>\d+)_(?P<file>.+)", re.S)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.S)
_BLACKBOARD = re.compile(
    r"(?P<title>.+?)_(?P<user>[^_]+)_attempt_(?P<date>\d{4}(?:-\d\d){5})(?P<end>\.txt|_(?P<file>.+))", re.S
)
_GRADESCOPE = re.compile(r"submission_(?P<number>\d+)(?P<zip>\.zip)?", re.I)
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<number>\d{1,3})(?P<ending>\.\w+)", re.S)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?")
_LINE = re.compile(r"(?P<indent>[ -]*):?(?P<key>\w+):(?: +(?P<value>.*))?$")


@dataclass(frozen=True)
class Label:
    """What the name of one entry says; of each student's `series` the entries of the last attempt count."""

    student: str
    file: str = ""  # the name without the platform's part; "" for a folder
    person: str = ""
    received: str = ""
    late: str = ""  # yes, no, or "" where the platform doesn't say
    series: str = ""
    attempt: tuple[str, int] = ("", 0)


Labels = dict[str, list[Label]]  # an entry may be the work of a group
Peek = Callable[[str], str]  # the beginning of a file that the platform wrote


def recognise(kinds: Mapping[str, str], peek: Peek) -> tuple[str, Labels]:
    """The platform that most names fit, and what it says of each; ("", {}) if none fits."""
    found = [(name, make(kinds, peek)) for name, make in _PLATFORMS.items()]
    name, labels = max(found, key=lambda one: len(one[1]))  # of equals the first
    return (name, labels) if labels else ("", {})


def _canvas(kinds: Mapping[str, str], peek: Peek) -> Labels:
    labels: Labels = {}
    for entry, kind in kinds.items():
        told = _CANVAS.fullmatch(entry) if kind == "file" else None
        if told:
            labels[entry] = [_canvas_label(told, kinds)]
    return labels


def _canvas_label(told: re.Match[str], kinds: Mapping[str, str]) -> Label:
    """Canvas adds -1, -2 … to a file that was handed in again: an attempt only if the first is here too."""
    file, number = told["file"], int(told["number"][:18])
    again = _AGAIN.fullmatch(file)
    first = f"{again['stem']}{again['ending']}" if again else ""
    start = re.escape(f"{told['name']}_") + rf"(?:LATE_)?{told['user']}_\d+_" + re.escape(first)
    resent = again is not None and any(re.fullmatch(start, other) for other in kinds)
    series = first if resent else file
    attempt = int(again["number"]) if again and resent else 0
    late = "yes" if told["late"] else "no"
    return Label(told["user"], file, told["name"], "", late, series, (f"{attempt:04}", number))


def _moodle(kinds: Mapping[str, str], peek: Peek) -> Labels:
    return {
        entry: [Label(told["user"], told["file"] or "" if kind == "file" else "", told["name"])]
        for entry, kind in kinds.items()
        if (told := _MOODLE.fullmatch(entry)) and kind != "other" and (kind == "folder" or told["file"])
    }


def _blackboard(kinds: Mapping[str, str], peek: Peek) -> Labels:
    told = {e: m for e, kind in kinds.items() if kind == "file" and (m := _BLACKBOARD.fullmatch(e))}
    users: dict[str, str] = {}  # an id with "_" in it can't be told from the title, but the .txt names it
    for entry, match in told.items():
        if match["end"] == ".txt":
            head = entry[: entry.index("_attempt_")]
            line = peek(entry).partition("\n")[0]
            named = re.fullmatch(r"Name:.*\(([^()]+)\)\s*", line)
            if named and head.endswith(f"_{named[1]}"):
                users[head] = named[1]
    labels: Labels = {}
    for entry, match in told.items():
        student = users.get(entry[: entry.index("_attempt_")], match["user"])
        received = _blackboard_date(match["date"])
        file = match["file"] or "submission.txt"
        labels[entry] = [Label(student, file, "", received, "", "", (match["date"], 0))]
    return labels


def _blackboard_date(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S").isoformat()
    except ValueError:
        return ""


def _gradescope(kinds: Mapping[str, str], peek: Peek) -> Labels:
    told = {e: m for e, kind in kinds.items() if kind != "other" and (m := _GRADESCOPE.fullmatch(e))}
    about = _metadata(peek(METADATA)) if told and kinds.get(METADATA) == "file" else {}
    labels: Labels = {}
    for entry, match in told.items():
        if (kinds[entry] == "file") != bool(match["zip"]):
            continue
        number = int(match["number"][:18])
        received, people = about.get(f"submission_{match['number']}", ("", []))
        file = entry if match["zip"] else ""
        who = people or [(f"submission_{number}", "")]
        labels[entry] = [Label(one, file, name, received, "", "", (received, number)) for one, name in who]
    return labels


def _metadata(text: str) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Date and (id, name) of the submitters by submission, from the lines of Gradescope's YAML.

    Read by lines, not as YAML: it holds every student's feedback as well, and only three keys are wanted.
    """
    found: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    current, section, person = "", "", dict[str, str]()
    for line in [*text.splitlines(), "end:"]:
        told = _LINE.match(line)
        if told is None:
            continue
        depth, key, value = len(told["indent"]), told["key"], (told["value"] or "").strip().strip("'\"")
        if depth <= 2 or "-" in told["indent"]:
            _enlist(found, current, person)
        if depth == 0:
            current, section = key, ""
        elif depth <= 2 and "-" not in told["indent"]:
            section = key
            if key == "created_at":
                found[current] = (utc(value), found.get(current, ("", []))[1])
        if section == "submitters" and key in ("sid", "email", "name"):
            person[key] = value
    return {key: (date, people) for key, (date, people) in found.items() if date or people}


def _enlist(
    found: dict[str, tuple[str, list[tuple[str, str]]]], current: str, person: dict[str, str]
) -> None:
    who = person.get("sid") or person.get("email")
    if current and who:
        date, people = found.get(current, ("", []))
        found[current] = (date, [*people, (who, person.get("name", ""))])
    person.clear()


def utc(text: str) -> str:
    """A date as platforms write it, in UTC, or "" where it is none."""
    told = _DATE.match(text)
    if not told:
        return ""
    zone = "+00:00" if told[3] in ("Z", "UTC") else told[3] or ""
    try:
        moment = datetime.fromisoformat(f"{told[1]}T{told[2]}{zone}")
    except ValueError:
        return ""
    if not zone:
        return moment.isoformat()
    try:
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return ""


_PLATFORMS: dict[str, Callable[[Mapping[str, str], Peek], Labels]] = {
    "Gradescope": _gradescope,
    "Moodle": _moodle,
    "Blackboard": _blackboard,
    "Canvas": _canvas,
}

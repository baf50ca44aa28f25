"""The student's own copies: what `course start` writes into work/, and what it leaves alone there.

A file in which somebody has worked is never overwritten. `work/.course` remembers the student's key and,
for each file, what was handed out.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MANIFEST = ".course"
STUDENT_LINE = 'STUDENT = ""'
FOLDERS = ("notebooks", "exercises")


class HandoutError(Exception):
    """The copies can't be made; the message says why and what to try."""


@dataclass
class Outcome:
    """Names of files: newly copied, brought up to date, as they were, kept because they were worked in."""

    new: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)  # kept, though the course has a newer one
    other_key: list[str] = field(default_factory=list)  # kept, with another student's key in it


def shipped_files(source: Path, scripts: bool = False) -> list[Path]:
    """The notebooks of a checkout or a release; with `scripts` the exercises' .py files as well."""
    kinds = ("*.ipynb", "*.py") if scripts else ("*.ipynb",)
    return sorted(path for folder in FOLDERS for kind in kinds for path in (source / folder).glob(f"u{kind}"))


def read_manifest(work: Path) -> dict[str, Any]:
    """What was handed out so far; an empty one where there is none, or none that can be read."""
    try:
        told = json.loads((work / MANIFEST).read_text(encoding="utf-8"))
        return {"student": str(told["student"]), "files": dict(told["files"])}
    except FileNotFoundError:
        return {"student": "", "files": {}}
    except (ValueError, KeyError, TypeError) as problem:
        raise HandoutError(
            f"{work / MANIFEST} can't be read ({problem}). Delete it and start again: your files stay, and "
            "you are asked for your key once more."
        ) from problem


def hand_out(source: Path, work: Path, student: str, scripts: bool = False) -> Outcome:
    """Copy new and unchanged files with the student's key in them; remember what was written."""
    manifest = read_manifest(work)
    known, outcome = manifest["files"], Outcome()
    for path in shipped_files(source, scripts):
        name = path.relative_to(source).as_posix()
        text = personal(path.read_text(encoding="utf-8"), path.suffix, student)
        target, sent = work / name, {"sent": _digest(text), "content": content(text, path.suffix)}
        there = _read(target)
        if there is None:
            outcome.new.append(name)
        elif content(there, path.suffix) == sent["content"]:  # perhaps run, but nothing written into it
            if name in known and known[name]["sent"] == sent["sent"]:
                outcome.same.append(name)
                continue
            outcome.updated.append(name)
        elif name in known and content(there, path.suffix) == known[name]["content"]:
            outcome.updated.append(name)
        else:
            _keep(outcome, name, there, sent, known.get(name), student)
            continue
        write_whole(target, text)
        known[name] = sent
    manifest["student"] = student
    write_whole(work / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    return outcome


def _keep(
    outcome: Outcome, name: str, there: str, sent: dict[str, str], known: dict[str, str] | None, student: str
) -> None:
    outcome.kept.append(name)
    if known is None or known["sent"] != sent["sent"]:
        outcome.newer.append(name)
    if name.startswith("exercises/") and json.dumps(student) not in there.replace('\\"', '"'):
        outcome.other_key.append(name)


def personal(text: str, suffix: str, student: str) -> str:
    """The text of a shipped file with the student's key in its first cell; a lesson has none."""
    line = f"STUDENT = {json.dumps(student)}"
    if suffix == ".py":
        return text.replace(f"\n{STUDENT_LINE}\n", f"\n{line}\n", 1)
    notebook = json.loads(text)
    first = notebook["cells"][:1]
    if not first or "".join(first[0]["source"]) != STUDENT_LINE:
        return text
    first[0]["source"] = [line]
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def content(text: str, suffix: str) -> str:
    """A digest of what somebody may have written: a notebook's cells, whatever their outputs."""
    if suffix == ".py":
        return _digest(text)
    try:
        cells = json.loads(text)["cells"]
        return _digest(json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]))
    except (ValueError, KeyError, TypeError):
        return _digest(text)  # no notebook any more: whatever it is, it was changed


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(text.encode())
        beside.replace(path)
    except OSError as problem:
        raise HandoutError(f"can't write {path}: {problem}. May you write to this folder?") from problem
    finally:
        beside.unlink(missing_ok=True)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise HandoutError(f"can't read {path}: {problem}. Close what uses it, and try again.") from problem


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

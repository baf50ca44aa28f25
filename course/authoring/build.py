"""`course build`: from the sources to notebooks, exercises, solutions, docs/ops.md; `--check` compares."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import course.units
from course import console
from course.authoring import notebooks, reference
from course.authoring.compare import difference
from course.authoring.errors import BuildError
from course.authoring.execute import execute, refuse_large
from course.authoring.sources import Sources, choose, find_units, read_sources

FOLDERS = ("notebooks", "exercises", "solutions")
_BUILT = re.compile(r"u\d\d_\w+\.(ipynb|py)")


@dataclass(frozen=True)
class Plan:
    """What a build gives: texts by path, and the paths of lessons that were left out of it."""

    files: dict[str, str]
    skipped: tuple[str, ...]


def plan(sources: Sequence[Sources], lessons: bool, jobs: int = 2) -> Plan:
    """The files of these units; with `lessons` their lessons are executed, else they have no outputs."""
    files: dict[str, str] = {}
    for one in sources:
        if one.exercises:
            name = one.unit.name
            files[f"exercises/{name}.ipynb"] = notebooks.to_text(notebooks.exercises(one.unit, one.exercises))
            files[f"exercises/{name}.py"] = notebooks.script(one.unit, one.exercises)
            files[f"solutions/{name}.ipynb"] = notebooks.to_text(notebooks.solutions(one.unit, one.exercises))
    taught = [one for one in sources if one.lesson]
    with (
        ThreadPoolExecutor(max(1, jobs)) as pool,
        console.progress("lessons", len(taught)) as step,
    ):
        for one, text in zip(taught, pool.map(lambda o: _lesson(o, lessons), taught), strict=True):
            files[_lesson_path(one)] = text
            step(one.unit.name)
    return Plan(files, () if lessons else tuple(_lesson_path(one) for one in taught))


def _lesson_path(one: Sources) -> str:
    return f"notebooks/{one.unit.name}.ipynb"


def _lesson(one: Sources, run: bool) -> str:
    notebook = notebooks.lesson(one.unit, one.lesson)
    if run:
        execute(notebook, one.lesson)
    text = notebooks.to_text(notebook)
    refuse_large(_lesson_path(one), text, one.lesson, notebook)
    return text


def write(made: Plan, root: Path) -> list[str]:
    """Write what has changed, each file whole or not at all; the paths that were written."""
    written = []
    for name, text in made.files.items():
        path, content = root / name, text.encode()
        if name in made.skipped or (path.is_file() and path.read_bytes() == content):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        written.append(name)
    return written


def left_over(root: Path, expected: set[str]) -> Iterator[str]:
    """Built files that no source builds any more."""
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("u*")):
            name = f"{folder}/{path.name}"
            if _BUILT.fullmatch(path.name) and name not in expected:
                yield name


def differences(made: Plan, root: Path) -> list[str]:
    """One line for each committed file that isn't what its sources build."""
    lines = []
    for name, text in made.files.items():
        path = root / name
        if not path.is_file():
            lines.append(f"{name} is missing")
            continue
        old = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        if not name.endswith(".ipynb"):
            where = "" if old == text else "its text"
        else:
            where = difference(old, text, outputs=name not in made.skipped)
        if where:
            lines.append(f"{name} differs: {where}")
    return lines


def main(argv: list[str]) -> int:
    """Build, or check: 0 when done or up to date, 1 when a source is wrong or a file differs."""
    options = _options(argv)
    try:
        root = options.into or options.units.parents[1]  # the checkout around course/units
        if not options.into and not (root / "pyproject.toml").is_file():
            raise BuildError(
                f"{root} is no checkout of the course. Run this in a clone, or say --into FOLDER."
            )
        folders = find_units(options.units)
        sources = [read_sources(folder) for folder in choose(folders, options.unit)]
        made = plan(sources, not options.no_lessons, options.jobs)
        if not options.unit and not options.into:
            made.files.update(reference.pages())
        old = [] if options.unit else list(left_over(root, set(made.files)))
        return _check(made, root, old) if options.check else _build(made, root, old)
    except BuildError as problem:
        print(problem, file=sys.stderr)
        return 1


def _build(made: Plan, root: Path, old: list[str]) -> int:
    for name in write(made, root):
        print(f"wrote    {name}")
    for name in old:
        (root / name).unlink()
        print(f"removed  {name}")
    for name in made.skipped:
        print(f"left     {name} (lessons weren't run)")
    print(f"{len(made.files) - len(made.skipped)} files are up to date.")
    return 0


def _check(made: Plan, root: Path, old: list[str]) -> int:
    lines = differences(made, root) + [f"{name} is left over: no unit builds it" for name in old]
    for line in lines:
        print(line)
    if lines:
        print("\nThese files are built, never edited. Run  course build  and commit what it writes.")
        return 1
    print(f"{len(made.files)} files are what their sources build.")
    return 0


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course build", description=__doc__)
    parser.add_argument("unit", nargs="*", help="units to build, as u05 or u05_scalar; all without")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file isn't up to date")
    parser.add_argument("--no-lessons", action="store_true", help="don't run lessons (quick): leave theirs")
    parser.add_argument("--jobs", type=int, default=2, help="lessons run side by side (default 2)")
    parser.add_argument("--units", type=Path, default=Path(course.units.__path__[0]), help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help="folder to build into (default: the checkout)")
    return parser.parse_args(argv)

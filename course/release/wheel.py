"""The student's wheel: the engine, the course's checks, and the verbs that a student needs.

Built by hatchling from a list of files, so that nothing gets in which isn't named here; without a network,
and with the same bytes each time.
"""

from __future__ import annotations

import fnmatch
import json
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.wheel import WheelBuilder

PACKAGES = ("autodiff", "course")
# under course/; of a unit only what judges at home. grading/ gives just what reads a notebook as text.
COURSE_FILES = (
    "__init__.py",
    "py.typed",
    "check.py",
    "cli.py",
    "console.py",
    "doctor.py",
    "handout.py",
    "start.py",
    "checking/*",
    "data/*",
    "lab/*",
    "grading/limits.py",
    "grading/magics.py",
    "grading/reader.py",
    "units/__init__.py",
)
UNIT_FILES = ("__init__.py", "unit.toml", "probes.py", "checks.py")
# the whole package's own imports all that grades
REPLACED = {"course/grading/__init__.py": '"""Reads a notebook or a script as text."""\n'}
_SUFFIXES = {".py", ".pyi", ".typed", ".toml", ".csv", ".json", ".md", ".css", ".js", ".npz"}


def student_files(root: Path, units: Iterable[str]) -> dict[str, bytes]:
    """The files of the student's wheel by path; `root` is the checkout, `units` are names like u05_scalar."""
    found = {name: text.encode() for name, text in REPLACED.items()}
    for path in sorted((root / "autodiff").rglob("*")):
        if path.suffix in _SUFFIXES or path.name == "py.typed":
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    for path in _course_files(root / "course", units):
        found[path.relative_to(root).as_posix()] = path.read_bytes()
    return dict(sorted(found.items()))


def _course_files(course: Path, units: Iterable[str]) -> Iterator[Path]:
    for path in course.rglob("*"):
        name = path.relative_to(course).as_posix()
        text = path.suffix in _SUFFIXES or path.name == "py.typed"
        if path.is_file() and text and any(fnmatch.fnmatch(name, pattern) for pattern in COURSE_FILES):
            yield path
    for unit in units:
        yield from (course / "units" / unit / name for name in UNIT_FILES)


def project_text(project: Mapping[str, Any]) -> str:
    """The wheel's pyproject.toml, from ours: without what only grading, tests and benchmarks need."""
    kept = ("name", "version", "description", "requires-python", "license", "authors", "keywords")
    table = {key: project[key] for key in (*kept, "classifiers", "dependencies", "scripts")}
    table |= {"readme": "README.md", "license-files": ["LICENSE"]}
    table["optional-dependencies"] = {"course": project["optional-dependencies"]["course"]}
    lines = [f"{key} = {_toml(value)}" for key, value in table.items()]
    return "\n".join(
        [
            '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n[project]',
            *lines,
            "\n[tool.hatch.build.targets.wheel]",
            f"packages = {_toml(list(PACKAGES))}\n",
        ]
    )


def _toml(value: Any) -> str:
    """A text, a list or a table as TOML: JSON's own form for the first two."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def read_project(root: Path) -> dict[str, Any]:
    """The `[project]` table of a checkout's pyproject.toml."""
    project: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def build_wheel(root: Path, files: Mapping[str, bytes], readme: str) -> tuple[str, bytes]:
    """The wheel of these files: its name, its bytes."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "source"
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (folder / "pyproject.toml").write_text(project_text(read_project(root)), encoding="utf-8")
        (folder / "README.md").write_text(readme, encoding="utf-8")
        shutil.copy(root / "LICENSE", folder)
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        builder = WheelBuilder(str(folder))
        made = Path(next(builder.build(directory=str(Path(scratch) / "wheel"), versions=["standard"])))
        return made.name, made.read_bytes()

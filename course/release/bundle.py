"""A release as a set of files: made in memory, searched, then written."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from course.authoring import build
from course.authoring.sources import Sources
from course.authoring.unit import Unit
from course.release.lock import part_for
from course.release.search import Leak, leaks, secret_lines
from course.release.wheel import build_wheel, read_project, student_files

MARKER = "release.json"  # bootstrap.py reads it to find the wheel
AS_THEY_ARE = {"bootstrap.py": "bootstrap.py", "LICENSE": "LICENSE"}
DATA_LICENSES = "course/data/DATA_LICENSES.md"
TITLE = "Autodiff, built by you"
HOLE = "TODO"
_DATE = (2020, 2, 2, 0, 0, 0)  # of every file in the zip, as in a wheel: the same bytes each time


class ReleaseError(Exception):
    """There can be no release; the message says why and what to try."""


@dataclass(frozen=True)
class Bundle:
    """A release: its files by path, and the names of its units."""

    files: dict[str, bytes]
    units: tuple[str, ...]


def make(root: Path, sources: Sequence[Sources]) -> Bundle:
    """The release of these units from a checkout: what `course build` has made of them, and the wheel."""
    _refuse_stale(root, sources)
    names = tuple(one.unit.name for one in sources)
    readme = _readme([one.unit for one in sources], _first_exercise(sources))
    project = read_project(root)
    files = {new: (root / old).read_bytes() for new, old in AS_THEY_ARE.items()}
    files["README.md"] = readme.encode()
    files["DATA_LICENSES.md"] = (root / DATA_LICENSES).read_bytes()
    files |= _notebooks(root, names)
    wheel, data = build_wheel(root, student_files(root, names), readme)
    files[f"wheel/{wheel}"] = data
    needed = [_name(line) for line in (*project["dependencies"], *project["optional-dependencies"]["course"])]
    lock = (root / "requirements.lock").read_text(encoding="utf-8")
    files["requirements.lock"] = part_for(lock, [*needed, "uv"]).encode()  # bootstrap.py fetches uv itself
    told = {
        "version": project["version"],
        "units": list(names),
        "wheel": f"wheel/{wheel}",
        "files": {name: hashlib.sha256(each).hexdigest() for name, each in sorted(files.items())},
    }
    files[MARKER] = (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()
    return Bundle(dict(sorted(files.items())), names)


def _name(requirement: str) -> str:
    for sign in "<>=!~[; ":
        requirement = requirement.split(sign)[0]
    return requirement


def _first_exercise(sources: Sequence[Sources]) -> str:
    every = (cell.id for one in sources for cell in one.exercises if cell.role == "exercise")
    return next(every, "u05-multiply")


def _readme(units: Sequence[Unit], example: str) -> str:
    pages = Environment(
        loader=PackageLoader("course.release", "."),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown, from our own unit.toml
    )
    return pages.get_template("README.md.j2").render(title=TITLE, units=units, example=example)


def _notebooks(root: Path, units: Iterable[str]) -> dict[str, bytes]:
    found = {}
    for unit in units:
        for name in (f"notebooks/{unit}.ipynb", f"exercises/{unit}.ipynb", f"exercises/{unit}.py"):
            if (root / name).is_file():
                found[name] = (root / name).read_bytes().replace(b"\r\n", b"\n")
    return found


def _refuse_stale(root: Path, sources: Sequence[Sources]) -> None:
    if lines := build.differences(build.plan(sources, lessons=False), root):
        told = "\n".join(f"  {line}" for line in lines)
        raise ReleaseError(f"These files aren't what their sources build:\n{told}\nRun `course build` first.")


def unbuilt(root: Path, sources: Sequence[Sources]) -> dict[str, bytes]:
    """What a release of these units would hold, the wheel's files one by one: made from their sources."""
    names = [one.unit.name for one in sources]
    built = build.plan(sources, lessons=False).files
    shown = {name: text.encode() for name, text in built.items() if not name.startswith("solutions/")}
    executed = {name: data for name, data in _notebooks(root, names).items() if name.startswith("notebooks/")}
    return {**shown, **executed, **student_files(root, names)}


def holes(folder: Path) -> list[str]:
    """The places of a unit that still say TODO: `u08_symbolic/checks.py:12: …`."""
    return [
        f"{folder.name}/{path.name}:{number}: {line.strip()}"
        for path in sorted(folder.iterdir())
        if path.is_file()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if HOLE in line
    ]


def search(root: Path, files: Mapping[str, bytes]) -> list[Leak]:
    """Each line of any unit's solutions in these files; a unit that isn't released has secrets as well."""
    secrets: dict[str, str] = {}
    for folder in sorted((root / "course" / "units").glob("u*")):
        secrets |= secret_lines(folder)
    return list(leaks(files, secrets))


def write(bundle: Bundle, folder: Path) -> None:
    """Write the release, in place of an older one; files of nobody's release are left alone."""
    for name in _earlier(folder):
        if name not in bundle.files:
            (folder / name).unlink(missing_ok=True)
    for name, data in bundle.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _earlier(folder: Path) -> list[str]:
    """The files of the release that stands there; ReleaseError if something else does."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    try:
        told: dict[str, Any] = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        names = [*told["files"], MARKER]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ReleaseError(
            f"{folder} exists and isn't a release (it has no {MARKER}), so nothing is written over it. "
            "Name a folder that isn't there yet."
        ) from problem
    return [name for name in names if (folder / name).resolve().is_relative_to(folder.resolve())]


def zipped(bundle: Bundle, top: str) -> bytes:
    """The release as a zip whose entries stand in the folder `top`; the same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in bundle.files.items():
            info = zipfile.ZipInfo(f"{top}/{name}", _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, data)
    return made.getvalue()

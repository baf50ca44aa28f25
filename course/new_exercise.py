"""`course new-exercise u08 chain-rule`: an exercise that validates, each place to be rewritten marked TODO.

In a unit that is there, the exercise is put at the end of its four files; else the unit's folder is made.
What stands there is never overwritten. `course validate` lists what is left, `course release` waits for it.
"""

from __future__ import annotations

import argparse
import ast
import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

import course.units
from course.authoring.errors import BuildError
from course.authoring.sources import find_units

PARTS = ("exercises.py", "probes.py", "checks.py", "mistakes.py")  # each has a head and one exercise
WHOLE = ("unit.toml", "lesson.py")


def main(argv: list[str]) -> int:
    """Write the exercise; 0 when it's there, 1 when it can't be."""
    options = _options(argv)
    try:
        folder, written = write(options.units, options.unit, options.name, options.unit_title, options.points)
    except (BuildError, OSError) as problem:
        print(f"course new-exercise: {problem}", file=sys.stderr)
        return 1
    print(f"{folder}: {', '.join(written)}")
    prefix = folder.name[:3]
    print(
        f"It works as it stands. Rewrite what is marked TODO; `course validate {prefix}` lists what is left."
    )
    print(f"Then  course build {prefix}  makes its notebooks.")
    return 0


def write(units: Path, prefix: str, slug: str, title: str = "", points: float = 4) -> tuple[Path, list[str]]:
    """Add the exercise to a unit, or to a new one with that title: its folder, the files written."""
    identifier, name = f"{prefix}-{slug}", slug.replace("-", "_")
    _refuse_names(prefix, slug, name)
    there = [folder for folder in find_units(units) if folder.name.startswith(f"{prefix}_")]
    if not there and not re.search(r"[A-Za-z]", title):
        raise BuildError(f'there is no unit {prefix}. To make it: --unit-title "What it is about"')
    if there and title:
        raise BuildError(
            f"{there[0]} is there, with a title of its own. Leave --unit-title out to add to it."
        )
    folder = there[0] if there else units / f"{prefix}_{_word(title)}"
    told = {"prefix": prefix, "unit": folder.name, "id": identifier, "name": name, "points": f"{points:g}"}
    told |= {"number": str(int(prefix[1:])), "title": title.replace('"', "'")}
    told["heading"] = slug.replace("-", " ").capitalize()
    made = {name: _filled(name, told) for name in WHOLE} | {"__init__.py": ""} if not there else {}
    for part in PARTS:
        path = folder / part
        before = path.read_text(encoding="utf-8") if path.is_file() else _filled(f"{part}.head", told)
        if re.search(rf"\b{re.escape(identifier)}\b(?!-)", before) or re.search(
            rf"^def {name}\(", before, re.M
        ):
            raise BuildError(f"{path} has {identifier} already. Choose another name, or rewrite that one.")
        added = _filled(part, told)
        if part == "checks.py":
            before = with_imports(before, _filled(f"{part}.head", told), path)
        made[part] = f"{before.rstrip()}\n\n\n{added}" if before.strip() else added
    folder.mkdir(exist_ok=True)
    for file, text in made.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder, sorted(made)


def _refuse_names(prefix: str, slug: str, name: str) -> None:
    if not re.fullmatch(r"u\d\d", prefix):
        raise BuildError(f"a unit is named like u08; got {prefix!r}")
    fits = re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug) and len(slug) <= 50
    if not fits or keyword.iskeyword(name) or slug.endswith("check"):
        raise BuildError(
            f"an exercise is named like chain-rule, which names a function chain_rule; got {slug!r}"
        )


def _word(title: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", title.lower())[:3])


def _filled(name: str, told: dict[str, str]) -> str:
    template = files("course").joinpath("templates", f"{name}.tmpl").read_text(encoding="utf-8")
    return Template(template).substitute(told)


def with_imports(text: str, head: str, path: Path) -> str:
    """The text of a checks.py with those imports of `head` that it lacks, below its own."""
    try:
        module = ast.parse(text)
    except SyntaxError as problem:
        raise BuildError(f"{path}:{problem.lineno}: no Python: {problem.msg}. Mend it first.") from problem
    known = {alias.asname or alias.name for node in _imports(module) for alias in node.names}
    lines, new = text.split("\n"), []
    for node in _imports(ast.parse(head)):
        if lacking := [alias for alias in node.names if (alias.asname or alias.name) not in known]:
            node.names = lacking
            new.append(ast.unparse(node))
    last = max((node.end_lineno or 0 for node in _imports(module)), default=0)
    return "\n".join([*lines[:last], *new, *lines[last:]])


def _imports(module: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course new-exercise", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("unit", help="the unit, as u08")
    add("name", help="the exercise, as chain-rule")
    add("--unit-title", default="", metavar="TITLE", help="make the unit, with this title")
    add("--points", type=float, default=4, help="what it is worth (%(default)s)")
    add("--units", type=Path, default=Path(course.units.__path__[0]), help=argparse.SUPPRESS)
    return parser.parse_args(argv)

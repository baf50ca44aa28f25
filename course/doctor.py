"""`course doctor`: what is installed, what is missing, and how to get it.

Reads the project's own metadata, so that a new dependency shows up here unasked.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import platform
import re
import sys

from course import console

PROJECT = "autodiff-course"
REMEDY = "python3 bootstrap.py doctor  (in a clone `uv sync` as well), in the course's folder, installs it"
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[.*?\])?\s*(?P<range>[^;]*)(?:;.*extra\s*==\s*['\"](?P<extra>.+?)['\"])?"
)
_SYSTEM = re.compile(r"sys_platform\s*==\s*['\"](\w+)['\"]")


def requirements() -> dict[str, list[tuple[str, str]]]:
    """{"": needed by autodiff, "course": …, "dev": …}, each a list of (package, version range).

    Raises importlib.metadata.PackageNotFoundError if the project itself isn't installed.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for line in importlib.metadata.requires(PROJECT) or []:
        system = _SYSTEM.search(line)
        if system and system[1] != sys.platform:
            continue
        if found := _REQUIREMENT.match(line):
            groups.setdefault(found["extra"] or "", []).append((found["name"], found["range"].strip()))
    return groups


def state(package: str, wanted: str) -> tuple[bool, str]:
    """Whether a package is there in a version within `wanted`, and what to say of it."""
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False, f"missing, wanted {wanted or 'any version'}"
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:
        return True, version  # comes with jupyterlab; without it the version can't be judged
    if not SpecifierSet(wanted).contains(version, prereleases=True):
        return False, f"{version}, wanted {wanted}"
    return True, version


def main(argv: list[str]) -> int:
    """Print the report; 0 if everything the course needs is there, 1 if something is missing."""
    argparse.ArgumentParser(prog="course doctor", description=__doc__.split("\n\n")[0]).parse_args(argv)
    print(
        f"Python    {platform.python_version()} on {platform.system()} {platform.machine()}, in {sys.prefix}"
    )
    try:
        groups = requirements()
    except importlib.metadata.PackageNotFoundError:
        print(f"project   not installed in this Python\n\nTo install: {REMEDY}")
        return 1
    print(f"project   {PROJECT} {importlib.metadata.version(PROJECT)}")
    missing = _packages("needed", groups.get("", []) + groups.get("course", []))
    missing += _packages("grading", groups.get("grade", []))
    absent_tools = _packages("tests", groups.get("dev", []))
    draws = _drawing()
    if missing:
        print(f"\n{console.paint('Missing', 'red')}: {', '.join(missing)}\nTo install: {REMEDY}")
        return 1
    _isolation()
    if not draws:
        print(f"\n{console.paint('Drawings fail', 'red')}: see the line with !! above")
        return 1
    if absent_tools:
        print(f"\nThe course is ready; `course test` still lacks {', '.join(absent_tools)}: {REMEDY}")
    else:
        print(f"\n{console.paint('Everything is there.', 'green')}")
    return 0


def _packages(title: str, wanted: list[tuple[str, str]]) -> list[str]:
    """Print one group of packages; the names of those that are missing or have the wrong version."""
    rows = [(name, *state(name, wanted_range)) for name, wanted_range in wanted]
    for label, (name, present, told) in zip([title, *[""] * len(rows)], rows, strict=False):
        print(f"{label:<9} {'   ' if present else '!! '}{name} {told}")
    return [name for name, present, _ in rows if not present]


def _drawing() -> bool:
    """Print the ways to draw a graph on this machine; False if the one that was picked isn't there."""
    from autodiff.drawing.tiers import tier_report
    from autodiff.errors import GradientError

    try:
        report = tier_report()
    except GradientError as problem:
        print(f"{'drawing':<9} !! {problem}")
        return False
    usable = True
    for tier in report.tiers:
        draws = tier.name == report.used
        mark = "   " if tier.found or not draws else "!! "
        usable &= tier.found or not draws
        told = tier.version.split("version ")[-1] if tier.found else f"not here; {tier.how_to_get}"
        label = "drawing" if tier is report.tiers[0] else ""
        print(f"{label:<9} {mark}{tier.name} {told}{'  <- draws' if draws else ''}")
    return usable


def _isolation() -> None:
    """Print how firmly this machine would hold graded code, where grading is part of what is here."""
    if importlib.util.find_spec("course.grading.launch") is None:
        return  # a student's release
    from course.grading.launch import Launcher
    from course.grading.levels import advice
    from course.grading.limits import Limits
    from course.grading.slots import MachineError

    try:
        with Launcher(Limits()) as launcher:
            found = launcher.isolation
    except MachineError as problem:
        print(f"{'isolation':<9} !! {problem}")
        return
    mark = "   " if found.reaches("L2") else "!! "
    print(f"{'isolation':<9} {mark}{found.level}: {', '.join(found.mechanisms)}")
    for told in found.missing:
        print(f"{'':<9}    missing: {told}")
    if not found.reaches("L2"):
        print(f"{'':<9}    grading wants L2; {advice(found)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

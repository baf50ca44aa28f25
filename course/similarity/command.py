"""`course similarity FOLDER`: which submissions of a class are alike, and where. Pairs, never a verdict."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import course.units
from autodiff.errors import OptionError
from course.grading.intake import IntakeError, Opened
from course.grading.limits import Limits
from course.grading.outputs import write
from course.grading.unit import load_units
from course.similarity.pairs import Compared, collect, compare
from course.similarity.report import csv_text, html_text, terminal_text


def main(argv: list[str]) -> int:
    """Compare, print, write; 0 when done, 2 for wrong usage."""
    options = _options(argv)
    try:
        told = of_class(options.folder, options.unit, options.common)
    except (IntakeError, OptionError, OSError) as problem:
        print(f"course similarity: {problem}", file=sys.stderr)
        return 2
    shown = [pair for pair in told.pairs if 100 * pair.share >= options.least][: options.top]
    print(terminal_text(told, shown))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, text in (("html", html_text(told, shown)), ("csv", csv_text(shown))):
            write(options.out / f"similarity.{name}", text)
        print(f"{options.out / 'similarity.html'}, {options.out / 'similarity.csv'}")
    return 0


def of_class(folder: Path, unit_names: list[str], common: int | None = None) -> Compared:
    """The pairs of a class folder or a zip of one."""
    with Opened(folder, Limits()) as opened:
        notes = list(opened.handed.notes)
        handed = collect(opened.handed, load_units(unit_names), Path(course.units.__path__[0]), notes)
        limit = common or max(5, math.ceil(len(opened.handed.places) / 10))
        return compare(handed, limit, notes)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course similarity", description=__doc__)
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="FOLDER/<student>/*.ipynb|*.py, or a zip of it")
    add("-o", "--out", type=Path, metavar="OUT", help="write OUT/similarity.html and OUT/similarity.csv")
    add("--unit", action="append", default=[], metavar="u05", help="compare this unit (repeatable)")
    add(
        "--least",
        type=float,
        default=50.0,
        metavar="PERCENT",
        help="show pairs from this share (%(default)g)",
    )
    add("--top", type=int, default=100, metavar="N", help="show at most this many (%(default)s)")
    shared = "a passage that more students have counts for nobody (default: a tenth of the class, at least 5)"
    add("--common", type=int, metavar="N", help=shared)
    return parser.parse_args(argv)

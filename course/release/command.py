"""`course release DIR`: what students are handed; refused where a solution stands in it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import course.units
from course.authoring.errors import BuildError
from course.authoring.sources import choose, find_units, read_sources
from course.release.bundle import Bundle, ReleaseError, holes, make, search, write, zipped

SHOWN = 20  # leaks that are printed


def main(argv: list[str]) -> int:
    """Make the release; 0 when it's written, 1 when it can't be, 2 for wrong usage."""
    options = _options(argv)
    units = Path(course.units.__path__[0])
    root = units.parents[1]
    try:
        if not (root / "pyproject.toml").is_file():
            raise ReleaseError(f"{root} is no checkout of the course. Run this in a clone.")
        folders = choose(find_units(units), options.units)
        if open_places := [place for folder in folders for place in holes(folder)]:
            told = "\n".join(f"  {place}" for place in open_places)
            raise ReleaseError(f"There is something left to write:\n{told}")
        bundle = make(root, [read_sources(folder) for folder in folders])
        refuse_leaks(root, bundle)
        write(bundle, options.folder)
        archive = options.folder.with_name(options.folder.name + ".zip")
        if options.zip:
            archive.write_bytes(zipped(bundle, options.folder.name))
    except (BuildError, ReleaseError, OSError) as problem:
        print(f"course release: {problem}", file=sys.stderr)
        return 1
    print(
        f"{options.folder}: {len(bundle.files)} files, of {', '.join(bundle.units)}; searched, no solution."
    )
    if options.zip:
        print(f"{archive}: the same as one file.")
    print("A student unpacks it anywhere and runs:  python3 bootstrap.py start")
    return 0


def refuse_leaks(root: Path, bundle: Bundle) -> None:
    """ReleaseError that names each place where a line of a solution stands."""
    if found := search(root, bundle.files):
        told = "\n".join(f"  {leak}" for leak in found[:SHOWN])
        more = f"\n  … and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ReleaseError(
            f"A solution would be handed out, so nothing was written:\n{told}{more}\n"
            "Take the line out there; or, where it's there by chance, write one of the two otherwise."
        )


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course release", description=__doc__)
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="a folder that isn't there yet, or a release"
    )
    parser.add_argument("--units", nargs="+", default=[], metavar="u05", help="only these (default: all)")
    parser.add_argument("--zip", action="store_true", help="write DIR.zip as well")
    return parser.parse_args(argv)

"""`course test`: runs the checkout's tests with pytest.

Needs a checkout (the tests aren't part of an installed package) and the dev tools.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

NAME = 'name = "autodiff-course"'


def find_checkout() -> Path | None:
    """The checkout this package runs from, else the one around the working folder; None if there is none."""
    here = Path.cwd()
    for folder in (Path(__file__).resolve().parents[1], here, *here.parents):
        project = folder / "pyproject.toml"
        if (folder / "tests").is_dir() and project.is_file() and NAME in project.read_text(encoding="utf-8"):
            return folder
    return None


def main(argv: list[str]) -> int:
    """Run pytest in the checkout's folder with the arguments given; its exit code, or 2 if it can't start."""
    checkout = find_checkout()
    if checkout is None:
        print(
            f"course test: no checkout of the course around {Path.cwd()}; the tests aren't in the installed\n"
            "package. Change into a clone of the repository and try again.",
            file=sys.stderr,
        )
        return 2
    missing = [tool for tool in ("pytest", "hypothesis") if importlib.util.find_spec(tool) is None]
    if missing:
        print(
            f"course test: {' and '.join(missing)} not installed in {sys.prefix}.\n"
            "Try `python3 bootstrap.py test` (or `uv run course test`) in the checkout: it installs them.",
            file=sys.stderr,
        )
        return 2
    # A whole run is shared out file by file (what a file sets up serves all of it); a part is run as asked.
    whole = ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "loadfile"]
    together = importlib.util.find_spec("xdist") is not None and not argv
    return subprocess.call([sys.executable, "-m", "pytest", *(whole if together else argv)], cwd=checkout)

"""What every verb needs of a console: a line of progress, colour where wanted, no crash over a letter.

Standard library only, so that `course --help` and bootstrap.py start at once.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def prepare() -> None:
    """Let stdout and stderr print any text: a letter that the console lacks becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def command(verb: str) -> str:
    """How to call a verb here: by bootstrap.py where there is one; `course` may not be on the path."""
    if not any((home / "bootstrap.py").is_file() for home in homes()):
        return f"course {verb}"
    return f"{'py' if os.name == 'nt' else 'python3'} bootstrap.py {verb}"


def homes() -> tuple[Path, Path]:
    """Where the course may stand: around this package (a checkout), around .venv (a release)."""
    return Path(__file__).resolve().parents[1], Path(sys.prefix).parent


def has_colour(stream: TextIO | None = None) -> bool:
    """Whether `stream` (stdout) takes colour: a terminal that isn't dumb, and no NO_COLOR."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    return os.name != "nt" or "WT_SESSION" in os.environ or "TERM" in os.environ


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """`text` in a style (bold, dim, red, green, yellow, blue) where `stream` takes it, else as it is."""
    if style not in _STYLES:
        raise ValueError(f"paint knows the styles {', '.join(_STYLES)}; got {style!r}")
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if has_colour(stream) else text


@contextmanager
def progress(
    label: str, total: int | None = None, stream: TextIO | None = None
) -> Iterator[Callable[..., None]]:
    """One line that tells how far a loop is: on a terminal it's rewritten and cleared; elsewhere silent.

        with progress("fitting", total=200) as step:
            for _ in range(200):
                ...
                step(f"loss {loss:.3f}")

    `step(note="")` counts one further and may be called as often as you like.
    """
    stream = stream or sys.stderr
    live = stream.isatty()
    count, shown = 0, 0.0

    def step(note: str = "") -> None:
        nonlocal count, shown
        count += 1
        now = time.monotonic()
        if live and (now - shown > 0.1 or count == total):
            shown = now
            of = f"/{total}" if total is not None else ""
            width = shutil.get_terminal_size().columns - 1
            line = f"{label} {count}{of} {note}".rstrip()[:width]
            stream.write(f"\r{line:<{width}}")
            stream.flush()

    try:
        yield step
    finally:
        if shown:
            stream.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            stream.flush()

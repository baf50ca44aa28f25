"""DOT to SVG or PNG by the best means at hand: Graphviz's `dot`, the wheel graphviz-pure, or our own layout.

Needs dot.py, svg.py and raster.py. Adds the choice (the environment variable AUTODIFF_DRAWING_TIER
overrules it), the time limit, and what `course doctor` says about it. Not read in a unit.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autodiff.drawing.description import Description
from autodiff.drawing.raster import own_pdf, own_png
from autodiff.drawing.reframe import reframed
from autodiff.drawing.style import prefix_for
from autodiff.drawing.svg import own_svg
from autodiff.errors import DrawingError, OptionError

Format = Literal["svg", "png", "pdf"]

TIERS = ("dot", "graphviz-pure", "own")
VARIABLE = "AUTODIFF_DRAWING_TIER"
TIME_LIMIT = 10.0  # seconds for one run of a tool
LARGE = 500  # nodes, edges and labels together; beyond it `dot` takes seconds, then minutes
SIGNATURES = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}
HOW_TO_GET = {
    "dot": "install Graphviz (apt install graphviz, brew install graphviz, winget install graphviz)",
    "graphviz-pure": "pip install 'graphviz-pure>=0.2,<0.3'",
    "own": "always there",
}


class TimeUpError(DrawingError):
    """A tool was stopped because it took too long."""


@dataclass(frozen=True)
class Tier:
    """One means of drawing: where it is (`path`, "" if nowhere), which version, how to get it."""

    name: str
    path: str
    version: str
    how_to_get: str

    @property
    def found(self) -> bool:
        """Whether it can be used here."""
        return bool(self.path)


@dataclass(frozen=True)
class TierReport:
    """What there is to draw with; `used` is the tier that small graphs are drawn by."""

    tiers: tuple[Tier, ...]
    used: str
    picked: bool  # by the environment variable

    def __str__(self) -> str:
        lines = []
        for tier in self.tiers:
            state = f"{tier.version}, {tier.path}" if tier.found else f"missing: {tier.how_to_get}"
            mark = "*" if tier.name == self.used else " "
            lines.append(f"{mark} {tier.name:13} {state}")
        why = f"picked by {VARIABLE}" if self.picked else f"the first found; {VARIABLE} picks another"
        return "\n".join([*lines, f"* draws ({why})"])


def find_tool(tier: str) -> str | None:
    """The path of a tier's program, or None. The wheel's program may be installed off the PATH."""
    if tier == "graphviz-pure":
        for folder in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
            if found := shutil.which(tier, path=folder):
                return found
    return shutil.which(tier)


def picked_tier() -> str | None:
    """The tier that the environment variable picks; None when it is unset or empty."""
    name = os.environ.get(VARIABLE, "").strip()
    if name and name not in TIERS:
        raise OptionError(
            f"{VARIABLE} is {name!r}; there are the tiers {', '.join(TIERS)}. Unset it to let us choose"
        )
    return name or None


def tier_report() -> TierReport:
    """What there is to draw with on this machine.

    >>> [tier.name for tier in tier_report().tiers]
    ['dot', 'graphviz-pure', 'own']
    """
    picked = picked_tier()
    tiers = []
    for name in TIERS:
        path = __file__ if name == "own" else find_tool(name) or ""
        version = "part of this package" if name == "own" else _version(path) if path else ""
        tiers.append(Tier(name, path, version, HOW_TO_GET[name]))
    return TierReport(tuple(tiers), picked or next(tier.name for tier in tiers if tier.found), bool(picked))


def _version(path: str) -> str:
    try:
        _, errors = _run([path, "-V"], b"")
    except DrawingError as problem:
        return f"broken ({problem})"
    return errors.strip() or "version unknown"


def render(
    description: Description, dot: str, form: Format, first: str | None = None
) -> tuple[bytes | None, str]:
    """The picture, and the tier that made it; None where no tier here makes this format.

    A tier that fails is passed over for the next, beginning with `first`; one picked by the environment
    variable raises DrawingError instead.
    """
    picked = picked_tier()
    if picked:
        return draw_with(picked, description, dot, form), picked
    start = "own" if _weight(description) > LARGE else first or TIERS[0]
    tiers = list(TIERS[TIERS.index(start) :])
    while tiers:
        tier = tiers.pop(0)
        try:
            picture = draw_with(tier, description, dot, form)
        except TimeUpError:
            tiers = ["own"]  # what takes one Graphviz too long, takes the other one too long
        except DrawingError:
            continue
        else:
            if picture is not None:
                return picture, tier
    return None, "own"


def _weight(description: Description) -> int:
    labels = sum(bool(edge.label) for edge in description.edges)
    return len(description.nodes) + len(description.edges) + labels


def draw_with(tier: str, description: Description, dot: str, form: Format) -> bytes | None:
    """The picture by this tier and no other; DrawingError says what went wrong and what to try."""
    if tier == "own":
        return _own(description, dot, form)
    if tier == "graphviz-pure" and form == "pdf":
        return None  # it can't
    path = find_tool(tier)
    if path is None:
        raise DrawingError(f"the drawing tier {tier!r} is not on this machine. To get it: {HOW_TO_GET[tier]}")
    try:
        answer, _ = _run([path, f"-T{form}", *(["-Gdpi=96"] if form == "png" else [])], dot.encode())
        if form == "svg":
            return reframed(answer, description, prefix_for(dot)).encode()
        if not answer.startswith(SIGNATURES[form]):
            raise DrawingError(f"its answer is not a {form.upper()}: it begins with {answer[:60]!r}")
    except DrawingError as problem:
        raise type(problem)(
            f"{tier} ({path}) could not draw the graph: {problem}. "
            f"Try another tier ({VARIABLE}=own always works), or reinstall: {HOW_TO_GET[tier]}"
        ) from problem
    return answer


def _own(description: Description, dot: str, form: Format) -> bytes | None:
    if form == "svg":
        return own_svg(description, prefix_for(dot)).encode()
    return own_png(description) if form == "png" else own_pdf(description)


def _run(command: list[str], text: bytes) -> tuple[bytes, str]:
    """What the tool says on stdout and on stderr; it and its children are killed when time is up."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a group of its own, so that its children can be killed with it
        )
    except OSError as problem:
        raise DrawingError(f"it could not be started ({problem})") from problem
    try:
        answer, errors = process.communicate(text, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired as problem:
        raise TimeUpError(f"it took longer than {TIME_LIMIT:g} s") from problem
    finally:
        if process.returncode is None:  # time was up, or the user pressed Ctrl-C
            _kill(process)
    said = errors.decode("utf-8", "replace")
    if process.returncode:
        raise DrawingError(
            f"it ended with code {process.returncode} and said: {said.strip()[:500] or 'nothing'}"
        )
    return answer, said


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with suppress(OSError, subprocess.TimeoutExpired):
        process.communicate(timeout=1)  # closes the pipes and takes the exit code

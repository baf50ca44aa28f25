"""What stops a build: a place in a source, what was found there, and how to mend it."""

from __future__ import annotations

from pathlib import Path


class BuildError(Exception):
    """The build can't go on; the message says why and what to try."""


class SourceError(BuildError):
    """A source file says something that the build can't take: `file:line: what was found. The mend.`"""

    def __init__(self, path: Path, line: int, found: str, mend: str) -> None:
        super().__init__(f"{path}:{line}: {found}. {mend}")
        self.path, self.line, self.found, self.mend = path, line, found, mend

"""What a submission may use, and what really held it: two records that travel with every result."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

MIB = 1 << 20
LEVELS = ("L0", "L1", "L2", "L3", "L4")


@dataclass(frozen=True)
class Limits:
    """Per question unless it says otherwise; seconds and bytes."""

    cpu: int = 10
    wall: float | None = None  # None: three times the CPU seconds and five
    memory: int = 1536 * MIB
    file: int = 10 * MIB
    scratch: int = 64 * MIB  # all that a question writes, where it has a file system of its own
    scratch_files: int = 4096
    open_files: int = 64
    processes: int = 64  # and threads; beyond those that the user already runs
    output: int = MIB
    reply: int = 16 * MIB
    start: float = 60.0  # until the child reports for work, before any student code
    budget: float = 60.0  # waiting time of a whole submission
    notebook: int = 20 * MIB
    entries: int = 100  # files of a submission
    total: int = 50 * MIB  # bytes of a submission
    ratio: int = 200  # unpacked to packed

    @property
    def wall_seconds(self) -> float:
        """How long the parent waits for a question in all."""
        return 3 * self.cpu + 5 if self.wall is None else self.wall


@dataclass(frozen=True)
class Isolation:
    """How student code was held: the level, what was in force, what was not."""

    level: str
    mechanisms: tuple[str, ...]
    missing: tuple[str, ...]
    uid: int | None = None
    kernel: str = ""
    landlock_abi: int | None = None
    probes: dict[str, str] = field(default_factory=dict)  # attack tried at start: stopped or leaked

    def reaches(self, level: str) -> bool:
        """Whether this is at least `level`."""
        return LEVELS.index(self.level) >= LEVELS.index(level)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.level}: {', '.join(self.mechanisms)}; missing: {', '.join(self.missing) or 'nothing'}"

"""Control groups, where this process may make some: a cap on the memory and the processes of a whole slot.

The limits of one process can't see what several use together, nor files in memory. Version 1 and 2 are known.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class Group:
    """A group in each hierarchy that it needs; use `close` when all its processes have ended."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders

    def add(self, pid: int) -> None:
        """Take in a process and all its descendants."""
        for one in [pid, *descendants(pid)]:
            for folder in self._folders:
                with contextlib.suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(one))

    def close(self) -> None:
        """Remove the group; what still runs in it keeps it for a moment."""
        for folder in self._folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)


def group(name: str, memory: int, processes: int) -> Group | None:
    """A new group with both limits; None where it can't be had."""
    made: list[Path] = []
    try:
        for folder, limits in _places(memory, processes):
            made.append(folder / name)
            made[-1].mkdir()
            for file, value in limits.items():
                (made[-1] / file).write_text(str(value))
    except OSError:
        Group(made).close()
        return None
    return Group(made) if made else None


def _places(memory: int, processes: int) -> list[tuple[Path, dict[str, int]]]:
    """The folders to make a group in, each with the limits that are set there."""
    mine = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    if (ROOT / "cgroup.controllers").is_file():
        return [(ROOT / mine[""].lstrip("/"), {"memory.max": memory, "pids.max": processes})]
    wanted = {"memory": ("memory.limit_in_bytes", memory), "pids": ("pids.max", processes)}
    places = []
    for controller, (file, value) in wanted.items():
        path = next((p for names, p in mine.items() if controller in names.split(",")), None)
        if path is None:
            raise FileNotFoundError(f"no control group for {controller}")
        places.append((ROOT / controller / path.lstrip("/"), {file: value}))
    return places


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for lists in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                more = [int(one) for one in lists.read_text().split()]
                found += more
                waiting += more
    return found


def available() -> bool:
    """Whether groups can be made here."""
    made = group(f"course-{os.getpid()}-try", 1 << 30, 64)
    if made is not None:
        made.close()
    return made is not None

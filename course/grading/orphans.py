"""Linux: processes that outlive the one that was killed come to us as children, and are killed in turn.

A student's code may fork, start a session of its own and fork again, out of reach of its process group.
With PR_SET_CHILD_SUBREAPER such a process is handed to the grader when its parent ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

_SET_DUMPABLE, _GET_DUMPABLE, _SET_SUBREAPER = 4, 3, 36


@contextlib.contextmanager
def reaper() -> Iterator[bool]:
    """Take in orphans, and hide this process's memory from the same user; False where it can't be."""
    if sys.platform != "linux":
        yield False
        return
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    dumpable = prctl(_GET_DUMPABLE, 0, 0, 0, 0)
    reaping = prctl(_SET_SUBREAPER, 1, 0, 0, 0) == 0
    prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        yield reaping
    finally:
        prctl(_SET_SUBREAPER, 0, 0, 0, 0)
        prctl(_SET_DUMPABLE, dumpable, 0, 0, 0)


def children() -> set[int]:
    """The process ids of this process's children."""
    found: set[int] = set()
    try:
        lists = list(Path("/proc/self/task").glob("*/children"))
        for one in lists:
            with contextlib.suppress(OSError):
                found.update(map(int, one.read_text().split()))
        if lists:
            return found
    except OSError:
        return found
    for entry in Path("/proc").iterdir():  # a kernel without lists of children
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def kill_orphans(known: Collection[int]) -> int:
    """Kill and reap every child that isn't known and lives in another session; returns how many."""
    killed = 0
    for _ in range(200):
        strange = [pid for pid in children() - set(known) if _foreign(pid)]
        if not strange:
            break
        for pid in strange:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    killed += 1
        time.sleep(0.002)
    return killed


def _foreign(pid: int) -> bool:
    """Whether a process left our session: what was started from here by other means stays in it."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False

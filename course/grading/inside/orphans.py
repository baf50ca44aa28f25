"""Linux: processes that outlive the one that was killed come to the zygote as children, and are killed.

A student's code may fork, start a session of its own and fork again, out of reach of its process group,
where no filter of system calls forbids it. A subreaper is handed such a process when its parent ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path


def children() -> set[int]:
    """The process ids of this process's children; FileNotFoundError where the system doesn't tell."""
    found: set[int] = set()
    lists = list(Path("/proc/self/task").glob("*/children"))
    for one in lists:
        with contextlib.suppress(OSError):
            found.update(map(int, one.read_text().split()))
    if lists:
        return found
    for entry in Path("/proc").iterdir():  # a kernel without lists of children
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(entry.name))
    if not Path("/proc/self").exists():
        raise FileNotFoundError("/proc isn't there")
    return found


def kill_orphans() -> bool:
    """Kill and reap every child; False if that can't be told, or if one is left."""
    with contextlib.suppress(OSError):
        for _ in range(200):
            left = children()
            if not left:
                return True
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.002)
    return False

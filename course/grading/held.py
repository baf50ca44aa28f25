"""A process that is held: the three pipes of a question, how it is killed, what it came to."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from course.grading.site import remove

Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Ended:
    """How a process ended: exit code (negative: a signal), CPU seconds, peak memory in bytes."""

    code: int
    cpu: float = 0.0
    peak: int = 0


class Held(Protocol):
    """One question's process, whatever holds it."""

    requests: BinaryIO
    replies: BinaryIO
    output: BinaryIO
    work: str  # its folder, as it knows it

    def kill(self) -> None:
        """Kill it and what it started; whoever waits for it sees how it ended."""

    def wait(self, seconds: float) -> Ended | None:
        """How it ended; None if it still runs."""

    def close(self) -> None:
        """Kill it, and leave nothing of it behind."""


class Alone:
    """A process of its own for one question, where there is no zygote."""

    def __init__(self, command: list[str], environment: dict[str, str], root: Path) -> None:
        self.work, self._root = str(root / "work"), root
        pipe = subprocess.PIPE
        self._process: Process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.work, env=environment,
            start_new_session=os.name == "posix", close_fds=True,
        )  # fmt: skip
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self.requests, self.replies, self.output = (one for one in pipes if one is not None)
        self._ended: Ended | None = None

    def kill(self) -> None:
        """Kill it and its process group."""
        if sys.platform == "win32":
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self, seconds: float) -> Ended | None:
        """How it ended; None if it still runs."""
        until = time.monotonic() + seconds
        while self._ended is None:
            if sys.platform == "win32":
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._ended = Ended(self._process.wait(seconds))
                break
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
                self._ended = Ended(self._process.returncode, usage.ru_utime + usage.ru_stime, peak)
            elif time.monotonic() > until:
                break
            else:
                time.sleep(0.005)
        return self._ended

    def close(self) -> None:
        """Kill it, and remove its folder."""
        self.kill()
        self.wait(10)
        with contextlib.suppress(OSError, ValueError):
            self.requests.close()
        remove(self._root)

"""One worker's zygote as the grader sees it: started, asked to fork a question, replaced when it is spent."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, BinaryIO

from course.grading import wall as walls
from course.grading.cgroups import Group, group
from course.grading.held import Ended
from course.grading.limits import MIB, Limits
from course.grading.site import link_libraries, remove
from course.grading.wall import Place, Wall

MESSAGE = 1 << 20  # bytes of a message on the control socket
_PATIENCE = 5.0  # seconds for a zygote to end a child and tidy up
_OWN_MEMORY = 192 * MIB  # of a zygote with NumPy in it


class MachineError(RuntimeError):
    """A process couldn't be started at all: the machine's fault, no student's."""


class Slot:
    """A zygote and the folders that it uses."""

    def __init__(self, wall: Wall, number: int, base: Path, limits: Limits, processes: int) -> None:
        self.wall, self.number, self.limits = wall, number, limits
        self._root = Path(tempfile.mkdtemp(prefix="slot", dir=base))
        self._root.chmod(0o755)
        self.place = Place(base / "driver", base / "sites", self._root / "libraries", self._root / "work")
        self.place.scratch.mkdir()
        if not wall.inside:
            link_libraries(self.place.libraries)
            if wall.pool:
                os.chown(self.place.scratch, uid := wall.uid(number) or 0, uid)
        self.spent = False
        self._questions = 0
        self._group: Group | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = walls.command(wall, self.place, theirs.fileno())
        user = None if wall.inside else wall.uid(number)
        more: dict[str, Any] = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=walls.ENVIRONMENT, cwd="/", start_new_session=True, pass_fds=[theirs.fileno()], **more,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as problem:
            self.close()
            raise MachineError(f"no process can be started: {problem}") from problem
        finally:
            theirs.close()
        self._begin(walls.settings(wall, self.place, number, limits, processes))

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise MachineError("there is no process")
        return self._process

    @property
    def alive(self) -> bool:
        """Whether its zygote can be asked for a question."""
        return not self.spent and self._process is not None and self._process.poll() is None

    def _begin(self, told: dict[str, object]) -> None:
        self.send(told)
        answer = self._receive(self.limits.start)
        if answer is None or answer.get("kind") != "ready":
            self.kill()
            words = self._last_words()
            self.close()
            raise MachineError(f"the process did not start: {words}")
        self.uid = int(answer["uid"])

    def join_group(self) -> bool:
        """Put the zygote under a control group, before any student's code runs; False where there's none."""
        memory = self.limits.memory + self.limits.scratch + _OWN_MEMORY
        self._group = group(f"course-{os.getpid()}-{self._root.name}", memory, 4 * self.limits.processes)
        if self._group is not None:
            self._group.add(self._running.pid)
        return self._group is not None

    def _last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            if self._running.stdout is not None:
                text = self._running.stdout.read().decode("utf-8", "replace").strip()
                return text.splitlines()[-1][:300] if text else "it said nothing"
        return "it said nothing"

    def open(self, site: str) -> Forked:
        """A child for one question of a unit."""
        self._questions += 1
        return Forked(self, self._questions, site)

    def send(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        """A message to the zygote; one that has gone shows by its silence."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors or [])

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """What the zygote says; None if it says nothing, or nothing that has a meaning."""
        self._control.settimeout(seconds)
        try:
            told = json.loads(self._control.recv(MESSAGE) or b"null")
        except (OSError, ValueError):
            return None
        return told if isinstance(told, dict) else None

    def ended(self, number: int, seconds: float) -> Ended | None:
        """How a question's child ended; None if it hasn't."""
        told = self._receive(seconds)
        if told is None:
            if self._running.poll() is not None:
                self.spent = True
                return Ended(-signal.SIGKILL)
            return None
        try:
            code, cpu, peak = int(told["code"]), float(told["cpu"]), int(told["peak"])
            self.spent |= told["number"] != number or told["clean"] is not True
        except (KeyError, TypeError, ValueError):
            self.spent = True
            return Ended(-signal.SIGKILL)
        return Ended(code, cpu, peak)

    def kill(self) -> None:
        """End the zygote and its child at once; with namespaces, all that is in them."""
        self.spent = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._running.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and remove its folders."""
        if self._process is not None:
            self.kill()
            with contextlib.suppress(subprocess.TimeoutExpired), self._process:
                self._process.wait(10)
        self._control.close()
        if self._group is not None:
            self._group.close()
        remove(self._root)


class Forked:
    """A question's child, forked by a slot's zygote."""

    def __init__(self, slot: Slot, number: int, site: str) -> None:
        self.work = str(walls.HOME.scratch if slot.wall.inside else slot.place.scratch)
        self._slot, self._number = slot, number
        self._ended: Ended | None = None
        self._lock = threading.Lock()
        theirs, mine = [], []
        for mode in ("wb", "rb", "rb"):
            read, write = os.pipe()
            theirs.append(read if mode == "wb" else write)
            mine.append(os.fdopen(write if mode == "wb" else read, mode, buffering=0 if mode == "wb" else -1))
        slot.send({"fork": number, "site": site}, theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self.requests: BinaryIO = mine[0]
        self.replies: BinaryIO = mine[1]
        self.output: BinaryIO = mine[2]

    def kill(self) -> None:
        """Have the zygote kill it."""
        self._slot.send({"kill": self._number})

    def wait(self, seconds: float) -> Ended | None:
        """How it ended; None if it still runs."""
        with self._lock:
            if self._ended is None:
                self._ended = self._slot.ended(self._number, seconds)
            return self._ended

    def close(self) -> None:
        """Kill it; a zygote that doesn't report its end is killed too."""
        with contextlib.suppress(OSError, ValueError):
            self.requests.close()
        self.kill()
        if self.wait(_PATIENCE) is None:
            self._slot.kill()

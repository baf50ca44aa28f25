"""The zygote: a process with NumPy loaded that forks one child per question, waits for it, and tidies up.

It stands inside the outer wall (bubblewrap, where there is one) and prepares the inner one, which each
child puts on before it reads a byte of the student's. It never sees a submission, a right answer or a score.
Messages on its control socket are JSON; the three descriptors of a question come along with them.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from typing import Any

from . import locks, orphans
from .channel import Channel
from .driver import run

MESSAGE = 1 << 20  # bytes
# Loaded before any question, so that none has to: what the driver, the stubs and most probes import.
WARM = (
    *("numpy", "importlib.abc", "ast", "collections", "copy", "dataclasses", "functools", "inspect"),
    *("itertools", "math", "operator", "random", "typing", "warnings"),
)


class Zygote:
    """Forks questions, one at a time."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        told, _ = self._receive()
        self.scratch, self.sites = told["scratch"], told["sites"]
        if told["mount"]:
            locks.mount_scratch(self.scratch, *told["mount"])
            os.chmod(self.scratch, 0o777)  # a file system that only this process and its children see
        if told["uid"] is not None:
            locks.become(told["uid"])
        if told["capabilities"]:
            locks.drop_capabilities()
        locks.die_with(told["parent"])  # after the change of user, which would undo it
        locks.adopt_orphans()
        self.landlock, self.readable = told["landlock"], told["readable"]
        self.filter, self.limits = bytes.fromhex(told["filter"]), told["limits"]
        self.rulesets: dict[str, locks.Ruleset] = {}
        sys.path += told["libraries"]
        for name in WARM:
            importlib.import_module(name)
        gc.collect()
        gc.freeze()  # what the children share with this process is not copied by their collections
        self._send({"kind": "ready", "uid": os.getuid()})

    def serve(self) -> None:
        """One question after the other, until the parent closes the socket."""
        while True:
            told, descriptors = self._receive()
            if "fork" in told:
                self._question(told, descriptors)

    def _question(self, told: dict[str, Any], descriptors: list[int]) -> None:
        number, ruleset = told["fork"], self._ruleset(told["site"])
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self._child(descriptors, ruleset, parent)
            except BaseException:
                traceback.print_exc()
            os._exit(70)
        for one in descriptors:
            os.close(one)
        ended = self._wait(pid, number)
        alone = bool(self.filter) or orphans.kill_orphans()
        self._send({"kind": "ended", "number": number, **ended, "clean": self._tidy() and alone})

    def _child(self, descriptors: list[int], ruleset: locks.Ruleset | None, zygote: int) -> None:
        """In the child: its own session, its three descriptors and no others, the inner wall, then work."""
        os.setsid()
        locks.die_with(zygote)
        os.chdir(self.scratch)
        os.environ.update(dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), self.scratch))
        requests, replies, output = (fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in descriptors)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        locks.limit(self.limits)
        if ruleset is not None:
            ruleset.restrict()
        if self.filter:
            locks.filter_calls(self.filter)
        os.dup2(requests, 3)
        os.dup2(replies, 4)
        os.closerange(5, 1 << 10)
        run(Channel(3, 4))

    def _ruleset(self, site: str) -> locks.Ruleset | None:
        """What a question of a unit may touch, made once: the libraries, the unit's modules, the scratch."""
        if self.landlock and site not in self.rulesets:
            rules = locks.Ruleset(self.landlock)
            rules.read([*self.readable, os.path.join(self.sites, site)])
            rules.device(os.devnull)
            rules.write(self.scratch)
            self.rulesets[site] = rules
        return self.rulesets.get(site)

    def _wait(self, pid: int, number: int) -> dict[str, Any]:
        """Wait for the child's end, and kill it when the parent says so."""
        watch = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        poll.register(self.control, select.POLLIN)
        try:
            while watch not in (ready := [fd for fd, _ in poll.poll()]):
                if self.control.fileno() in ready and self._receive()[0].get("kill") == number:
                    kill(pid)
        finally:
            os.close(watch)
        kill(pid)  # what it started, in its session
        _, status, usage = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return {"code": code, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}

    def _tidy(self) -> bool:
        """Empty the scratch; False if something is left, or if it took long: then this zygote is spent."""
        until = time.monotonic() + 2
        for entry in os.scandir(self.scratch):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
            if time.monotonic() > until:
                return False
        return not os.listdir(self.scratch)

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        data, descriptors, _, _ = socket.recv_fds(self.control, MESSAGE, 3)
        if not data:
            os._exit(0)
        told: dict[str, Any] = json.loads(data)
        return told, descriptors

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self.control.send(json.dumps(message).encode())
        except OSError:
            os._exit(0)


def kill(pid: int) -> None:
    """Kill a child and its process group."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def main() -> None:
    """Serve on the descriptor that the command line names."""
    Zygote(socket.socket(fileno=int(sys.argv[1]))).serve()

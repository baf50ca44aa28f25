"""One child process as its parent sees it: a question goes in, a reply comes out or a reason why none did."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from course.grading.frames import ProtocolError, pack, unpack
from course.grading.limits import Limits

Process = subprocess.Popen[bytes]


class ChildLostError(Exception):
    """The child gave no reply that counts: `status` says why, `message` says it to a reader."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class MachineError(RuntimeError):
    """A child couldn't be started at all: the machine's fault, no student's."""


class Child:
    """One process with one student's code in it."""

    def __init__(
        self,
        root: Path,
        process: Process,
        limits: Limits,
        kill: Callable[[Process], None],
        end: Callable[[Process, Path], None],
    ) -> None:
        self.root, self.waited = root, 0.0  # its folder; seconds spent waiting for its replies
        self._process, self._limits, self._kill, self._end = process, limits, kill, end
        self._replies: queue.Queue[bytes | None] = queue.Queue()
        self._number, self._printed, self._cpu, self._peak = 0, 0, 0.0, 0
        for work in (self._read_replies, self._read_output):
            threading.Thread(target=work, daemon=True).start()

    def ask(
        self, op: str, body: Mapping[str, Any], data: bytes, patience: float
    ) -> tuple[dict[str, Any], bytes]:
        """Send a request and wait `patience` seconds at most for its reply, else ChildLostError."""
        self._number += 1
        reply = self._exchange(pack({**body, "op": op, "id": self._number}, data), patience)
        header, buffers = self._read(reply)
        if header["kind"] not in {"ok", "names", "answer", "refused", "raised", "forbidden"}:
            raise self.lost("protocol", "The reply was of no known kind.")
        return header, buffers

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Hand over the settings; MachineError if the child doesn't report for work."""
        try:
            header, _ = self._read(self._exchange(pack(settings), self._limits.start))
        except ChildLostError as problem:
            raise MachineError(f"the child process did not start: {problem.message}") from problem
        if header["kind"] != "ready":
            raise MachineError(f"the child process could not load: {header.get('message')}")
        self.waited = 0.0

    def lost(self, status: str, message: str) -> ChildLostError:
        """End the child; the error to raise."""
        self.close()
        return ChildLostError(status, message)

    def close(self) -> None:
        """Kill the process, its group, and whatever else it left; remove its folder."""
        self._end(self._process, self.root)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.close()

    def _exchange(self, frame: bytes, patience: float) -> bytes:
        began = time.monotonic()
        threading.Thread(target=self._write, args=(frame,), daemon=True).start()
        try:
            reply = self._replies.get(timeout=max(patience, 0.001))
        except queue.Empty:
            raise self.lost("timeout", f"No answer within {patience:.0f} seconds.") from None
        finally:
            self.waited += time.monotonic() - began
        if self._printed > self._limits.output:
            raise self.lost("output_limit", f"More than {self._limits.output} bytes were printed.")
        if reply is None:
            raise self._ended()
        return reply

    def _read(self, reply: bytes) -> tuple[dict[str, Any], bytes]:
        try:
            header, buffers = unpack(reply)
        except ProtocolError as problem:
            raise self.lost("protocol", f"The reply followed no rule: {problem}.") from problem
        if header["id"] != self._number:
            raise self.lost("protocol", "A reply came that nobody had asked for.")
        return header, buffers

    def _ended(self) -> ChildLostError:
        """Why the channel closed."""
        code = self._wait(2.0)
        used, limits = self._cpu, self._limits
        self.close()
        if self._printed > limits.output:
            return ChildLostError("output_limit", f"More than {limits.output} bytes were printed.")
        if code is None:
            return ChildLostError("no_reply", "The program closed its channel.")
        if os.name == "posix" and code in (-signal.SIGXCPU, -signal.SIGKILL) and used >= limits.cpu:
            return ChildLostError("timeout", f"More than {limits.cpu} seconds of computing.")
        if code < 0 and self._peak >= 0.8 * limits.memory:
            return ChildLostError("memory", f"More than {limits.memory >> 20} MiB of memory.")
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return ChildLostError("no_reply", f"The program was ended by {name}.")
        return ChildLostError("no_reply", f"The program ended itself (exit code {code}) before it answered.")

    def _wait(self, seconds: float) -> int | None:
        """The exit code, with CPU seconds and peak memory noted; None if it still runs."""
        until = time.monotonic() + seconds
        while self._process.returncode is None and time.monotonic() < until:
            if sys.platform == "win32":
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(seconds)
                break
            try:
                pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            except ChildProcessError:  # reaped meanwhile, by the thread that ends everything
                self._process.wait()
                break
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self._cpu = usage.ru_utime + usage.ru_stime
                self._peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            else:
                time.sleep(0.005)
        return self._process.returncode

    def _write(self, frame: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # a child that is gone shows by its reply
            if self._process.stdin is not None:
                self._process.stdin.write(frame)
                self._process.stdin.flush()

    def _read_replies(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        with contextlib.suppress(OSError, ValueError), pipe:
            while len(size := pipe.read(4)) == 4:
                count = int.from_bytes(size, "little")
                if count > self._limits.reply:
                    self._replies.put(b"")  # too short for a header: the reader finds a broken rule
                    break
                if len(body := pipe.read(count)) < count:
                    break
                self._replies.put(body)
        self._replies.put(None)

    def _read_output(self) -> None:
        pipe = self._process.stderr
        if pipe is None:
            return
        with contextlib.suppress(OSError, ValueError), pipe:
            while part := os.read(pipe.fileno(), 1 << 16):
                self._printed += len(part)
                if self._printed > self._limits.output:
                    self._kill(self._process)
                    break

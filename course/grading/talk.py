"""One child process as its parent sees it: a question goes in, a reply comes out or a reason why none did."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from course.grading.frames import ProtocolError, pack, unpack
from course.grading.held import Held
from course.grading.limits import Limits
from course.grading.slots import MachineError

Answering = Callable[[Mapping[str, Any], bytes], tuple[Mapping[str, Any], bytes]]


class ChildLostError(Exception):
    """The child gave no reply that counts: `status` says why, `message` says it to a reader."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Child:
    """One process with one student's code in it."""

    def __init__(self, held: Held, limits: Limits, release: Callable[[], None]) -> None:
        self.work, self.waited = held.work, 0.0  # its folder; seconds spent waiting for its replies
        self._held, self._limits, self._release = held, limits, release
        self._replies: queue.Queue[bytes | None] = queue.Queue()
        self._number, self._printed, self._closed = 0, 0, False
        for work in (self._read_replies, self._read_output):
            threading.Thread(target=work, daemon=True).start()

    def ask(
        self,
        op: str,
        body: Mapping[str, Any],
        data: bytes,
        patience: float,
        answering: Answering | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """Send a request and wait `patience` seconds at most for its reply, else ChildLostError.

        With `answering` the child may put questions of its own first; the seconds are for all of it.
        """
        self._number += 1
        until = time.monotonic() + patience
        frame = pack({**body, "op": op, "id": self._number}, data)
        header, buffers = self._read(self._exchange(frame, patience))
        while header["kind"] == "ask" and answering is not None:
            told, sent = answering(header, buffers)
            frame = pack({**told, "id": self._number}, sent)
            header, buffers = self._read(self._exchange(frame, until - time.monotonic()))
        if header["kind"] not in {"ok", "names", "answer", "refused", "raised", "forbidden"}:
            raise self.lost("protocol", "The reply was of no known kind.")
        return header, buffers

    def begin(self, settings: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Hand over settings and files; MachineError if the child doesn't report for work."""
        told = {**settings, "files": list(files), "sizes": [len(data) for data in files.values()]}
        try:
            header, _ = self._read(self._exchange(pack(told, b"".join(files.values())), self._limits.start))
        except ChildLostError as problem:
            raise MachineError(f"the child process did not start: {problem.message}") from problem
        if header["kind"] != "ready":
            self.close()
            raise MachineError(f"the child process could not load: {header.get('message')}")
        self.waited = 0.0

    def lost(self, status: str, message: str) -> ChildLostError:
        """End the child; the error to raise."""
        self.close()
        return ChildLostError(status, message)

    def close(self) -> None:
        """Kill the process and whatever it left, and give its place to the next."""
        if not self._closed:
            self._closed = True
            self._held.close()
            self._release()

    def _exchange(self, frame: bytes, patience: float) -> bytes:
        began = time.monotonic()
        if rest := self._written_at_once(frame):
            threading.Thread(target=self._write, args=(rest,), daemon=True).start()
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
        ended, limits = self._held.wait(2.0), self._limits
        self.close()
        if self._printed > limits.output:
            return ChildLostError("output_limit", f"More than {limits.output} bytes were printed.")
        if ended is None:
            return ChildLostError("no_reply", "The program closed its channel.")
        code = ended.code
        if os.name == "posix" and code in (-signal.SIGXCPU, -signal.SIGKILL) and ended.cpu >= limits.cpu:
            return ChildLostError("timeout", f"More than {limits.cpu} seconds of computing.")
        if code < 0 and ended.peak >= 0.8 * limits.memory:
            return ChildLostError("memory", f"More than {limits.memory >> 20} MiB of memory.")
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return ChildLostError("no_reply", f"The program was ended by {name}.")
        return ChildLostError("no_reply", f"The program ended itself (exit code {code}) before it answered.")

    def _written_at_once(self, frame: bytes) -> bytes:
        """Write what the pipe takes without waiting, most often all of it; what is left over."""
        if os.name != "posix":
            return frame
        try:
            pipe = self._held.requests.fileno()
            os.set_blocking(pipe, False)
            frame = frame[os.write(pipe, frame) :]
            os.set_blocking(pipe, True)
        except BlockingIOError:
            os.set_blocking(pipe, True)
        except (OSError, ValueError):  # a child that is gone shows by its reply
            return b""
        return frame

    def _write(self, frame: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # a child that is gone shows by its reply
            self._held.requests.write(frame)
            self._held.requests.flush()

    def _read_replies(self) -> None:
        pipe = self._held.replies
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
        pipe = self._held.output
        with contextlib.suppress(OSError, ValueError), pipe:
            while part := os.read(pipe.fileno(), 1 << 16):
                self._printed += len(part)
                if self._printed > self._limits.output:
                    self._held.kill()
                    break

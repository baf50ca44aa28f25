"""The driver in the child process: replays a student's cells, then lets probes.py ask their functions.

It is started by launch.py as a script, and imports nothing of the course but stubs. Its word is never a
score: it sends plain numbers, strings and arrays, and whatever it sends is judged elsewhere. So nothing
here needs to withstand the student's code; what counts is that nothing worth taking is here.
"""

from __future__ import annotations

import ast
import importlib
import json
import math
import os
import struct
import sys
import types
import warnings
from typing import Any

_INT64 = 1 << 63
_KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8), "c": (8, 16)}


class Channel:
    """Frames (frames.py) over two descriptors that are neither stdin nor stdout."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # what is printed goes the way of stderr, which the parent counts
        # Own references: code that replaces os.write or json.dumps later harms only itself.
        self._read, self._write, self._dumps, self._loads = os.read, os.write, json.dumps, json.loads

    def _exactly(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._read(self._in, min(count, 1 << 20))
            if not part:
                os._exit(0)  # the parent has gone, or has no more questions
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """The next request, and its buffers end to end."""
        body = self._exactly(struct.unpack("<I", self._exactly(4))[0])
        (size,) = struct.unpack("<I", body[:4])
        return self._loads(body[4 : 4 + size]), body[4 + size :]

    def send(self, header: dict[str, Any], buffers: bytes = b"") -> None:
        """One reply."""
        head = self._dumps(header).encode("ascii")
        frame = struct.pack("<II", 4 + len(head) + len(buffers), len(head)) + head + buffers
        while frame:
            frame = frame[self._write(self._out, frame) :]


def limit(settings: dict[str, int]) -> None:
    """Put limits on this process, now that what it needs is loaded."""
    if sys.platform == "linux":
        _linux(settings["parent"])
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return  # Windows: the parent says that these are missing
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime + settings["cpu"])
    wanted = {
        "RLIMIT_CPU": (seconds, seconds + 1),
        "RLIMIT_AS": (settings["memory"],) * 2,
        "RLIMIT_FSIZE": (settings["file"],) * 2,
        "RLIMIT_NOFILE": (settings["open_files"],) * 2,
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NPROC": (settings["processes"],) * 2,
    }
    for name, (soft, hard) in wanted.items():
        kind = getattr(resource, name, None)
        try:
            if kind is not None:
                resource.setrlimit(kind, (soft, hard))
        except (ValueError, OSError):
            continue  # a system that lacks it (macOS: AS); the parent's record says so


def _linux(parent: int) -> None:
    import ctypes

    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: nothing survives a grader that was killed
    prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if os.getppid() != parent:
        os._exit(0)


def decode(tree: Any, buffers: list[bytes], numpy: Any) -> Any:
    """A case's data; written by frames.py."""
    if not isinstance(tree, list):
        return tree
    kind, *rest = tree
    if kind == "list":
        return [decode(one, buffers, numpy) for one in rest]
    if kind == "tuple":
        return tuple(decode(one, buffers, numpy) for one in rest)
    if kind == "dict":
        return {decode(k, buffers, numpy): decode(v, buffers, numpy) for k, v in rest}
    if kind == "complex":
        return complex(*rest)
    dtype, shape, place = rest
    array = numpy.frombuffer(buffers[place], dtype=dtype).reshape(shape).copy()
    return array[()] if kind == "scalar" else array


def encode(value: Any, numpy: Any) -> tuple[str, str, bytes]:
    """A value of an answer as type, shape, bytes. Exact types only: a subclass may lie about itself."""
    kind = type(value)
    if kind is bool:
        return "bool", "", struct.pack("<?", value)
    if kind is int and -_INT64 <= value < _INT64:
        return "int", "", struct.pack("<q", value)
    if kind is int and value.bit_length() <= 8192:
        return "big", "", hex(value).encode("ascii")
    if kind is float:
        return "float", "", struct.pack("<d", value)
    if kind is complex:
        return "complex", "", struct.pack("<dd", value.real, value.imag)
    if kind is str:
        return "str", "", value[:10_000].encode("utf-8", "backslashreplace")
    if kind is numpy.ndarray or (issubclass(kind, numpy.generic) and kind.__module__ == "numpy"):
        array = numpy.asarray(value)
        if array.dtype.itemsize in _KINDS.get(array.dtype.kind, ()):
            little = numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
            dtype = f"{array.dtype.kind}{array.dtype.itemsize}"
            shape = ",".join(map(str, array.shape)) if kind is numpy.ndarray else "scalar"
            return dtype, shape, little.tobytes()
        return "other", "", f"array of {array.dtype}"[:100].encode("ascii", "replace")
    return "other", "", str(kind.__name__)[:100].encode("utf-8", "replace")


class Driver:
    """Answers the parent's requests, one reply each."""

    def __init__(self, channel: Channel, settings: dict[str, Any]) -> None:
        sys.path[:] = [*sys.path, *settings["path"]]
        self.numpy = importlib.import_module("numpy")
        beside = importlib.import_module("_beside")
        self.forbidden, self.quiet = beside.ForbiddenImport, beside.quiet
        self.case = importlib.import_module("course.checking.exercise").Case
        self.channel = channel
        self.probes: dict[str, Any] = {"__name__": "probes"}
        exec(compile(settings["probes"], "<probes>", "exec"), self.probes)
        self.labels: set[str] = set()
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(display=self.quiet, get_ipython=_Shell)
        sys.modules["__main__"] = self.main
        warnings.simplefilter("ignore")  # the student's warnings are neither faults nor output
        limit(settings["limits"])

    def serve(self) -> None:
        """For ever; the parent ends it."""
        while True:
            request, buffers = self.channel.receive()
            try:
                header, data = getattr(self, "do_" + request["op"])(request, buffers)
            except BaseException as problem:  # SystemExit and KeyboardInterrupt are the student's too
                header, data = self.raised(problem), b""
            self.channel.send({**header, "id": request["id"]}, data)

    def do_cell(self, request: dict[str, Any], buffers: bytes) -> tuple[dict[str, Any], bytes]:
        """Run one cell."""
        self.labels.add(request["label"])
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(request["source"], request["label"], "exec", flags, dont_inherit=True)
        space = self.main.__dict__
        if code.co_flags & 0x80:  # CO_COROUTINE: the cell awaits something
            import asyncio

            asyncio.run(types.FunctionType(code, space)())
        else:
            exec(code, space)
        return {"kind": "ok"}, b""

    def do_names(self, request: dict[str, Any], buffers: bytes) -> tuple[dict[str, Any], bytes]:
        """Which of the needed names are missing, which were imported instead of written."""
        space, needs = self.main.__dict__, request["needs"]
        missing = [name for name in needs if name not in space]
        taken = [name for name in needs if name in space and self.home(space[name])]
        return {"kind": "names", "missing": missing, "taken": taken}, b""

    def do_call(self, request: dict[str, Any], buffers: bytes) -> tuple[dict[str, Any], bytes]:
        """Ask one case."""
        parts, start = [], 0
        for size in request["sizes"]:
            parts.append(buffers[start : start + size])
            start += size
        data = decode(request["data"], parts, self.numpy)
        case = self.case(request["case"], tuple(request["families"]), data)
        names = {name: self.main.__dict__[name] for name in request["needs"]}
        answer = self.probes[request["probe"]](names, case)
        if type(answer) is not dict or not all(type(key) is str for key in answer):
            return {"kind": "refused", "message": "the probe gave no flat dictionary"}, b""
        coded = [encode(value, self.numpy) for value in answer.values()]
        kinds, shapes = [c[0] for c in coded], [c[1] for c in coded]
        sizes = [len(c[2]) for c in coded]
        header = {"kind": "answer", "keys": list(answer), "types": kinds, "shapes": shapes, "sizes": sizes}
        return header, b"".join(c[2] for c in coded)

    def home(self, thing: Any) -> bool:
        """Whether an object comes from the course's own packages."""
        home = getattr(thing, "__module__", None) or type(thing).__module__
        return str(home).split(".")[0] in {"autodiff", "course", "_beside"}

    def raised(self, problem: BaseException) -> dict[str, Any]:
        """An exception in words: type, message, the last line that is the student's."""
        line = 0
        trace = problem.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename in self.labels:
                line = trace.tb_lineno
            trace = trace.tb_next
        if isinstance(problem, SyntaxError) and problem.filename in self.labels:
            line = problem.lineno or 0
        try:
            message = str(problem)[:2000]
        except BaseException:
            message = ""
        forbidden = isinstance(problem, self.forbidden)
        return {
            "kind": "forbidden" if forbidden else "raised",
            "type": str(type(problem).__name__)[:100],
            "message": message.encode("utf-8", "backslashreplace").decode("utf-8")[:2000],
            "line": line,
        }


class _Shell:
    """What get_ipython() gives: every magic does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def run() -> None:
    """Start, report for work, serve."""
    channel = Channel()
    settings, _ = channel.receive()
    try:
        driver = Driver(channel, settings)
    except BaseException as problem:
        channel.send({"kind": "broken", "id": 0, "message": f"{type(problem).__name__}: {problem}"[:2000]})
        raise
    channel.send({"kind": "ready", "id": 0})
    driver.serve()


if __name__ == "__main__":
    run()

"""The driver: replays a student's cells, then lets probes.py ask their functions.

It imports nothing of the course but stubs. Its word is never a score: it sends plain numbers, strings and
arrays, and whatever it sends is judged elsewhere. So nothing here needs to withstand the student's code;
what counts is that nothing worth taking is here.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from .channel import Channel
from .locks import limit
from .values import columns, decode

Reply = tuple[dict[str, Any], bytes]


class Driver:
    """Answers the parent's requests, one reply each."""

    def __init__(self, channel: Channel, settings: dict[str, Any], files: list[bytes]) -> None:
        lay_out(dict(zip(settings["files"], files, strict=True)))
        sys.path[:] = [*sys.path, *settings["path"], os.getcwd()]
        self.numpy = importlib.import_module("numpy")
        beside = importlib.import_module("_beside")
        self.forbidden, self.quiet = beside.ForbiddenImport, beside.quiet
        self.case = importlib.import_module("course.checking.exercise").Case
        self.ask_error = importlib.import_module("course.checking.oracle").AskError
        self.channel, self.number = channel, 0
        self.probes: dict[str, Any] = {"__name__": "probes"}
        exec(compile(settings["probes"], "<probes>", "exec"), self.probes)
        self.labels: set[str] = set()
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(display=self.quiet, get_ipython=_Shell)
        sys.modules["__main__"] = self.main
        warnings.simplefilter("ignore")  # the student's warnings are neither faults nor output
        if "limits" in settings:  # a forked child has them already
            limit(settings["limits"])

    def serve(self) -> None:
        """For ever; the parent ends it."""
        while True:
            request, buffers = self.channel.receive()
            self.number = request["id"]
            try:
                header, data = getattr(self, "do_" + request["op"])(request, buffers)
            except BaseException as problem:  # SystemExit and KeyboardInterrupt are the student's too
                header, data = self.raised(problem), b""
            self.channel.send({**header, "id": request["id"]}, data)

    def do_cell(self, request: dict[str, Any], buffers: list[bytes]) -> Reply:
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

    def do_names(self, request: dict[str, Any], buffers: list[bytes]) -> Reply:
        """Which of the needed names are missing, which were imported instead of written."""
        space, needs = self.main.__dict__, request["needs"]
        missing = [name for name in needs if name not in space]
        taken = [name for name in needs if name in space and self.home(space[name])]
        return {"kind": "names", "missing": missing, "taken": taken}, b""

    def do_call(self, request: dict[str, Any], buffers: list[bytes]) -> Reply:
        """Ask one case."""
        data = decode(request["data"], buffers, self.numpy)
        case = self.case(request["case"], tuple(request["families"]), data)
        names = {name: self.main.__dict__[name] for name in request["needs"]}
        more = (self.asking(request["id"]),) if request["asks"] else ()
        answer = self.probes[request["probe"]](names, case, *more)
        if type(answer) is not dict or not all(type(key) is str for key in answer):
            return {"kind": "refused", "message": "the probe gave no flat dictionary"}, b""
        told, sent = columns(answer, self.numpy)
        return {"kind": "answer", **told}, sent

    def asking(self, number: int) -> Callable[..., Any]:
        """What a probe gets as `ask`: the question goes to the parent, its answer comes from there."""

        def ask(handle: str, *arrays: Any) -> Any:
            if number != self.number:
                raise self.ask_error("this `ask` is an earlier call's; use the one that you were handed last")
            told, sent = columns({str(k): one for k, one in enumerate((handle, *arrays))}, self.numpy)
            self.channel.send({**told, "kind": "ask", "id": number}, sent)
            reply, buffers = self.channel.receive()
            if "refused" in reply:
                raise self.ask_error(reply["refused"])
            return decode(reply["value"], buffers, self.numpy)

        return ask

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


def lay_out(files: dict[str, bytes]) -> None:
    """Put the files that lie beside the notebook into the current folder, to be read."""
    for name, data in files.items():
        parent = os.path.dirname(name)
        if parent:
            os.makedirs(parent, exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)
        os.chmod(name, 0o444)


def run(channel: Channel) -> None:
    """Take the settings, report for work, serve."""
    settings, files = channel.receive()
    try:
        driver = Driver(channel, settings, files)
    except BaseException as problem:
        channel.send({"kind": "broken", "id": 0, "message": f"{type(problem).__name__}: {problem}"[:2000]})
        raise
    channel.send({"kind": "ready", "id": 0})
    driver.serve()

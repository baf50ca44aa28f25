"""The attacks that are tried when a grader starts: what they come to is the level of isolation.

Each runs as a student's cell would, in a child of its own. What can be seen from outside (a file, a
connection, a process that ended) is looked at there; for the rest our own cell is asked.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.grading.slots import MachineError
from course.grading.talk import Child, ChildLostError

PROBE = """
def ask(names, case):
    return {"worked": names["worked"]}
"""

STOPPED, LEAKED = "stopped", "leaked"
_PATIENCE = 20.0

ATTEMPTS = {
    "read_canary": "worked = open(CANARY).read()",
    "stat_canary": "import os\nworked = os.path.exists(CANARY)",
    "write_canary": "open(MARK, 'w').close()\nworked = True",
    "link_canary": "import os\nos.link(CANARY, 'link')\nworked = True",
    "tcp": "import socket\nsocket.create_connection(('127.0.0.1', TCP), 2)\nworked = True",
    "udp": "import socket\n"
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))\nworked = True",
    "abstract_socket": "import socket\n"
    "socket.socket(socket.AF_UNIX).connect('\\0' + ABSTRACT)\nworked = True",
    "kill": "import os\nworked = False\nfor one in (DECOY, os.getppid()):\n"
    "    try:\n        os.kill(one, 9 if one == DECOY else 0)\n"
    "        worked = worked or one != DECOY\n    except OSError:\n        pass",
    "memory_of_parent": "import os\nopen(f'/proc/{os.getppid()}/mem', 'rb').close()\nworked = True",
    "fork": "import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nos.waitpid(pid, 0)\nworked = True",
    "exec": "import os, sys\nos.posix_spawn('/bin/sh', ['sh', '-c', 'exit'], {})\nworked = True",
    "namespaces": "import ctypes\nworked = ctypes.CDLL(None).unshare(0x10000000) == 0",
    "mem": "import numpy\nworked = len(numpy.empty(MEMORY, 'u1')) > 0",
    "files": "for k in range(FILES):\n    open(f'f{k}', 'wb').write(bytes(1 << 20))\nworked = True",
}
_SEEN = {"read_canary", "write_canary", "tcp", "udp", "abstract_socket"}  # outside, whatever the cell says


def attempt_all(
    start: Callable[[], Child], base: Path, uid: int, memory: int, scratch: int
) -> dict[str, str]:
    """Every attack by its name: stopped or leaked."""
    with contextlib.ExitStack() as stack:
        target = _Target(base, uid, stack)
        facts = {**target.facts, "MEMORY": 2 * memory, "FILES": (scratch >> 20) + 8}
        found = {}
        for name, cell in ATTEMPTS.items():
            worked = _worked(start(), facts, cell)
            seen = target.seen(name, worked)
            found[name] = LEAKED if (seen if name in _SEEN else seen or worked is True) else STOPPED
        return found


def _worked(child: Child, facts: dict[str, Any], cell: str) -> Any:
    """What the attack says of itself; None where it raised or was ended."""
    told = "\n".join(f"{name} = {value!r}" for name, value in facts.items())
    try:
        for source in (told, cell):
            header, _ = child.ask("cell", {"label": "attempt", "source": source}, b"", _PATIENCE)
            if header["kind"] != "ok":
                return None
        question = {"needs": ["worked"], "probe": "ask", "case": "", "families": [], "data": ["dict"]}
        header, data = child.ask("call", {**question, "asks": False}, b"", _PATIENCE)
        if header["kind"] != "answer":  # taken for "stopped" it would make the level too high
            raise MachineError(f"an attack tried at start could not be asked: {header.get('message')}")
        kinds = header.get("types")
        return data.decode("utf-8", "replace") if kinds == ["str"] else kinds == ["bool"] and data == b"\1"
    except ChildLostError:
        return None
    finally:
        child.close()


class _Target:
    """What the attacks aim at, and whether they hit it."""

    def __init__(self, base: Path, uid: int, stack: contextlib.ExitStack) -> None:
        self.secret = secrets.token_hex(16)
        self.canary, self.mark = base / "canary", base / f"mark-{self.secret}"
        self.canary.write_text(self.secret)
        self.canary.chmod(0o644)
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.udp.bind(("127.0.0.1", 0))
        self.unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        self.unix.bind(f"\0{self.secret}")
        self.unix.listen()
        for one in (self.tcp, self.udp, self.unix):
            one.setblocking(False)
        self.decoy = subprocess.Popen(
            [shutil.which("sleep") or "sleep", "600"], user=uid, start_new_session=True
        )
        stack.callback(self.decoy.wait)
        stack.callback(self.decoy.kill)
        self.facts = {
            "CANARY": str(self.canary),
            "MARK": str(self.mark),
            "TCP": self.tcp.getsockname()[1],
            "UDP": self.udp.getsockname()[1],
            "ABSTRACT": self.secret,
            "DECOY": self.decoy.pid,
        }

    def seen(self, name: str, worked: Any) -> bool:
        """Whether an attack can be seen to have worked."""
        if name == "read_canary":
            return bool(worked == self.secret)
        if name == "write_canary":
            return self.mark.exists()
        if name == "udp":
            return _received(lambda: self.udp.recv(1))
        if name in ("tcp", "abstract_socket"):
            server = self.tcp if name == "tcp" else self.unix
            return _received(lambda: _close(server.accept()[0]))
        return name == "kill" and self.decoy.poll() is not None


def _close(connection: socket.socket) -> None:
    connection.close()


def _received(take: Callable[[], object]) -> bool:
    try:
        take()
    except OSError:
        return False
    return True

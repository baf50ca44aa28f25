"""Starts a child, holds it to its limits, ends it: isolation L1.

Everything that starts or limits a process is in this file and in orphans.py (child.py only carries out the
limits it is told). The rest of the grader knows `Launcher.start`, `Child.ask` and the `Isolation` record.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

import numpy as np

from course.grading.limits import Isolation, Limits
from course.grading.orphans import children, kill_orphans, reaper
from course.grading.site import link_libraries, make_site, remove
from course.grading.talk import Child, MachineError, Process

_DRIVER = Path(__file__).with_name("child.py")
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "PATH": os.defpath,
}


class Launcher:
    """Starts children one by one, from several threads; use it as a context."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._context = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._live: dict[int, Process] = {}
        self._others: set[int] = set()
        self._reaping = False
        self._base, self._libraries, self._python = Path(), list[str](), list[str]()

    def __enter__(self) -> Self:
        self._reaping = self._context.enter_context(reaper())
        self._others = children() if self._reaping else set()
        self._base = Path(tempfile.mkdtemp(prefix="grading-"))
        self._context.callback(remove, self._base)
        self._libraries = link_libraries(self._base / "libraries")
        self.processes = _process_limit(self.limits.processes)
        self.isolation = describe(self._reaping)
        return self

    def __exit__(self, *details: object) -> None:
        self.kill_all()
        self._context.close()

    def _compile(self) -> None:
        """Compile NumPy once where nobody has: each child would spend half a second on it."""
        if self._python:
            return
        self._python = [sys.executable, "-P", "-s", "-S", "-X", "utf8"]
        if not os.path.exists(importlib.util.cache_from_source(np.__file__)):
            self._python += ["-X", f"pycache_prefix={self._base / 'compiled'}"]
            script = f"import sys; sys.path += {self._libraries!r}; import numpy"
            environment = {**_ENVIRONMENT, **_system()}
            subprocess.run(
                [*self._python, "-c", script], env=environment, check=False, timeout=self.limits.start
            )

    def start(self, files: Mapping[str, bytes], provides: Iterable[str], probes: str) -> Child:
        """A child with a student's files in its folder, ready for cells. MachineError if there is none."""
        with self._lock:
            self._compile()
        root = Path(tempfile.mkdtemp(dir=self._base))
        work, site = root / "work", root / "site"
        work.mkdir()
        make_site(site, provides)
        for name, data in files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o444)
        command = [*self._python, "-B", str(_DRIVER)]
        home = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), str(work))
        environment = {**_ENVIRONMENT, **_system(), **home}
        pipe = subprocess.PIPE
        try:
            with self._lock:  # whoever looks for orphans must know this one
                process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=work, env=environment,
                    start_new_session=os.name == "posix", close_fds=True,
                )  # fmt: skip
                self._live[process.pid] = process
        except OSError as problem:
            remove(root)
            raise MachineError(f"no process can be started: {problem}") from problem
        child = Child(root, process, self.limits, self.kill, self.end)
        limits = {
            "cpu": self.limits.cpu,
            "memory": self.limits.memory,
            "file": self.limits.file,
            "open_files": self.limits.open_files,
            "processes": self.processes,
            "parent": os.getpid(),
        }
        child.begin({"path": [str(site), *self._libraries, str(work)], "probes": probes, "limits": limits})
        return child

    def kill(self, process: Process) -> None:
        """Kill a child and its process group; whoever waits for it reaps it, and sees what it used."""
        if sys.platform == "win32":
            process.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)

    def end(self, process: Process, root: Path | None = None) -> None:
        """Kill a child, its process group, and what escaped from it; remove its folder."""
        self.kill(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with self._lock:
            self._live.pop(process.pid, None)
            if self._reaping:
                kill_orphans({*self._live, *self._others})
        if root is not None:
            remove(root)

    def kill_all(self) -> None:
        """End every child, so that whoever waits for one is told at once."""
        for process in list(self._live.values()):
            self.end(process)


def _system() -> dict[str, str]:
    """What Windows needs in every environment."""
    return {"SYSTEMROOT": os.environ.get("SYSTEMROOT", "")} if os.name == "nt" else {}


def _process_limit(more: int) -> int:
    """RLIMIT_NPROC counts all threads of the user: those that run now, and `more`. -1 where unknown."""
    if sys.platform != "linux" or os.getuid() == 0:
        return -1
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == os.getuid():
                    count += len(os.listdir(entry / "task"))
    return count + more


def describe(reaping: bool) -> Isolation:
    """What holds a child on this machine at L1, and what doesn't."""
    held = ["clean environment", "copy of the submission in a fresh folder", "wall limit", "output limit"]
    missing = ["file system open", "network open", "no system-call filter", "no process namespace"]
    if os.name == "posix":
        held += ["own session, killed as a group", "rlimits CPU FSIZE NOFILE CORE"]
    else:
        missing += ["no CPU, memory, file or process limits (no POSIX rlimits)", "descendants not killed"]
    linux = sys.platform == "linux"
    if linux:
        held += ["rlimit AS", "no new privileges", "killed with the grader", "grader's memory not dumpable"]
    elif os.name == "posix":
        missing.append("memory limit not enforced by this system")
    (held if reaping else missing).append("orphans killed" if reaping else "processes that detach survive")
    root = os.name == "posix" and os.getuid() == 0
    if linux and not root:
        held.append("rlimit NPROC")
    elif os.name == "posix":
        missing.append("process count not limited" + (" (run as root)" if root else ""))
    if root:
        missing.append("runs as root: its rights over files are whole")
    uid = os.getuid() if os.name == "posix" else None
    return Isolation("L1", tuple(held), tuple(missing), uid, platform.release())

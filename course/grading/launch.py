"""Starts children as firmly held as the machine allows, and says how firmly that is.

Everything that starts or holds a process lies behind `Launcher.start`; the rest of the grader knows that, a
`Child` to ask, and the `Isolation` record.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from course.grading import inside
from course.grading.attempts import PROBE, attempt_all
from course.grading.filter import filter_program
from course.grading.held import Alone, Held
from course.grading.inside.locks import landlock_version
from course.grading.levels import describe
from course.grading.limits import Isolation, Limits
from course.grading.site import link_libraries, make_site, open_up, remove
from course.grading.slots import MachineError, Slot
from course.grading.talk import Child
from course.grading.wall import ENVIRONMENT, HOME, POOL, Place, Wall, bubblewrap, command, rlimits


@dataclass(frozen=True)
class Stand:
    """Where a launcher stands: behind which wall, which of how many that work side by side."""

    wall: Wall
    isolation: Isolation
    groups: bool  # control groups can be had
    base: Path  # the folder in which it makes its own
    place: int = 0
    of: int = 1


class Launcher:
    """Starts children one by one, from several threads; use it as a context.

    By itself it finds the strongest wall that stands here; `stand` is one that another found.
    """

    def __init__(self, limits: Limits, stand: Stand | None = None) -> None:
        self.limits = limits
        self._stand = stand
        self._context = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._idle: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        self._live: set[Slot | Alone] = set()
        self._slots = 0
        self._base, self._wall = Path(), Wall()
        self._groups = self._closed = False

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_not_dumpable())
            beside = self._stand.base if self._stand else None
            self._base = Path(tempfile.mkdtemp(prefix="grading-", dir=beside))
            self._base.chmod(0o755)  # a slot's own user finds its folders in it
            stack.callback(remove, self._base)
            stack.callback(self.kill_all)
            source = Path(str(inside.__file__)).parent
            driver = self._base / "driver"
            shutil.copytree(source, driver / "inside", ignore=shutil.ignore_patterns("__pycache__"))
            open_up(driver)
            (self._base / "sites").mkdir()
            open_up(self._base / "sites")
            self._processes = _process_limit(self.limits.processes)
            self.isolation = self._find() if self._stand is None else self._taken(self._stand)
            self._context = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._closed = True
        self._context.close()

    @property
    def stand(self) -> Stand:
        """What it found, for launchers that stand beside it; its folder is theirs, too."""
        return Stand(self._wall, self.isolation, self._groups, self._base)

    def _taken(self, stand: Stand) -> Isolation:
        self._wall, self._groups = stand.wall, stand.groups
        if sys.platform != "linux":
            link_libraries(self._base / "libraries")
        return stand.isolation

    def _find(self) -> Isolation:
        """The strongest wall that stands here, with what was tried against it."""
        refused: list[str] = []
        if sys.platform != "linux":
            link_libraries(self._base / "libraries")
            return describe(None, None, {}, ["namespaces, Landlock and seccomp are Linux's"])
        for one in _walls(refused):
            self._wall = one
            try:
                uid, tried = self._try()
                return describe(one, uid, tried, refused, groups=self._groups)
            except MachineError as problem:
                refused.append(f"{one.name}: {problem}")
                self.kill_all()
        raise MachineError(f"no process can be started to hold student code: {'; '.join(refused)}")

    def _try(self) -> tuple[int, dict[str, str]]:
        """The user that a slot runs as, and what the attacks on it come to."""
        slot = self._slot()
        self._groups = slot.join_group()
        self._idle.put(slot)
        limits = self.limits
        return slot.uid, attempt_all(
            lambda: self.start({}, (), PROBE), self._base, slot.uid, limits.memory, limits.scratch
        )

    def start(self, files: Mapping[str, bytes], provides: Iterable[str], probes: str) -> Child:
        """A child with a student's files in its folder, ready for cells. MachineError if there is none."""
        site = self._site(tuple(provides))
        settings: dict[str, Any] = {"probes": probes}
        if sys.platform == "linux":
            slot = self._take()
            place = HOME if self._wall.inside else slot.place
            held: Held = slot.open(site)
            child = Child(held, self.limits, lambda: self._give(slot))
        else:
            place, held = self._alone(site)
            child = Child(held, self.limits, lambda: self._live.discard(held))
            settings["limits"] = rlimits(self.limits, self._processes)
        child.begin({**settings, "path": [str(place.sites / site), str(place.libraries)]}, files)
        return child

    def _alone(self, site: str) -> tuple[Place, Alone]:
        """A process of its own, on systems without a zygote."""
        root = Path(tempfile.mkdtemp(dir=self._base))
        place = Place(self._base / "driver", self._base / "sites", self._base / "libraries", root / "work")
        place.scratch.mkdir()
        environment = {**ENVIRONMENT, **dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), str(place.scratch))}
        if os.name == "nt":
            environment["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
        try:
            alone = Alone(command(Wall(), place, None), environment, root)
        except OSError as problem:
            remove(root)
            raise MachineError(f"no process can be started: {problem}") from problem
        self._live.add(alone)
        return place, alone

    def _take(self) -> Slot:
        """An idle slot that lives, or a new one."""
        with contextlib.suppress(queue.Empty):
            while True:
                slot = self._idle.get_nowait()
                if slot.alive:
                    return slot
                self._end(slot)
        slot = self._slot()
        if self._groups:
            slot.join_group()
        return slot

    def _end(self, slot: Slot) -> None:
        with self._lock:
            self._live.discard(slot)
        slot.close()

    def _give(self, slot: Slot) -> None:
        """Take a slot back; a spent one is ended."""
        if slot.spent or self._closed:
            self._end(slot)
        else:
            self._idle.put(slot)

    def _slot(self) -> Slot:
        with self._lock:
            if self._closed:
                raise MachineError("the grader is ending")
            number = self._number()
        slot = Slot(self._wall, number, self._base, self.limits, self._processes)
        with self._lock:
            self._live.add(slot)
        return slot

    def _number(self) -> int:
        """A number that no slot of a launcher beside this one has: its user is its own."""
        stand = self._stand
        place, of = (stand.place, stand.of) if stand else (0, 1)
        self._slots += 1
        return place + of * (self._slots % (len(POOL) // of))

    def _site(self, provides: tuple[str, ...]) -> str:
        """The folder of what a unit provides, made once."""
        name = hashlib.sha256(repr(provides).encode()).hexdigest()[:16]
        with self._lock:
            folder = self._base / "sites" / name
            if not folder.exists():
                make_site(folder, provides)
        return name

    def kill_all(self) -> None:
        """End every process, so that whoever waits for one is told at once."""
        with self._lock:
            live, self._live = list(self._live), set()
        for one in live:
            one.close()


def _walls(refused: list[str]) -> Iterator[Wall]:
    """The ways to hold a zygote, the strongest first; what can't be had is told to `refused`."""
    program, why = filter_program()
    landlock = landlock_version()
    refused += [why] if why else []
    refused += [] if landlock else ["no Landlock (Linux 5.13 or newer, and switched on)"]
    root = os.getuid() == 0
    ways = [("root", True)] if root else []
    ways += [("user", False)]
    if not bubblewrap():
        ways = []
        refused.append("bubblewrap isn't installed (apt install bubblewrap)")
    ways += [("", True)] if root else []
    for namespaces, pool in [*ways, ("", False)]:
        yield Wall(namespaces, pool, landlock, program)


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


@contextlib.contextmanager
def _not_dumpable() -> Iterator[None]:
    """Hide this process's memory and environment from other processes of the same user."""
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    before = prctl(3, 0, 0, 0, 0)  # PR_GET_DUMPABLE
    prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    try:
        yield
    finally:
        prctl(4, before, 0, 0, 0)

"""The outer wall: how a zygote is started, and what of the machine it sees.

With bubblewrap it gets namespaces of its own and an empty file system with Python, the libraries and the
units' modules in it. Without, it is a plain process, and the inner wall (inside/locks.py) stands alone.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.grading.limits import Limits
from course.grading.site import library_paths

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "PATH": os.defpath,
}
POOL = range(64_000, 64_900)  # user ids that no distribution gives to anybody
_SYSTEM = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share/zoneinfo")
_ROOM = 16  # entries beyond the limit: the scratch itself, and what a running interpreter needs


@dataclass(frozen=True)
class Wall:
    """One way to hold a zygote."""

    namespaces: str = ""  # "user": with a user namespace, "root": made by root without one, "": none
    pool: bool = False  # each zygote as a user of its own
    landlock: int = 0
    filter: bytes = b""

    @property
    def inside(self) -> bool:
        """Whether the zygote has a file system of its own."""
        return bool(self.namespaces)

    @property
    def name(self) -> str:
        """In words."""
        parts = [f"bubblewrap as {self.namespaces}" if self.namespaces else "without namespaces"]
        return ", ".join([*parts, "a user for each slot"] if self.pool else parts)

    def uid(self, slot: int) -> int | None:
        """The user that a slot's questions run as; None for the grader's own."""
        return POOL[slot % len(POOL)] if self.pool else None


@dataclass(frozen=True)
class Place:
    """Where a zygote's things lie, as it sees them."""

    driver: Path
    sites: Path
    libraries: Path
    scratch: Path


HOME = Place(Path("/driver"), Path("/sites"), Path("/libraries"), Path("/scratch"))


def command(wall: Wall, host: Place, control: int | None) -> list[str]:
    """The command line of a zygote, or of a process alone; `host` says where its things lie outside."""
    place, module = HOME if wall.inside else host, "alone" if control is None else "zygote"
    start = f"import sys; sys.path.insert(0, {str(place.driver)!r}); from inside.{module} import main; main()"
    python = [_python(), "-P", "-s", "-S", "-B", "-X", "utf8", "-c", start, str(control)]
    return [*_bubblewrap(wall, host), *python] if wall.inside else python


def _bubblewrap(wall: Wall, host: Place) -> list[str]:
    made = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    made += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "course"]
    if wall.namespaces == "user":
        made += ["--unshare-user"]
    # To mount the sized scratch, and to become the slot's user; both are given up before any question.
    made += ["--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN"]
    if wall.pool:
        made += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    inner = [str(HOME.scratch), str(HOME.libraries / "any"), os.devnull, *_visible()]
    for folder in sorted(
        {str(parent) for path in inner for parent in Path(path).parents if parent != Path("/")}
    ):
        made += ["--perms", "0755", "--dir", folder]  # bubblewrap would close them to a slot's own user
    for path in _visible():
        made += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
    for folder in _foreign():
        made += ["--tmpfs", folder, "--remount-ro", folder]
    for library in library_paths():
        made += ["--ro-bind", str(library), str(HOME.libraries / library.name)]
    made += ["--ro-bind", str(host.driver), str(HOME.driver), "--ro-bind", str(host.sites), str(HOME.sites)]
    made += ["--dir", str(HOME.scratch), "--dev-bind", os.devnull, os.devnull, "--remount-ro", "/"]
    return [*made, "--chdir", "/", "--"]


def _python() -> str:
    return os.path.realpath(sys.executable)


def _visible() -> list[str]:
    """What of the system Python needs; links of the system's root as links."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix)
    needed = [*_SYSTEM, _python(), sysconfig.get_path("stdlib"), str(base / "lib" / version)]
    needed += [str(path) for path in sorted((base / "lib").glob("libpython*.so*"))]
    links = [path for path in _SYSTEM if os.path.islink(path)]
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in needed if os.path.exists(path)}):
        if not any(_beneath(path, one) for one in found):
            found.append(path)
    return [*found, *links]


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _foreign() -> list[str]:
    """Folders of installed packages beneath what is visible: empty for student code."""
    homes = [path for path in _visible() if os.path.isdir(path) and not os.path.islink(path)]
    names = ("site-packages", "dist-packages")
    found = {
        p for home in homes for name in names for depth in ("", "*/") for p in Path(home).glob(depth + name)
    }
    return sorted(str(path) for path in found if not path.is_symlink())


def readable(wall: Wall, host: Place) -> list[str]:
    """What Landlock lets a question read besides its unit's modules."""
    if wall.inside:
        visible = [path for path in _visible() if not os.path.islink(path)]
        return [*visible, str(HOME.driver), str(HOME.libraries)]
    return [*_plainly(), str(host.driver), str(host.libraries), *map(str, library_paths())]


def _plainly() -> Iterator[str]:
    """The visible folders' entries without those that hold packages: Landlock can't take anything away."""
    foreign = _foreign()
    waiting = [os.path.realpath(path) for path in _visible()]
    while waiting:
        path = waiting.pop()
        if path in foreign:
            continue
        if any(_beneath(one, path) for one in foreign):
            waiting += [entry.path for entry in os.scandir(path)]
        else:
            yield path
    yield "/etc/ld.so.cache"


def settings(wall: Wall, host: Place, slot: int, limits: Limits, processes: int) -> dict[str, object]:
    """What a zygote is told at its start."""
    place = HOME if wall.inside else host
    return {
        "parent": 0 if wall.inside else os.getpid(),
        "scratch": str(place.scratch),
        "sites": str(place.sites),
        "libraries": [str(place.libraries)],
        "mount": [limits.scratch, limits.scratch_files + _ROOM] if wall.inside else None,
        "uid": wall.uid(slot),
        "capabilities": sys.platform == "linux",
        "landlock": wall.landlock,
        "readable": readable(wall, host),
        "filter": wall.filter.hex(),
        "limits": rlimits(limits, limits.processes if wall.pool else processes),
    }


def rlimits(limits: Limits, processes: int) -> dict[str, int]:
    """What inside/locks.py puts on a child."""
    return {
        "cpu": limits.cpu,
        "memory": limits.memory,
        "file": limits.file,
        "open_files": limits.open_files,
        "processes": processes,
    }


def bubblewrap() -> str:
    """The path of bubblewrap; "" where it isn't installed."""
    return shutil.which("bwrap") or ""

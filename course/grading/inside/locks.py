"""The inner wall, on Linux: limits of resources, Landlock, a filter of system calls, no capabilities.

Small bindings by ctypes: an `import` or a program started from here would need what the wall takes away.
Where a lock isn't there (another system, an old kernel) the functions say so and the rest goes on.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import os
import stat
import sys
from collections.abc import Iterable
from typing import Any

_PDEATHSIG, _NO_NEW_PRIVS, _SUBREAPER, _SECCOMP, _CAPBSET_DROP = 1, 38, 36, 22, 24
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NOSUID_NODEV_NOEXEC = 2 | 4 | 8

# Landlock's rights over files, by bit: execute, write, read file, read folder, remove folder, remove file,
# make device, folder, file, socket, fifo, block device, link; then REFER, TRUNCATE, IOCTL_DEV by version.
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_ALL = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = _EXECUTE | _WRITE | _READ | 1 << 14 | 1 << 15
_MAKE_ODD = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11  # devices, sockets, fifos
READABLE = _READ | _LIST


def libc() -> Any:
    """The C library, with errno kept."""
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def landlock_version() -> int:
    """The version of Landlock that this kernel answers; 0 without it."""
    if sys.platform != "linux":
        return 0
    return max(0, int(libc().syscall(_CREATE_RULESET, None, 0, 1)))


class _Path(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Ruleset:
    """What may be touched: everything else is refused once `restrict` is called."""

    def __init__(self, version: int) -> None:
        self._handled = _ALL[min(version, 5)]
        tcp, signals = 3 if version >= 4 else 0, 3 if version >= 6 else 0
        attributes = (ctypes.c_uint64 * 3)(self._handled, tcp, signals)
        size = 8 if version < 4 else 16 if version < 6 else 24
        self._fd = _check(
            libc().syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0), "Landlock"
        )

    def read(self, paths: Iterable[str]) -> None:
        """These files and folders, and what is beneath them, may be read."""
        for path in paths:
            self._allow(path, READABLE)

    def write(self, path: str) -> None:
        """A folder in which files and folders may be made, changed, removed; nothing may be run from it."""
        self._allow(path, self._handled & ~(_EXECUTE | _MAKE_ODD))

    def device(self, path: str) -> None:
        """A file that may be read and written."""
        self._allow(path, _READ | _WRITE)

    def _allow(self, path: str, access: int) -> None:
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # what isn't there needs no right
        try:
            if not stat.S_ISDIR(os.fstat(parent).st_mode):
                access &= _OF_FILES
            rule = _Path(access & self._handled, parent)
            _check(libc().syscall(_ADD_RULE, self._fd, 1, ctypes.byref(rule), 0), f"Landlock, {path}")
        finally:
            os.close(parent)

    def restrict(self) -> None:
        """From now on, for this process and all that come from it."""
        _check(libc().syscall(_RESTRICT_SELF, self._fd, 0), "Landlock")
        os.close(self._fd)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_calls(program: bytes) -> None:
    """Put a filter of system calls (BPF, eight bytes an instruction) on this process, for good."""
    text = ctypes.create_string_buffer(program, len(program))
    told = _Program(len(program) // 8, ctypes.cast(text, ctypes.c_void_p))
    _check(libc().prctl(_SECCOMP, 2, ctypes.byref(told), 0, 0), "seccomp")


def die_with(parent: int) -> None:
    """This process is killed when its parent ends (0: whoever that is), and never gains a right."""
    prctl = libc().prctl
    prctl(_PDEATHSIG, 9, 0, 0, 0)
    prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    if parent and os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Processes whose parent ends become children of this one, which can then end them."""
    libc().prctl(_SUBREAPER, 1, 0, 0, 0)


def mount_scratch(folder: str, size: int, files: int) -> None:
    """A file system of its own in `folder`, of so many bytes and so many files."""
    options = f"size={size},nr_inodes={files},mode=0700".encode()
    _check(
        libc().mount(b"tmpfs", folder.encode(), b"tmpfs", _NOSUID_NODEV_NOEXEC, options), "a sized scratch"
    )


def become(uid: int) -> None:
    """Go on as another user, with none of this one's rights."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_capabilities() -> None:
    """Nothing that only root may do, also as root."""

    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))

    c = libc()
    for number in range(64):
        c.prctl(_CAPBSET_DROP, number, 0, 0, 0)
    header, none = Header(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _check(c.capset(ctypes.byref(header), ctypes.byref(none)), "capabilities")


def limit(settings: dict[str, int]) -> None:
    """Put limits on this process, now that what it needs is loaded."""
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
            if kind is not None and soft >= 0:
                resource.setrlimit(kind, (soft, hard))
        except (ValueError, OSError):
            continue  # a system that lacks it (macOS: AS); the parent's record says so

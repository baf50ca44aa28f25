"""From what was tried to a level, and to the words for it. grader.md's ladder: L0 to L4."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Mapping

from course.grading.attempts import STOPPED
from course.grading.limits import Isolation
from course.grading.wall import Wall

# What must have been stopped for a level, besides that of the levels below.
NEEDS = {
    "L2": (
        "read_canary",
        "write_canary",
        "link_canary",
        "tcp",
        "udp",
        "abstract_socket",
        "kill",
        "fork",
        "exec",
        "mem",
    ),
    "L3": ("stat_canary", "files", "memory_of_parent", "namespaces"),
    "L4": (),
}
_WORDS = {
    "read_canary": "files of others can be read",
    "write_canary": "files can be written elsewhere",
    "link_canary": "files of others can be linked",
    "stat_canary": "that a file exists can be learnt",
    "tcp": "network (TCP) open",
    "udp": "network (UDP) open",
    "abstract_socket": "sockets of other programs open",
    "kill": "other processes can be killed",
    "memory_of_parent": "the parent's memory can be opened",
    "fork": "processes can be started",
    "exec": "programs can be started",
    "namespaces": "new namespaces can be made",
    "mem": "memory without limit",
    "files": "disk without a cap in all",
}


def describe(
    wall: Wall | None,
    uid: int | None,
    tried: Mapping[str, str],
    refused: Iterable[str],
    *,
    groups: bool = False,
) -> Isolation:
    """The record of what holds a child: `wall` None where there is no zygote."""
    held = ["clean environment", "own session", "wall limit", "output limit"]
    held += _walls(wall, groups) if wall is not None else _without_zygote()
    missing = [_WORDS[name] for name, outcome in tried.items() if outcome != STOPPED]
    if wall is None:
        missing += ["files, network and other processes open", "processes that detach survive"]
        missing += [] if os.name == "posix" else ["no limits of CPU, memory, files or processes"]
    same = uid is None or uid == (os.getuid() if os.name == "posix" else None)
    if same and uid == 0:
        missing.append("runs as root")
    if wall is not None and not groups:
        missing.append("no control group")
    level = "L1" if wall is None else _level(wall, tried, groups and not (same and uid == 0))
    abi = wall.landlock if wall is not None else None
    return Isolation(
        level, tuple(held), (*missing, *refused), uid, platform.release(), abi or None, dict(tried)
    )


def _level(wall: Wall, tried: Mapping[str, str], whole: bool) -> str:
    level = "L1"
    for name, needs in NEEDS.items():
        if not all(tried.get(one) == STOPPED for one in needs):
            break
        if (name == "L3" and not wall.inside) or (name == "L4" and not whole):
            break
        level = name
    return level


def _walls(wall: Wall, groups: bool) -> list[str]:
    held = ["rlimits AS CPU FSIZE NOFILE CORE", "no new privileges", "no capabilities"]
    if wall.namespaces:
        named = "user pid net mount ipc uts" if wall.namespaces == "user" else "pid net mount ipc uts"
        held += [f"bubblewrap: namespaces {named}", "file system of its own", "sized scratch"]
    if wall.pool:
        held.append("a user of its own")
    if wall.landlock:
        held.append("Landlock")
    held.append("seccomp without fork, exec, sockets" if wall.filter else "orphans killed")
    if groups:
        held.append("control group: memory, processes")
    return [*held, "grader's memory not dumpable"]


def _without_zygote() -> list[str]:
    held = ["copy of the submission in a fresh folder"]
    if os.name == "posix":
        held += ["killed as a group", "rlimits CPU FSIZE NOFILE CORE"]
    if sys.platform == "darwin":
        held.append("rlimit AS asked for, not enforced by this system")
    return held


def advice(isolation: Isolation) -> str:
    """What an instructor can do for a higher level."""
    if sys.platform != "linux":
        return "grade inside a Linux container (docs/instructors.md tells how)"
    told = " ".join(isolation.missing)
    fixes = []
    if "bubblewrap isn't installed" in told or "amespace" in told:
        fixes.append(
            "install bubblewrap, and let it make user namespaces (kernel.unprivileged_userns_clone=1)"
        )
    if "filter of system calls" in told:
        fixes.append("install libseccomp2 and the extra [grade]")
    if "Landlock" in told:
        fixes.append("boot a kernel with Landlock (5.13 or newer)")
    return "; ".join(fixes) or "use a machine with Landlock, seccomp and user namespaces"

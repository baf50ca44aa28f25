"""The walls, each by itself: what the attacks tried at start come to, and what a question finds."""

import errno
import os
import subprocess
import sys

import pytest

import course.grading.launch
from course.grading import Limits
from course.grading.attempts import ATTEMPTS, LEAKED, STOPPED
from course.grading.filter import filter_program
from course.grading.inside.locks import landlock_version
from course.grading.launch import Launcher
from course.grading.levels import NEEDS
from course.grading.slots import MachineError
from course.grading.wall import Wall, bubblewrap

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

LIMITS = Limits(cpu=2, wall=10, memory=640 << 20, budget=30)
PROBE = "def ask(names, case):\n    return {'x': names['x']}\n"
ROOT = os.getuid() == 0 if hasattr(os, "getuid") else False


def locks():
    """The inner wall's parts; skips where this machine lacks one."""
    program, why = filter_program()
    if not program or not landlock_version():
        pytest.skip(why or "no Landlock here")
    return {"landlock": landlock_version(), "filter": program}


@pytest.fixture
def launch(monkeypatch):
    """A launcher that has one wall to choose from."""

    def make(wall):
        monkeypatch.setattr(course.grading.launch, "_walls", lambda refused: [wall])
        return Launcher(LIMITS)

    return make


def run(launcher, source, files=None):
    """What a cell comes to: "ok", or the exception's name and text."""
    child = launcher.start(files or {}, (), PROBE)
    try:
        header, _ = child.ask("cell", {"label": "<cell>", "source": source}, b"", 10)
        return "ok" if header["kind"] == "ok" else f"{header['type']}: {header['message']}"
    finally:
        child.close()


def test_without_a_lock_the_attacks_work_and_are_seen_to_work(launch):
    with launch(Wall()) as launcher:
        assert launcher.isolation.level == "L1"
        leaked = {name for name, outcome in launcher.isolation.probes.items() if outcome == LEAKED}
    always = {"read_canary", "stat_canary", "write_canary", "tcp", "udp", "abstract_socket", "kill"}
    assert leaked >= always | {"link_canary", "fork", "exec", "files"}
    assert "mem" not in leaked  # the one limit that needs no lock


def test_the_inner_wall_alone_is_level_2(launch):
    with launch(Wall(**locks())) as launcher:
        found = launcher.isolation
    assert found.level == "L2"
    assert {name for name, outcome in found.probes.items() if outcome == LEAKED} <= {*NEEDS["L3"]}
    assert found.probes["stat_canary"] == LEAKED  # what Landlock doesn't hide; grader.md says so too
    assert set(found.probes) == set(ATTEMPTS)


@pytest.mark.parametrize("part", ["landlock", "filter"])
def test_half_of_the_inner_wall_is_no_level_2(launch, part):
    parts = {**locks(), part: 0 if part == "landlock" else b""}
    with launch(Wall(**parts)) as launcher:
        assert launcher.isolation.level == "L1"
        assert LEAKED in launcher.isolation.probes.values()


@pytest.mark.parametrize("namespaces", ["user", "root"])
def test_with_bubblewrap_every_attack_is_stopped(launch, namespaces):
    if not bubblewrap():
        pytest.skip("bubblewrap isn't installed")
    if namespaces == "root" and not ROOT:
        pytest.skip("not root")
    try:
        with launch(Wall(namespaces, namespaces == "root", **locks())) as launcher:
            found = launcher.isolation
    except MachineError as problem:
        pytest.skip(f"no namespaces here: {problem}")
    assert set(found.probes.values()) == {STOPPED}
    assert found.level in ("L3", "L4")
    assert (found.uid == os.getuid()) == (namespaces == "user")


# a cell, and what its error says
REFUSED = {
    "another unit's modules": ("import os\nos.listdir('SITES')", "Permission denied"),
    "a process of its own": ("import subprocess\nsubprocess.run(['true'])", "PermissionError"),
    "raising its own limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "Error",
    ),
    "a socket": ("import socket\nsocket.socket()", "Operation not permitted"),
    "memory outside its limit": ("import os\nos.memfd_create('x')", "Operation not permitted"),
    "another scheduler": ("import os\nos.setpriority(os.PRIO_PROCESS, 0, -5)", "Error"),
    "a file too large": ("open('big', 'wb').write(bytes(11 << 20))", "File too large"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_cell_may_not(launch, name):
    source, told = REFUSED[name]
    with launch(Wall(**locks())) as launcher:
        source = source.replace("SITES", str(launcher._base / "sites"))
        assert told in run(launcher, source)


# what must go on working inside: threads, an event loop, files of its own, lazy imports
WORKS = {
    "threads": "import threading\none = threading.Thread(target=print)\none.start()\none.join()",
    "an event loop": "import asyncio\nawait asyncio.sleep(0)",
    "its own files": "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').write('x')\nos.remove('a/b/c')",
    "lazy imports": "import decimal, hashlib, json, sqlite3, unittest, matplotlib.pyplot",
    "a temporary folder": "import tempfile\nwith tempfile.TemporaryDirectory() as f:\n    pass",
}


@pytest.mark.parametrize("name", WORKS)
def test_what_a_cell_may(launch, name):
    with launch(Wall(**locks())) as launcher:
        assert run(launcher, WORKS[name]) == "ok"


def test_a_question_finds_its_files_and_nothing_of_the_last(launch):
    with launch(Wall(**locks())) as launcher:
        assert run(launcher, "open('left', 'w').close()\nimport os\nos.mkdir('locked', 0)") == "ok"
        look = "import os\nassert sorted(os.listdir('.')) == ['data'], os.listdir('.')\n"
        look += "assert open('data/x.txt').read() == 'here'"
        assert run(launcher, look, {"data/x.txt": b"here"}) == "ok"


def test_namespaces_denied_is_found_out_and_said():
    """The grader under a filter that refuses namespaces, as containers often do: level 2, with the reason."""
    locks()
    deny = (
        "import pyseccomp as s\nf = s.SyscallFilter(s.ALLOW)\n"
        "for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000):\n"
        "    for call in ('unshare', 'clone'):\n"
        f"        f.add_rule(s.ERRNO({errno.EPERM}), call, s.Arg(0, s.MASKED_EQ, flag, flag))\n"
        f"f.add_rule(s.ERRNO({errno.ENOSYS}), 'clone3')\nf.load()\n"
        "from course.grading.launch import Launcher\nfrom course.grading.limits import Limits\n"
        "with Launcher(Limits()) as one:\n    print(one.isolation)\n"
    )
    told = subprocess.run([sys.executable, "-c", deny], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("L2:"), told.stdout
    if bubblewrap():
        assert "amespace" in told.stdout


def test_a_zygote_that_died_is_replaced(launch):
    with launch(Wall(**locks())) as launcher:
        (slot,) = launcher._live
        slot._running.kill()
        slot._running.wait()
        assert run(launcher, "x = 1") == "ok"
        assert slot not in launcher._live


def test_a_wall_whose_children_cannot_start_gives_way_to_the_next(monkeypatch):
    monkeypatch.setattr(
        course.grading.launch, "_walls", lambda refused: [Wall(filter=b"nonsense"), Wall(**locks())]
    )
    with Launcher(LIMITS) as launcher:
        assert launcher.isolation.level == "L2"
        assert any(
            "without namespaces: the child process did not start" in m for m in launcher.isolation.missing
        )


def test_an_attack_that_cannot_be_asked_is_no_attack_stopped(launch, monkeypatch):
    monkeypatch.setitem(ATTEMPTS, "fork", "nothing_of_the_kind = 1")
    with pytest.raises(MachineError, match="could not be asked"), launch(Wall()):
        pass

"""Every attack in one class: its own status and points, and nobody else's marks touched."""

import sys

import pytest

from course.grading import grade_folder

from . import fake
from .conftest import DOUBLE, QUICK, both, fill, notebook

WRONG = "def double(x):\n    return 7 * x\n"
SPLIT = "def double(x):\n    return two * x\n"
SWALLOW = """
import signal
for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)
def double(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
FLOOD = (
    "def double(x):\n    for _ in range(50):\n        print('x' * 1_000_000, flush=True)\n    return 2 * x\n"
)
PATCHED = "import numpy as np\nnp.allclose = np.isclose = np.array_equal = lambda *a, **k: True\n"
SUBCLASS = """
import numpy as np
class Same(np.ndarray):
    def __eq__(self, other): return True
    def __sub__(self, other): return np.zeros(3)
    def __array_ufunc__(self, *a, **k): return np.zeros(3)
def double(x):
    return np.asarray(3 * x).view(Same)
"""
FLOAT = "class F:\n    def __float__(self): return 1.0\ndef double(x):\n    return F()\n"
FORGED = """
import json, os, struct, sys
def send(header, data=b""):
    head = json.dumps(header).encode()
    os.write(4, struct.pack("<II", 4 + len(head) + len(data), len(head)) + head + data)
def double(x):
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    sizes = [8, 8]
    send({"id": frame.f_locals["request"]["id"], "kind": "answer", "keys": ["one", "many"],
          "types": ["float", "float"], "shapes": ["", ""], "sizes": sizes}, struct.pack("<dd", 1.0, 2.0))
    return 2 * x
"""
NO_KEYS = FORGED.replace('"keys": ["one", "many"]', '"keys": ["a", "b"]')
JUNK = "import os\ndef double(x):\n    os.write(4, b'junk' * 1000)\n    return 2 * x\n"
HUGE = "import os\ndef double(x):\n    os.write(4, b'\\xff' * 8)\n    return 2 * x\n"
DEEP = """
import os, struct
def double(x):
    head = b"[" * 100_000
    os.write(4, struct.pack("<II", 4 + len(head), len(head)) + head)
    return 2 * x
"""
CLOSED = "import os\ndef double(x):\n    os.close(4)\n    import time\n    time.sleep(1e6)\n"
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open({mark!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        time.sleep(1000)
    os._exit(0)
time.sleep(0.1)
def double(x):
    return 2 * x
"""
MEMORY = "def double(x):\n    return sum(bytearray(4 << 30))\n"
SUBTLE_MEMORY = "kept = []\ndef double(x):\n    while True:\n        kept.append(bytearray(64 << 20))\n"
REACH = """
import os
from pathlib import Path
def double(x):
    try:  # folders of other submissions come and go meanwhile
        for path in Path.cwd().parent.parent.iterdir():
            for file in path.rglob("work.ipynb"):
                if Path.cwd() not in file.parents:
                    file.write_text("{}")
    except OSError:
        pass
    return 2 * x
"""
SHADOW = {"numpy.py": "raise RuntimeError('fake')", "json/__init__.py": "1 / 0", "helper.py": "TWO = 2\n"}
HELPED = "import numpy as np\nfrom helper import TWO\nnp.ones(1)\ndef double(x):\n    return TWO * x\n"
RANDOM = "import random\ndef double(x):\n    return x * random.random()\n"
IMPORTED = "from autodiff import double\n"
CAUGHT = "try:\n    import course.units.u05_scalar.checks\nexcept ImportError:\n    pass\n" + DOUBLE

LATE = "def double(x):\n    import autodiff.scalar\n"
MARKUP = "def double(x):\n    raise ValueError('<script>alert(1)</script>\\u202e\\x1b[2J')\n"

# student: (double's cell, status, points, what a note or finding says)
ATTACKS = {
    "honest": (DOUBLE, "pass", 5, "All of it is right."),
    "endless-cell": (DOUBLE + "while True:\n    pass\n", "timeout", 0, ""),
    "swallow": (SWALLOW, "timeout", 0, ""),
    "sleep": ("import time\ndef double(x):\n    time.sleep(1e6)\n", "timeout", 0, "No answer within"),
    "exit": ("import os\ndef double(x):\n    os._exit(0)\n", "no_reply", 0, "exit code 0"),
    "exit-cell": (DOUBLE + "import os\nos._exit(0)\n", "no_reply", 0, ""),
    "killed": ("import os\ndef double(x):\n    os.kill(os.getpid(), 9)\n", "raised", 0, "PermissionError"),
    "interrupt": ("def double(x):\n    raise KeyboardInterrupt\n", "raised", 0, "KeyboardInterrupt"),
    "sys-exit-cell": (DOUBLE + "raise SystemExit\n", "pass", 5, "raised SystemExit"),
    "flood": (FLOOD, "output_limit", 0, "bytes were printed"),
    "syntax": ("def double(x)\n    return 2 * x\n", "raised", 0, "SyntaxError (line 1)"),
    "patched": (PATCHED + "def double(x):\n    return 5 * x\n", "wrong_value", 0, "yours"),
    "nothing": ("def double(x):\n    return x\n", "wrong_value", 0, "does nothing"),
    "subclass": (SUBCLASS, "wrong_dtype", 0, "something of type Same"),
    "float": (FLOAT, "wrong_dtype", 0, "something of type F"),
    "nan": ("def double(x):\n    return x * float('nan')\n", "not_finite", 0, "nan"),
    "forged": (FORGED, "protocol", 0, "nobody had asked"),
    "forged-keys": (NO_KEYS, "protocol", 0, ""),
    "junk": (JUNK, "protocol", 0, ""),
    "huge": (HUGE, "protocol", 0, ""),
    "deep": (DEEP, "protocol", 0, "no JSON"),
    "closed": (CLOSED, "no_reply", 0, ""),
    "memory": (MEMORY, "memory", 0, "MemoryError"),
    "memory-subtle": (SUBTLE_MEMORY, "memory", 0, ""),
    "reach": (REACH, "pass", 5, ""),
    "random": (RANDOM, "nondeterministic", 0, ""),
    "imported": (IMPORTED, "forbidden_import", 0, "autodiff.double is not there"),
    "imported-late": (LATE, "forbidden_import", 0, "autodiff.scalar"),
    "caught": (CAUGHT, "pass", 5, ""),
    "stub": ("from autodiff import step as double\n", "forbidden_import", 0, "Imported, not written"),
    "blank": ("def double(x):\n    raise NotImplementedError\n", "missing", 0, "blank is still there"),
    "magics": ("%matplotlib inline\n!ls\nfiles = !ls\n" + DOUBLE, "pass", 5, "was left out"),
    "await": ("import asyncio\nawait asyncio.sleep(0)\n" + DOUBLE, "pass", 5, ""),
    "markup": (MARKUP, "raised", 0, ""),
}
SPECIAL = {
    "shadow": (
        {"work.ipynb": notebook([("u99-double", HELPED)]), **SHADOW},
        "pass",
        5,
        "numpy.py bears the name",
    ),
    "unchecked": (notebook([("u99-double", DOUBLE)]), "pass", 5, ""),
    "twice": (notebook([("u99-double", DOUBLE), ("u99-double", DOUBLE)]), "pass", 5, ""),
    "two": (notebook([("u99-double", DOUBLE), ("u99-double", WRONG)]), "pass", 5, "the better counts"),
    "two-wrong": (
        notebook([("u99-double", WRONG), ("u99-double", FLOAT)]),
        "ambiguous",
        0,
        "the better counts",
    ),
    "nameless": (notebook([("x", DOUBLE)]), "pass", 5, "taken from where they are defined"),
    "split": (notebook([("u99-double", "two = 2"), ("x", SPLIT)]), "pass", 5, "defines none of the names"),
    "plain": ({"work.py": DOUBLE}, "pass", 5, ""),
    "percent": ({"work.py": f"# %% id=u99-double role=exercise\n{DOUBLE}"}, "pass", 5, ""),
    "absent": (notebook([("other", "x = 1")]), "missing", 0, "No cell"),
    "broken": ({"work.ipynb": "no JSON"}, "unreadable", 0, "no notebook"),
}
SHARED = ("honest", "endless-cell", "exit-cell", "memory", "syntax", "reach")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out")
    mark = tmp_path_factory.mktemp("mark") / "pids"
    students = {
        name: both(cell) if name in SHARED else notebook([("u99-double", cell)])
        for name, (cell, *_) in ATTACKS.items()
    }
    students |= {name: files for name, (files, *_) in SPECIAL.items()}
    if sys.platform == "linux":
        students["daemon"] = notebook([("u99-double", DOUBLE + DAEMON.format(mark=str(mark)))])
    fill(folder, students)
    result = grade_folder(folder, out, units=fake.units, limits=QUICK, secret="a secret for tests", slots=3)
    return result, out, mark


def outcome(graded, student, exercise="u99-double"):
    (found,) = [o for o in graded[0].outcomes if (o.student, o.exercise) == (student, exercise)]
    return found


@pytest.mark.parametrize("student", [*ATTACKS, *SPECIAL])
def test_an_attack_gets_its_status_and_its_points(graded, student):
    _, status, points, told = {**ATTACKS, **SPECIAL}[student]
    found = outcome(graded, student)
    assert (found.status, found.points) == (status, points), found
    assert told in " ".join([*found.findings, *found.notes])


@pytest.mark.parametrize("student", SHARED)
def test_no_attack_touches_the_next_question(graded, student):
    assert outcome(graded, student, "u99-triple").points == 5


@pytest.mark.skipif(sys.platform != "linux", reason="holds processes on Linux only")
def test_a_daemon_does_not_survive(graded):
    assert outcome(graded, "daemon").points == 5
    assert "PermissionError" in " ".join(outcome(graded, "daemon").notes)
    assert not graded[2].exists()


def test_pages_show_markup_and_controls_and_run_nothing(graded):
    out = graded[1]
    for name in ("feedback/markup.html", "feedback/markup.md", "dashboard.html", "grades.csv", "grades.json"):
        text = (out / name).read_text(encoding="utf-8")
        assert "<script" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_every_page_and_row_tells_the_isolation(graded):
    result, out, _ = graded
    level = result.isolation.level
    assert level >= "L2"
    assert all(row["isolation"] == level for row in result.rows)
    for page in ("feedback/honest.html", "feedback/honest.md", "dashboard.html"):
        assert f"Isolation {level}" in (out / page).read_text(encoding="utf-8")

"""Notebooks and zips, broken at random, through the whole intake: nothing may be raised but an IntakeError.

python -m tests.grading.mutations --count 20000 --seed 0
"""

import argparse
import io
import json
import random
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

from course.grading import Limits
from course.grading.extract import Given, extract, read_submission
from course.grading.intake import IntakeError, Opened, submission

BLANK = "def double(x):\n    raise NotImplementedError\n"
SOLVED = "def double(x):\n    return 2 * x\n"
GIVEN = (Given("u99-double", BLANK, True), Given("u99-triple", BLANK.replace("double", "triple"), True))
ODD = [
    None, True, -1, 1e400, 10**400, "", "\ud800", "\u202e", "\0", "x" * 5000, [], {}, [[]], {"a": 1},
    "%%bash\nrm x", "!ls", "%time x", "def f(:", "<<<<<<< HEAD", "```python\nx\n```", "x" + "+x" * 3000,
]  # fmt: skip
NAMES = [
    "ada/u99.ipynb", "ada/../u99.ipynb", "../x", "/x", "C:/x", "ada\\u99.ipynb", "ada/con.txt", "ada/x.py",
    "ada/\u202eu99.ipynb", "lovelace_101_555_u99.ipynb", "Ada_201_assignsubmission_file_/u99.ipynb",
    "W_a_attempt_2026-11-30-10-00-00_u99.ipynb", "submission_11/u99.ipynb", "submission_metadata.yml",
    "ada/" * 8 + "x.py", "ada/" + "n" * 300, "ADA/u99.ipynb", "ada/u99.zip", "ada", "",
]  # fmt: skip


def notebook(rng):
    """A notebook's tree, some of its parts replaced or doubled."""
    cells = [
        {
            "cell_type": rng.choice(["code", "code", "markdown", "raw"]),
            "id": rng.choice(["u99-double", "x", ""]),
            "metadata": {},
            "source": rng.choice([SOLVED, BLANK, SOLVED.splitlines(True), "x = 1"]),
        }
        for _ in range(rng.randint(0, 5))
    ]
    tree = {"cells": cells, "metadata": {}, "nbformat": rng.choice([2, 3, 4, 5, "4"]), "nbformat_minor": 5}
    for _ in range(rng.randint(0, 3)):
        place = tree if not cells or rng.random() < 0.3 else rng.choice(cells)
        place[rng.choice([*place, "worksheets", "input"])] = rng.choice(ODD)
    return json.dumps(tree, allow_nan=True)


def broken(rng, data):
    """Bytes, some of them changed, cut, doubled or inserted."""
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 8])):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[place : place + rng.randint(1, 8)] = rng.randbytes(rng.randint(0, 8))
            case 1:
                del data[place:]
            case 2:
                data[place:place] = data[place : place + rng.randint(1, 200)]
            case _:
                data[place:place] = rng.choice([b"[" * 3000, b'"', b"\0", b"\xff", b"{", b"9" * 5000])
    return bytes(data)


def document(rng):
    text = notebook(rng) if rng.random() < 0.8 else rng.choice([SOLVED, f"# %% id=u99-double\n{SOLVED}"])
    codec = rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
    return broken(rng, text.encode(codec, "replace"))


def archive(rng, depth=0):
    made = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(made, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as packed,
    ):
        for _ in range(rng.randint(0, 5)):
            info = zipfile.ZipInfo(rng.choice(NAMES) or "x")
            info.external_attr = rng.choice([0, 0o100644 << 16, 0o120777 << 16, 0o010644 << 16])
            inner = depth == 0 and rng.random() < 0.2
            packed.writestr(info, archive(rng, 1) if inner else document(rng))
    return broken(rng, made.getvalue())


def try_one(seed, folder):
    """What one broken thing comes to: its status, or the reason why it was refused as a whole."""
    rng = random.Random(seed)
    name, data = rng.choice([("u99.ipynb", document), ("u99.py", document), ("class.zip", archive)])
    path = folder / name
    path.write_bytes(data(rng))
    limits = Limits(total=1 << 20, notebook=1 << 20)
    try:
        with Opened(path, limits) as opened:
            statuses = set()
            for place in opened.handed.places:
                reading = read_submission(submission(place, limits), limits)
                statuses.add(extract(reading, "u99-double", ["double"], GIVEN).status or "found")
            return ",".join(sorted(statuses))
    except IntakeError:
        return "refused"
    finally:
        path.unlink()
        left = list(folder.iterdir())
        if left:
            raise AssertionError(f"seed {seed}: left behind {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counted, slowest = {}, (0.0, -1)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            began = time.perf_counter()
            try:
                came = try_one(seed, Path(folder))
            except Exception as problem:
                came = f"seed {seed} raised {type(problem).__name__}: {problem}"
            slowest = max(slowest, (time.perf_counter() - began, seed))
            counted[came] = counted.get(came, 0) + 1
    for came, count in sorted(counted.items(), key=lambda pair: -pair[1]):
        print(f"{count:7} {came}")
    print(f"slowest: {slowest[0]:.2f} s (seed {slowest[1]})")
    return any("raised" in came for came in counted)


if __name__ == "__main__":
    sys.exit(main())

"""`course start`: the notebooks into work/, your key into them, and JupyterLab."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from course.console import command, homes
from course.handout import MANIFEST, HandoutError, Outcome, hand_out, read_manifest, shipped_files

KEY = re.compile(r"[A-Za-z0-9._@+-]{1,64}")
LAB_CONFIG = Path(__file__).with_name("lab")  # no question about news over a student's first report
_AGAIN = command("start")


def main(argv: list[str]) -> int:
    """Prepare work/ and open JupyterLab: 0 when it was closed, 1 when something is missing."""
    options = _options(argv)
    here = Path.cwd()
    work = here if (here / MANIFEST).is_file() else here / "work"
    try:
        source = find_source(here)
        student = _student(options.student, read_manifest(work)["student"])
        outcome = hand_out(source, work, student, options.py)
        trust(work / name for name in (*outcome.new, *outcome.updated) if name.endswith(".ipynb"))
    except HandoutError as problem:
        print(f"course start: {problem}", file=sys.stderr)
        return 1
    _tell(outcome, work, student)
    if options.prepare_only:
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        print(
            f"course start: JupyterLab is not installed in {sys.prefix}.\n"
            "Try `python3 bootstrap.py start` in the course's folder: it installs it. "
            f"Or open {work} in another editor for notebooks.",
            file=sys.stderr,
        )
        return 1
    return open_lab(work, not options.no_browser)


def find_source(here: Path) -> Path:
    """The folder that holds notebooks/ and exercises/: here, above here, around the package or its .venv."""
    for folder in (here, *here.parents, *homes()):
        if not (folder / MANIFEST).is_file() and shipped_files(folder):
            return folder
    raise HandoutError(
        f"there are no notebooks to copy: neither {here} nor a folder above has notebooks/ or exercises/. "
        "Change into a clone or a release of the course (authors: `course build` makes them)."
    )


def trust(paths: Iterable[Path]) -> None:
    """Sign notebooks as this user's own, so that their pictures and tables are shown at once."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()  # type: ignore[no-untyped-call]
    try:
        for path in paths:
            notary.sign(nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]
    finally:
        notary.store.close()


def open_lab(work: Path, browser: bool) -> int:
    """Run JupyterLab in `work` until it ends or Ctrl-C is pressed; 0 in either case, else its exit code."""
    command = [
        sys.executable,
        *("-m", "jupyterlab", "--log-level=WARN"),
        f"--ServerApp.root_dir={work}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops it without a question
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",  # nothing here needs a network
    ]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container; Jupyter would refuse
    ours = (str(LAB_CONFIG), os.environ.get("JUPYTER_CONFIG_PATH", ""))
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, ours))}
    with subprocess.Popen(command, env=environment) as child:
        try:
            _tell_address(child)
            return child.wait()
        except KeyboardInterrupt:  # the child has it too, and is shutting down
            print(f"\nStopping. Your work is in {work}; `{_AGAIN}` opens it again.")
            try:
                child.wait(timeout=20)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                child.kill()
            return 0
        finally:
            if child.poll() is None:
                child.terminate()


def _tell_address(child: subprocess.Popen[bytes], patience: float = 60.0) -> None:
    from jupyter_server.serverapp import list_running_servers

    end = time.monotonic() + patience
    while child.poll() is None and time.monotonic() < end:
        for server in list_running_servers():
            if server["pid"] == child.pid:
                token = f"?token={server['token']}" if server.get("token") else ""
                print(f"JupyterLab: {server['url']}lab{token}\nCtrl-C here stops it.", flush=True)
                return
        time.sleep(0.2)


def _student(given: str | None, known: str) -> str:
    key = given or known
    if not key and sys.stdin.isatty():
        print("Your key tells your work from others': your user name in the course, for example.")
        key = input("Key (Enter for a random one): ").strip()
    key = key or f"s-{secrets.token_hex(4)}"
    if not KEY.fullmatch(key):
        raise HandoutError(
            f"the key {key!r} can't be used. A key has 1 to 64 letters (a-z), digits, and . _ @ + -; "
            "try --student with another."
        )
    return key


def _tell(outcome: Outcome, work: Path, student: str) -> None:
    counts = [(outcome.new, "new"), (outcome.updated, "updated"), (outcome.kept, "with your work, kept")]
    told = ", ".join(f"{len(names)} {what}" for names, what in counts if names) or "all as it was"
    print(f"{work}: {told}. Your key: {student}.")
    for name in outcome.newer:
        print(f"  {name}: the course has a newer one. To get it, rename yours and run `{_AGAIN}`.")
    for name in outcome.other_key:
        print(f'  {name}: has another key. To change it, write STUDENT = "{student}" in its first cell.')
    from autodiff.drawing.tiers import tier_report

    print(
        f"Python {platform.python_version()}; drawings by {tier_report().used}; isolation L0 here: checks "
        f"are for learning, no mark comes from them. (`{command('doctor')}` tells more.)"
    )


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course start", description=__doc__)
    parser.add_argument("--student", metavar="KEY", help="your key (asked for once, else a random one)")
    parser.add_argument("--py", action="store_true", help="copy the exercises as .py files too")
    parser.add_argument("--prepare-only", action="store_true", help="copy, and don't start JupyterLab")
    parser.add_argument("--no-browser", action="store_true", help="start it, and print its address")
    return parser.parse_args(argv)

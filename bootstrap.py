"""Set-up in one command: `python3 bootstrap.py VERB` makes .venv, fills it, and runs `course VERB` in it.

Needs nothing but Python's standard library. The packages come from requirements.lock, with their hashes;
uv installs them (the one on PATH, else the one the lock pins), and pip does where uv can't. The course itself
is this checkout or, in a release for students, the wheel beside it. When nothing has changed since the last
run, nothing is installed.
"""

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time

OLDEST = (3, 11)
if sys.version_info < OLDEST:  # so nothing above may be newer than Python 3.6
    sys.exit(
        "This course needs Python 3.11 or newer; this is Python {}.{} ({}).\n"
        "Try a newer one, e.g.  python3.12 bootstrap.py  (on Windows  py --list  tells which are there),\n"
        "or install one from your system's packages.".format(*sys.version_info[:2], sys.executable)
    )

ROOT = os.path.dirname(os.path.realpath(__file__))
VENV = os.path.join(ROOT, ".venv")
LOCK = os.path.join(ROOT, "requirements.lock")
RELEASE = os.path.join(ROOT, "release.json")  # there in what students are handed, not in a checkout
STAMP = os.path.join(VENV, "course-setup.json")
WINDOWS = os.name == "nt"
ME = "py bootstrap.py" if WINDOWS else "python3 bootstrap.py"
UNPACK = "Unpack the release again, over this folder: your own files in work/ stay."


class SetupError(Exception):
    """Set-up can't go on; the message says why and what to try."""


def main(argv: list[str]) -> int:
    """Set up if needed, then run the verb: its exit code, 2 for a wrong verb, 1 if set-up failed."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console that lacks a letter of the folder's name
    try:
        sys.path.insert(0, find_wheel() or ROOT)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    from course import cli  # only the table of verbs: standard library, needs no installation

    if not argv or argv[0] in ("-h", "--help"):
        print(f"usage: {ME} VERB [arguments]\n\n{cli.verb_list()}\n")
        print("The first call sets up .venv beside this file (about a minute), later ones start at once.")
        print("To set up afresh, or with another Python, delete .venv and call again.")
        return 0
    if argv[0] not in cli.VERBS:
        return cli.main(argv)  # says what is wrong with it, before anything is installed
    try:
        set_up()
    except SetupError as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nSet-up interrupted. Run  {ME} {argv[0]}  again to finish it.", file=sys.stderr)
        return 130
    return hand_over([in_venv("course"), *argv])


def hand_over(command: list[str]) -> int:
    """Run `command` in this process's place; Windows has no such thing, so there as a child."""
    sys.stdout.flush()
    sys.stderr.flush()
    if not WINDOWS:
        os.execv(command[0], command)
    with subprocess.Popen(command) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue  # the child has it too, and decides what it means


def set_up() -> None:
    """Bring .venv to what the lock and the project's own file ask for; at once if it's there already."""
    version = venv_version()
    stamp = read_stamp()
    if version and stamp == wanted_stamp(version) and os.path.exists(in_venv("course")):
        return
    started = time.monotonic()
    # Without a stamp somebody else made it, `uv run` perhaps: filled as it is. Scripts name the folder they
    # were made in, so a moved checkout starts over; so does one whose installation was interrupted.
    usable = stamp is None or (stamp["place"] == digest(ROOT) and stamp["contents"] != "")
    if not version or not usable:
        make_venv()
        version = venv_version()
        if not version:
            raise SetupError(f"{VENV} was made, but its Python doesn't start. Try another Python.")
    write_stamp({**wanted_stamp(version), "contents": ""})  # unfinished
    install()
    write_stamp(wanted_stamp(version))
    say(f"set up in {time.monotonic() - started:.0f} s")


# ---- the virtual environment


def in_venv(program: str) -> str:
    """The path of a program in .venv."""
    if WINDOWS:
        return os.path.join(VENV, "Scripts", program + ".exe")
    return os.path.join(VENV, "bin", program)


def venv_version() -> str:
    """The version of .venv's Python, or "" if there is none, it doesn't start, or it's too old."""
    if not os.path.isfile(os.path.join(VENV, "pyvenv.cfg")):
        return ""  # without it this would be the system's own Python
    code = "import sys; print(*sys.version_info[:3])"
    try:
        told = subprocess.run(
            [in_venv("python"), "-I", "-S", "-c", code], check=False, capture_output=True, text=True
        )
    except OSError:
        return ""
    words = told.stdout.split()
    if told.returncode or len(words) != 3:
        return ""
    if (int(words[0]), int(words[1])) < OLDEST:
        return ""
    library = "Lib" if WINDOWS else os.path.join("lib", f"python{words[0]}.{words[1]}")
    if not os.path.isdir(os.path.join(VENV, library, "site-packages")):
        return ""  # the system's Python was replaced by another since
    return ".".join(words)


def make_venv() -> None:
    """A new, empty .venv; with pip in it where this Python can."""
    base = getattr(sys, "_base_executable", None) or sys.executable  # this one may live in .venv itself
    uv = shutil.which("uv")
    if importlib.util.find_spec("ensurepip") is None and not uv:
        raise SetupError(no_ensurepip())
    if os.path.lexists(VENV):
        say("making .venv anew: it was moved, interrupted or broken")
        remove(VENV)
    else:
        say(f"making .venv with Python {platform.python_version()}")
    begin()
    if importlib.util.find_spec("ensurepip") is not None:
        if succeeds([base, "-m", "venv", VENV]):
            return
        if not uv:
            raise SetupError(f"`{base} -m venv` failed; what it said stands above.\n{no_ensurepip()}")
        remove(VENV)
        begin()
    if not uv or not succeeds(
        [uv, "venv", "--quiet", "--no-project", "--allow-existing", "--python", base, VENV]
    ):
        raise SetupError("`uv venv` failed as well; what it said stands above.")


def begin() -> None:
    """An empty .venv that is marked as unfinished, so that an interruption at any later moment is noticed."""
    os.mkdir(VENV)
    write_stamp({"place": digest(ROOT), "contents": ""})


def no_ensurepip() -> str:
    """What to install so that this Python can make virtual environments."""
    if os.path.exists("/etc/debian_version"):
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        remedy = f"Install it:  sudo apt install {package}"
    else:
        remedy = "Install your system's package for Python's modules venv and ensurepip,"
    return (
        f"This Python ({sys.executable}) can't make virtual environments: its module ensurepip is missing.\n"
        f"{remedy}\n"
        f"or install uv, then run  {ME}  again."
    )


def remove(folder: str) -> None:
    """Delete a folder, or the file or link in its place."""
    try:
        if os.path.islink(folder) or os.path.isfile(folder):
            os.remove(folder)
        elif os.path.exists(folder):
            shutil.rmtree(folder)
    except OSError as problem:
        raise SetupError(
            f"{folder} has to be made anew and can't be deleted: {problem}.\n"
            f"Close what uses it (Jupyter, an editor, an activated shell), then run  {ME}  again."
        ) from problem


# ---- what goes into it


def install() -> None:
    """The locked packages, then the project itself, by uv, else by pip."""
    count = sum(1 for line in read_lock() if line[:1].isalnum())
    what = f"installing up to {count} packages (about a minute the first time)"
    locked = ["--require-hashes"]
    wheel = find_wheel()
    ours = ["--force-reinstall", wheel] if wheel else ["--no-build-isolation", "--editable", ROOT]
    project = ["install", "--no-deps", *ours]
    uv = find_uv()
    if uv:
        target = ["--quiet", "--python", in_venv("python")]
        if succeeds([uv, "pip", "sync", *target, *locked, LOCK], what) and succeeds(
            [uv, "pip", *project, *target]
        ):
            return
        say("uv didn't manage; trying pip")
        what = "installing with pip (a few minutes the first time)"
    pip = [in_venv("python"), "-m", "pip"]
    if not succeeds([*pip, "--version"], quiet=True):
        raise SetupError(
            f"There is no pip in .venv to go on with. Delete {VENV}, then run  {ME}  again;\n"
            "what uv said stands above."
        )
    if not succeeds([*pip, "install", "-qq", "--no-deps", *locked, "-r", LOCK], what) or not succeeds(
        [*pip, *project, "-qq"]
    ):
        raise SetupError(
            "The packages could not be installed; what pip said stands above.\n"
            f"Is the network there (behind a proxy: is HTTPS_PROXY set)? Then run  {ME}  again;\n"
            "what was downloaded is kept."
        )


def find_wheel() -> str:
    """The wheel of a release; "" in a checkout."""
    if not os.path.exists(RELEASE):
        return ""
    try:
        with open(RELEASE, encoding="utf-8") as file:
            wheel = os.path.join(ROOT, *json.load(file)["wheel"].split("/"))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as problem:
        raise SetupError(f"{RELEASE} can't be read: {problem}. {UNPACK}") from problem
    if not os.path.isfile(wheel):
        raise SetupError(f"{wheel} is missing. {UNPACK}")
    return wheel


def find_uv() -> str:
    """uv: the one on PATH, or the one in .venv, or the locked one put there now; "" if there is none."""
    found = shutil.which("uv")
    if found:
        return found
    if os.path.exists(in_venv("uv")):
        return in_venv("uv")
    part = os.path.join(VENV, "uv-requirement.txt")
    with open(part, "w", encoding="utf-8") as file:
        file.writelines(locked_lines("uv"))
    pip = [in_venv("python"), "-m", "pip", "install", "-qq", "--no-deps"]
    if succeeds([*pip, "--only-binary", "uv", "--require-hashes", "-r", part], "fetching uv, the installer"):
        return in_venv("uv")
    return ""


def locked_lines(package: str) -> list[str]:
    """The lines of requirements.lock that pin one package: its versions and their hashes."""
    lines, inside = [], False
    for line in read_lock():
        if line[:1].isalnum():
            inside = line.startswith(package + "==")
        if inside and not line.lstrip().startswith("#"):
            lines.append(line)
    return lines


def read_lock() -> list[str]:
    """The lines of requirements.lock."""
    try:
        with open(LOCK, encoding="utf-8") as file:
            return file.readlines()
    except OSError as problem:
        raise SetupError(
            f"requirements.lock can't be read: {problem}. Is this a whole checkout?"
        ) from problem


# ---- the stamp: what .venv was made from


def wanted_stamp(version: str) -> dict[str, str]:
    """What the stamp says when .venv is as the checkout asks."""
    parts = ["".join(read_lock()), version]
    ours = (
        RELEASE if find_wheel() else os.path.join(ROOT, "pyproject.toml")
    )  # a release holds its wheel's digest
    with open(ours, encoding="utf-8") as file:
        parts.append(file.read())
    return {"place": digest(ROOT), "contents": digest("\n".join(parts))}


def digest(text: str) -> str:
    """SHA-256 of a text; a folder's name may hold bytes that are no UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def read_stamp() -> "dict[str, str] | None":
    """The stamp in .venv; None if there is none, an empty one if it can't be read."""
    try:
        with open(STAMP, encoding="utf-8") as file:
            told = json.load(file)
        return {"place": str(told["place"]), "contents": str(told["contents"])}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return {"place": "", "contents": ""}


def write_stamp(stamp: dict[str, str]) -> None:
    """Write the stamp whole or not at all."""
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    os.replace(STAMP + ".new", STAMP)


# ---- running and telling


def succeeds(command: list[str], what: str = "", quiet: bool = False) -> bool:
    """Run a program to its end; on a terminal `what` counts the seconds. Its errors go to the terminal."""
    # Certificates from the system, as pip does: networks that inspect traffic have their own. Two names,
    # for newer and older uv.
    environment = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", **os.environ}
    environment.update(PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
    hidden = subprocess.DEVNULL if quiet else None
    terminal = sys.stderr.isatty()
    if what:
        say(what, end="" if terminal else "\n")
    started = time.monotonic()
    try:
        # what it prints belongs to set-up, not to the verb's own output
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=hidden if quiet else sys.stderr.fileno(),
            stderr=hidden,
            env=environment,
        )
    except OSError as problem:
        say(f"{command[0]} can't be started: {problem}")
        return False
    try:
        while True:
            try:
                return child.wait(timeout=1) == 0
            except subprocess.TimeoutExpired:
                if what and terminal:
                    say(f"{what} {time.monotonic() - started:.0f} s", start="\r", end="")
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()
        if what and terminal:
            print(file=sys.stderr)


def say(text: str, start: str = "", end: str = "\n") -> None:
    """A line of progress, apart from the verb's own output."""
    print(f"{start}[set-up] {text}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""bootstrap.py, run for real in a copy of the checkout whose path has spaces and letters beyond ASCII."""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "bootstrap.py"
WINDOWS = os.name == "nt"
SCRIPTS, EXE = ("Scripts", ".exe") if WINDOWS else ("bin", "")


def copy_of_the_checkout(target: Path) -> Path:
    """The checkout's files, new ones included, ignored ones left out."""
    told = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if told.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, told.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def environment(path: str) -> dict[str, str]:
    """This process's environment with another PATH, and no virtual environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    return {**kept, "PATH": path, "PYTHONIOENCODING": "utf-8"}


def path_without_uv() -> str:
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not shutil.which("uv", path=folder))


def run(folder: Path, *arguments: str, path: str | None = None, code: str = ""):
    command = ["-c", code] if code else ["bootstrap.py"]
    return subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=folder,
        env=environment(path_without_uv() if path is None else path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def path_with_uv(folder: Path) -> str:
    """A PATH on which the uv of this Python's environment can be found."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if not uv:
        pytest.skip("no uv here")
    (folder / "uv only").mkdir(exist_ok=True)
    shutil.copy2(uv, folder / "uv only")
    return os.pathsep.join([str(folder / "uv only"), path_without_uv()])


def skip_without_a_registry(folder: Path, told: subprocess.CompletedProcess[str]) -> None:
    """After a failed set-up: skip if no package registry answers, for then it had to fail."""
    if told.returncode == 0:
        return
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    asked = subprocess.run(
        [uv, "pip", "compile", "--no-cache", "--quiet", "-"],
        input="editables",
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        pytest.skip(f"no package registry can be reached: {asked.stderr.strip()[-200:]}")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A copy of the checkout, set up by its first call: (folder, what that call told)."""
    folder = copy_of_the_checkout(tmp_path_factory.mktemp("homes") / "Größe und Maß")
    told = run(folder, "doctor")
    skip_without_a_registry(folder, told)
    return folder, told


pytestmark = pytest.mark.slow


# ---- for real


def test_the_first_call_sets_up_and_runs_the_verb(fresh):
    folder, told = fresh
    assert told.returncode == 0, told.stdout + told.stderr
    assert "[set-up] installing" in told.stderr
    assert "trying pip" not in told.stderr
    assert "Everything is there." in told.stdout
    assert str(folder / ".venv") in told.stdout


def test_the_second_call_installs_nothing(fresh):
    folder, _ = fresh
    told = run(folder, "doctor")
    assert told.returncode == 0
    assert told.stderr == ""
    assert "Everything is there." in told.stdout


def test_the_exit_code_is_the_verbs(fresh):
    folder, _ = fresh
    assert run(folder, "test", "tests/no_such_file.py").returncode == 4  # pytest's own code for it


def test_the_environment_holds_just_the_lock_and_the_project(fresh):
    folder, _ = fresh
    listed = subprocess.run(
        [
            folder / ".venv" / SCRIPTS / f"uv{EXE}",
            "pip",
            "list",
            "--format=json",
            "--python",
            folder / ".venv",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    packages = {package["name"]: package for package in json.loads(listed.stdout)}
    lock = (folder / "requirements.lock").read_text(encoding="utf-8")
    assert Path(packages.pop("autodiff-course")["editable_project_location"]) == folder
    strays = {name for name in packages if f"\n{name}==" not in lock}
    assert strays <= {"pip", "setuptools"}


def test_a_broken_environment_is_repaired(fresh):
    folder, _ = fresh
    (folder / ".venv" / SCRIPTS / f"python{EXE}").unlink()
    told = run(folder, "doctor", path=path_with_uv(folder.parent))
    assert told.returncode == 0, told.stderr
    assert "making .venv anew" in told.stderr
    assert "Everything is there." in told.stdout


def test_a_moved_checkout_is_set_up_anew(fresh):
    folder, _ = fresh
    moved = folder.rename(folder.with_name("moved away"))
    try:
        told = run(moved, "doctor", path=path_with_uv(folder.parent))
    finally:
        moved.rename(folder)
    assert told.returncode == 0, told.stderr
    assert "making .venv anew" in told.stderr
    assert str(moved) in told.stdout


NO_ENSUREPIP = """
import importlib.util, runpy, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "ensurepip" else find(name, *rest)
sys.argv = ["bootstrap.py", *sys.argv[1:]]
runpy.run_path("bootstrap.py", run_name="__main__")
"""


def test_a_release_sets_up_from_its_wheel_and_starts(tmp_path):
    made = tmp_path / "für Anna"
    command = [sys.executable, "-m", "course.cli", "release", made, "--units", "u05"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    told = run(made, "start", "--prepare-only", "--student", "anna")
    skip_without_a_registry(made, told)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "Your key: anna." in told.stdout
    assert "bootstrap.py doctor" in told.stdout  # `course` is on no path
    assert (made / "work" / "exercises" / "u05_scalar.ipynb").is_file()
    again = run(made, "check", "u05")
    assert "[set-up]" not in again.stderr
    assert "The blank is still there" in again.stdout
    next((made / "wheel").iterdir()).unlink()
    told = run(made, "check", "u05")
    assert told.returncode == 1
    assert "Unpack the release again" in told.stderr


def test_without_ensurepip_and_uv_it_says_what_to_install(tmp_path):
    folder = copy_of_the_checkout(tmp_path / "bare")
    told = run(folder, "doctor", code=NO_ENSUREPIP)
    assert told.returncode == 1
    assert "ensurepip is missing" in told.stderr
    if Path("/etc/debian_version").exists():
        assert f"sudo apt install python3.{sys.version_info.minor}-venv" in told.stderr
    assert "or install uv" in told.stderr
    assert "Traceback" not in told.stderr
    assert not (folder / ".venv").exists()


def test_without_ensurepip_uv_makes_the_environment(tmp_path):
    folder = copy_of_the_checkout(tmp_path / "uv")
    told = run(folder, "doctor", code=NO_ENSUREPIP, path=path_with_uv(tmp_path))
    skip_without_a_registry(folder, told)
    assert told.returncode == 0, told.stderr
    assert "Everything is there." in told.stdout


# ---- before anything is installed


def test_without_a_verb_it_lists_them_and_installs_nothing(tmp_path):
    folder = copy_of_the_checkout(tmp_path / "new")
    told = run(folder)
    assert told.returncode == 0
    assert "doctor" in told.stdout
    assert not (folder / ".venv").exists()


def test_a_mistyped_verb_installs_nothing(tmp_path):
    folder = copy_of_the_checkout(tmp_path / "new")
    told = run(folder, "doktor")
    assert told.returncode == 2
    assert "Did you mean doctor?" in told.stderr
    assert not (folder / ".venv").exists()


def test_old_pythons_can_read_it():
    assert ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6)).body


def test_an_old_python_is_told_what_is_needed():
    code = (
        "import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_path('bootstrap.py', run_name='__main__')"
    )
    told = run(ROOT, code=code)
    assert told.returncode == 1
    assert "needs Python 3.11 or newer; this is Python 3.8" in told.stderr
    assert "Traceback" not in told.stderr


# ---- which commands are run


@pytest.fixture
def bootstrap(monkeypatch, tmp_path):
    """bootstrap.py as a module whose commands are written down instead of run; `fails` says which fail."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.commands = []
    module.fails = lambda command: False

    def succeeds(command, what="", quiet=False):
        module.commands.append(command)
        return not module.fails(command)

    monkeypatch.setattr(module, "succeeds", succeeds)
    monkeypatch.setattr(module, "VENV", str(tmp_path))
    return module


def test_where_uv_fails_pip_installs_the_same_hashes(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "find_uv", lambda: "/some/uv")
    bootstrap.fails = lambda command: command[0] == "/some/uv"
    bootstrap.install()
    packages, project = bootstrap.commands[-2:]
    assert packages[1:3] == project[1:3] == ["-m", "pip"]
    assert {"--require-hashes", "-r", str(ROOT / "requirements.lock")} <= set(packages)
    assert {"--no-deps", "--no-build-isolation", "--editable"} <= set(project)


def test_where_pip_fails_too_the_network_is_named(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "find_uv", lambda: "")
    bootstrap.fails = lambda command: "install" in command
    with pytest.raises(bootstrap.SetupError, match="network"):
        bootstrap.install()


def test_uv_itself_comes_with_the_locked_hashes(bootstrap, monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda *_: None)
    bootstrap.find_uv()
    assert "--require-hashes" in bootstrap.commands[0]
    part = (tmp_path / "uv-requirement.txt").read_text(encoding="utf-8")
    assert part.startswith("uv==")
    assert part.count("--hash=sha256:") > 5
    assert part.count("==") == 1


@pytest.mark.parametrize(
    ("change", "steps"),
    [
        ({}, []),  # nothing changed
        ({"contents": "another lock"}, ["install"]),
        ({"contents": ""}, ["make", "install"]),  # interrupted
        ({"place": "elsewhere"}, ["make", "install"]),  # moved
        (None, ["install"]),  # made by somebody else, with `uv run` for instance
    ],
)
def test_what_the_stamp_leads_to(bootstrap, monkeypatch, change, steps):
    seen = []
    monkeypatch.setattr(bootstrap, "STAMP", os.path.join(bootstrap.VENV, "stamp.json"))
    monkeypatch.setattr(bootstrap, "in_venv", lambda program: str(SCRIPT))  # a file that exists
    monkeypatch.setattr(bootstrap, "venv_version", lambda: "3.11.7")
    monkeypatch.setattr(bootstrap, "make_venv", lambda: seen.append("make"))
    monkeypatch.setattr(bootstrap, "install", lambda: seen.append("install"))
    if change is not None:
        bootstrap.write_stamp({**bootstrap.wanted_stamp("3.11.7"), **change})
    bootstrap.set_up()
    assert seen == steps
    assert bootstrap.read_stamp() == bootstrap.wanted_stamp("3.11.7")


def test_a_failed_installation_leaves_an_unfinished_stamp(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "STAMP", os.path.join(bootstrap.VENV, "stamp.json"))
    monkeypatch.setattr(bootstrap, "venv_version", lambda: "3.11.7")

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bootstrap.set_up()
    assert bootstrap.read_stamp()["contents"] == ""

"""What a child imports from: the modules that a unit provides, stubs for the rest, a few libraries.

`autodiff` in it offers only what the unit's `provides` names; anything else raises an ImportError that
says so. `check`, `draw`, `step` and `explain` do nothing.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import autodiff
from autodiff.errors import OptionError

LIBRARIES = ("numpy", "matplotlib")  # with what they need; nothing that differentiates

_GUARD = '''
import sys
from importlib.abc import MetaPathFinder

ROOTS = ("autodiff.", "course.")
attempts = []


class ForbiddenImport(ImportError):
    """The name is what the exercise asks for, so it isn't there."""


def refuse(name):
    attempts.append(name)
    raise ForbiddenImport(f"{name} is not there beside graded code: write your own in the exercise's cell")


def quiet(*args, **kwargs):
    """Does nothing here."""


class Guard(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(ROOTS):
            refuse(name)
        return None


sys.meta_path.append(Guard())
'''

_PACKAGE = """
import importlib
import _beside

_HOMES = {homes!r}
__version__ = {version!r}
{stubs}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in _HOMES:
        _beside.refuse(f"autodiff.{{name}}")
    return getattr(importlib.import_module(f"autodiff.{{_HOMES[name]}}"), name)
"""

_QUIET_MODULE = """
import _beside


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _beside.quiet
"""

_CASE = '''
class Case:
    """One question: its name, the families it serves, plain data."""

    def __init__(self, name, families, data):
        self.name, self.families, self.data = name, families, data


Answer = dict
'''

_ORACLE = '''
class AskError(RuntimeError):
    """A question that gets no answer: one too many, or one that the function can't take."""
'''

_STUBS = "\n".join(f"{name} = _beside.quiet" for name in ("draw", "step", "explain", "check"))


def site_files(provides: Iterable[str]) -> dict[str, str]:
    """The text of every file of the folder, by relative path."""
    modules = tuple(provides)
    homes = {n: h for n, h in vars(autodiff)["_HOMES"].items() if h in modules}
    package = _PACKAGE.format(homes=homes, version=autodiff.__version__, stubs=_STUBS)
    made = {
        "_beside.py": _GUARD,
        "autodiff/__init__.py": package,
        "autodiff/drawing.py": _QUIET_MODULE,
        "course/__init__.py": "import _beside\n",
        "course/checking/__init__.py": "import _beside\ncheck = _beside.quiet\n",
        "course/checking/exercise.py": _CASE,
        "course/checking/oracle.py": _ORACLE,
        "course/checking/instruments.py": (files("course.checking") / "instruments.py").read_text("utf-8"),
        "IPython/__init__.py": _QUIET_MODULE,
        "IPython/display.py": _QUIET_MODULE,
    }
    for module in modules:
        made.update(_module(module))
    return made


def _module(module: str) -> dict[str, str]:
    """A module of `autodiff` as files; the packages around it come empty."""
    home = Path(str(autodiff.__file__)).parent
    path = home.joinpath(*module.split("."))
    single = path.with_suffix(".py")
    sources = [single] if single.is_file() else sorted(path.rglob("*.py"))
    if not sources:
        raise OptionError(f"provides names {module!r}, and autodiff has no such module")
    parents = module.split(".")[:-1]
    made = {"/".join(["autodiff", *parents[: k + 1], "__init__.py"]): "" for k in range(len(parents))}
    for source in sources:
        made[f"autodiff/{source.relative_to(home).as_posix()}"] = source.read_text(encoding="utf-8")
    return made


def make_site(folder: Path, provides: Iterable[str]) -> None:
    """Write the stubs and modules of one child."""
    for name, text in site_files(provides).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    open_up(folder)


def open_up(folder: Path) -> None:
    """Let every user read a folder and what is in it, whatever this user's habits are."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def link_libraries(folder: Path) -> list[str]:
    """Fill a folder with links to the libraries; what to put on the import path: where links can't be
    made that's the folder they are installed in, with all that is beside them.
    """
    folder.mkdir()
    try:
        for library in library_paths():
            (folder / library.name).symlink_to(library)
    except OSError:
        return sorted({str(library.parent) for library in library_paths()})
    return [str(folder)]


@cache
def library_paths() -> tuple[Path, ...]:
    """The top-level folders and files of the libraries that student code may import."""
    found: dict[str, Path] = {}
    for name in _closure(LIBRARIES):
        distribution = importlib.metadata.distribution(name)
        tops = {str(f.parts[0]) for f in distribution.files or () if f.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            path = Path(str(distribution.locate_file(top)))
            if path.exists() and path.suffix != ".pth":
                found[top] = path
    return tuple(found[top] for top in sorted(found))


def _closure(names: Iterable[str]) -> Iterator[str]:
    """Distributions and what they require, those that are installed."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            required = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        yield name
        plain = [line for line in required if "extra ==" not in line]
        waiting += [found[0] for line in plain if (found := re.match(r"[\w.-]+", line))]


def remove(folder: Path) -> None:
    """Remove a folder, also one whose rights were taken away by the code that ran in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.chmod(0o700)
        for parent, folders, _ in os.walk(folder):  # top down: what is opened up here is walked next
            for name in folders:
                if not os.path.islink(os.path.join(parent, name)):
                    os.chmod(os.path.join(parent, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)

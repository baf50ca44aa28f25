"""The house rules, held: reading order, sizes, types, lint, one lock, nothing private in a file."""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import autodiff
from autodiff.ops import FUNCTIONS

ROOT = Path(__file__).resolve().parents[1]
ENGINE_FILES = sorted((ROOT / "autodiff").rglob("*.py"))
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")

FILE_BUDGET = 250  # lines of code in a file of autodiff/
FUNCTION_BUDGET = 40  # and in a function there
LARGER: dict[str, tuple[int, str]] = {
    # "autodiff/some/file.py": (300, "why this one can't be two files"),
}

# Written in pieces, so that this file doesn't find itself.
PRIVATE = {
    "a registry's host": r"pypi\.org|pythonhosted" + r"\.org|registry\.npmjs|deb\.debian" + r"\.org",
    "somebody's home": r"(?<![\w.])/(?:home|Users)/\w" + r"+/|(?<![\w.])/root" + r"/\w",
    "a private path": r"/work" + r"/(?:main|shared|\.library)\b|/opt" + r"/(?:wheels|pypi)\b",
}


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def assert_clean(*command: str) -> None:
    """Run a tool of this Python in the checkout; what it prints is the failure's message."""
    told = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode:
        pytest.fail(told.stdout + told.stderr, pytrace=False)


def tracked_files() -> list[Path]:
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if told.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in told.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


# ---- tools


def test_ruff_finds_nothing():
    assert_clean("-m", "ruff", "check", ".")


def test_ruff_would_format_nothing():
    assert_clean("-m", "ruff", "format", "--check", ".")


def test_types_are_strict():
    assert_clean("-m", "mypy")


def test_a_file_imports_only_what_was_read_before():
    assert_clean("-c", "import sys; from importlinter.cli import lint_imports_command as run; run()")


# ---- sizes


def code_lines(source: str) -> set[int]:
    """The numbers of the lines that hold code: not blank, no comment, no docstring.

    >>> sorted(code_lines('def f():\\n    "Doc."\\n\\n    # why\\n    return 1\\n'))
    [1, 5]
    """
    lines: set[int] = set()
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (*silent, tokenize.ENDMARKER):
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if first is not None and ast.get_docstring(node, clean=False) is not None:
                lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def test_code_lines_are_neither_blank_nor_comment_nor_docstring():
    source = '"""Doc.\n\nMore."""\n\n# why\ndef f(a,\n      b):\n    """Doc."""\n    return """x\n    y"""\n'
    assert code_lines(source) == {6, 7, 9, 10}


@pytest.mark.parametrize("path", ENGINE_FILES, ids=label)
def test_an_engine_file_keeps_its_budget(path):
    budget, _ = LARGER.get(label(path), (FILE_BUDGET, ""))
    count = len(code_lines(path.read_text(encoding="utf-8")))
    assert count <= budget, f"{label(path)} has {count} lines of code, {budget} are allowed: split it"


@pytest.mark.parametrize("path", ENGINE_FILES, ids=label)
def test_an_engine_function_keeps_its_budget(path):
    source = path.read_text(encoding="utf-8")
    code = code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count = len(code & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)))
            assert count <= FUNCTION_BUDGET, f"{label(path)}: {node.name} has {count} lines of code"


@pytest.mark.parametrize("path", ENGINE_FILES, ids=label)
def test_an_engine_file_says_what_it_adds(path):
    opening = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    told = [line for line in opening.splitlines() if line.strip()]
    assert len(told) >= 2, "it opens with what it adds, what it needed before, which unit reads it"


def test_larger_budgets_are_for_files_that_need_them():
    for name, (budget, reason) in LARGER.items():
        assert (ROOT / name).is_file(), f"{name} is gone: take its line out of LARGER"
        assert budget > FILE_BUDGET, name
        assert reason, name


def test_no_module_bears_the_name_of_a_public_function():
    # The module would hide the function, or not, depending on what was imported before.
    modules = {path.stem for path in (ROOT / "autodiff").glob("*.py")} | {
        path.name for path in (ROOT / "autodiff").iterdir() if path.is_dir()
    }
    assert modules.isdisjoint({*autodiff._HOMES, *FUNCTIONS})


# ---- dependencies


def wanted() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"]
    groups = [PROJECT["dependencies"], *(extras[name] for name in ("course", "grade", "dev"))]
    return [Requirement(line) for group in groups for line in group]


def locked() -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE):
        found.setdefault(canonicalize_name(name), []).append(Version(version))
    return found


@pytest.mark.parametrize("requirement", wanted(), ids=str)
def test_the_lock_is_in_step_with_pyproject(requirement):
    versions = locked().get(canonicalize_name(requirement.name), [])
    assert versions, (
        f"{requirement.name} is not in requirements.lock; CONTRIBUTING.md says how to make it anew"
    )
    assert all(requirement.specifier.contains(version, prereleases=True) for version in versions)


def test_every_locked_requirement_has_hashes():
    entries = re.split(
        r"^(?=\S)", "\n".join(line for line in LOCK.splitlines() if line[:1] != "#"), flags=re.M
    )
    entries = [entry for entry in entries if entry.strip()]
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+", entry), f"no exact version: {entry.splitlines()[0]}"
        assert "--hash=sha256:" in entry, f"no hash: {entry.splitlines()[0]}"


def test_the_lock_names_no_host_and_no_path():
    code = "\n".join(line for line in LOCK.splitlines() if not line.lstrip().startswith("#"))
    assert not re.search(r"://| @ |(?<!\S)/|--(?!hash=)", code)
    assert not re.search(r"://|\s/|--(?:index|extra-index|find-links|trusted)", LOCK)


def test_every_dependency_says_why():
    tables = re.findall(r"^(?:dependencies|course|grade|dev|\w+) = \[\n(.*?)^\]", PYPROJECT, re.M | re.S)
    rows = [
        row for table in tables for row in table.splitlines() if re.match(r'\s+"[\w.-]+(\[|[<>=~!])', row)
    ]
    assert len(rows) >= len(wanted())
    for row in rows:
        assert re.search(r"#\s*\S.{10,}", row), f"no reason: {row.strip()}"


# ---- nothing private


@pytest.mark.parametrize("what", PRIVATE)
def test_no_tracked_file_names(what):
    pattern = re.compile(PRIVATE[what].encode())
    found = {
        label(path): hit.group() for path in tracked_files() if (hit := pattern.search(path.read_bytes()))
    }
    assert found == {}

"""Every example in the engine's docstrings, in README.md and in docs/ gives what it says."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "autodiff").rglob("*.py"))
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCES
    if ">>>" in path.read_text(encoding="utf-8")
]
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted((ROOT / "docs").glob("*.md")) if ">>>" in p.read_text("utf-8")),
]
FLAGS = doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=FLAGS, extraglobs={"np": np})
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert results.attempted > 0
    assert results.failed == 0

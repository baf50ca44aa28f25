"""Debian's Chromium, and axe-core from npm, for the tests that look at pages."""

import hashlib
import shutil
import subprocess
import tarfile
from contextlib import contextmanager

import pytest
from selenium import webdriver

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = """
    --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1300,1000
"""
AXE = "4.14.1"
AXE_DIGEST = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"  # of its axe.min.js


@contextmanager
def _starting(folders):
    if not (CHROMIUM and DRIVER):
        pytest.skip("no Chromium here: apt install chromium chromium-driver")
    started = []

    def start(*more):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (*FLAGS.split(), f"--user-data-dir={folders.mktemp('profile')}", *more):
            options.add_argument(flag)
        started.append(webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER)))
        return started[-1]

    try:
        yield start
    finally:
        for driver in started:
            driver.quit()


@pytest.fixture
def start_browser(tmp_path_factory):
    """A function that starts a browser with more flags; all are closed at the end of the test."""
    with _starting(tmp_path_factory) as start:
        yield start


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One browser for all tests of a file."""
    with _starting(tmp_path_factory) as start:
        yield start()


@pytest.fixture(scope="session")
def axe(request, tmp_path_factory):
    """The text of axe-core: fetched by npm once, then kept in pytest's cache."""
    kept = request.config.cache.mkdir("axe-core") / f"{AXE}.js"
    if not kept.exists():
        if not (npm := shutil.which("npm")):
            pytest.skip("no npm here, which fetches axe-core: apt install npm")
        folder = tmp_path_factory.mktemp("npm")
        command = [npm, "pack", f"axe-core@{AXE}", "--silent"]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=120)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            pytest.skip(f"npm can't fetch axe-core {AXE} here: {problem} {problem.stderr or ''}".rstrip())
        with tarfile.open(next(folder.glob("*.tgz"))) as package:
            kept.write_bytes(package.extractfile("package/axe.min.js").read())
    script = kept.read_bytes()
    assert hashlib.sha256(script).hexdigest() == AXE_DIGEST, f"{kept} isn't axe-core {AXE}: delete it"
    return script.decode()

"""Debian's Chromium, one Jupyter server, and axe-core from npm, for the tests that look at pages."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from contextlib import contextmanager

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from selenium import webdriver

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = """
    --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1300,1000
"""
PATIENCE = 90  # seconds: a busy machine starts a server slowly
PLACES = {"lab": "lab/tree", "notebook": "notebooks"}  # what each application's addresses begin with
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


class Jupyter:
    """A server for JupyterLab and Notebook, with its own idea of what is trusted."""

    def __init__(self, home):
        self.home, self.folder, self.log = home, home / "work", home / "server.log"
        self.homes = {
            name: str(home / name.lower())
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        }
        self.set("apputils", "notification", fetchNews="false")  # nothing is asked over a notebook
        for folder in (self.folder, self.homes["JUPYTER_DATA_DIR"]):
            os.makedirs(folder)

    def set(self, extension, plugin, **values):
        """Write a setting; a page loaded after that has it."""
        folder = self.home / "settings" / "@jupyterlab" / f"{extension}-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")

    def start(self):
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--allow-root"]
        environment = {**os.environ, **self.homes, "JUPYTERLAB_SETTINGS_DIR": str(self.home / "settings")}
        with self.log.open("w") as file:
            self.server = subprocess.Popen(
                [*command, "--ServerApp.token=secret"],
                cwd=self.folder,
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def address(self, app, notebook, trusted):
        """Where an application shows this notebook. A copy that says so isn't trusted, or is."""
        if app == "notebook" and not importlib.util.find_spec("notebook"):
            pytest.skip("Notebook 7 is not installed here: pip install notebook")
        own = nbformat.from_dict(notebook)
        own.metadata["trusted_by_signature"] = trusted  # another text has another signature
        name = f"{app}-{'trusted' if trusted else 'untrusted'}-{len(list(self.folder.iterdir()))}.ipynb"
        nbformat.write(own, self.folder / name)
        if trusted:
            notary = NotebookNotary(data_dir=self.homes["JUPYTER_DATA_DIR"])
            notary.sign(nbformat.read(self.folder / name, 4))
            notary.store.close()
        return f"http://127.0.0.1:{self._port()}/{PLACES[app]}/{name}?reset&token=secret"

    def _port(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.server.poll() is None:
            if found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/", self.log.read_text()):
                return found[1]
            time.sleep(0.3)
        return pytest.fail(f"no server:\n{self.log.read_text()}")

    def stop(self):
        os.killpg(self.server.pid, signal.SIGINT)
        try:
            self.server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.server.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """A server for all tests of a file that open a notebook; each leaves a kernel, which ends with it."""
    server = Jupyter(tmp_path_factory.mktemp("jupyter"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def picture():
    """A function that leaves a picture of the browser in the folder COURSE_SCREENSHOTS, if that is set."""

    def keep(browser, name):
        if folder := os.environ.get("COURSE_SCREENSHOTS"):
            os.makedirs(folder, exist_ok=True)
            browser.save_screenshot(os.path.join(folder, f"{name}.png"))

    return keep


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

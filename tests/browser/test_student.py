"""A student in a real browser: course start, a lesson with its graph, an exercise wrong, then right.

Needs Debian's chromium and chromium-driver. With COURSE_SCREENSHOTS set to a folder, a picture of each stage
is left there.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from course.grading.unit import load_units
from course.validate import trials

pytestmark = pytest.mark.slow

PATIENCE = 180  # seconds: a busy machine starts a kernel slowly
MOVING = (ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException)


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab that `course start` opened on fresh copies, and the folder of those."""
    homes = {
        name: str(tmp_path / name.lower())
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    }
    command = [sys.executable, "-m", "course.cli", "start", "--student", "ada", "--no-browser"]
    environment = {**os.environ, **homes, "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings")}
    with (tmp_path / "log").open("w+") as log:
        server = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield _address(server, Path(log.name)), tmp_path / "work"
        finally:
            os.killpg(server.pid, signal.SIGINT)
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


def _address(server, log):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        if found := re.search(r"JupyterLab: (\S+)", log.read_text()):
            return found[1]
        time.sleep(0.3)
    pytest.fail(f"course start told no address:\n{log.read_text()}")


@pytest.fixture
def browser(start_browser):
    return start_browser("--window-size=1300,1500")


def open_notebook(browser, address, path):
    browser.get(address.replace("/lab?", f"/lab/tree/{path}?reset&"))
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".jp-NotebookPanel .jp-Cell"))


def wait(browser, ready):
    """What `ready` gives once that is true; JupyterLab may draw an element anew between two looks at it."""
    return WebDriverWait(browser, PATIENCE, ignored_exceptions=MOVING).until(lambda _: ready())


def choose(browser, menu, label):
    """Choose an entry of a menu, opening the menu again where JupyterLab closed it meanwhile."""

    def labelled(selector, text):
        found = browser.find_elements(By.CSS_SELECTOR, selector)
        return next((one for one in found if one.is_displayed() and one.text == text), None)

    def chosen():
        if entry := labelled(".lm-Menu-itemLabel", label):
            entry.click()
            return True
        if closed := labelled(".lm-MenuBar-itemLabel", menu):
            closed.click()
        return False

    wait(browser, chosen)


def show(browser, element, block="center"):
    browser.execute_script("arguments[0].scrollIntoView({block: arguments[1]})", element, block)


def answer(notebook, exercise, text):
    made = json.loads(notebook.read_text(encoding="utf-8"))
    (cell,) = (cell for cell in made["cells"] if cell["id"] == exercise)
    cell["source"] = text
    notebook.write_text(json.dumps(made), encoding="utf-8")


def run_all(browser, expected):
    """Run every cell; the report's text once it holds what's expected, with its end in sight."""
    choose(browser, "Run", "Run All Cells")

    def report():
        for output in browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output"):
            if expected in (text := output.text):
                show(browser, output, "end")
                return text
        return ""

    return wait(browser, report)


def drawn(browser, code):
    """The picture under the cell that holds this code, once it has a size."""
    for cell in browser.find_elements(By.CSS_SELECTOR, ".jp-CodeCell"):
        if code in cell.text:
            show(browser, cell)
            for image in cell.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output :is(img, svg)"):
                if image.size["width"] > 50 and image.size["height"] > 50:
                    return image
    return None


def test_a_lesson_shows_its_graph_and_an_exercise_is_solved_wrongly_then_rightly(browser, lab, picture):
    address, work = lab
    open_notebook(browser, address, "notebooks/u05_scalar.ipynb")
    graph = wait(browser, lambda: drawn(browser, 'view="gradient"'))
    if graph.tag_name == "img":
        assert int(graph.get_property("naturalWidth")) > 50  # decoded: no sign of a broken picture
    picture(browser, "1-lesson")

    (unit,) = load_units(["u05"])
    answers = {(t.kind, t.name): t.cells[-1][1] for t in trials(unit)}
    notebook = work / "exercises" / "u05_scalar.ipynb"
    answer(notebook, "u05-multiply", answers["wrong", "M16"])
    open_notebook(browser, address, "exercises/u05_scalar.ipynb")
    told = run_all(browser, "1 of 5 points")
    picture(browser, "2-wrong")
    assert "uses each factor's own value as its slope" in told
    assert "Cover one factor with a finger" in told
    assert told.count("not yet") == 3

    browser.get("about:blank")  # so that JupyterLab can't save over the second answer
    answer(notebook, "u05-multiply", answers["solution", ""])
    open_notebook(browser, address, "exercises/u05_scalar.ipynb")
    told = run_all(browser, "5 of 5 points")
    picture(browser, "3-right")
    assert told.count("passed") == 4
    assert "All of it is right." in told
    assert "not yet" not in told
    questions = [e.text for e in browser.find_elements(By.CSS_SELECTOR, ".Toastify__toast, .jp-Dialog")]
    assert questions == [], "JupyterLab asks something over the student's report"

"""The stepper in a real browser: its page, JupyterLab (trusted or not), Notebook 7, an exported page.

Needs Debian's chromium and chromium-driver; Notebook 7 only where it is installed. With COURSE_SCREENSHOTS
set to a folder, a picture of each stage is left there.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook, new_output
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from autodiff import Scalar, step

pytestmark = pytest.mark.slow

PATIENCE = 90  # seconds: a busy machine starts a server slowly
MOVING = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"


@pytest.fixture(scope="module")
def stepper():
    x, y = Scalar(3.0, name="x"), Scalar(4.0, name="y")
    return step(x * x + x * y, name="D")


@pytest.fixture
def page(stepper, tmp_path):
    return stepper.save(tmp_path / "steps.html").as_uri()


class Player:
    """The stepper on the page that a browser shows."""

    def __init__(self, browser, count):
        self.browser, self.count = browser, count
        self.wait(lambda: self.one(".ad-bar"))

    def wait(self, ready):
        return WebDriverWait(self.browser, PATIENCE, ignored_exceptions=MOVING).until(lambda _: ready())

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, f".ad-step {selector}")

    def press(self, *keys):
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def click(self, label):
        (button,) = (
            each
            for each in self.browser.find_elements(By.CSS_SELECTOR, ".ad-bar button")
            if each.text == label
        )
        button.click()

    @property
    def place(self):
        shown = re.fullmatch(rf"(\d+) of {self.count}", self.one("output").text)
        return int(shown[1])

    @property
    def words(self):
        return " ".join(self.one(".ad-words").text.split())

    @property
    def drawn(self):
        """The alternative text of the picture, once that is decoded."""
        image = self.one(".ad-picture img")
        self.wait(lambda: image.get_property("complete") and image.get_property("naturalWidth") > 50)
        return image.get_attribute("alt")


def spoken(frame):
    """A narration without the full stops that stand between its parts: a page has lines instead."""
    return re.sub(r"[.\s]+", " ", frame).strip()


def picture(browser, name):
    if folder := os.environ.get("COURSE_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(folder) / f"stepper-{name}.png"))


def drive(player, stepper):
    """Keys and clicks, as anyone would try them; each frame must say what the stepper says in words."""
    last = len(stepper)
    player.wait(lambda: player.one(".ad-picture").click() or True)
    player.press(Keys.HOME)
    seen = set()
    for k in range(1, last + 1):
        assert player.place == k
        assert spoken(player.words) == spoken(stepper.frames[k - 1])
        seen.add(player.drawn)
        player.press(Keys.ARROW_RIGHT)
    assert len(seen) > last // 2  # the pictures move on, too
    assert player.place == last  # and stop at the end
    player.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert player.place == last - 2
    player.press(Keys.HOME)
    assert player.place == 1
    player.press(Keys.END)
    assert player.place == last
    player.click("Previous")
    player.click("Previous")
    assert player.place == last - 2
    player.click("Next")
    assert player.place == last - 1
    slider = player.one("input[type=range]")
    slider.click()  # in the middle
    assert 1 < player.place < last - 1
    before = player.place
    player.press(Keys.ARROW_RIGHT)
    assert player.place == before + 1
    assert slider.get_attribute("aria-valuetext").startswith(f"{before + 1} of {last}: ")


def test_a_saved_page_is_driven_by_keys_and_by_clicks(start_browser, page, stepper):
    browser = start_browser(NO_NETWORK)
    browser.get(page)
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, "page")
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in fetched if not name.startswith("data:")] == []


def test_space_plays_and_pauses(start_browser, page, stepper):
    browser = start_browser()
    browser.get(page)
    player = Player(browser, len(stepper))
    player.one(".ad-picture").click()
    player.press(Keys.SPACE)
    assert player.one(".ad-bar button:nth-of-type(2)").text == "Pause"
    player.wait(lambda: player.place >= 3)
    player.press(Keys.SPACE)
    assert player.one(".ad-bar button:nth-of-type(2)").text == "Play"
    there = player.place
    time.sleep(3)
    assert player.place == there
    player.press(Keys.END)
    player.click("Play")  # at the end: from the start
    assert player.place == 1


def test_nothing_moves_by_itself_for_those_who_asked_for_that(start_browser, page, stepper):
    browser = start_browser("--force-prefers-reduced-motion")
    browser.get(page)
    player = Player(browser, len(stepper))
    assert not player.one(".ad-bar button:nth-of-type(2)").is_displayed()
    player.one(".ad-picture").click()
    player.press(Keys.SPACE)
    assert player.place == 2
    time.sleep(3)
    assert player.place == 2


def test_the_page_is_told_to_screen_readers_and_shows_the_focus(start_browser, page, stepper):
    browser = start_browser()
    browser.get(page)
    player = Player(browser, len(stepper))
    words = player.one(".ad-words")
    assert words.get_attribute("aria-live") == "polite"
    assert words.get_attribute("aria-atomic") == "true"
    names = {each.accessible_name for each in browser.find_elements(By.CSS_SELECTOR, ".ad-bar *")}
    assert {"Previous", "Play", "Next", "Frame"} <= names
    focused = []
    for _ in range(5):
        player.press(Keys.TAB)
        element = browser.switch_to.active_element
        focused.append(element.accessible_name)
        assert element.value_of_css_property("outline-style") == "solid"
        assert float(element.value_of_css_property("outline-width").removesuffix("px")) >= 2
    assert focused[:4] == ["Previous", "Play", "Next", "Frame"]
    assert "arrow keys" in focused[4]


# --- notebooks ---------------------------------------------------------------------------------------------


@pytest.fixture
def notebook(stepper, tmp_path):
    """A notebook that holds the stepper's output, as a run leaves it."""
    data, metadata = stepper._repr_mimebundle_()
    data["image/png"] = "iVBORw0KGgo="  # any: a page that shows this one shows the wrong one
    output = new_output("execute_result", data=data, metadata=metadata, execution_count=1)
    cell = new_code_cell("step(D)", outputs=[output], execution_count=1)
    (tmp_path / "work").mkdir()
    path = tmp_path / "work" / "steps.ipynb"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=[cell], metadata={"kernelspec": kernel}), path)
    return path


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """A function that starts JupyterLab or Notebook in the folder of a notebook, and gives its address."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("JUPYTERLAB_SETTINGS_DIR", str(tmp_path / "settings"))
    started = []

    def start(app, folder):
        program = shutil.which(
            f"jupyter-{app}", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        )
        if program is None:
            pytest.skip(f"jupyter {app} is not installed here")
        log = tmp_path / "server.log"
        command = [program, "--no-browser", "--port=0", "--allow-root", "--ServerApp.token=secret"]
        with log.open("w") as file:
            started.append(
                subprocess.Popen(
                    command, cwd=folder, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
                )
            )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and started[-1].poll() is None:
            if found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/", log.read_text()):
                return f"http://127.0.0.1:{found[1]}"
            time.sleep(0.3)
        pytest.fail(f"no server:\n{log.read_text()}")

    yield start
    for server in started:
        os.killpg(server.pid, signal.SIGINT)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


PLACE = {"lab": "lab/tree", "notebook": "notebooks"}


def look(browser, address, app, notebook):
    browser.get(f"{address}/{PLACE[app]}/{notebook.name}?token=secret")
    WebDriverWait(browser, PATIENCE).until(
        lambda _: browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output img")
    )


@pytest.mark.parametrize("app", PLACE)
def test_a_trusted_notebook_plays(start_browser, serve, notebook, stepper, app):
    Path(os.environ["JUPYTER_DATA_DIR"]).mkdir()
    NotebookNotary(data_dir=os.environ["JUPYTER_DATA_DIR"]).sign(nbformat.read(notebook, 4))
    browser = start_browser()
    look(browser, serve(app, notebook.parent), app, notebook)
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, f"{app}-trusted")


@pytest.mark.parametrize("app", PLACE)
def test_an_untrusted_notebook_can_be_read(start_browser, serve, notebook, stepper, app):
    browser = start_browser()
    look(browser, serve(app, notebook.parent), app, notebook)
    frames = browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output details")
    assert len(frames) == len(stepper)
    assert browser.find_elements(By.CSS_SELECTOR, ".ad-bar") == []
    for k, frame in enumerate(frames):
        if k:
            frame.find_element(By.TAG_NAME, "summary").click()
        assert spoken(frame.text) == spoken(stepper.frames[k])
        image = frame.find_element(By.TAG_NAME, "img")
        assert image.get_attribute("alt").startswith("Graph at this moment: x = 3")
        assert image.get_property("naturalWidth") > 50
    picture(browser, f"{app}-untrusted")


def test_an_exported_page_plays_without_a_network(start_browser, notebook, stepper):
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", notebook],
        check=True,
        capture_output=True,
        cwd=notebook.parent,
    )
    browser = start_browser(NO_NETWORK)
    browser.get(notebook.with_suffix(".html").as_uri())
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, "exported")

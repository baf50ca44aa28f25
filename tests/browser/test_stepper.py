"""The stepper in a real browser: its page, JupyterLab (trusted or not), Notebook 7, an exported page.

Needs Debian's chromium and chromium-driver; Notebook 7 only where it is installed. With COURSE_SCREENSHOTS
set to a folder, a picture of each stage is left there.
"""

import re
import time

import pytest
from nbconvert import HTMLExporter
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


def test_a_saved_page_is_driven_by_keys_and_by_clicks(start_browser, page, stepper, picture):
    browser = start_browser(NO_NETWORK)
    browser.get(page)
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, "stepper-page")
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
def notebook(stepper):
    """A notebook that holds the stepper's output, as a run leaves it."""
    data, metadata = stepper._repr_mimebundle_()
    data["image/png"] = "iVBORw0KGgo="  # any: a page that shows this one shows the wrong one
    output = new_output("execute_result", data=data, metadata=metadata, execution_count=1)
    cell = new_code_cell("step(D)", outputs=[output], execution_count=1)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=[cell], metadata={"kernelspec": kernel})


def look(browser, address):
    browser.get(address)
    WebDriverWait(browser, PATIENCE).until(
        lambda _: browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output img")
    )


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_trusted_notebook_plays(browser, jupyter, notebook, stepper, picture, app):
    look(browser, jupyter.address(app, notebook, trusted=True))
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, f"stepper-{app}-trusted")


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_an_untrusted_notebook_can_be_read(browser, jupyter, notebook, stepper, picture, app):
    look(browser, jupyter.address(app, notebook, trusted=False))
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
    picture(browser, f"stepper-{app}-untrusted")


def test_an_exported_page_plays_without_a_network(start_browser, notebook, stepper, tmp_path, picture):
    path = tmp_path / "steps.html"
    path.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    browser = start_browser(NO_NETWORK)
    browser.get(path.as_uri())
    drive(Player(browser, len(stepper)), stepper)
    picture(browser, "stepper-exported")

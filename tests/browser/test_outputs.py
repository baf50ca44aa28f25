"""What draw, explain, plots and check_gradients show in JupyterLab, in Notebook 7 and on an exported page.

Needs Debian's chromium and chromium-driver; Notebook 7 only where it is installed. One notebook is run, and
looked at in each place, light and dark. With COURSE_SCREENSHOTS set to a folder, pictures are left there.
"""

import io

import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.slow

PATIENCE = 90  # seconds
READABLE = 4.5  # contrast, as the guidelines for accessible pages ask
SMALLEST = 0.69  # of its size that a wide picture is shown in
SETUP = """
import numpy as np
from autodiff import Scalar, check_gradients, draw, draw_difference, explain, plots
x, w = Scalar(3.0, name="x"), Scalar(2.0, name="w")
y = x * w + x
wide = x
for _ in range(14):
    wide = wide * w + 1

class Bare:
    "A drawing for an application that shows no HTML."
    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = draw(y)._repr_mimebundle_()
        del data["text/html"]
        return data, metadata
"""
PICTURES = {  # a cell, and how the words begin that its picture bears
    'draw(y, name="y")': "y = x × w + x: value 9.",
    'draw(y, view="gradient")': "y = x × w + x: value 9. Two parameters: x = 3, w = 2. Gradient: dy/dx = 3",
    'draw(y, view="backward")': "Backward pass of y = x × w + x: from g = 1",
    "draw(wide)": "y, computed in 28 steps: value 65535.",
    "explain(y)": "dy/dx = 3; dy/dw = 3. The graph with each path's edges marked:",
    "explain(wide)": "dy/dx = 16384; dy/dw = 442369. A part of the graph",
    "draw_difference(y, x * w + w)": "1 node takes other operands: y was v1 + x, is v1 + w.",
    'plots.loss_curve({"slow": [4, 3], "fast": [4, 1]})': "Loss against step: slow from 4 at step 0",
    "plots.fitted_line([0, 1], [1, 3], [(0, 0), (1, 2)])": "2 points and a line that moves in 1 step",
    "plots.jacobian_picture([[2.0, 0.0], [0.5, -1.0]])": "Jacobian of 2 outputs (rows) by 2 inputs",
    'plots.gradient_flow({"W1": [0.3, 0.4], "W2": [0.0]})': "Gradient by layer, root mean square",
    "plots.error_against_h([1e-2, 1e-8], [1e-4, 1e-8])": "Error against h on log axes: smallest, 1e−08",
    "plots.path_on_contours(lambda b, w: b * b + w * w, [(2, 1), (1, 0)])": "Level lines over b and w;",
    "plots.decision_regions(lambda p: p[:, 0] > 0, [[-1, 0], [1, 0]], [0, 1])": "Regions of 2 classes;",
}
LOOKED_INTO = [
    source for source in PICTURES if "view" in source or "explain(y)" in source or "_line" in source
]
TABLES = {  # a cell, and what its table says
    "explain(y)": ["The gradient as a sum over paths", "x → v1 → y", "66.7 %"],
    "check_gradients(lambda a, b: a * b, np.array([1.0, 2.0]), 3.0)": [
        "4 of 4 derivatives right", "✓ right", "reverse", "forward",
    ],
    "check_gradients(lambda a: a * getattr(a, 'data', a), np.ones(2))": ["derivatives wrong", "✗ wrong"],
}  # fmt: skip
CELLS = list(dict.fromkeys([*PICTURES, *TABLES]))
PLACES = {  # application, theme, whether the notebook is trusted, whether the picture's paper is dark
    "lab-light": ("lab", "JupyterLab Light", True, False),
    "lab-dark": ("lab", "JupyterLab Dark", True, True),
    "lab-untrusted": ("lab", "JupyterLab Light", False, False),
    "lab-untrusted-dark": ("lab", "JupyterLab Dark", False, True),
    "notebook": ("notebook", "JupyterLab Light", True, False),
    "notebook-untrusted": ("notebook", "JupyterLab Light", False, False),
}


@pytest.fixture(scope="module")
def notebook():
    """A notebook that a kernel has run."""
    cells = [new_code_cell(source) for source in [SETUP.strip(), *CELLS, "Bare()"]]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    NotebookClient(made, timeout=PATIENCE).execute()
    return made


class Page:
    """The outputs on the page that a browser shows, each under the source of its cell."""

    def __init__(self, browser):
        self.browser = browser
        wait = WebDriverWait(browser, PATIENCE)
        wait.until(lambda _: len(self._outputs()) == len(CELLS) + 1)
        wait.until(
            lambda _: browser.execute_script("return [...document.images].every(each => each.complete)")
        )
        self.bare, self.outputs = self._outputs()[-1], dict(zip(CELLS, self._outputs(), strict=False))

    def _outputs(self):
        found = self.browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output")
        return [each for each in found if each.is_displayed()]


def contrast(one, other):
    """Of two grey levels, as the guidelines for accessible pages count it."""
    light = [((level / 255 + 0.055) / 1.055) ** 2.4 for level in (one, other)]
    return (max(light) + 0.05) / (min(light) + 0.05)


def shades(image):
    """The grey level of a picture's paper, and the one that stands out most from it."""
    with Image.open(io.BytesIO(image.screenshot_as_png)) as shown:
        grey = shown.convert("L")
    paper = max(grey.getcolors(), key=lambda each: each[0])[1]
    return paper, max(grey.getextrema(), key=lambda level: abs(level - paper))


def look(page, is_dark):
    """Everything that is promised in every place."""
    for source, words in PICTURES.items():
        (image,) = page.outputs[source].find_elements(By.CSS_SELECTOR, "img, svg")
        assert image.get_attribute("alt").startswith(words), source
        assert image.get_attribute("src").startswith("data:image/svg+xml;base64,"), source
        width = image.get_property("naturalWidth")
        assert width > 100, source
        assert image.size["width"] >= SMALLEST * width, source
    for source in LOOKED_INTO:
        image = page.outputs[source].find_element(By.TAG_NAME, "img")
        page.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", image)
        paper, ink = shades(image)
        assert (paper < 64) == is_dark, source
        assert contrast(paper, ink) > READABLE, source
    for source, said in TABLES.items():
        table = page.outputs[source].find_element(By.TAG_NAME, "table")
        for words in said:
            assert words in table.text
        for cell in ("caption", "tbody th", "tbody td"):  # a notebook's own wish is right
            style = table.find_element(By.CSS_SELECTOR, cell).value_of_css_property("text-align")
            assert style == "left", (source, cell)


@pytest.mark.parametrize("place", PLACES)
def test_a_notebook_shows_each_picture_and_its_words(browser, jupyter, notebook, picture, place):
    app, theme, trusted, is_dark = PLACES[place]
    jupyter.set("apputils", "themes", theme=theme)
    browser.set_window_size(1100, 6000)  # so that nothing waits to be scrolled to
    browser.get(jupyter.address(app, notebook, trusted))
    page = Page(browser)
    look(page, is_dark)
    bare = page.bare.find_element(By.TAG_NAME, "img")
    assert bare.get_attribute("src").startswith("data:image/svg+xml" if trusted else "data:image/png")
    assert bare.get_property("naturalWidth") > 100
    picture(browser, f"outputs-{place}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_exported_page_shows_them_without_a_network(start_browser, notebook, picture, tmp_path, theme):
    path = tmp_path / "outputs.html"
    path.write_text(HTMLExporter(theme=theme).from_notebook_node(notebook)[0], encoding="utf-8")
    browser = start_browser("--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1100,6000")
    browser.get(path.as_uri())
    look(Page(browser), is_dark=False)  # such a page doesn't tell its pictures that it is dark
    picture(browser, f"outputs-exported-{theme}")

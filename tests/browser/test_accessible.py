"""Every page that we write, looked at by axe-core: nothing serious stands in anybody's way, light or dark.

Needs Debian's chromium and chromium-driver, and npm, which fetches axe-core. With COURSE_SCREENSHOTS set to a
folder, a picture of each page is left there.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Scalar, check_gradients, draw, draw_difference, explain, step, tensor
from autodiff.drawing.page import page

pytestmark = pytest.mark.slow

LOOKS = {"light": 1300, "dark": 420}  # and how wide: a desk, a telephone


def line():
    a, b = Scalar(1.0, name="a"), Scalar(2.0, name="b")
    return a * b + a.sin() * 3


def network():
    x, w = np.arange(12.0).reshape(3, 4), tensor(np.ones((4, 2)) / 8, name="W")
    with ad.name_scope("layer"):
        h = ad.tanh(x @ w + tensor([0.1, -0.2], name="b"))
    return (h * h).mean()


def regression():
    b, w = Scalar(15.0, name="b"), Scalar(2.0, name="w")
    return sum((b + w * k - 3.0 * k).square() for k in range(40))


def half(x):
    """x²; one of its factors is hidden from the engine, so half of the gradient is missing."""
    return x * x if isinstance(x, np.ndarray) else x * x.data


def without_script(text):
    return re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)


def saved(shown, folder):
    return shown.save(folder / "page.html").read_text(encoding="utf-8")


PAGES = {
    "draw-forward": lambda folder: saved(draw(network()), folder),
    "draw-gradient": lambda folder: saved(draw(line(), view="gradient"), folder),
    "draw-backward": lambda folder: saved(draw(network(), view="backward"), folder),
    "draw-collapsed": lambda folder: saved(draw(regression(), collapse=True), folder),
    "step": lambda folder: saved(step(line()), folder),
    "step-unscripted": lambda folder: without_script(saved(step(network()), folder)),
    "explain": lambda folder: saved(explain(line()), folder),
    "explain-arrays": lambda folder: saved(explain(network()), folder),
    "difference": lambda folder: saved(draw_difference(line(), line() * 2), folder),
    "check-gradients-right": lambda folder: page("Right", check_gradients(np.sin, 1.0)._repr_html_()),
    "check-gradients-wrong": lambda folder: page(
        "Wrong", check_gradients(half, np.ones((2, 2)))._repr_html_()
    ),
}
DEMO = ["report.html", "grades/feedback/ada.html", "grades/feedback/ben.html", "grades/dashboard.html"]


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    """The folder that `course demo` wrote: its report, and three students' grades."""
    from course import demo

    folder = tmp_path_factory.mktemp("demo")
    assert demo.main(["--out", str(folder)]) == 0
    return folder


@pytest.fixture
def violations(browser, axe, tmp_path):
    """A function: what axe-core finds serious or critical on a page, with all of it unfolded."""

    def look(text, scheme="light"):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        size = {"width": LOOKS[scheme], "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
        browser.get(path.as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
        browser.execute_script(axe)
        found = browser.execute_async_script(
            "const done = arguments[0]; axe.run().then(done, problem => done({problem: String(problem)}))"
        )
        assert "problem" not in found, found
        assert found["passes"]
        return {
            f"{each['id']}: {node['html'][:200]}: {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
            if node["impact"] in ("serious", "critical")
        }

    return look


def looked_at(violations, browser, picture, text, name, scheme):
    """What is wrong with a page: barriers, and whatever it fetched."""
    found = violations(text, scheme)
    picture(browser, f"{name}-{scheme}")
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    return found | {each for each in fetched if not each.startswith("data:")}


@pytest.mark.parametrize("scheme", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_stands_in_anybodys_way(violations, browser, picture, tmp_path, name, scheme):
    assert looked_at(violations, browser, picture, PAGES[name](tmp_path), name, scheme) == set()


@pytest.mark.parametrize("scheme", LOOKS)
@pytest.mark.parametrize("name", DEMO)
def test_nor_on_the_pages_of_the_demo(violations, browser, picture, demonstrated, name, scheme):
    text = (demonstrated / name).read_text(encoding="utf-8")
    assert looked_at(violations, browser, picture, text, Path(name).stem, scheme) == set()


BARRIERS = {
    "image-alt": '<img src="data:,">',
    "color-contrast": '<p style="color:#888">grey on white</p>',
    "scrollable-region-focusable": '<div style="overflow:auto;width:9em"><pre>'
    + "wide " * 50
    + "</pre></div>",
    "html-has-lang": "",
}


@pytest.mark.parametrize("rule", BARRIERS)
def test_a_barrier_would_be_found(violations, rule):
    text = page("Barrier", BARRIERS[rule])
    if rule == "html-has-lang":
        text = text.replace(' lang="en"', "")
    assert {each.partition(":")[0] for each in violations(text)} == {rule}


@pytest.mark.parametrize("scheme", LOOKS)
def test_pages_follow_the_readers_choice_of_light_and_dark(violations, browser, scheme):
    violations(page("Colours", "<p>words</p>"), scheme)
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 29)"}[scheme]

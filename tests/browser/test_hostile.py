"""Names that would be markup or a script, in a real browser: they are shown, and nothing else happens.

Needs Debian's chromium and chromium-driver.
"""

import re

import pytest
from selenium.webdriver.common.by import By

from autodiff import Scalar, draw, draw_difference, explain, step

pytestmark = pytest.mark.slow

# Short enough to be shown whole. There is no function a, so wherever one of these ran, there were an error.
NAMES = [
    "<script>a()</script>",
    "</script><script>a()",
    "</title><script>a()",
    "</style><svg onload=a()>",
    "]]><script>a()</script>",
    "<svg onload=a()>",
    "<img src=/ onerror=a()>",
    '" onerror="a()" src="/',
    "' autofocus onfocus='a()",
    "javascript:a()",
    "&lt;svg onload=a()&gt;",
    "${a()}`+a()+`",
    "\u202e\u2066\x00\ud800",
]


def computed():
    first, *others = (Scalar(2.0, name=name) for name in NAMES)
    return sum((each * each for each in others), first)


POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
PAGES = {
    "draw": lambda name: draw(computed(), view="gradient", name=name),
    "step": lambda name: step(computed(), name=name),
    "explain": lambda name: explain(computed(), name=name),
    "difference": lambda name: draw_difference(computed(), computed() * 2, names=(name, "b")),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shown", PAGES)
def test_names_are_shown_and_do_nothing(browser, tmp_path, shown, name):
    path = PAGES[shown](name).save(tmp_path / "page.html")
    text, policies = POLICY.subn("", path.read_text("utf-8"))
    path.write_text(text, encoding="utf-8")  # without what would stop a script that got in
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []
    assert policies == 1
    if name.isprintable():
        assert name in browser.find_element(By.TAG_NAME, "main").text


@pytest.mark.parametrize("name", NAMES[:7])
def test_if_one_got_in_it_would_be_seen_and_the_page_would_not_let_it_run(browser, tmp_path, name):
    path = step(Scalar(2.0, name="x") * 3).save(tmp_path / "page.html")
    broken = path.read_text("utf-8").replace("</main>", f"</main>{name}</script>")
    seen = []
    for text in (broken, POLICY.sub("", broken)):
        path.write_text(text, encoding="utf-8")
        browser.get(path.as_uri())
        assert browser.find_elements(By.CSS_SELECTOR, ".ad-bar")  # our own script runs
        seen.append(" ".join(entry["message"] for entry in browser.get_log("browser")))
    assert "Content Security Policy" in seen[0]
    assert "a is not defined" not in seen[0]
    assert "a is not defined" in seen[1]

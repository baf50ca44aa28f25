"""Names are data: whatever they hold, pictures and pages have the same elements as with a harmless one.

All that a name may break goes through all that shows it: DOT by every tier, SVG, PNG, the pages and notebook
outputs of draw, step, explain and draw_difference.
"""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Scalar, draw, draw_difference, explain, step, tensor
from autodiff.drawing import tiers
from autodiff.drawing.page import page

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "' onload='alert(1)",
    "</title><b>",
    "</svg><b>",
    "</style>",
    "</summary></details>",
    "]]>",
    "--> <!-- <?xml <![CDATA[",
    "&amp; &lt; &#65; &bogus;",
    '"]; a -> b [label="',
    'say "hello"',
    "back\\slash\\N\\l\\",
    "{a|b}",
    "n0 -> n1; }",
    "$x^2$ $\\frac{1}{",
    "%s {0} $HOME `id`",
    "two\nlines\r\n\tmore\u2028of\x85them",
    "nul\x00 bell\x07 escape\x1b[31m",
    "\x7f\x80\x9f",
    "\ufffe\uffff\U0001ffff",
    "lone \ud800 surrogate \udfff",
    "emoji 🙂 👩\u200d🔬",
    "שלום",
    "مرحبا",
    "\u202egnp.exe\u202c \u2066isolated\u2069",
    "x" * 10_000,
    "<" * 10_000,
    "",
    " ",
]


def scalars(*names: str) -> Any:
    b = Scalar(3.0, name="b")
    return sum((a * b + a.sin() for a in (Scalar(2.0, name=name) for name in names)), b)


def arrays(*names: str) -> Any:
    w = tensor([1.0, 2.0], name="w")
    return sum((t * t * w for t in (tensor([1.0, 2.0], name=name) for name in names)), w).sum()


def scopes(*names: str) -> Any:
    x = tensor([1.0, 2.0], name="x")
    for name in names:
        with ad.name_scope(name):
            x = ad.tanh(x * 2)
    return x.sum()


PROGRAMS: dict[str, Callable[..., Any]] = {"scalars": scalars, "arrays": arrays, "scopes": scopes}
AT_ONCE = 8  # names in one graph
SHOWN: dict[str, Callable[[Any], str]] = {
    "forward": lambda x: draw(x).svg(),
    "gradient": lambda x: draw(x, view="gradient").svg(),
    "backward": lambda x: draw(x, view="backward").svg(),
    "collapsed": lambda x: draw(x, collapse=True).svg(),
    "drawn page": lambda x: draw(x, view="gradient")._content(".html").decode(),
    "steps": lambda x: step(x)._html,
    "explained": lambda x: explain(x)._html,
    "difference": lambda x: draw_difference(x, x * 2)._content(".html").decode(),
}
TITLED: dict[str, Callable[[str], str]] = {
    "drawn": lambda name: draw(scalars("a"), name=name)._content(".html").decode(),
    "stepped": lambda name: step(scalars("a"), name=name)._html,
    "explained": lambda name: explain(scalars("a"), name=name)._html,
    "compared": lambda name: (
        draw_difference(scalars("a"), arrays("a"), names=(name, "other one"))._content(".html").decode()
    ),
    "page": lambda name: page(name, ""),
}


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, the texts left out."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.parts: list[tuple[str, ...]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.parts.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(("/", tag))

    def handle_comment(self, data: str) -> None:
        self.parts.append(("comment",))

    def handle_decl(self, decl: str) -> None:
        self.parts.append(("declaration", decl))

    unknown_decl = handle_pi = handle_comment


PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")


def elements(text: str) -> Counter[tuple[str, ...]]:
    """How often each element stands there, in pictures too; which comes first is up to the layout."""
    if text.startswith("<svg"):
        return _drawn(text)
    inner = [base64.b64decode(each).decode() for each in PICTURE.findall(text)]
    return sum(map(_drawn, inner), Counter(Skeleton(PICTURE.sub("", text)).parts))


def _drawn(svg: str) -> Counter[tuple[str, ...]]:
    return Counter((each.tag, *each.attrib) for each in ET.fromstring(svg).iter())


@pytest.fixture(autouse=True)
def _own_tier(_no_tier_picked: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tiers.VARIABLE, "own")


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_name_brings_no_element_and_no_attribute(program, shown):
    make, show = PROGRAMS[program], SHOWN[shown]
    for k in range(0, len(HOSTILE), AT_ONCE):
        names = HOSTILE[k : k + AT_ONCE]
        text = show(make(*names))
        assert elements(text) == elements(show(make(*(f"w{k}" for k, _ in enumerate(names))))), names
        assert "x" * 100 not in text
        text.encode()  # no lone surrogate


@pytest.mark.parametrize("titled", TITLED)
def test_nor_does_a_title(titled):
    harmless = elements(TITLED[titled]("w"))
    for name in HOSTILE:
        assert elements(TITLED[titled](name)) == harmless, name


ANY_TEXT = st.text(st.characters(exclude_categories=()))
HARMLESS = cache(lambda shown: elements(SHOWN[shown](scalars("w"))))


@pytest.mark.parametrize("shown", SHOWN)
@given(name=ANY_TEXT)
@settings(max_examples=15, deadline=None)
def test_nor_does_any_text_at_all(shown, name):
    assert elements(SHOWN[shown](scalars(name))) == HARMLESS(shown)


def named(names: list[Any]) -> Any:
    """One graph with a parameter of each name."""
    first, *others = (Scalar(1.0, name=name) for name in names)
    return sum(others, first)


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_every_tier_shows_names_as_they_are(tier, use_tier, node_texts):
    use_tier(tier)
    seen = draw(named([*HOSTILE, ("a", 1)]), name='y "\\N" <b>&amp;')
    meant = {node.lines for node in seen.description.nodes}
    assert set(node_texts(seen.svg())) == meant
    assert max(len(line) for lines in meant for line in lines) < 40
    seen.png()  # no warning either, whatever the fonts lack


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_every_tier_shows_scopes_and_captions_as_they_are(tier, use_tier):
    use_tier(tier)
    x = tensor([1.0], name="x")
    for name in HOSTILE:
        with ad.name_scope(name):
            x = ad.tanh(x)
    seen = draw(x, depth=len(HOSTILE))
    texts = {text.text for text in ET.fromstring(seen.svg()).iter("{http://www.w3.org/2000/svg}text")}
    assert {scope.name for node in seen.description.nodes for scope in node.scope} <= texts


@given(names=st.lists(ANY_TEXT, min_size=2, max_size=12))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_dot_reads_any_text_at_all(use_tier, node_texts, names):
    use_tier("dot")
    seen = draw(named(names))
    assert set(node_texts(seen.svg())) == {node.lines for node in seen.description.nodes}


def test_the_sheet_of_a_stepper_takes_them_for_text():
    pytest.importorskip("matplotlib")
    assert step(scalars("$x^2$ $\\frac{1}{", "lone \ud800 surrogate", "🙂 שלום", "\u202eb\x00")).png()


def test_the_skeleton_tells_what_a_name_would_have_brought():
    for brought in ("<b>", "<!-- -->", "</p>", "<?xml ?>", "<![CDATA[ ]]>"):
        assert elements(f"<p>{brought}</p>") != elements("<p></p>")
    assert elements('<p class="a" onload="b"></p>') != elements('<p class="a"></p>')

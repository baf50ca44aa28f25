"""Drawing: what a notebook gets, what a file gets, and that nothing optional is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from autodiff.drawing import draw, tiers
from autodiff.drawing.image import image
from autodiff.errors import DrawingError, OptionError


@pytest.fixture
def drawing(graph):
    return draw(graph("line"))


@pytest.fixture
def no_png(monkeypatch):
    monkeypatch.setattr(tiers, "find_tool", lambda tier: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)


def test_a_notebook_gets_svg_png_and_words(drawing):
    bundle, more = drawing._repr_mimebundle_()
    assert more == {form: {"alt": drawing.words} for form in ("image/svg+xml", "image/png")}
    assert set(bundle) == {"text/html", "image/svg+xml", "image/png", "text/plain"}
    assert bundle["text/html"] == image(drawing.svg(), drawing.words)
    assert bundle["image/svg+xml"] == drawing.svg()
    assert bundle["image/png"] == drawing.png()
    assert bundle["text/plain"] == drawing.words == "y = a × b + 1: value 3. Two parameters: a = 1, b = 2."


def test_without_matplotlib_and_graphviz_there_is_no_png(no_png, drawing):
    assert drawing.png() is None
    assert set(drawing._repr_mimebundle_()[0]) == {"text/html", "image/svg+xml", "text/plain"}


def test_nothing_is_laid_out_before_it_is_asked_for_and_then_once(drawing, monkeypatch):
    calls = []
    render = tiers.render
    monkeypatch.setattr(tiers, "render", lambda *given: calls.append(given[2]) or render(*given))
    assert str(drawing).startswith("digraph")
    assert drawing.words in repr(drawing)
    assert calls == []
    for _ in range(2):
        drawing._repr_mimebundle_()
    assert calls == ["svg", "png"]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".dot", ".SVG"])
def test_save_round_trip(drawing, tmp_path, suffix):
    content = {".svg": drawing.svg().encode(), ".png": drawing.png(), ".dot": str(drawing).encode()}
    path = drawing.save(tmp_path / f"g{suffix}")
    assert path.read_bytes() == content[suffix.lower()]
    assert [each.name for each in tmp_path.iterdir()] == [f"g{suffix}"]


@pytest.mark.parametrize("tier", ["dot", "own"])
def test_a_pdf_where_a_tier_makes_one(drawing, tmp_path, use_tier, tier):
    if tier == "own":
        pytest.importorskip("matplotlib")
    use_tier(tier)
    assert drawing.save(tmp_path / "g.pdf").read_bytes().startswith(b"%PDF-")


def test_our_own_pdf_is_the_same_whenever_it_is_made_and_holds_text(drawing, tmp_path, use_tier):
    pytest.importorskip("matplotlib")
    use_tier("own")
    one, other = (drawing.save(tmp_path / f"{k}.pdf").read_bytes() for k in range(2))
    assert one == other
    assert b"/Type3" not in one.replace(b" ", b"")


def test_a_page_of_its_own_has_picture_words_and_table_and_asks_for_nothing(graph, tmp_path):
    drawing = draw(graph("line"), view="gradient", name="<y> & co")
    text = drawing.save(tmp_path / "g.html").read_text(encoding="utf-8")
    page = ET.fromstring(_as_xml(text))
    assert page.find(".//main/h1").text == drawing.description.title
    assert page.find(".//main/p").text == drawing.words
    rows = [[cell.text or "" for cell in row] for row in page.iter("tr")]
    assert rows[0] == ["Node", "What", "Name", "Operation", "From", "Shape", "Value", "Gradient"]
    assert rows[1] == ["n0", "parameter", "a", "", "", "()", "1", "2"]
    assert rows[5] == ["n4", "result", "<y> & co", "+", "n2 n3", "()", "3", "1"]
    assert "prefers-color-scheme" in text
    for asking in ("http:", "https:", "src=", "<link", "@import"):
        assert asking not in text.replace("http://www.w3.org/2000/svg", "")


def _as_xml(text: str) -> str:
    """The page as XML, which it is but for the elements that have no end tag."""
    return re.sub(r"(<meta [^>]*)>", r"\1/>", text.removeprefix("<!DOCTYPE html>\n"))


@pytest.mark.parametrize("name", ["g.gif", "g", ".svg"])
def test_another_suffix_lists_those_there_are(drawing, tmp_path, name):
    with pytest.raises(OptionError, match=r"\.svg, \.png, \.pdf, \.html, \.dot"):
        drawing.save(tmp_path / name)


def test_a_failed_save_leaves_the_old_file_alone(no_png, drawing, tmp_path):
    old = tmp_path / "g.png"
    old.write_bytes(b"old")
    with pytest.raises(DrawingError, match=r"no PNG.*pip install matplotlib"):
        drawing.save(old)
    assert old.read_bytes() == b"old"


def test_a_save_that_breaks_off_leaves_the_old_file_alone(drawing, tmp_path, monkeypatch):
    old = tmp_path / "g.dot"
    old.write_bytes(b"old")

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[:5])
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(DrawingError, match="No space left"):
        drawing.save(old)
    assert old.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["g.dot"]


def test_a_missing_folder_is_named(drawing, tmp_path):
    with pytest.raises(DrawingError, match="Is there such a folder"):
        drawing.save(tmp_path / "nowhere" / "g.dot")


def test_to_graphviz(drawing, monkeypatch):
    pytest.importorskip("graphviz")
    assert drawing.to_graphviz().source == str(drawing)
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(DrawingError, match="pip install graphviz"):
        drawing.to_graphviz()


def test_draws_where_numpy_matplotlib_and_graphviz_are_missing():
    code = (
        "import os, sys\n"
        "for missing in ('numpy', 'matplotlib', 'graphviz'): sys.modules[missing] = None\n"
        "os.environ['AUTODIFF_DRAWING_TIER'] = 'own'\n"
        "from autodiff import Scalar, draw\n"
        "d = draw(Scalar(2.0, name='x') * 3, view='gradient')\n"
        "print(d.svg()[:4], d.png(), d.words)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert run.stdout == "<svg None y = x × 3: value 6. One parameter: x = 2. Gradient: dy/dx = 3.\n"


def test_importing_drawing_loads_nothing_outside_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); import autodiff.drawing\n"
        "names = {m.partition('.')[0] for m in set(sys.modules) - before} - {'autodiff'}\n"
        "print(sorted(names - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

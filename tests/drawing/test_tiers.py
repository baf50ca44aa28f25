"""By what a picture is drawn: every tier draws the same nodes, a broken one is passed over or named."""

from __future__ import annotations

import os
import stat
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from autodiff.drawing import draw, tier_report, tiers
from autodiff.errors import DrawingError, OptionError

NAMES = ["line", "diamond", "square", "skip", "regression", "leaf", "constants"]
posix_only = pytest.mark.skipif(os.name != "posix", reason="the fake tools are shell scripts")


@pytest.mark.parametrize("view", ["forward", "gradient"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tier", tiers.TIERS)
def test_every_tier_draws_the_same_nodes_and_edges(tier, name, view, use_tier, graph, node_texts):
    use_tier(tier)
    drawing = draw(graph(name), view=view)
    meant = [node.lines for node in drawing.description.nodes]
    assert sorted(node_texts(drawing.svg()).elements()) == sorted(meant)
    groups = [
        group.get("class", "").split()
        for group in ET.fromstring(drawing.svg()).iter()
        if group.tag.endswith("}g")
    ]
    edges = [classes for classes in groups if "edge" in classes]
    assert len(edges) == len(drawing.description.edges)
    backward = sum(edge.backward for edge in drawing.description.edges)
    assert sum("backward" in classes for classes in edges) == backward
    assert drawing.tier == tier


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_an_svg_is_accessible_self_contained_and_its_own(tier, use_tier, graph):
    use_tier(tier)
    pictures = [draw(graph("line"), view=view) for view in ("forward", "gradient")]
    roots = [ET.fromstring(picture.svg()) for picture in pictures]
    for picture, root in zip(pictures, roots, strict=True):
        svg = picture.svg()
        title, desc = root[0], root[1]
        assert root.get("role") == "img"
        assert root.get("aria-labelledby") == title.get("id")
        assert root.get("aria-describedby") == desc.get("id")
        assert title.text == picture.description.title
        assert desc.text == picture.words
        assert "@media (prefers-color-scheme: dark)" in svg
        for unwanted in ("<!DOCTYPE", "<!--", "<?xml", "<script", "href", "url(", "@import"):
            assert unwanted not in svg
    ids = [element.get("id") for root in roots for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) == 4
    assert roots[0].get("class") != roots[1].get("class")


@pytest.mark.parametrize("tier", tiers.TIERS)
def test_png(tier, use_tier, graph):
    if tier == "own":
        pytest.importorskip("matplotlib")
    use_tier(tier)
    png = draw(graph("line"), view="gradient").png()
    assert png is not None
    assert png.startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("tier", ["dot", "graphviz-pure"])
@pytest.mark.parametrize("form", ["svg", "png"])
def test_malformed_dot_is_an_error_that_names_the_tool_and_a_way_out(tier, form, use_tier, graph):
    use_tier(tier)
    description = draw(graph("line")).description
    with pytest.raises(DrawingError, match=rf"(?s)^{tier} \(.*syntax error.*own always works"):
        tiers.draw_with(tier, description, "digraph { n0 -> ", form)


def test_an_unknown_tier_is_refused_with_the_list(monkeypatch, graph):
    monkeypatch.setenv(tiers.VARIABLE, "crayon")
    with pytest.raises(OptionError, match="'crayon'; there are the tiers dot, graphviz-pure, own"):
        draw(graph("line")).svg()


def test_a_picked_tier_that_is_missing_says_how_to_get_it(monkeypatch, graph):
    monkeypatch.setattr(tiers, "find_tool", lambda tier: None)
    monkeypatch.setenv(tiers.VARIABLE, "graphviz-pure")
    with pytest.raises(DrawingError, match=r"not on this machine.*pip install 'graphviz-pure"):
        draw(graph("line")).svg()


def test_without_any_tool_our_own_layout_draws(monkeypatch, graph):
    monkeypatch.setattr(tiers, "find_tool", lambda tier: None)
    assert draw(graph("line")).tier == "own"


def test_large_graphs_go_to_our_own_layout(monkeypatch, graph):
    monkeypatch.setattr(tiers, "LARGE", 3)
    assert draw(graph("line")).tier == "own"


# --- tools that misbehave -------------------------------------------------------------------------

FAKES = {
    "hangs": ("sleep 60 &\nsleep 60", "took longer than"),
    "fails": ("echo 'no fonts here' >&2; exit 1", "ended with code 1 and said: no fonts here"),
    "crashes": ("kill -SEGV $$", "ended with code -11"),
    "garbles": ("echo not a picture", "its answer is not"),
    "says nothing": ("exit 0", "its answer is not"),
    "writes a web page": ("echo '<html><g/></html>'", "its answer is not"),
    "draws nothing": ("echo '<svg viewBox=\"0 0 1 1\"/>'", "its answer is"),
    "can't start": (None, "could not be started"),
}


@pytest.fixture
def fake_dot(tmp_path, monkeypatch):
    """Put a `dot` of this behaviour before all others, and leave graphviz-pure out of it."""

    def install(behaviour: str) -> Path:
        program = tmp_path / "dot"
        body, _ = FAKES[behaviour]
        program.write_text(f"#!/bin/sh\n{body}\n" if body else "#!/no/such/interpreter\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(tiers, "TIME_LIMIT", 0.3)
        monkeypatch.setattr(tiers, "find_tool", lambda tier: str(program) if tier == "dot" else None)
        return program

    return install


@posix_only
@pytest.mark.parametrize("behaviour", FAKES)
def test_a_broken_tool_is_passed_over(behaviour, fake_dot, graph):
    fake_dot(behaviour)
    drawing = draw(graph("line"))
    assert drawing.tier == "own"
    assert ET.fromstring(drawing.svg()).tag.endswith("svg")


@posix_only
@pytest.mark.parametrize("form", ["svg", "png"])
@pytest.mark.parametrize("behaviour", FAKES)
def test_a_broken_tool_that_was_picked_is_named(behaviour, form, fake_dot, graph, monkeypatch):
    program = fake_dot(behaviour)
    monkeypatch.setenv(tiers.VARIABLE, "dot")
    with pytest.raises(DrawingError) as caught:
        getattr(draw(graph("line")), form)()
    assert FAKES[behaviour][1] in str(caught.value)
    assert str(program) in str(caught.value)
    assert "own always works" in str(caught.value)


@posix_only
def test_a_tool_that_hangs_dies_with_its_children_and_is_asked_once(fake_dot, graph, tmp_path):
    program = fake_dot("hangs")
    log = tmp_path / "pids"
    program.write_text(f"#!/bin/sh\nsleep 60 & echo $! $$ >> {log}\nwait\n")
    drawing = draw(graph("line"))
    drawing._repr_mimebundle_()
    assert len(log.read_text().splitlines()) == 1  # the PNG didn't wait for it again
    for pid in map(int, log.read_text().split()):
        deadline = time.monotonic() + 5
        while _runs(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether the process still does something; one that waits to be reaped doesn't."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@posix_only
def test_the_first_dot_on_the_path_is_used(fake_dot, graph, monkeypatch, tmp_path):
    fake_dot("fails")
    monkeypatch.undo()
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert tiers.find_tool("dot") == str(tmp_path / "dot")
    monkeypatch.delenv(tiers.VARIABLE, raising=False)
    assert draw(graph("line")).tier != "dot"


# --- the report -----------------------------------------------------------------------------------


def test_report_says_what_is_there_and_how_to_get_the_rest(monkeypatch):
    monkeypatch.setattr(tiers, "find_tool", lambda tier: None)
    report = tier_report()
    assert [tier.found for tier in report.tiers] == [False, False, True]
    assert (report.used, report.picked) == ("own", False)
    assert "apt install graphviz" in str(report)
    assert "* own" in str(report)


def test_report_of_a_picked_tier(monkeypatch):
    monkeypatch.setenv(tiers.VARIABLE, "own")
    assert (tier_report().used, tier_report().picked) == ("own", True)
    assert "picked by AUTODIFF_DRAWING_TIER" in str(tier_report())


@posix_only
def test_report_of_a_broken_tool(fake_dot):
    fake_dot("fails")
    assert tier_report().tiers[0].version.startswith("broken (it ended with code 1")


@pytest.mark.parametrize("tier", ["dot", "graphviz-pure"])
def test_report_knows_the_version(tier, use_tier):
    use_tier(tier)
    found = {each.name: each for each in tier_report().tiers}[tier]
    assert "version" in found.version
    assert Path(found.path).exists()


@pytest.mark.parametrize("tier", ["dot", "graphviz-pure"])
def test_labels_lie_above_all_edges(tier, use_tier, graph):
    """Graphviz may lead an edge through another's label, which then stands before it on its own paper."""
    use_tier(tier)
    drawing = draw(graph("regression"), view="gradient")
    before, _, labels = drawing.svg().partition('<g class="labels">')
    told = [line for edge in drawing.description.edges for line in edge.lines]
    assert labels.count("<text") == len(told) > 0
    assert 'class="line"' in before
    assert 'class="line"' not in labels

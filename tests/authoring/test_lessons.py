"""An executed lesson: what it keeps, what stops it, and what counts as a difference."""

import base64
import io
import json
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from course.authoring import build, execute
from course.authoring.compare import difference, same_text
from course.authoring.errors import SourceError
from course.authoring.outputs import HTML_LIMIT, keep
from course.authoring.percent import Cell
from course.authoring.pictures import smaller


def png(size, mode="RGB", colour="white"):
    """A PNG picture of one colour as a notebook holds it."""
    made = io.BytesIO()
    Image.new(mode, size, colour).save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


PNG = png((2, 2))


def cell(**keys):
    return Cell(Path("lesson.py"), 7, 8, "code", "1", {"id": "u98-a", **keys})


def shown(kind="display_data", **data):
    named = {name.replace("_", "/", 1): value for name, value in data.items()}
    return nbformat.v4.new_output(kind, named)


def stream(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


# what a cell gave, which kinds of each output are kept
KEPT = [
    ([stream("a\n"), stream("b\n")], [["text"]]),
    ([stream("a\n"), shown(text_plain="1"), stream("b\n")], [["text"], ["text/plain"], ["text"]]),
    ([shown(text_plain="t", text_html="<table>")], [["text/plain", "text/html"]]),
    ([shown(text_plain="t", text_html="x" * (HTML_LIMIT + 1))], [["text/plain"]]),
    ([shown(text_plain="y = x", image_png=PNG, text_html="<p>")], [["text/plain", "image/png"]]),
    (
        [shown(**{"text_plain": "y = x", "image_svg+xml": "<svg/>", "image_png": PNG})],
        [["text/plain", "image/png"]],
    ),
    ([shown(**{"application_vnd.jupyter.widget-view+json": {}})], []),
]


@pytest.mark.parametrize(("outputs", "kinds"), KEPT)
def test_text_small_tables_and_png_are_kept(outputs, kinds):
    kept = keep(cell(), outputs)
    assert [list(output.get("data", ["text"])) for output in kept] == kinds
    for output in kept:
        nbformat.validate(nbformat.from_dict(output), ref="output", version=4, version_minor=5)


# keys of the cell, what it gave, words of the complaint
REFUSED = [
    ({}, stream("Warning: beware\n", "stderr"), "writes to stderr: Warning: beware"),
    ({}, shown(text_plain="<Figure size 640x480>", image_png=PNG), "without alt text"),
    ({}, shown(image_png=PNG), "without alt text"),
    ({}, stream("<object object at 0x7f2a00c0ffee>\n"), "0x7f2a00c0ffee"),
    ({}, shown(text_plain="[<Line2D at 0x7f2a00c0ffee>]"), "semicolon"),
]


@pytest.mark.parametrize(("keys", "output", "words"), REFUSED)
def test_what_cannot_be_committed_is_told(keys, output, words):
    with pytest.raises(SourceError, match=words) as caught:
        keep(cell(**keys), [output])
    assert str(caught.value).startswith("lesson.py:7: cell u98-a")


def test_alt_text_comes_from_the_header_or_from_the_picture_itself():
    figure = shown(text_plain="<Figure size 640x480>", image_png=PNG)
    assert keep(cell(alt="a line"), [figure])[0]["metadata"] == {"image/png": {"alt": "a line"}}
    drawing = shown(text_plain="y = x × 3: value 6.", image_png=PNG)
    assert keep(cell(), [drawing])[0]["metadata"] == {"image/png": {"alt": "y = x × 3: value 6."}}


def test_pictures_get_smaller_and_look_the_same():
    figure = Figure(figsize=(4, 2), dpi=100)
    axes = figure.subplots()
    axes.contour(np.hypot(*np.mgrid[-3:3:30j, -3:3:30j]), levels=12, cmap="viridis")
    made = io.BytesIO()
    figure.savefig(made, format="png")
    before = base64.b64encode(made.getvalue()).decode()
    after = smaller(before)
    assert len(after) < 0.6 * len(before)
    assert smaller(before) == after
    far = np.abs(pixels(after) - pixels(before)).max(axis=2)
    assert np.mean(far) < 1  # of 255
    assert np.mean(far > 32) < 0.001


def test_a_small_picture_stays_and_a_transparent_one_becomes_white():
    assert smaller(PNG) == PNG
    clear = smaller(png((50, 50), "RGBA", (0, 0, 0, 0)))
    assert (pixels(clear) == 255).all()


def pixels(picture):
    with Image.open(io.BytesIO(base64.b64decode(picture))) as opened:
        return np.asarray(opened.convert("RGB")).astype(int)


TEXTS = [  # two outputs, whether they count as the same
    ("x = 1.0000000001", "x = 1.0", True),
    ("x = 1.001", "x = 1.0", False),
    ("x = 1", "y = 1", False),
    ("1 2", "1", False),
    ("loss 3.2e-17", "loss 1.1e-16", True),
    ("took 0.31 s", "took 14 s", True),
    ("took 3 ms, 12 times", "took 9.5 µs, 11.3 times", True),
    ("3 steps", "4 steps", False),
    ("-1.5", "1.5", False),
]


@pytest.mark.parametrize(("one", "other", "same"), TEXTS)
def test_printed_numbers_are_compared_as_numbers_and_durations_not_at_all(one, other, same):
    assert same_text(one, other) is same


@pytest.fixture
def lesson(units, tmp_path):
    """(the unit's folder, where to write a lesson; what to call to build it)."""
    folder = tmp_path / "units" / "u98_double"
    shutil.copytree(units / "u98_double", folder, ignore=shutil.ignore_patterns("__pycache__"))

    def run(*arguments):
        return build.main(["--units", str(folder.parent), "--into", str(tmp_path / "out"), *arguments])

    return folder / "lesson.py", tmp_path / "out", run


@pytest.mark.slow
def test_a_lesson_is_built_executed_and_checked(lesson, capsys):
    source, out, run = lesson
    notebook = out / "notebooks" / "u98_double.ipynb"
    assert run() == 0
    assert "wrote    notebooks/u98_double.ipynb" in capsys.readouterr().out
    first = json.loads(notebook.read_text(encoding="utf-8"))
    by_id = {c["id"]: c for c in first["cells"]}
    assert by_id["u98-first"]["outputs"][1]["data"]["text/plain"] == ["{'two': 2}"]
    picture = by_id["u98-figure"]["outputs"][0]
    assert picture["metadata"]["image/png"]["alt"] == "a line that rises from 0 to 6"
    assert "version" not in first["metadata"]["language_info"]

    assert run("--check") == 0  # another run: other durations, the same random numbers
    picture["data"]["image/png"] = PNG
    notebook.write_text(json.dumps(first), encoding="utf-8")
    assert run("--check") == 0
    by_id["u98-first"]["outputs"][1]["data"]["text/plain"] = ["{'two': 3}"]
    notebook.write_text(json.dumps(first), encoding="utf-8")
    assert run("--check") == 1
    assert "notebooks/u98_double.ipynb differs: the output of cell u98-first" in capsys.readouterr().out
    assert run("--check", "--no-lessons") == 0  # outputs aren't looked at then
    source.write_text(source.read_text().replace('{"two": 2}', '{"two": 3}'))
    assert run("--check", "--no-lessons") == 1
    assert "differs: the source of cell u98-first" in capsys.readouterr().out


BROKEN = [  # a lesson that fails, the line that's told, what is told
    ("# %% id=u98-a\nx = 1\n\n# %% id=u98-b\nx = 2\n\n1 / 0\n", 7, "cell u98-b raised ZeroDivisionError"),
    ("# %% id=u98-a\nimport os\nos._exit(3)\n", 1, "cell u98-a did not come to an end (DeadKernelError)"),
    ("# %% id=u98-a\nwhile True:\n    pass\n", 1, "cell u98-a did not come to an end (CellTimeoutError)"),
    ("# %% id=u98-a\nimport warnings\nwarnings.warn('old')\n", 1, "cell u98-a writes to stderr"),
    ("# %% id=u98-a\nprint('x' * 301_000)\n", 1, "cell u98-a has the most"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "line", "words"), BROKEN)
def test_a_failing_cell_stops_the_build_with_its_line(text, line, words, lesson, capsys, monkeypatch):
    source, out, run = lesson
    monkeypatch.setattr(execute, "TIMEOUT", 2)
    source.write_text(text)
    assert run() == 1
    told = capsys.readouterr().err
    assert told.startswith(f"{source}:{line}: ")
    assert words in told
    assert not out.exists()


def test_a_build_writes_only_what_changed_and_removes_what_no_unit_builds(lesson, capsys):
    _, out, run = lesson
    assert run("--no-lessons") == 0
    assert not (out / "notebooks").exists()
    made = {path: path.stat().st_mtime_ns for path in out.rglob("u98*")}
    assert len(made) == 3
    stale, foreign = out / "exercises" / "u97_gone.ipynb", out / "exercises" / "README.md"
    stale.write_text("{}")
    foreign.write_text("stays")
    assert run("--no-lessons", "--check") == 1
    told = capsys.readouterr().out
    assert "exercises/u97_gone.ipynb is left over" in told
    assert "notebooks/u98_double.ipynb is missing" in told
    assert "Run  course build" in told
    assert run("u98", "--no-lessons") == 0
    assert stale.exists()  # one unit's build looks at no other
    assert run("--no-lessons") == 0
    assert not stale.exists()
    assert foreign.exists()
    assert made == {path: path.stat().st_mtime_ns for path in out.rglob("u98*")}


def test_what_was_edited_by_hand_is_told(lesson, capsys):
    source, out, run = lesson
    source.unlink()
    assert run() == 0
    assert run("--check") == 0
    script = out / "exercises" / "u98_double.py"
    script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))  # as git may check it out
    assert run("--check") == 0
    script.write_text(script.read_text() + "\n")
    notebook = out / "exercises" / "u98_double.ipynb"
    notebook.write_text(notebook.read_text().replace("YOUR CODE", "MY CODE"))
    (out / "solutions" / "u98_double.ipynb").write_text("no JSON")
    capsys.readouterr()
    assert run("--check") == 1
    told = capsys.readouterr().out
    assert "exercises/u98_double.py differs: its text" in told
    assert "exercises/u98_double.ipynb differs: the source of cell u98-double" in told
    assert "solutions/u98_double.ipynb differs: it is no notebook" in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda nb: nb["cells"].reverse(), "other cells, from u98-student on"),
        (lambda nb: nb["cells"].pop(), "cells missing or left over"),
        (lambda nb: nb["cells"][3]["metadata"].clear(), "the metadata of cell u98-double"),
        (lambda nb: nb["metadata"].pop("title"), "the notebook's metadata"),
    ],
)
def test_a_difference_is_told_by_its_place(change, words):
    text = (Path(__file__).parent / "golden" / "exercises.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert difference(json.dumps(notebook), text) == ""
    change(notebook)
    assert words in difference(json.dumps(notebook), text)

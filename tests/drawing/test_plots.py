"""Plots: what is drawn for which data, what the alt text says, what a notebook gets."""

from __future__ import annotations

import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from autodiff import Scalar, plots, tensor
from autodiff.drawing.image import image
from autodiff.drawing.style import DARK, LIGHT
from autodiff.errors import DrawingError, OperandError, OptionError, ShapeError

pytest.importorskip("matplotlib")

POINTS = np.array([[-1.0, 0.0], [1.0, 0.0], [-2.0, 1.0], [2.0, 1.0]])
CLASSES = [0, 1, 0, 0]


def bowl(b, w):
    return b * b + 2 * w * w


def by_side(points):
    return (points[:, 0] > 0).astype(int)


ONE_OF_EACH = {
    "loss_curve": lambda **k: plots.loss_curve([4.0, 2.0, 1.0], **k),
    "fitted_line": lambda **k: plots.fitted_line([0.0, 1.0, 2.0], [1.0, 3.0, 4.0], [(0, 0), (1, 2)], **k),
    "path_on_contours": lambda **k: plots.path_on_contours(bowl, [(2.0, 1.0), (1.0, 0.2)], **k),
    "gradient_flow": lambda **k: plots.gradient_flow({"W": [[1.0, 2.0]], "b": [0.0]}, **k),
    "error_against_h": lambda **k: plots.error_against_h([1e-1, 1e-3, 1e-5], [1e-2, 1e-6, 1e-5], **k),
    "jacobian_picture": lambda **k: plots.jacobian_picture([[1.0, 0.0], [0.5, -2.0]], **k),
    "decision_regions": lambda **k: plots.decision_regions(by_side, POINTS, CLASSES, **k),
}

ALT = [
    (lambda: plots.loss_curve([4.0, 2.0, 1.0]), "Loss against step: from 4 at step 0 down to 1 at step 2."),
    (
        lambda: plots.loss_curve([1000.0, 1.0, 2.0]),
        "Loss against step on a log axis: from 1e+03 at step 0 down to 2 at step 2, lowest 1 at step 1.",
    ),
    (
        lambda: plots.loss_curve([1.0, 5.0, np.nan]),
        "Loss against step: from 1 at step 0 up to 5 at step 1, lowest 1 at step 0, nan from step 2 on.",
    ),
    (lambda: plots.loss_curve([np.nan]), "Loss against step: never finite, nan at step 0."),
    (
        lambda: plots.loss_curve({"a": [2.0, 1.0], "b": [2.0, 3.0]}),
        "Loss against step: a from 2 at step 0 down to 1 at step 1; "
        "b from 2 at step 0 up to 3 at step 1, lowest 2 at step 0.",
    ),
    (
        lambda: plots.fitted_line([0, 1], [1, 3], [(2, -1), (1.5, 0), (1, 2)]),
        "2 points and a line that moves in 2 steps from 2 − 1·x to 1 + 2·x.",
    ),
    (lambda: plots.fitted_line([0, 1], [1, 3], [(1, 2)]), "2 points and the line 1 + 2·x."),
    (
        lambda: plots.path_on_contours(bowl, [(2, 1), (1, 0)], names=("a", "c"), best=(0, 0)),
        "Level lines over a and c; a path of 1 step leads from (2, 1), value 6, to (1, 0), value 1; "
        "a star marks the best point, (0, 0).",
    ),
    (
        lambda: plots.gradient_flow({"W": [3.0, 4.0], "b": [0.0], "c": None, "d": [np.inf]}),
        "Gradient by layer, root mean square and largest entry: "
        "W 3.54, 4; b 0, all of it; c none; d not finite.",
    ),
    (
        lambda: plots.error_against_h([1e-8, 1e-5, 1e-2], {"central": [1e-8, 0.0, 1e-4]}),
        "Error against h on log axes: central smallest, 0, at h = 1e−05; "
        "1e−08 at h = 1e−08, 0.0001 at h = 0.01.",
    ),
    (
        lambda: plots.jacobian_picture([[1.0, 0.0], [0.5, np.nan]]),
        "Jacobian of 2 outputs (rows) by 2 inputs: from 0 to 1; 1 of 4 entries are 0; "
        "nothing stands above the diagonal; 1 isn't finite.",
    ),
    (
        lambda: plots.decision_regions(by_side, POINTS, CLASSES),
        "Regions of 2 classes; of 4 points 3 lie in the region of their own class: 0: 2 of 3; 1: 1 of 1.",
    ),
]


@pytest.mark.parametrize(("draw", "alt"), ALT)
def test_alt_text(draw, alt):
    assert draw().alt == alt


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_notebook_gets_a_picture_with_its_alt_text(name):
    ax = ONE_OF_EACH[name]()
    data, metadata = ax._repr_mimebundle_()
    assert set(data) == {"text/html", "image/png", "image/svg+xml", "text/plain"}
    assert data["text/html"] == image(data["image/svg+xml"], ax.alt)
    assert data["image/png"].startswith(b"\x89PNG")
    assert data["text/plain"] == ax.alt == metadata["image/png"]["alt"]
    assert (
        ax.alt.encode("latin-1", "replace")[:20] in data["image/png"] or b"Description" in data["image/png"]
    )


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_svg_says_what_it_shows_and_has_a_dark_side(name):
    root = ET.fromstring(plots.show(ax := ONE_OF_EACH[name]()).svg())
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.find(f"{space}desc").text == ax.alt
    assert root.find(f"{space}desc").get("id") == root.get("aria-describedby")
    assert root.find(f"{space}title").get("id") == root.get("aria-labelledby")
    style = root.find(f"{space}style").text
    assert "prefers-color-scheme: dark" in style
    for key in ("ink", "paper", "parameter", "back"):
        assert f'fill: {LIGHT[key]}"]' in style
        assert f"fill:{DARK[key]}!important" in style
    texts = {each.text for each in root.iter(f"{space}text")}
    assert ax.get_xlabel() in texts  # text stays text
    coloured = [each for each in root.iter(f"{space}g") if "fill" in each.get("style", "")]
    inside = {id(text) for group in coloured for text in group.iter(f"{space}text")}
    for text in root.iter(f"{space}text"):  # nothing is black for want of a colour: it would stay so at night
        assert "fill" in text.get("style", "") or id(text) in inside
    for mark in root.iterfind(
        f".//{space}defs/{space}path"
    ):  # its own colour would stay, too: it is used from afar
        assert "#" not in mark.get("style", "")
    for use in root.iter(f"{space}use"):
        assert "stroke: #" in use.get("style")


def test_every_layer_has_room_where_it_has_no_bar_too():
    ax = plots.gradient_flow({"W1": [0.5], "W2": [0.0]})
    assert ax.get_ylim() == (1.5, -0.5)
    assert ax.xaxis.get_minor_formatter()(2.0) == ""


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_on_axes_that_there_are_nothing_else_is_touched(name):
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    before = dict(rcParams)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert ONE_OF_EACH[name](ax=right) is right
    assert not left.has_data()
    assert right.has_data()
    assert dict(rcParams) == before
    ONE_OF_EACH[name]()
    assert dict(rcParams) == before


def test_a_figure_of_several_axes_tells_of_all():
    from matplotlib.figure import Figure

    left, right = Figure().subplots(1, 2)
    plots.loss_curve([2.0, 1.0], ax=left)
    plots.jacobian_picture([[1.0]], ax=right)
    assert plots.show(left).alt == (
        "Plot 1 of 2: Loss against step: from 2 at step 0 down to 1 at step 1. "
        "Plot 2 of 2: Jacobian of 1 outputs (rows) by 1 inputs: from 1 to 1."
    )


def test_what_is_drawn_on_the_same_axes_is_told_after_it():
    ax = plots.loss_curve([2.0, 1.0])
    plots.loss_curve([5.0, 4.0], ax=ax)
    assert ax.alt.count("Loss against step") == 2


def test_figures_are_not_pyplots_and_those_of_pyplot_are_shown_once():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    plt.close("all")
    plots.loss_curve([2.0, 1.0])
    assert plt.get_fignums() == []
    _, ax = plt.subplots()
    shown = plots.show(plots.loss_curve([2.0, 1.0], ax=ax))
    assert plt.get_fignums() == []
    assert shown._repr_mimebundle_()[0]["text/plain"] == ax.alt


def test_save(tmp_path):
    shown = plots.show(plots.loss_curve([2.0, 1.0]))
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for suffix, start in starts.items():
        assert shown.save(tmp_path / f"loss{suffix}").read_bytes().startswith(start)
    assert shown.svg() == plots.show(plots.loss_curve([2.0, 1.0])).svg()  # the same data, the same file
    with pytest.raises(OptionError, match=r"\.svg, \.png, \.pdf"):
        shown.save(tmp_path / "loss.bmp")


# ---- told apart without colours


def test_curves_differ_in_dashes():
    ax = plots.loss_curve({name: [1.0, 2.0] for name in "abcde"})
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in ax.lines}) == 5


def test_lines_move_from_faint_to_final():
    ax = plots.fitted_line([0, 1], [0, 1], [(k, 1) for k in range(50)])
    *earlier, last = ax.lines[1:]
    strengths = [line.get_alpha() for line in earlier]
    assert len(earlier) == 5
    assert strengths == sorted(strengths)
    assert {line.get_linestyle() for line in earlier} == {"--"}
    assert last.get_linestyle() == "-"
    assert "step 0" in {text.get_text() for text in ax.texts}


def test_zero_is_white_and_signs_are_told_by_numbers():
    ax = plots.jacobian_picture([[1.0, 0.0], [0.5, -2.0]])
    (image,) = ax.images
    assert image.cmap(image.norm(0.0))[:3] == pytest.approx(
        (1.0, 1.0, 1.0), abs=0.01
    )  # of 256 colours none is the middle
    assert image.norm.vmin == -image.norm.vmax
    assert [text.get_text() for text in ax.texts] == ["1", "0", "0.5", "−2"]
    assert not list(plots.jacobian_picture(np.eye(9)).texts)
    assert [text.get_text() for text in plots.jacobian_picture(np.diag([np.inf] * 9)).texts] == ["inf"] * 9


def test_regions_differ_in_hatching_and_points_in_marks():
    ax = plots.decision_regions(by_side, POINTS, CLASSES)
    assert len({line.get_marker() for line in ax.lines}) == 2
    hatches = [each.hatches for each in ax.collections if getattr(each, "filled", False)]
    assert hatches == [[""], ["//"]]


# ---- whatever holds the numbers


def test_scalars_and_tensors_are_numbers():
    assert plots.loss_curve([Scalar(2.0), tensor(1.0), np.float32(0.5)]).alt.endswith(
        "down to 0.5 at step 2."
    )
    w, b = tensor([3.0, 4.0], name="w"), tensor(1.0)
    (w * w).sum().backward()
    assert plots.gradient_flow([w, b]).alt.endswith("w 7.07, 8; leaf2 none.")


def test_a_function_of_single_numbers_will_do():
    def only_numbers(b, w):
        return float(b) ** 2 if b > w else float(w) ** 2

    ax = plots.path_on_contours(only_numbers, [(2.0, 1.0), (1.0, 0.0)])
    assert "value 4, to (1, 0), value 1." in ax.alt


@pytest.mark.parametrize("f", [lambda b, w: 1.0, lambda b, w: b * 0.0 + np.nan])
def test_a_flat_or_undefined_cost_draws_without_a_warning(f):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plots.path_on_contours(f, [(0.0, 0.0)]).alt.startswith("Level lines")


# ---- errors

REFUSED = [
    (lambda: plots.loss_curve([]), ShapeError, "at least one number"),
    (lambda: plots.loss_curve([[1.0], [2.0]]), ShapeError, r"losses must have 1 axes; got shape \(2, 1\)"),
    (lambda: plots.loss_curve(["low"]), OperandError, "losses must be numbers"),
    (lambda: plots.fitted_line([1], [1, 2], [(0, 0)]), ShapeError, r"x \(1,\), y \(2,\)"),
    (lambda: plots.fitted_line([1], [1], [(0, 0, 0)]), ShapeError, r"\(intercept, slope\)"),
    (lambda: plots.path_on_contours(bowl, [(1, 2, 3)]), ShapeError, "path must have shape"),
    (lambda: plots.gradient_flow({}), ShapeError, "at least one layer"),
    (lambda: plots.error_against_h([1.0, 0.0], [1.0, 1.0]), ShapeError, "hs above 0"),
    (lambda: plots.jacobian_picture(np.ones((2, 2, 2))), ShapeError, "Reshape"),
    (lambda: plots.jacobian_picture([[1.0]], rows=["a", "b"]), ShapeError, "2 names"),
    (lambda: plots.decision_regions(lambda p: p, POINTS, CLASSES), ShapeError, "argmax"),
    (lambda: plots.decision_regions(by_side, np.ones((6, 2)), range(6)), OptionError, "6 classes"),
]


@pytest.mark.parametrize(("draw", "error", "message"), REFUSED)
def test_what_they_refuse(draw, error, message):
    with pytest.raises(error, match=message):
        draw()


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DrawingError, match="pip install matplotlib"):
        plots.loss_curve([1.0])


def test_importing_plots_imports_no_matplotlib():
    code = "import sys; from autodiff import plots; plots.loss_curve; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"

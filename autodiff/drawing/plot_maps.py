"""Plots over a plane: where descent walks, what a Jacobian looks like, which class wins where.

Needs plot_data.py and style.py. Read with U7 (descent), U12 (Jacobians) and where classes are learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.drawing.labels import number
from autodiff.drawing.plot_data import Array, array_of, described, listed, plot, short
from autodiff.drawing.style import LIGHT
from autodiff.errors import OptionError, ShapeError

GRID = 150  # points along a side
MOST_NUMBERS = 64  # cells of a Jacobian that are written out
FILLS = ("parameter-fill", "gradient-fill", "output-fill", "data-fill", "constant-fill")
EDGES = ("parameter", "gradient", "output", "data", "constant")
HATCHES = ("", "//", "..", "xx", "--")
MARKS = "o^sDv"
# On coloured cells, which look the same on a dark page, so these two aren't colours of the palette.
DARK_TEXT, LIGHT_TEXT = "#111111", "#fefefe"


@plot
def path_on_contours(
    f: Callable[..., Any],
    path: Any,
    *,
    names: tuple[str, str] = ("b", "w"),
    best: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Where descent walked: the level lines of f(b, w) and a path of points (b, w) over them.

    `best` is marked with a star. f may take arrays or only numbers.

    >>> path_on_contours(lambda b, w: b * b + w * w, [(2.0, 1.0), (1.0, 0.5)]).alt
    'Level lines over b and w; a path of 1 step leads from (2, 1), value 5, to (1, 0.5), value 1.25.'
    """
    points = array_of(path, "path", ndim=2)
    if points.shape[1:] != (2,) or not len(points):
        raise ShapeError(f"path must have shape (steps, 2): a point (b, w) for each; got {points.shape}")
    corners = points if best is None else np.vstack([points, best])
    across, up = (_span(corners[:, k]) for k in (0, 1))
    values = _on_grid(f, *np.meshgrid(across, up))
    ax.contour(across, up, values, levels=_levels(values), colors=LIGHT["constant"], linewidths=0.9)
    ax.plot(*points.T, "-o", color=LIGHT["parameter"], markersize=3.5, linewidth=1.5)
    ax.plot(*points[0], "s", color=LIGHT["parameter"], markersize=8)
    ax.annotate("start", points[0], textcoords="offset points", xytext=(8, 8))
    if best is not None:
        ax.plot(*best, "*", color=LIGHT["back"], markersize=15)
        ax.annotate("best", best, textcoords="offset points", xytext=(9, -12))
    ax.set(xlabel=names[0], ylabel=names[1])
    start, end = (
        f"({short(p[0])}, {short(p[1])}), value {short(_on_grid(f, *p).item())}" for p in points[[0, -1]]
    )
    steps = len(points) - 1
    star = f"; a star marks the best point, ({short(best[0])}, {short(best[1])})" if best is not None else ""
    said = f"Level lines over {names[0]} and {names[1]}; a path of {steps:,} step{'s' * (steps != 1)} leads"
    return described(ax, f"{said} from {start}, to {end}{star}.")


def _span(values: Array) -> Array:
    low, high = float(values.min()), float(values.max())
    room = 0.25 * (high - low) or max(1.0, abs(high))
    return np.linspace(low - room, high + room, GRID)


def _on_grid(f: Callable[..., Any], b: Array, w: Array) -> Array:
    """f at these points: at once where it takes arrays, else one by one."""
    try:
        values = array_of(f(b, w), "the values of f")
        if values.shape == np.shape(b):
            return values
    except Exception:
        pass  # a function of numbers says no in its own way; then numbers it gets
    flat = [
        array_of(f(float(x), float(y)), "a value of f") for x, y in zip(np.ravel(b), np.ravel(w), strict=True)
    ]
    return np.array(flat, dtype=float).reshape(np.shape(b))


def _levels(values: Array) -> Array:
    """Levels that lie closer together where it is low: the bottom of a valley is what counts."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return low + (max(high - low, 1e-12)) * np.linspace(0.05, 1, 12) ** 2


@plot
def jacobian_picture(
    jacobian: Any, *, rows: Sequence[str] = (), columns: Sequence[str] = (), ax: Any = None
) -> Any:
    """A Jacobian as a map of signs and sizes: blue above 0, orange below, white 0; numbers where they fit.

    A row for each output, a column for each input; `rows` and `columns` name them.

    >>> jacobian_picture([[2.0, 0.0], [0.0, -1.0]]).alt
    "Jacobian of 2 outputs (rows) by 2 inputs: from −1 to 2; 2 of 4 entries are 0; only its diagonal isn't."
    """
    entries = array_of(jacobian, "the Jacobian", ndim=2)
    if not entries.size:
        raise ShapeError(f"the Jacobian has no entries; got shape {entries.shape}")
    finite = np.isfinite(entries)
    most = float(np.abs(entries[finite]).max()) if finite.any() else 0.0
    most = most or 1.0
    image = ax.imshow(np.where(finite, entries, 0.0), cmap=_diverging(), vmin=-most, vmax=most, aspect="auto")
    ax.get_figure().colorbar(image, ax=ax, label="∂ output / ∂ input")
    for (i, j), value in np.ndenumerate(entries):
        if entries.size <= MOST_NUMBERS or not finite[i, j]:
            strong = finite[i, j] and abs(value) > 0.6 * most
            text = number(value, 3).removesuffix(" (!)")
            ax.text(j, i, text, ha="center", va="center", color=LIGHT_TEXT if strong else DARK_TEXT)
    for axis, labels, size in ((ax.xaxis, columns, entries.shape[1]), (ax.yaxis, rows, entries.shape[0])):
        if labels:
            if len(labels) != size:
                raise ShapeError(f"{len(labels)} names for {size} rows or columns: {list(labels)}")
            axis.set_ticks(range(size), labels)
        elif size <= 12:
            axis.set_ticks(range(size))
    ax.set(xlabel="input", ylabel="output")
    return described(ax, _told(entries, finite))


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", [LIGHT["back"], "#ffffff", LIGHT["parameter"]])


def _told(entries: Array, finite: Array) -> str:
    zeros, (outputs, inputs) = int((entries == 0).sum()), entries.shape
    said = [f"Jacobian of {outputs} outputs (rows) by {inputs} inputs"]
    if finite.any():
        said[0] += f": from {short(entries[finite].min())} to {short(entries[finite].max())}"
    if zeros:
        said.append(f"{zeros} of {entries.size} entries are 0")
    off = entries[~np.eye(outputs, inputs, dtype=bool)]
    if off.size and not off.any() and zeros < entries.size:
        said.append("only its diagonal isn't")
    elif zeros and outputs > 1 and not np.triu(entries, 1).any():
        said.append("nothing stands above the diagonal")
    if not finite.all():
        odd = int((~finite).sum())
        said.append(f"{odd} {'isn' if odd == 1 else 'aren'}'t finite")
    return "; ".join(said) + "."


@plot
def decision_regions(predict: Callable[[Any], Any], x: Any, y: Any, *, ax: Any = None) -> Any:
    """Which class `predict` gives to each point of the plane, and the data with their true classes.

    `predict` takes points of shape (n, 2) and returns n classes. `x` has shape (n, 2), `y` the n true
    classes; at most five. Regions differ in hatching, classes in their marks, too.

    >>> decision_regions(lambda p: p[:, 0] > 0, [[-1.0, 0.0], [1.0, 0.0]], [0, 1]).alt
    'Regions of 2 classes; of 2 points 2 lie in the region of their own class: 0: 1 of 1; 1: 1 of 1.'
    """
    points = array_of(x, "x", ndim=2)
    true = np.asarray(getattr(y, "data", y) if type(y).__name__ == "Tensor" else y).ravel()
    if points.shape[1:] != (2,) or len(points) != len(true) or not len(true):
        raise ShapeError(
            f"decision_regions takes x of shape (n, 2) and n classes; got {points.shape}, {true.shape}"
        )
    across, up = (_span(points[:, k]) for k in (0, 1))
    grid = np.stack([each.ravel() for each in np.meshgrid(across, up)], axis=1)
    found, guessed = _classes(predict, grid), _classes(predict, points)
    classes = list(dict.fromkeys([*np.unique(true).tolist(), *np.unique(found).tolist()]))
    if len(classes) > len(FILLS):
        raise OptionError(
            f"{len(classes)} classes: {len(FILLS)} are as many as can be told apart in one plot"
        )
    said = []
    for k, each in enumerate(classes):
        inside = (found == each).reshape(GRID, GRID).astype(float)
        region = ax.contourf(
            across, up, inside, levels=[0.5, 1.5], colors=[LIGHT[FILLS[k]]], hatches=[HATCHES[k]]
        )
        region.set(edgecolor=LIGHT[EDGES[k]], linewidth=0.0)
        ax.contour(across, up, inside, levels=[0.5], colors=LIGHT["ink"], linewidths=1.2)
    for k, each in enumerate(classes):
        own = true == each
        look = {"color": LIGHT[EDGES[k]], "markeredgecolor": LIGHT["ink"], "markersize": 7}
        ax.plot(*points[own].T, MARKS[k], label=str(each), **look)
        said.append(f"{each}: {int((guessed[own] == each).sum())} of {int(own.sum())}")
    ax.legend(
        title="class", frameon=True, framealpha=1.0, facecolor=LIGHT["paper"], edgecolor=LIGHT["constant"]
    )
    ax.set(xlabel="x₁", ylabel="x₂")
    right = int((guessed == true).sum())
    head = f"Regions of {len(classes)} classes; of {len(true):,} points {right:,} lie in"
    return described(ax, f"{head} the region of their own class: {listed(said)}.")


def _classes(predict: Callable[[Any], Any], points: Array) -> Array:
    answer = predict(points)
    found = np.asarray(answer.data if type(answer).__name__ == "Tensor" else answer)
    if found.shape != (len(points),):
        raise ShapeError(
            f"predict must return a class for each of {len(points)} points; got shape {found.shape}. "
            "Of scores take the largest: scores.argmax(axis=1)"
        )
    return found.astype(int) if found.dtype == bool else found

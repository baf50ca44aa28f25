"""Plots of training and of gradients: functions of data that return matplotlib Axes with alt text.

Needs plot_data.py and, where matplotlib is installed, plot_axes.py. `ax` draws on axes that there are. Axes
made here show themselves as the last line of a cell, their alt text with them; `show(ax)` does it for others.
Read with U7, where a line is fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.drawing.plot_data import (
    MARKERS,
    array_of,
    curves_of,
    described,
    listed,
    looks,
    plot,
    short,
)
from autodiff.drawing.plot_maps import decision_regions, jacobian_picture, path_on_contours
from autodiff.drawing.style import LIGHT
from autodiff.errors import ShapeError

__all__ = [
    "decision_regions",
    "error_against_h",
    "fitted_line",
    "gradient_flow",
    "jacobian_picture",
    "loss_curve",
    "path_on_contours",
    "show",
]

MOST_LINES = 6  # of a line that moves
WIDE = 100.0  # ratio of losses from which on the axis is logarithmic


def show(ax: Any) -> Any:
    """The figure that `ax` belongs to, as a notebook output with alt text; it also saves itself.

    >>> show(loss_curve([4.0, 2.0])).alt
    'Loss against step: from 4 at step 0 down to 2 at step 1.'
    """
    from autodiff.drawing import plot_axes

    return plot_axes.show(ax)


@plot
def loss_curve(losses: Any, *, log: bool | None = None, ax: Any = None) -> Any:
    """The loss at each step: one sequence, or several by name. `log`: None decides by their range.

    A loss that isn't finite ends the line, and the first of them is marked.

    >>> loss_curve({"slow": [4.0, 3.0], "fast": [4.0, 1.0]}).alt
    'Loss against step: slow from 4 at step 0 down to 3 at step 1; fast from 4 at step 0 down to 1 at step 1.'
    """
    curves = curves_of(losses, "losses")
    finite = np.concatenate([each[np.isfinite(each)] for each in curves.values()])
    if log is None:
        log = bool(finite.size and finite.min() > 0 and finite.max() > WIDE * finite.min())
    said = []
    for k, (name, each) in enumerate(curves.items()):
        known = np.isfinite(each)
        if log:
            known &= each > 0
        ax.plot(np.where(known, each, np.nan), label=name or None, **looks(k))
        said.append(f"{name} {_course(each)}".strip())
        odd = np.flatnonzero(~np.isfinite(each))
        if odd.size:
            ax.axvline(odd[0], color=LIGHT["alarm"], linestyle=":", linewidth=1.5)
            place = {"xycoords": ("data", "axes fraction"), "va": "bottom", "ha": "center"}
            ax.annotate(f"{each[odd[0]]} at step {odd[0]}", (odd[0], 1.0), **place)
    if log:
        ax.set_yscale("log")
    ax.set(xlabel="step", ylabel="loss")
    if any(curves):
        ax.legend()
    return described(ax, f"Loss against step{' on a log axis' * log}: {listed(said)}.")


def _course(losses: Any) -> str:
    """From where to where a curve leads, with its lowest point where that isn't the last."""
    finite = np.flatnonzero(np.isfinite(losses))
    if not finite.size:
        return f"never finite, {losses[0]} at step 0"
    first, last = finite[0], finite[-1]
    lowest = finite[int(np.argmin(losses[finite]))]
    way = "down" if losses[last] < losses[first] else "up"
    said = f"from {short(losses[first])} at step {first} {way} to {short(losses[last])} at step {last}"
    if losses[lowest] < losses[last]:
        said += f", lowest {short(losses[lowest])} at step {lowest}"
    odd = np.flatnonzero(~np.isfinite(losses))
    return f"{said}, {losses[odd[0]]} from step {odd[0]} on" if odd.size else said


@plot
def fitted_line(x: Any, y: Any, lines: Sequence[Any], *, ax: Any = None) -> Any:
    """Data and a line that moves towards them: `lines` are (intercept, slope), one for each step.

    The last one is solid, up to five earlier ones are faint and dashed and bear the number of their step.

    >>> fitted_line([0.0, 1.0], [1.0, 3.0], [(0.0, 0.0), (1.0, 2.0)]).alt
    '2 points and a line that moves in 1 step from 0 + 0·x to 1 + 2·x.'
    """
    x, y = array_of(x, "x", ndim=1), array_of(y, "y", ndim=1)
    steps = array_of(list(lines), "lines", ndim=2)
    if x.shape != y.shape or steps.shape[1:] != (2,) or not steps.size or not x.size:
        raise ShapeError(
            f"fitted_line takes as many x as y, and lines of shape (steps, 2): (intercept, slope) each; "
            f"got x {x.shape}, y {y.shape}, lines {steps.shape}"
        )
    ax.plot(x, y, "o", color=LIGHT["parameter"], markersize=4, alpha=0.8, label="data")
    ends = np.array([x.min(), x.max()])
    last = len(steps) - 1
    earlier = _early(last)
    for rank, k in enumerate(earlier):
        b, w = steps[k]
        strength = 0.35 + 0.5 * rank / max(1, len(earlier) - 1)
        ax.plot(ends, b + w * ends, color=LIGHT["output"], alpha=strength, linestyle="--", linewidth=1.2)
        ax.annotate(f"step {k}", (ends[1], b + w * ends[1]), **_beside(), color=LIGHT["output"], fontsize=8)
    b, w = steps[last]
    ax.plot(ends, b + w * ends, color=LIGHT["back"], linewidth=2.5, label=f"after step {last}")
    ax.set(xlabel="x", ylabel="y")
    ax.legend()
    start, end = (f"{short(b)} {'−' if w < 0 else '+'} {short(abs(w))}·x" for b, w in (steps[0], steps[last]))
    moves = f"a line that moves in {last:,} step{'s' * (last != 1)} from {start} to {end}"
    return described(ax, f"{len(x):,} points and {moves if last else f'the line {end}'}.")


def _beside() -> dict[str, Any]:
    """Where a note stands: a little to the right of its point."""
    return {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}


def _early(last: int) -> list[int]:
    """Step 0 and some later ones before the last; most of them early, where a line moves most."""
    count = min(MOST_LINES - 1, last)
    return sorted({round(last * (k / count) ** 2.5) for k in range(count)}) if count else []


@plot
def gradient_flow(gradients: Any, *, ax: Any = None) -> Any:
    """How large each layer's gradient is: root mean square (bar) and largest entry (mark), on a log axis.

    `gradients` are arrays by name, or Tensors whose `.grad` is meant. None: no gradient has come.

    >>> gradient_flow({"W1": [0.3, 0.4], "W2": [0.0, 0.0]}).alt
    'Gradient by layer, root mean square and largest entry: W1 0.354, 0.4; W2 0, all of it.'
    """
    layers = _layers(gradients)
    said = []
    sizes = [(_rms(g), float(np.max(np.abs(g))) if g is not None and g.size else 0.0) for _, g in layers]
    positive = [size for pair in sizes for size in pair if 0 < size < np.inf]
    floor = 10 ** np.floor(np.log10(min(positive)) - 0.5) if positive else 1e-1
    for k, ((name, g), (rms, largest)) in enumerate(zip(layers, sizes, strict=True)):
        if g is None or not np.isfinite(rms) or not rms:
            text = "none" if g is None else "0, all of it" if not rms else "not finite"
            ax.annotate(text, (floor, k), **_beside(), color=LIGHT["alarm"])
            said.append(f"{name} {text}")
            continue
        ax.barh(k, rms - floor, left=floor, height=0.6, color=LIGHT["parameter-fill"], ec=LIGHT["parameter"])
        ax.plot(largest, k, "D", color=LIGHT["back"], markersize=6)
        said.append(f"{name} {short(rms)}, {short(largest)}")
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter("")  # they would run into each other; at least two powers of ten are there
    ax.set_xlim(floor, 2 * max([*positive, 10 * floor]))
    ax.set_yticks(range(len(layers)), [name for name, _ in layers])
    ax.set_ylim(len(layers) - 0.5, -0.5)
    ax.set(xlabel="gradient: root mean square (bar), largest entry (◆)")
    return described(ax, f"Gradient by layer, root mean square and largest entry: {listed(said)}.")


def _layers(gradients: Any) -> list[tuple[str, Any]]:
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(gradients, Mapping):
        pairs = gradients.items()
    else:
        pairs = [
            (getattr(each, "name", None) or f"leaf{k}", each.grad) for k, each in enumerate(gradients, 1)
        ]
    found = [(str(name), None if g is None else array_of(g, "a gradient")) for name, g in pairs]
    if not found:
        raise ShapeError("gradient_flow takes at least one layer; got none")
    return found


def _rms(g: Any) -> float:
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.mean(np.square(g)))) if g is not None and g.size else 0.0


@plot
def error_against_h(hs: Any, errors: Any, *, ax: Any = None) -> Any:
    """The error of a numerical derivative for each step h, both on log axes; the best h is marked.

    Truncation makes the right side of the V, rounding the left. `errors`: one sequence, or several by name.
    An error of 0 is drawn at the lower edge.

    >>> error_against_h([1e-2, 1e-5, 1e-8], [1e-4, 1e-10, 1e-8]).alt
    'Error against h on log axes: smallest, 1e−10, at h = 1e−05; 1e−08 at h = 1e−08, 0.0001 at h = 0.01.'
    """
    hs, curves = array_of(hs, "hs", ndim=1), curves_of(errors, "errors")
    if any(each.shape != hs.shape for each in curves.values()) or not (hs > 0).all():
        raise ShapeError("error_against_h takes hs above 0 and as many errors as there are hs")
    order = np.argsort(hs)
    positive = np.concatenate([each[np.isfinite(each) & (each > 0)] for each in curves.values()])
    floor = positive.min() / 10 if positive.size else 1e-17
    said = []
    for k, (name, each) in enumerate(curves.items()):
        each = np.abs(each)
        drawn = np.where(each == 0, floor, each)
        mark = {"marker": MARKERS[k % len(MARKERS)], "markersize": 4}
        ax.plot(hs[order], drawn[order], label=name or None, **looks(k), **mark)
        best = int(np.nanargmin(each)) if not np.isnan(each).all() else 0
        ax.plot(hs[best], drawn[best], "o", markersize=13, fillstyle="none", color=looks(k)["color"])
        ends = ", ".join(f"{short(each[j])} at h = {short(hs[j])}" for j in (order[0], order[-1]))
        said.append(f"{name} smallest, {short(each[best])}, at h = {short(hs[best])}; {ends}".strip())
    ax.set(xscale="log", yscale="log", xlabel="h", ylabel="error")
    if any(curves):
        ax.legend()
    return described(ax, f"Error against h on log axes: {listed(said)}.")

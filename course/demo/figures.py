"""The demo's plots: each drawn for a light and for a dark page, with alt text that says what it shows."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from autodiff.drawing import style as palette
from course.demo.regression import Array, Line, Standardised, Step


@dataclass(frozen=True)
class Theme:
    """Colours of a page; the accents are Okabe and Ito's, told apart by people of every colour vision."""

    ink: str
    paper: str
    faint: str
    data: str
    fit: str
    path: str


LIGHT = Theme(
    palette.LIGHT["ink"],
    palette.LIGHT["paper"],
    faint="#c4cad1",
    data="#0072b2",
    fit="#b34700",
    path="#00795b",
)
DARK = Theme(
    palette.DARK["ink"], palette.DARK["paper"], faint="#4a5159", data="#56b4e9", fit="#f0a43a", path="#2fd0a0"
)


@dataclass(frozen=True)
class Plot:
    """One figure twice, as data addresses, with its alt text and the sentence below it."""

    light: str
    dark: str
    alt: str
    caption: str


def _svg(paint: Callable[[Axes, Theme], None], theme: Theme, size: tuple[float, float]) -> str:
    style: dict[Any, Any] = {
        "svg.hashsalt": "course demo",  # the same data give the same file
        "text.color": theme.ink,
        "axes.edgecolor": theme.ink,
        "axes.labelcolor": theme.ink,
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
        "axes.facecolor": theme.paper,
        "figure.facecolor": theme.paper,
        "legend.facecolor": theme.paper,
        "legend.edgecolor": theme.faint,
        "legend.labelcolor": theme.ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "font.size": 11,
    }
    with matplotlib.rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        paint(figure.add_subplot(), theme)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(out.getvalue()).decode("ascii")


def plot(
    paint: Callable[[Axes, Theme], None], alt: str, caption: str, size: tuple[float, float] = (6.4, 4.2)
) -> Plot:
    """Paint the same axes in both themes."""
    return Plot(_svg(paint, LIGHT, size), _svg(paint, DARK, size), alt, caption)


def line_over_data(x: Array, y: Array, data: Standardised, steps: Sequence[Step], fit: Line) -> Plot:
    """The households, the first lines in passing, the fitted line."""
    shown = [k for k in (0, 2, 4, 7, 12) if k < len(steps)]
    ends = np.array([x.min(), x.max()])

    def paint(ax: Axes, theme: Theme) -> None:
        ax.plot(x, y, "o", color=theme.data, markersize=3.5, alpha=0.75, label="a household")
        for k in shown:
            line = data.line(steps[k].b, steps[k].w)
            ax.plot(ends, line.intercept + line.slope * ends, "--", color=theme.path, linewidth=1)
            ax.annotate(
                f"step {k}", (ends[1], line.intercept + line.slope * ends[1]), fontsize=8, color=theme.path
            )
        ax.plot(ends, fit.intercept + fit.slope * ends, color=theme.fit, linewidth=2.5, label="the fit")
        ax.set(xlabel="income (Belgian francs a year)", ylabel="spent on food", ylim=(-1200, 2900))
        ax.legend(loc="upper left")

    return plot(
        paint,
        f"Scatter plot of {len(x)} households, food expenditure against income, with the fitted line "
        f"{fit.intercept:.1f} + {fit.slope:.3f} times income and five earlier lines turning towards it.",
        "Each dashed line is where gradient descent stood at that step; the solid one is where it ended.",
    )


def cost_by_step(steps: Sequence[Step], smallest: float) -> Plot:
    """The cost, and how far it's above the smallest possible cost, on a log axis."""
    costs = np.array([step.cost for step in steps])
    # Below 1e-14 a difference of costs is rounding, which a log axis would show as noise.
    excess = np.where(costs - smallest > 1e-14, costs - smallest, np.nan)

    def paint(ax: Axes, theme: Theme) -> None:
        ax.semilogy(costs, color=theme.data, linewidth=2, label="cost")
        ax.semilogy(excess, "--", color=theme.fit, linewidth=2, label="cost above the smallest possible")
        ax.set(xlabel="step", ylabel="mean squared error (standardised)")
        ax.legend(loc="center right")

    return plot(
        paint,
        f"Cost against step on a log axis: the cost falls from {costs[0]:.2f} and levels off at "
        f"{smallest:.4f}; its distance above that falls on a straight line until rounding ends it.",
        "The cost levels off because no line goes through all households. What is left to gain falls by "
        "the same factor at every step: a straight line on a log axis.",
    )


def path_on_contours(data: Standardised, steps: Sequence[Step]) -> Plot:
    """Where descent walked, over the level lines of the cost."""
    bs, ws = np.array([step.b for step in steps]), np.array([step.w for step in steps])
    best = float(data.x @ data.y / len(data.x))  # standardised: the slope is the correlation, the intercept 0
    b_axis, w_axis = np.linspace(-2, 2, 120), np.linspace(best - 2.2, best + 2.2, 120)
    # Standardised data: cost = b² + w² − 2·w·r + 1 with r the correlation.
    grid = b_axis[None, :] ** 2 + w_axis[:, None] ** 2 - 2 * w_axis[:, None] * best + 1

    def paint(ax: Axes, theme: Theme) -> None:
        levels = ax.contour(b_axis, w_axis, grid, levels=12, colors=theme.faint, linewidths=1)
        ax.clabel(levels, fontsize=8, colors=theme.ink)
        ax.plot(bs, ws, "o-", color=theme.path, markersize=4, linewidth=1.5, label="gradient descent")
        ax.plot(0, best, "*", color=theme.fit, markersize=16, label="closed form")
        ax.set(xlabel="b (standardised intercept)", ylabel="w (standardised slope)", aspect="equal")
        ax.legend(loc="lower left")

    return plot(
        paint,
        f"Round level lines of the cost over b and w; the path of gradient descent goes straight from "
        f"({bs[0]:g}, {ws[0]:g}) to the bottom at (0, {best:.3f}), with ever shorter steps.",
        "On standardised data the level lines are circles, so the steepest way down leads straight to "
        "the bottom.",
        size=(6.4, 5.2),
    )

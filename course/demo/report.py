"""The demo's page: plots, graphs and numbers put into one HTML file."""

from __future__ import annotations

from importlib.resources import files

import jinja2

from autodiff import Scalar, draw
from autodiff.drawing.page import page
from course.demo.figures import cost_by_step, line_over_data, path_on_contours
from course.demo.regression import Line, Standardised, Step, cost_of


def three_sample_cost(data: Standardised, step: Step) -> Scalar:
    """The cost of three households at one step: small enough to draw."""
    count = len(data.x)
    chosen = [count // 6, count // 2, count - 1]
    xs, ys = ([round(float(values[k]), 2) for k in chosen] for values in (data.x, data.y))
    return cost_of(Scalar(step.b, name="b"), Scalar(step.w, name="w"), xs, ys)


def render(
    data: Standardised,
    steps: list[Step],
    fit: Line,
    certified: Line,
    digits: tuple[float, float],
    check: list[tuple[str, float, float]],
) -> str:
    """The page as text."""
    x, y = data.x * data.x_scale + data.x_mean, data.y * data.y_scale + data.y_mean
    correlation = float(data.x @ data.y / len(data.x))
    small = three_sample_cost(data, steps[0])
    template, style = (
        (files("course.demo") / f"report.{form}").read_text("utf-8") for form in ("html.j2", "css")
    )
    inside = (
        jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        .from_string(template)
        .render(
            count=len(x),
            steps=len(steps) - 1,
            fit=fit,
            certified=certified,
            digits=digits,
            check=check,
            scatter=line_over_data(x, y, data, steps, fit),
            costs=cost_by_step(steps, 1 - correlation**2),
            path=path_on_contours(data, steps),
            small_b=steps[0].b,
            small_w=steps[0].w,
            small_grad=small.grad(),
            forward_svg=draw(small, view="forward", name="cost").svg(),
            gradient_svg=draw(small, view="gradient", name="cost").svg(),
        )
    )
    return page("A line fitted by gradient descent, and the graph that did it", inside, style)

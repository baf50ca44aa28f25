"""`course demo`: a line fitted to real data, a page that shows how, three answers graded."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from autodiff import Scalar, finite_difference
from course.console import command, progress
from course.data import load
from course.demo.grading import grade_three
from course.demo.regression import (
    ENGINES,
    Line,
    Standardised,
    Step,
    agreeing_digits,
    closed_form,
    cost_of,
    descend,
)


def main(argv: list[str] | None = None) -> int:
    """Run the demo; 0 when the fit agrees with the closed form to nine digits, 1 when it doesn't."""
    parser = argparse.ArgumentParser(prog="course demo", description=__doc__)
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        default=Path("build/demo"),
        metavar="DIR",
        help="where the report goes (%(default)s)",
    )
    parser.add_argument(
        "--engine",
        choices=tuple(ENGINES),
        default="scalar",
        help="what the cost is computed with: a graph of single numbers, or one of arrays (%(default)s)",
    )
    options = parser.parse_args(argv)

    engel = load("engel")
    income, food = engel["income"], engel["foodexp"]
    data = Standardised.of(income, food)
    print(f"What {len(income)} Belgian households spent on food, against their income (Engel, 1857).")
    kind = f"{options.engine.capitalize()}s"
    print(f"Fitting a line by gradient descent; every step builds the cost as a graph of {kind}.")
    began = time.perf_counter()
    steps: list[Step] = []
    total = 130
    with progress("descending, step", total + 1) as advance:
        for step in descend(data, steps=total, engine=options.engine):
            steps.append(step)
            advance(f"cost {step.cost:.6f}")
    seconds = time.perf_counter() - began

    fit, certified = data.line(steps[-1].b, steps[-1].w), closed_form(income, food)
    digits = (
        agreeing_digits(fit.intercept, certified.intercept),
        agreeing_digits(fit.slope, certified.slope),
    )
    print(f"{total} steps of {len(income)} examples in {seconds:.1f} s.\n")
    print(_table(fit, certified, digits))
    agrees = min(digits) >= 9
    if not agrees:
        print("\nThe fit does not agree with the closed form to nine digits: something is wrong here.")

    report = write_report(options.out, data, steps, fit, certified, digits)
    print(f"\nThe data, the line, the descent and the graphs that did it: {report}")
    print("\nThe grader, on three answers to one exercise: a right one, a wrong one, a blank.\n")
    grades = grade_three(options.out)
    print(f"\nWhat each of them gets to read: {grades / 'feedback'}")
    print("\nWhat to do next:")
    print(f"  open {report} in a browser")
    files = (
        "closures.py, graph.py, scalar.py"
        if options.engine == "scalar"
        else "primitive.py, ops/, backward.py"
    )
    print(f"  read autodiff/{files}: the engine that did it, in that order")
    print(f"  {command('start')}    the notebooks, in JupyterLab")
    print(f"  {command('doctor')}   what this machine has, and how to get what is missing")
    return 0 if agrees else 1


def _table(fit: Line, certified: Line, digits: tuple[float, float]) -> str:
    rows = [
        ("", "intercept", "slope"),
        ("gradient descent", f"{fit.intercept:.9f}", f"{fit.slope:.12f}"),
        ("closed form", f"{certified.intercept:.9f}", f"{certified.slope:.12f}"),
        ("agreeing digits", f"{digits[0]}", f"{digits[1]}"),
    ]
    return "\n".join(f"  {name:<18}{a:>16}{b:>18}" for name, a, b in rows)


def gradient_check(data: Standardised, step: Step) -> list[tuple[str, float, float]]:
    """Name, gradient by the graph, gradient by central differences, at one step of the descent."""

    def cost(b: float, w: float) -> float:
        return cost_of(Scalar(b), Scalar(w), data.x.tolist(), data.y.tolist()).value

    numeric = finite_difference(cost, step.b, step.w, back_grad=1.0)
    exact = (step.db, step.dw)
    return [(name, got, float(n or 0)) for name, got, n in zip("bw", exact, numeric, strict=True)]


def write_report(
    folder: Path,
    data: Standardised,
    steps: list[Step],
    fit: Line,
    certified: Line,
    digits: tuple[float, float],
) -> Path:
    """Write `folder`/report.html: one self-contained page, light and dark, without script."""
    from course.demo.report import render  # matplotlib and jinja2 load in a second: only when needed

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    path.write_text(
        render(data, steps, fit, certified, digits, gradient_check(data, steps[0])), encoding="utf-8"
    )
    return path

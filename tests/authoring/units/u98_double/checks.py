"""How the answers are judged."""

from course.checking.exercise import Case, Exercise, compare
from course.units.u98_double import probes

HINTS = ("What does twice mean?", "Try 1.", "Add it to itself.")


def _double_cases(rng):
    drawn = Case("a drawn number", ("values",), {"x": float(rng.uniform(1, 2))})
    return [Case("zero", ("forward",), {"x": 0.0}), drawn]


def _judge_double(case, answer):
    return [compare(case.families[0], answer["y"], 2 * case.data["x"], "double(x)")]


def _line_cases(rng):
    a, c, x = (float(v) for v in rng.uniform(1, 2, 3))
    return [Case("a drawn line", ("forward", "values"), {"a": a, "c": c, "x": x})]


def _judge_line(case, answer):
    a, c, x = (case.data[key] for key in "acx")
    return [
        compare("forward", answer["y"], a * x + c, "Line(a, c).at(x)"),
        compare("values", answer["slope"], a, "Line(a, c).slope()"),
    ]


FAMILIES = {"forward": 0.4, "values": 0.6}
LABELS = {"forward": "the smallest case", "values": "drawn numbers"}
EXERCISES = [
    Exercise(
        "u98-double", 4, ("double",), _double_cases, probes.double, _judge_double, FAMILIES, [], HINTS, LABELS
    ),
    Exercise("u98-line", 2.5, ("Line",), _line_cases, probes.line, _judge_line, FAMILIES, [], HINTS, LABELS),
]

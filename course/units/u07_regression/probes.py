"""Probes of unit 7: hand the student's function a cost and bring back plain numbers."""

from course.checking.instruments import Counted


def line_cost(b, w, xs, ys):
    """Mean squared error of b + w·x, on anything that adds and multiplies."""
    total = 0.0
    for x, y in zip(xs, ys):
        error = b + w * x - y
        total = total + error * error
    return total * (1.0 / len(xs))


def cubic_cost(b, w, p, q, xs, ys):
    """Mean squared error of b + w·x + p·x² + q·x³."""
    total = 0.0
    for x, y in zip(xs, ys):
        error = b + w * x + p * (x * x) + q * (x * x * x) - y
        total = total + error * error
    return total * (1.0 / len(xs))


# Each cost takes the points and its parameters by name.
COSTS = {
    "a line through the points": lambda xs, ys, b, w: line_cost(b, w, xs, ys),
    "a cubic through the points": lambda xs, ys, b, w, p, q: cubic_cost(b, w, p, q, xs, ys),
    "a line through the origin": lambda xs, ys, w: line_cost(0.0, w, xs, ys),
    "a line whose slope is w + a": lambda xs, ys, a, b, w: line_cost(b, w + a, xs, ys) + a * a * w,
    "a line, with a parameter c that the cost doesn't use": lambda xs, ys, b, w, c: line_cost(b, w, xs, ys),
}


def step(names, case):
    """One step from one point, then the same step asked for again."""
    data = case.data
    xs, ys = [float(v) for v in data["xs"]], [float(v) for v in data["ys"]]
    formula = COSTS[data["cost"]]
    values = dict(zip(data["names"].split(), [float(v) for v in data["values"]]))
    before = dict(values)
    cost = Counted(lambda **leaves: formula(xs, ys, **leaves))
    out = names["gradient_step"](cost, values, data["rate"])
    answer = {"values are unchanged": float(values == before), "calls of the cost": cost.calls}
    answer["is a dictionary"] = float(isinstance(out, dict))
    if isinstance(out, dict):
        answer["is new"] = float(out is not values)
        answer["names"] = " ".join(sorted(map(str, out)))
        answer.update({f"new {name}": value for name, value in out.items()})
    return answer

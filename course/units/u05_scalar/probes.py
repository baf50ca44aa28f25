"""Probes of unit 5: run the student's Scalar on programs and bring back plain numbers."""

from course.checking.instruments import Number, Tally

PROGRAMS = {
    "x · y": lambda S, x, y: x * y,
    "x + y": lambda S, x, y: x + y,
    "x · y + x": lambda S, x, y: x * y + x,
    "(x + y) · y": lambda S, x, y: (x + y) * y,
    "x · x": lambda S, x, y: x * x,
    "x + x": lambda S, x, y: x + x,
    "(x + y) · (x + y)": lambda S, x, y: (x + y) * (x + y),
    "a + a · a, with a = x · y": lambda S, x, y: x * y + (x * y) * (x * y),
    "2 · x + 3, with constants": lambda S, x, y: S(2.0) * x + S(3.0),
}


def plain(value):
    """A counting number as the float it is; anything else as it came."""
    return float(value) if type(value) is Number else value


def multiply(names, case):
    """Build one program, ask for its value and its gradient."""
    Scalar = names["Scalar"]
    data = case.data
    tally = Tally()
    given = [tally.number(data[name]) if data["count"] else data[name] for name in ("x", "y")]
    x, y = Scalar(given[0], "x"), Scalar(given[1], "y")
    out = PROGRAMS[data["program"]](Scalar, x, y)
    answer = {"value": plain(out.value)}
    if data["edit"]:
        x.value, y.value = data["x"] + 1.0, data["y"] - 2.0
    first = dict(out.grad(data["g"]))
    answer["products"] = tally["*"]
    second = dict(out.grad(data["g"]))
    for name in ("x", "y"):
        answer[f"d/d{name}"] = plain(first.get(name, 0.0))
        answer[f"again d/d{name}"] = plain(second.get(name, 0.0))
    answer["other names"] = float(len(set(first) - {"x", "y"}))
    return answer

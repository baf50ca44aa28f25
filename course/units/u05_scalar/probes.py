"""Probes of unit 5: run the student's Scalar on programs and bring back plain numbers."""

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


def multiply(names, case):
    """Build one program, ask for its value and its gradient."""
    Scalar = names["Scalar"]
    data = case.data
    x, y = Scalar(data["x"], "x"), Scalar(data["y"], "y")
    out = PROGRAMS[data["program"]](Scalar, x, y)
    answer = {"value": out.value}
    if data["edit"]:
        x.value, y.value = data["x"] + 1.0, data["y"] - 2.0
    first = dict(out.grad(data["g"]))
    second = dict(out.grad(data["g"]))
    for name in ("x", "y"):
        answer[f"d/d{name}"] = first.get(name, 0.0)
        answer[f"again d/d{name}"] = second.get(name, 0.0)
    answer["other names"] = float(len(set(first) - {"x", "y"}))
    return answer

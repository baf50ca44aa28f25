"""Wrong answers written from the task's text alone: rejected, and given no name but one that is theirs."""

from pathlib import Path

import pytest

import course.units
from course.authoring.percent import read
from course.checking.local import check_namespace
from course.checking.registry import find, unit_of

CLASS = """
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})
"""

WRONG = [
    (
        "u04-combine",
        "drops keys whose values cancel",
        """
def combine_dicts(a, b, op=operator.add):
    merged = {k: op(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
    return {k: v for k, v in merged.items() if k not in b or v > 0}
""",
    ),
    (
        "u04-combine",
        "applies the operator to what only the second has, with itself",
        """
def combine_dicts(a, b, op=operator.add):
    return {k: op(a.get(k, b.get(k)), b[k]) if k in b else a[k] for k in {**a, **b}}
""",
    ),
    (
        "u04-combine",
        "gives pairs instead of a dictionary",
        """
def combine_dicts(a, b, op=operator.add):
    return [(k, op(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k))) for k in {**a, **b}]
""",
    ),
    (
        "u05-multiply",
        "a sum hands half of the gradient to each side",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g / 2), other.grad(g / 2)))

    def __mul__(self, other):
        a, b = self.value, other.value
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * b), other.grad(g * a)))
""",
    ),
    (
        "u05-multiply",
        "the product's gradient goes to the left factor only",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        b = other.value
        return Scalar(self.value * b, grad=lambda g: self.grad(g * b))
""",
    ),
    (
        "u05-multiply",
        "a finite difference in place of the rule",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b, h = self.value, other.value, 1e-6
        by_a, by_b = ((a + h) * b - a * b) / h, (a * (b + h) - a * b) / h
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))
""",
    ),
    (
        "u07-step",
        "the slopes are made a unit long",
        """
def gradient_step(cost, values, rate):
    grad = cost(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
    length = sum(g * g for g in grad.values()) ** 0.5
    return {k: v - rate * grad.get(k, 0.0) / length for k, v in values.items()}
""",
    ),
    (
        "u07-step",
        "two steps in one",
        """
def gradient_step(cost, values, rate):
    for _ in range(2):
        grad = cost(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
        values = {k: v - rate * grad.get(k, 0.0) for k, v in values.items()}
    return values
""",
    ),
    (
        "u07-step",
        "new values as Scalars",
        """
def gradient_step(cost, values, rate):
    leaves = {k: Scalar(v, name=k) for k, v in values.items()}
    grad = cost(**leaves).grad()
    return {k: leaf - rate * grad.get(k, 0.0) for k, leaf in leaves.items()}
""",
    ),
    (
        "u04-combine",
        "takes a value of 0 for a missing key",
        """
def combine_dicts(a, b, op=operator.add):
    merged = {}
    for key in [*a, *b]:
        if a.get(key) and b.get(key):
            merged[key] = op(a[key], b[key])
        else:
            merged[key] = a.get(key) or b.get(key) or 0
    return merged
""",
    ),
    (
        "u04-combine",
        "gives one dictionary itself back where the other is empty",
        """
def combine_dicts(a, b, op=operator.add):
    if not b:
        return a
    if not a:
        return b
    merged = dict(a)
    for key, value in b.items():
        merged[key] = op(merged[key], value) if key in merged else value
    return merged
""",
    ),
    (
        "u04-combine",
        "starts from the second, so the operator gets its value first",
        """
def combine_dicts(a, b, op=operator.add):
    merged = dict(b)
    for key, value in a.items():
        merged[key] = op(merged[key], value) if key in merged else value
    return merged
""",
    ),
    (
        "u05-multiply",
        "finds the other factor by dividing the product, which fails at 0",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * (a * b / a)), other.grad(g * (a * b / b))))
""",
    ),
    (
        "u05-multiply",
        "a product adds to what earlier calls of grad answered",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b, total = self.value, other.value, {}

        def grad(g):
            nonlocal total
            total = add_up(total, self.grad(g * b))
            total = add_up(total, other.grad(g * a))
            return total

        return Scalar(a * b, grad=grad)
""",
    ),
    (
        "u05-multiply",
        "a sum hands on its own slope, 1, in place of the gradient that arrives",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(1.0), other.grad(1.0)))

    def __mul__(self, other):
        a, b = self.value, other.value
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * b), other.grad(g * a)))
""",
    ),
    (
        "u07-step",
        "hands the leaves over by position",
        """
def gradient_step(cost, values, rate):
    grad = cost(*[Scalar(v, name=k) for k, v in values.items()]).grad()
    return {k: v - rate * grad.get(k, 0.0) for k, v in values.items()}
""",
    ),
    (
        "u07-step",
        "takes an unused parameter's own value for its slope",
        """
def gradient_step(cost, values, rate):
    grad = cost(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
    return {k: v - rate * grad.get(k, v) for k, v in values.items()}
""",
    ),
    (
        "u07-step",
        "stays where it is if the step would make the cost rise",
        """
def gradient_step(cost, values, rate):
    before = cost(**{k: Scalar(v, name=k) for k, v in values.items()})
    grad = before.grad()
    moved = {k: v - rate * grad.get(k, 0.0) for k, v in values.items()}
    after = cost(**{k: Scalar(v, name=k) for k, v in moved.items()})
    return moved if after.value <= before.value else dict(values)
""",
    ),
]

# Answers that try to slip past the judge: right numbers by another way, or numbers that only look right.
TRICKS = [
    (
        "u05-multiply",
        "differences with a step so large that a product's are exact",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b, h = self.value, other.value, 0.5
        by_a, by_b = ((a + h) * b - (a - h) * b) / (2 * h), (a * (b + h) - a * (b - h)) / (2 * h)
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))
""",
    ),
    (
        "u05-multiply",
        "a complex step in place of the rule",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value
        by_a, by_b = ((a + 1e-20j) * b).imag / 1e-20, (a * (b + 1e-20j)).imag / 1e-20
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))
""",
    ),
    (
        "u05-multiply",
        "answers that are equal to everything",
        """
class Yes(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __rsub__(self, other): return 0.0
    def __le__(self, other): return True
    def __abs__(self): return 0.0
    __hash__ = float.__hash__

class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = Yes(value)
    def grad(self, g):
        return {"x": Yes(0), "y": Yes(0)}
    def __add__(self, other):
        return Scalar(0)
    def __mul__(self, other):
        return Scalar(0)
""",
    ),
    (
        "u05-multiply",
        "nan, which is never further off than a tolerance",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: {"x": float("nan"), "y": float("nan")})

    def __mul__(self, other):
        return Scalar(self.value * other.value, grad=lambda g: {"x": float("nan"), "y": float("nan")})
""",
    ),
    (
        "u05-multiply",
        "arrays of one number",
        "import numpy as np\n"
        + CLASS
        + """
    def __add__(self, other):
        a = np.atleast_1d(self.value) + np.atleast_1d(other.value)
        return Scalar(a, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = np.atleast_1d(self.value), np.atleast_1d(other.value)
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * b), other.grad(g * a)))
""",
    ),
    (
        "u05-multiply",
        "complex numbers with nothing imaginary",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = complex(float(self.value)), complex(float(other.value))
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * b), other.grad(g * a)))
""",
    ),
    (
        "u05-multiply",
        "single precision",
        "import numpy as np\n"
        + CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = np.float32(self.value), np.float32(other.value)
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * b), other.grad(g * a)))
""",
    ),
    (
        "u05-multiply",
        "right the first time only",
        CLASS
        + """
    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b, left = self.value, other.value, [1]
        def grad(g):
            g = g if left and left.pop() else 0.0
            return add_up(self.grad(g * b), other.grad(g * a))
        return Scalar(a * b, grad=grad)
""",
    ),
    (
        "u05-multiply",
        "the answer to the question before",
        CLASS
        + """
    last = [{"x": 1.0, "y": 1.0}]

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value
        def grad(g):
            Scalar.last.append(add_up(self.grad(g * b), other.grad(g * a)))
            return Scalar.last[-2]
        return Scalar(a * b, grad=grad)
""",
    ),
    (
        "u07-step",
        "differences with a step so large that a quadratic cost's are exact",
        """
def gradient_step(cost, values, rate):
    def at(name, value):
        return cost(**{k: Scalar(value if k == name else v, name=k) for k, v in values.items()}).value
    return {k: v - rate * (at(k, v + 0.5) - at(k, v - 0.5)) for k, v in values.items()}
""",
    ),
    (
        "u07-step",
        "a complex step on plain numbers",
        """
def gradient_step(cost, values, rate):
    out = {}
    for name, value in values.items():
        slope = (cost(**{**values, name: value + 1e-20j}) + 0j).imag / 1e-20
        out[name] = value - rate * slope
    return out
""",
    ),
    (
        "u07-step",
        "dual numbers, one pass for every parameter",
        """
class Dual:
    def __init__(self, a, b=0.0): self.a, self.b = a, b
    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.a + o.a, self.b + o.b)
    __radd__ = __add__
    def __sub__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.a - o.a, self.b - o.b)
    def __rsub__(self, o): return Dual(o - self.a, -self.b)
    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)
    __rmul__ = __mul__

def gradient_step(cost, values, rate):
    out = {}
    for name in values:
        slope = cost(**{k: Dual(v, float(k == name)) for k, v in values.items()}).b
        out[name] = values[name] - rate * slope
    return out
""",
    ),
    (
        "u07-step",
        "a dictionary that says it has what is asked for",
        """
class Any(dict):
    def get(self, *a): return 0.0
    def __eq__(self, other): return True
    def keys(self): return ["b", "w"]

def gradient_step(cost, values, rate):
    return Any({k: 0.0 for k in values})
""",
    ),
    (
        "u07-step",
        "the input is changed and put back as whole numbers",
        """
def gradient_step(cost, values, rate):
    grad = cost(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
    out = {k: v - rate * grad.get(k, 0.0) for k, v in values.items()}
    for k in values:
        values[k] = round(values[k])
    return out
""",
    ),
    (
        "u04-combine",
        "keys that print like the right ones",
        """
class Key(str):
    def __hash__(self): return 7
    def __eq__(self, other): return True

def combine_dicts(a, b, op=operator.add):
    return {Key(k): 0.0 for k in {**a, **b}}
""",
    ),
    (
        "u04-combine",
        "a view whose values come when they are asked for",
        """
from collections import UserDict

def combine_dicts(a, b, op=operator.add):
    return UserDict({k: op(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}})
""",
    ),
    (
        "u04-combine",
        "values as texts",
        """
def combine_dicts(a, b, op=operator.add):
    return {k: str(op(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k))) for k in {**a, **b}}
""",
    ),
    (
        "u04-combine",
        "a lambda instead of the operator, chosen by its name",
        """
def combine_dicts(a, b, op=operator.add):
    known = {"add": lambda p, q: p + q, "mul": lambda p, q: p * q}
    use = known.get(op.__name__, known["add"])
    return {k: use(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
""",
    ),
    (
        "u04-combine",
        "the second input is emptied after it was used",
        """
def combine_dicts(a, b, op=operator.add):
    out = {k: op(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
    b.clear()
    return out
""",
    ),
]
WRONG += TRICKS

# The names that may be said of an answer; of the others none is known.
NAMES = {
    "gives one dictionary itself back where the other is empty": "M03",
    "starts from the second, so the operator gets its value first": "op-swapped",
    "a finite difference in place of the rule": "one-sided-difference",
    "a complex step on plain numbers": "one-by-one",
    "differences with a step so large that a quadratic cost's are exact": "one-by-one",
    "dual numbers, one pass for every parameter": "one-by-one",
    "the input is changed and put back as whole numbers": "M48",
    "the second input is emptied after it was used": "M03",
}


def result(exercise, source=None):
    """What an answer, or the solution, comes to after the unit's first cells."""
    cells = read(Path(course.units.__path__[0]) / unit_of(exercise) / "exercises.py")
    namespace = {"__name__": "__main__"}
    for cell in cells:
        if cell.type == "code" and cell.role != "check":
            exec(source if source is not None and cell.id == exercise else cell.source, namespace)
    return check_namespace(find(exercise), namespace)


@pytest.mark.parametrize(
    ("exercise", "what", "source"),
    [pytest.param(*row, id=f"{row[0]}: {row[1]}") for row in WRONG],
)
def test_it_is_rejected(exercise, what, source):
    found = result(exercise, source)
    assert found.status != "pass"
    assert found.points < found.max_points
    assert found.mistake is None or found.mistake.name == NAMES.get(what)


@pytest.mark.parametrize("exercise", sorted({exercise for exercise, _, _ in WRONG}))
def test_the_solution_is_not(exercise):
    found = result(exercise)
    assert (found.status, found.points) == ("pass", found.max_points)
    assert sum(e == exercise for e, _, _ in WRONG) >= 3

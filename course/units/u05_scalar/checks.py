"""Checks of unit 5. No answer stands here: values come from running the program on plain numbers,
slopes from the complex step, with a central difference beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from course.checking.exercise import Answer, Case, Exercise, Signature, Verdict, answers_like, compare
from course.checking.truth import slopes
from course.units.u05_scalar import probes

PLAIN = ("x · y", "x + y", "x · y + x", "(x + y) · y")
REUSED = ("x · x", "x + x", "(x + y) · (x + y)", "a + a · a, with a = x · y")
CONSTANTS = "2 · x + 3, with constants"


def _run(program: str, x: Any, y: Any) -> Any:
    return probes.PROGRAMS[program](lambda value: value, x, y)


def multiply_cases(rng: np.random.Generator) -> list[Case]:
    """Every program at fresh numbers, apart from each other, from 0 and from 1; then a product at 0."""
    cases = []
    for program in (*PLAIN, *REUSED, CONSTANTS):
        x, y, g = (float(v) for v in rng.uniform(1.2, 2.9, 3) * rng.choice([-1.0, 1.0], 3))
        family = "values" if program in PLAIN else "reuse" if program in REUSED else "state"
        data = {"program": program, "x": x, "y": y, "g": g, "edit": False}
        cases.append(Case(f"{program} at x = {x:.4g}, y = {y:.4g}, g = {g:.4g}", ("forward", family), data))
    last = {**cases[0].data, "edit": True}
    name = "x · y, whose x and y get new values between the forward and the backward pass"
    zero = {**cases[0].data, "x": 0.0}
    at_zero = f"x · y at x = 0, y = {zero['y']:.4g}, g = {zero['g']:.4g}"
    return [*cases, Case(name, ("forward", "state"), last), Case(at_zero, ("forward", "values"), zero)]


def multiply_judge(case: Case, answer: Answer) -> list[Verdict]:
    """The value against plain arithmetic, the slopes against numerical derivatives, twice."""
    data, family = case.data, case.families[1]
    program, x, y, g = data["program"], data["x"], data["y"], data["g"]
    verdicts = [compare("forward", answer.get("value"), _run(program, x, y), "the value")]
    truth = slopes(lambda p, q: _run(program, p, q), x, y, g=g)
    for name, (want, shown) in zip("xy", truth, strict=True):
        where = f"the gradient of {name}"
        verdicts.append(compare(family, answer.get(f"d/d{name}"), want, where, shown=shown))
        first = answer.get(f"d/d{name}")
        if verdicts[-1].status in ("pass", "wrong_value"):  # asked again, the same must come
            again = answer.get(f"again d/d{name}")
            verdicts.append(compare("state", again, float(first or 0), f"{where}, asked a second time"))
    verdicts.append(compare("state", answer.get("other names"), 0.0, "names in the answer besides x and y"))
    return verdicts


class _Model:
    """Arithmetic of a Scalar with a wrong rule: predicts what a mistake answers."""

    def __init__(self, value: float, parts: Any, mistake: str) -> None:
        self.value, self.parts, self.mistake = value, parts, mistake

    def _join(self, value: float, left: tuple[_Model, float], right: tuple[_Model, float]) -> _Model:
        def parts(g: float) -> dict[str, float]:
            arriving = 1.0 if self.mistake == "M14" else g
            one = left[0].parts(arriving * left[1])
            two = right[0].parts(arriving * right[1])
            if self.mistake == "M02":
                return {**one, **two}
            if self.mistake == "M02-left":
                return {**two, **one}
            return {k: one.get(k, 0.0) + two.get(k, 0.0) for k in one | two}

        return _Model(value, parts, self.mistake)

    def __add__(self, other: _Model) -> _Model:
        return self._join(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other: _Model) -> _Model:
        a, b = self.value, other.value
        slopes = {"M16": (a, b), "as-plus": (1.0, 1.0)}.get(self.mistake, (b, a))
        return self._join(a * b, (self, slopes[0]), (other, slopes[1]))


def _predict(mistake: str, case: Case) -> dict[str, float]:
    data = case.data
    x = _Model(data["x"], lambda g: {"x": g}, mistake)
    y = _Model(data["y"], lambda g: {"y": g}, mistake)
    out = probes.PROGRAMS[data["program"]](lambda v: _Model(v, lambda g: {}, mistake), x, y)
    parts = out.parts(data["g"])
    return {f"d/d{name}": parts.get(name, 0.0) for name in "xy"}


def _like(mistake: str) -> Any:
    return answers_like(lambda case: _predict(mistake, case))


def _reads_late(case: Case, answer: Any) -> bool:
    """Right wherever values stay, and the slopes of the new values where they changed."""
    data = case.data
    if not data["edit"]:
        return False
    late = {"d/dx": data["g"] * (data["y"] - 2.0), "d/dy": data["g"] * (data["x"] + 1.0)}
    return answers_like(lambda _: late)(case, answer)


class _Adds:
    """A number whose product has the value of the sum."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __add__(self, other: _Adds) -> _Adds:
        return _Adds(self.value + other.value)

    __mul__ = __add__


def _adds_values(case: Case, answer: Any) -> bool:
    data = case.data
    out = probes.PROGRAMS[data["program"]](_Adds, _Adds(data["x"]), _Adds(data["y"]))
    return answers_like(lambda _: {"value": out.value})(case, answer)


EXERCISES = [
    Exercise(
        id="u05-multiply",
        points=5,
        needs=("Scalar",),
        cases=multiply_cases,
        probe=probes.multiply,
        judge=multiply_judge,
        families={"forward": 0.2, "values": 0.4, "reuse": 0.25, "state": 0.15},
        labels={
            "forward": "sums and products have the right value",
            "values": "gradients where each leaf is used once or twice",
            "reuse": "gradients where one value is used again",
            "state": "constants, a second call, values changed later",
        },
        signatures=[
            Signature("M16", _like("M16")),
            Signature("M14", _like("M14")),
            Signature("M02", _like("M02"), same_as=("M01",)),
            Signature(
                "M02-left",
                _like("M02-left"),
                title="keeps the left operand's part where both have one",
                hint="Try x + x. Two roads lead to x; how many of them does your answer count?",
            ),
            Signature(
                "as-plus",
                _like("as-plus"),
                title="uses the rule of plus for times",
                hint="Nudge x by 0.1 in x · 5. By how much does the product move?",
            ),
            Signature("M47", _reads_late),
            Signature(
                "value-of-sum",
                _adds_values,
                title="gives a product the value of the sum",
                hint="Print the value of x · y at x = 2, y = 5, before asking for any gradient.",
            ),
        ],
        hints=(
            "Nudge x a little in x · y. Which number decides how much the product moves?",
            "Try x = 2, y = 5 by hand, with g = 1, then with g = 10. Then x · x at 3.",
            "Each operand is asked once: with what arrives, times how strongly the result follows that "
            "operand. Keep the numbers that the rule needs at the time of multiplying.",
        ),
    )
]

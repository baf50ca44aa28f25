"""Checks of unit 5. No answer stands here: values come from running the program on plain numbers,
slopes from the complex step, with a central difference beside it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from course.checking.differences import Slopes, difference_signatures, exact
from course.checking.exercise import (
    Answer,
    Case,
    Exercise,
    Signature,
    Verdict,
    answers_like,
    compare,
    confirm,
)
from course.checking.truth import true_gradients
from course.units.u05_scalar import probes

PLAIN = ("x · y", "x + y", "x · y + x", "(x + y) · y")
REUSED = ("x · x", "x + x", "(x + y) · (x + y)", "a + a · a, with a = x · y")
PRODUCTS = 4  # x · y itself, g times each slope, and one to spare; a difference needs more
CONSTANTS = "2 · x + 3, with constants"


def _run(program: str, x: Any, y: Any) -> Any:
    return probes.PROGRAMS[program](lambda value: value, x, y)


def multiply_cases(rng: np.random.Generator) -> list[Case]:
    """Every program at fresh numbers, apart from each other, from 0 and from 1; then a product at 0."""
    cases = []
    for program in (*PLAIN, *REUSED, CONSTANTS):
        x, y, g = (float(v) for v in rng.uniform(1.2, 2.9, 3) * rng.choice([-1.0, 1.0], 3))
        family = "values" if program in PLAIN else "reuse" if program in REUSED else "state"
        data = {"program": program, "x": x, "y": y, "g": g, "edit": False, "count": False}
        cases.append(Case(f"{program} at x = {x:.4g}, y = {y:.4g}, g = {g:.4g}", ("forward", family), data))
    first = cases[0].data
    at, values = f"at x = {first['x']:.4g}, y = {first['y']:.4g}, g = {first['g']:.4g}", ("forward", "values")
    late = "x · y, whose x and y get new values between the forward and the backward pass"
    return [
        *cases,
        Case(late, ("forward", "state"), {**first, "edit": True}),
        Case(f"x · y at x = 0, y = {first['y']:.4g}, g = {first['g']:.4g}", values, {**first, "x": 0.0}),
        Case(f"x · y {at}, with every multiplication counted", values, {**first, "count": True}),
    ]


def multiply_judge(case: Case, answer: Answer) -> list[Verdict]:
    """The value against plain arithmetic, the slopes against numerical derivatives, twice."""
    data, family = case.data, case.families[1]
    program, x, y, g = data["program"], data["x"], data["y"], data["g"]
    verdicts = [compare("forward", answer.get("value"), _run(program, x, y), "the value")]
    truths = true_gradients(lambda p, q: _run(program, p, q), x, y, g=g)
    for name, truth in zip("xy", truths, strict=True):
        where = f"the gradient of {name}"
        first = answer.get(f"d/d{name}")
        verdicts.append(truth.against(family, first, where))
        if verdicts[-1].status in ("pass", "wrong_value"):  # asked again, the same must come
            again = answer.get(f"again d/d{name}")
            verdicts.append(compare("state", again, float(first or 0), f"{where}, asked a second time"))
    if data["count"]:
        got, want = f"{answer['products']}", f"at most {PRODUCTS}"
        verdicts.append(confirm(family, answer["products"] <= PRODUCTS, "multiplications", got, want))
    verdicts.append(compare("state", answer.get("other names"), 0.0, "names in the answer besides x and y"))
    return verdicts


class _Model:
    """Arithmetic of a Scalar with a wrong rule: predicts what a mistake answers."""

    def __init__(self, value: float, parts: Any, mistake: str, slopes: Slopes = exact) -> None:
        self.value, self.parts, self.mistake, self.slopes = value, parts, mistake, slopes

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

        return _Model(value, parts, self.mistake, self.slopes)

    def __add__(self, other: _Model) -> _Model:
        return self._join(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other: _Model) -> _Model:
        p, q = self.value, other.value
        if self.mistake == "differences":
            left, right = self.slopes(operator.mul, p, q)
        else:
            left, right = {"M16": (p, q), "as-plus": (1.0, 1.0)}.get(self.mistake, (q, p))
        return self._join(p * q, (self, left), (other, right))


def _predict(mistake: str, case: Case, slopes: Slopes = exact) -> dict[str, float]:
    data = case.data

    def model(value: float, parts: Any = lambda g: {}) -> _Model:
        return _Model(value, parts, mistake, slopes)

    x, y = model(data["x"], lambda g: {"x": g}), model(data["y"], lambda g: {"y": g})
    out = probes.PROGRAMS[data["program"]](model, x, y)
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
            Signature("M16", _like("M16"), everywhere=True),
            Signature("M14", _like("M14"), everywhere=True),
            Signature("M02", _like("M02"), everywhere=True, same_as=("M01",)),
            Signature(
                "M02-left",
                _like("M02-left"),
                everywhere=True,
                title="keeps the left operand's part where both have one",
                hint="Try x + x. Two roads lead to x; how many of them does your answer count?",
            ),
            Signature(
                "as-plus",
                _like("as-plus"),
                everywhere=True,
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
            *difference_signatures(lambda case, slopes: _predict("differences", case, slopes)),
        ],
        family_hints={
            "values": "Nudge one factor and hold the other: by how much does the product move?",
            "reuse": "Two roads lead to the same leaf. Does what comes along each of them arrive?",
            "state": "Which numbers does your grad read when it is called, and could they have changed?",
        },
        hints=(
            "Nudge x a little in x · y. Which number decides how much the product moves?",
            "Try x = 2, y = 5 by hand, with g = 1, then with g = 10. Then x · x at 3.",
            "Each operand is asked once: with what arrives, times how strongly the result follows that "
            "operand. Keep the numbers that the rule needs at the time of multiplying.",
        ),
    )
]

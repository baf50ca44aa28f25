"""Checks of unit 7. The right step is worked out here from numerical slopes of the cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from course.checking.differences import Slopes, difference_signatures
from course.checking.exercise import (
    Answer,
    Case,
    Exercise,
    Raised,
    Signature,
    Verdict,
    answers_like,
    compare,
    confirm,
)
from course.checking.truth import true_gradients
from course.units.u07_regression import probes

LINE, CUBIC, ORIGIN, SUM, UNUSED = probes.COSTS
CALLS = 2  # of the cost in one step, whatever the number of parameters: once for the slopes, once to look at


def _case(rng: np.random.Generator, cost: str, names: str, families: tuple[str, ...], rate: float) -> Case:
    xs = rng.uniform(0.5, 2.5, 4) * rng.choice([-1.0, 1.0], 4)
    values = rng.uniform(0.6, 1.9, len(names.split())) * rng.choice([-1.0, 1.0], len(names.split()))
    ys = rng.uniform(2.0, 5.0, 4)
    name = f"{cost}, rate {rate:g}"
    return Case(
        name, families, {"cost": cost, "names": names, "xs": xs, "ys": ys, "values": values, "rate": rate}
    )


def step_cases(rng: np.random.Generator) -> list[Case]:
    """One, two, three parameters; rates from none to one that overshoots; a parameter without use."""
    rates = [round(float(r), 4) for r in rng.uniform(0.03, 0.3, 4)]
    return [
        _case(rng, ORIGIN, "w", ("forward",), rates[0]),
        _case(rng, LINE, "b w", ("values",), rates[1]),
        _case(rng, LINE, "w b", ("values",), rates[2]),
        _case(rng, CUBIC, "b w p q", ("values",), rates[1] / 10),
        _case(rng, SUM, "a b w", ("reuse",), rates[3]),
        _case(rng, LINE, "b w", ("state",), 0.0),
        _case(rng, UNUSED, "b w c", ("state",), rates[0]),
        _case(rng, ORIGIN, "w", ("state",), 6.0),
    ]


def _cost(case: Case) -> Callable[..., Any]:
    xs, ys = (list(map(float, case.data[key])) for key in ("xs", "ys"))
    names = case.data["names"].split()
    cost: Any = probes.COSTS[case.data["cost"]]
    return lambda *values: cost(xs, ys, **dict(zip(names, values, strict=True)))


def _slopes(case: Case, at: dict[str, float], nudged: bool = False) -> dict[str, float]:
    """The slope of the cost in each parameter: exact, or by central differences."""
    truths = true_gradients(_cost(case), *at.values())
    return {name: t.shown if nudged else t.value for name, t in zip(at, truths, strict=True)}


def _values(case: Case) -> dict[str, float]:
    return dict(zip(case.data["names"].split(), map(float, case.data["values"]), strict=True))


def _moved(case: Case, nudged: bool = False) -> dict[str, float]:
    values, rate = _values(case), case.data["rate"]
    found = _slopes(case, values, nudged)
    return {name: values[name] - rate * found[name] for name in values}


def step_judge(case: Case, answer: Answer) -> list[Verdict]:
    """Each parameter's new value, and what must stay as it was."""
    family = case.families[-1]
    kind = confirm("forward", answer.get("is a dictionary"), "the answer", "no dictionary", "a dictionary")
    if kind.status != "pass":
        return [kind, *(Verdict(f, "wrong_dtype", kind.got, kind.want, kind.where) for f in case.families)]
    names = " ".join(sorted(_values(case)))
    verdicts = [
        kind,
        confirm(family, answer["names"] == names, "the names", answer["names"] or "none", names),
    ]
    shown = _moved(case, nudged=True)
    for name, want in _moved(case).items():
        where = f"the new {name}"
        verdicts.append(compare(family, answer.get(f"new {name}"), want, where, shown=shown[name]))
    calls = answer["calls of the cost"]
    if len(_values(case)) > CALLS:
        few, asked = f"at most {CALLS} calls", f"{calls} calls"
        verdicts.append(confirm(family, calls <= CALLS, "how often the cost was called", asked, few))
    kept, new = answer.get("values are unchanged"), answer.get("is new")
    verdicts.append(confirm("state", kept, "your input values, after the call", "changed", "as they were"))
    verdicts.append(confirm("state", new, "the answer", "the dictionary you were handed", "a new dictionary"))
    return verdicts


def _like(predict: Callable[[Case], dict[str, float]]) -> Any:
    return answers_like(lambda case: {f"new {name}": value for name, value in predict(case).items()})


def _scaled(factor: Callable[[Case], float]) -> Callable[[Case], dict[str, float]]:
    """The step with another factor in place of the rate."""

    def predict(case: Case) -> dict[str, float]:
        values = _values(case)
        found = _slopes(case, values)
        return {name: values[name] - factor(case) * found[name] for name in values}

    return predict


def _one_after_the_other(case: Case) -> dict[str, float]:
    values = _values(case)
    for name in list(values):
        values[name] -= case.data["rate"] * _slopes(case, values)[name]
    return values


def _only_first(case: Case) -> dict[str, float]:
    moved, values = _moved(case), _values(case)
    return {name: moved[name] if k == 0 else values[name] for k, name in enumerate(values)}


def _slopes_only(case: Case) -> dict[str, float]:
    return {name: case.data["rate"] * slope for name, slope in _slopes(case, _values(case)).items()}


def _by_differences(case: Case, slopes: Slopes) -> dict[str, float]:
    values = _values(case)
    found = dict(zip(values, slopes(_cost(case), *values.values()), strict=True))
    return {f"new {name}": values[name] - case.data["rate"] * found[name] for name in values}


def _one_by_one(case: Case, answer: Any) -> bool:
    """All numbers right, and at least one call of the cost for each parameter."""
    return bool(_like(_moved)(case, answer)) and answer["calls of the cost"] >= len(_values(case)) > CALLS


def _changes_input(case: Case, answer: Any) -> bool:
    kept = answer["values are unchanged"], answer["is new"]
    return bool(_like(_moved)(case, answer)) and 0.0 in kept


def _forgets_unused(case: Case, answer: Any) -> bool:
    """Right for the parameters that the cost uses; fails, or leaves it out, where one isn't used."""
    if case.data["cost"] != UNUSED:
        return False
    if isinstance(answer, Raised):
        return answer.type == "KeyError"
    used = {name: value for name, value in _moved(case).items() if name != "c"}
    return "new c" not in answer and bool(_like(lambda _: used)(case, answer))


EXERCISES = [
    Exercise(
        id="u07-step",
        points=5,
        needs=("gradient_step",),
        cases=step_cases,
        probe=probes.step,
        judge=step_judge,
        families={"forward": 0.2, "values": 0.4, "reuse": 0.25, "state": 0.15},
        labels={
            "forward": "one parameter moves downhill",
            "values": "two parameters move, from one point",
            "reuse": "three parameters that depend on each other",
            "state": "rates 0 and large, an unused parameter, inputs left alone",
        },
        signatures=[
            Signature("M32", _like(_one_after_the_other), everywhere=True),
            Signature(
                "uphill",
                _like(_scaled(lambda case: -case.data["rate"])),
                everywhere=True,
                title="walks uphill",
                hint="Compute the cost before and after your step. Which way did it go?",
            ),
            Signature(
                "no-rate",
                _like(_scaled(lambda case: 1.0)),
                everywhere=True,
                title="leaves the rate out",
                hint="Call it with rate 0. Where should you end up?",
            ),
            Signature(
                "first-only",
                _like(_only_first),
                everywhere=True,
                title="moves the first parameter only",
                hint="Which of the parameters moved, and which still stand where they stood?",
            ),
            Signature(
                "change-only",
                _like(_slopes_only),
                everywhere=True,
                title="returns how far to move, not where to",
                hint="With rate 0 nothing should move. What does your function answer then?",
            ),
            Signature("M48", _changes_input),
            Signature(
                "unused-parameter",
                _forgets_unused,
                title="has no answer for a parameter that the cost doesn't use",
                hint="A gradient dictionary holds the leaves that were used. What if one of yours wasn't?",
            ),
            Signature(
                "one-by-one",
                _one_by_one,
                title="asks for the cost once or more for every parameter",
                hint="With a thousand parameters, how often would you build the graph? How often must you?",
            ),
            *difference_signatures(_by_differences),
        ],
        family_hints={
            "values": "Work one step out by hand for b and w. Which of the two moved as it should?",
            "reuse": "How many graphs does one step need, and how many slopes does one of them hold?",
            "state": "Try the rate 0, a large rate, and a parameter that the cost ignores.",
        },
        hints=(
            "At how many different points do you take a slope during one step?",
            "Take the example, add a parameter c that the cost ignores, and print the gradient dictionary.",
            "First make a leaf for every value, then one cost, then one gradient. Only when all slopes are "
            "there do you compute the new numbers.",
        ),
    )
]

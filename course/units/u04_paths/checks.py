"""Checks of unit 4. What a merge must hold is worked out here, from the case, for each key by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

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
from course.units.u04_paths import probes


def _case(rng: np.random.Generator, name: str, families: tuple[str, ...], a: str, b: str, op: str) -> Case:
    signs = [rng.choice([-1.0, 1.0], len(keys.split())) for keys in (a, b)]
    sizes = [rng.uniform(1.2, 4.0, len(keys.split())) for keys in (a, b)]
    a_values, b_values = signs[0] * sizes[0], signs[1] * sizes[1]
    data = {"a keys": a, "b keys": b, "a values": a_values, "b values": b_values, "op": op}
    return Case(name, families, data)


def combine_cases(rng: np.random.Generator) -> list[Case]:
    """Keys apart, shared, on one side; three operators; empty dictionaries; the default."""
    both = ("forward", "values")
    zero = _case(rng, "one key in common, 0 in the first, multiplying", ("reuse",), "p q", "q r", "multiply")
    zero.data["a values"][1] = 0.0
    return [
        _case(rng, "no key in common, the default operator", ("forward",), "p q", "r", ""),
        _case(rng, "one key in common, the default operator", ("values",), "p q", "q r", ""),
        _case(rng, "all keys in common, adding", ("values",), "p q", "q p", "add"),
        _case(rng, "one key in common, subtracting", ("reuse",), "p q", "q r", "subtract"),
        _case(rng, "one key in common, multiplying", ("reuse",), "p q s", "s r", "multiply"),
        _case(rng, "the first dictionary empty", (*both, "state"), "", "p q", "multiply"),
        _case(rng, "the second dictionary empty", ("state",), "p q", "", "subtract"),
        _case(rng, "keys in common, and the inputs looked at afterwards", ("state",), "p q", "q r", "add"),
        zero,
    ]


def _sides(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    data = case.data
    a, b = (dict(zip(data[f"{s} keys"].split(), map(float, data[f"{s} values"]), strict=True)) for s in "ab")
    return a, b


def _operator(case: Case) -> Callable[[float, float], float]:
    return probes.OPERATORS[case.data["op"] or "add"]


def combine_judge(case: Case, answer: Answer) -> list[Verdict]:
    """Each key by itself: the parts that were there, put together."""
    sides, op = _sides(case), _operator(case)
    family = case.families[-1]
    kind = confirm("forward", answer.get("is a dictionary"), "the answer", "no dictionary", "a dictionary")
    if kind.status != "pass":
        return [kind, *(Verdict(f, "wrong_dtype", kind.got, kind.want, kind.where) for f in case.families)]
    keys = sorted({key for side in sides for key in side})
    shown = answer["keys"] or "none"
    same = confirm(family, shown == (" ".join(keys) or "none"), "the keys", shown, " ".join(keys) or "none")
    verdicts = [kind, same]
    for key in keys:
        want = functools.reduce(op, (side[key] for side in sides if key in side))
        verdicts.append(compare(family, answer.get(f"value {key}"), want, f"the value of {key!r}"))
    for thing in ("a is unchanged", "b is unchanged", "is new"):
        side = thing.split()[0]
        where = "the answer" if side == "is" else f"your input {side}, after the call"
        got, wanted = ("one of the inputs", "a new dictionary") if side == "is" else ("changed", "as it was")
        verdicts.append(confirm("state", answer.get(thing), where, got, wanted))
    return verdicts


def _like(predict: Callable[[dict[str, float], dict[str, float], Any], dict[str, float]]) -> Any:
    """Recognises answers whose keys and values are all as predicted."""

    def recognise(case: Case, answer: Any) -> bool:
        predicted = predict(*_sides(case), _operator(case))
        if answer["keys"].split() != sorted(predicted):
            return False
        numbers = {f"value {key}": value for key, value in predicted.items()}
        return not numbers or answers_like(lambda _: numbers)(case, answer)

    return recognise


def _mutates(case: Case, answer: Any) -> bool:
    """The right numbers, in one of the inputs."""
    right = _like(
        lambda a, b, op: {k: functools.reduce(op, (s[k] for s in (a, b) if k in s)) for k in {*a, *b}}
    )
    kept = answer["a is unchanged"], answer["b is unchanged"], answer["is new"]
    return bool(right(case, answer)) and 0.0 in kept


def _zero(a: dict[str, float], b: dict[str, float], op: Any) -> dict[str, float]:
    return {k: op(a.get(k, 0.0), b.get(k, 0.0)) for k in {*a, *b}}


EXERCISES = [
    Exercise(
        id="u04-combine",
        points=6,
        needs=("combine_dicts",),
        cases=combine_cases,
        probe=probes.combine,
        judge=combine_judge,
        families={"forward": 0.2, "values": 0.4, "reuse": 0.25, "state": 0.15},
        labels={
            "forward": "a dictionary comes back, with keys kept apart",
            "values": "shared keys are put together",
            "reuse": "any operator, in the right order",
            "state": "empty dictionaries, inputs left alone",
        },
        signatures=[
            Signature("M02", _like(lambda a, b, op: {**a, **b}), everywhere=True),
            Signature(
                "M02-left",
                _like(lambda a, b, op: {**b, **a}),
                everywhere=True,
                title="keeps the first dictionary's value where both have the key",
                hint="Look at a key that both hold. Where did the second one's number go?",
            ),
            Signature("M03", _mutates),
            Signature(
                "op-ignored",
                _like(lambda a, b, op: _zero(a, b, lambda p, q: p + q)),
                everywhere=True,
                title="adds, whatever operator it is handed",
                hint="Call it with multiplication. Is the answer another one than with addition?",
            ),
            Signature(
                "op-swapped",
                _like(lambda a, b, op: {**a, **b, **{k: op(b[k], a[k]) for k in a.keys() & b.keys()}}),
                everywhere=True,
                title="hands the operator its arguments the wrong way round",
                hint="Which operators care about the order of their two numbers? Try one of those.",
            ),
            Signature(
                "missing-is-zero",
                _like(_zero),
                everywhere=True,
                title="takes a missing key for 0 and applies the operator anyway",
                hint="Take a key that only the second dictionary has, and subtract. Should its sign change?",
            ),
            Signature(
                "shared-only",
                _like(lambda a, b, op: {k: op(a[k], b[k]) for k in a.keys() & b.keys()}),
                everywhere=True,
                title="keeps only the keys that both have",
                hint="Count the keys before and after. Which ones are gone?",
            ),
        ],
        hints=(
            "Go through the keys one at a time: which of the two dictionaries has it?",
            "Try {'x': 2} with {'x': 3, 'y': 4}, adding; then subtracting; then with an empty one.",
            "There are three kinds of keys: only in the first, only in the second, in both. "
            "The operator has work in one of them. The answer is a dictionary of its own.",
        ),
    )
]

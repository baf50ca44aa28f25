"""A tiny unit whose probe hands `ask` on: three engines stand out of reach, and one of them is wrong."""

from dataclasses import replace

import numpy as np

from course.checking.exercise import Case, Exercise, confirm
from course.grading.unit import Unit

PROBES = '''
def hunt(names, case, ask):
    """Let the student's code find the wrong engine."""
    return {"found": names["hunt"](ask, case.data["engines"], case.data["x"])}
'''
ASKS = 5

namespace = {}
exec(PROBES, namespace)  # the instructor's text, in the instructor's process


def cases(rng):
    return [Case("a hunt", ("forward",), {"engines": ["a", "b", "c"], "x": rng.uniform(1, 2, 3)})]


def wrong_one(case):
    """Which engine is wrong: it depends on what was drawn."""
    return "abc"[int(1000 * case.data["x"][0]) % 3]


def oracle(case):
    def engine(name, x):
        if name not in case.data["engines"]:
            raise LookupError("a text that nobody may read")
        return np.cos(x) + (0.1 if name == wrong_one(case) else 0.0)

    return engine


def judge(case, answer):
    good = answer.get("found") == wrong_one(case)
    return [confirm("forward", float(good), "the wrong engine", "another", "the wrong one")]


EXERCISE = Exercise(
    id="u98-hunt",
    points=8,
    needs=("hunt",),
    cases=cases,
    probe=namespace["hunt"],
    judge=judge,
    families={"forward": 1.0},
    labels={"forward": "the wrong engine"},
    signatures=[],
    hints=("first", "second", "third"),
    oracle=oracle,
    asks=ASKS,
)


def units():
    """All there are."""
    return [Unit("u98_hunt", {EXERCISE.id: EXERCISE}, (), PROBES, "0123456789ab")]


def units_with_a_broken_oracle():
    """Nothing can be asked here, and that is no student's fault."""

    def broken(case):
        raise RuntimeError("a bug of ours")

    made = replace(EXERCISE, oracle=broken)
    return [Unit("u98_hunt", {EXERCISE.id: made}, (), PROBES, "0123456789ab")]

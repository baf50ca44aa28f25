"""A tiny unit of two exercises, importable wherever an answer is judged."""

import os
from dataclasses import replace
from pathlib import Path

from course.checking.exercise import Case, Exercise, Signature, answers_like, compare
from course.grading.unit import Unit

PROBES = '''
import numpy as np


def ask(names, case):
    """Call the one function there is, with a number and with an array."""
    (function,) = names.values()
    x = case.data["x"]
    return {"one": function(float(x[0])), "many": function(np.array(x))}
'''

DEATHS = "DEATHS_OF_THE_GRADER"

namespace = {}
exec(PROBES, namespace)  # the instructor's text, in the instructor's process


def cases(rng):
    return [Case(f"numbers {k}", ("forward", "values"), {"x": rng.uniform(1, 2, 3)}) for k in range(3)]


def exercise(name, needs, factor):
    def judge(case, answer):
        x = case.data["x"]
        one = compare("forward", answer["one"], factor * x[0], "one number")
        return [one, compare("values", answer["many"], factor * x, "an array")]

    return Exercise(
        id=name,
        points=5,
        needs=(needs,),
        cases=cases,
        probe=namespace["ask"],
        judge=judge,
        families={"forward": 0.4, "values": 0.6},
        labels={"forward": "one number", "values": "an array"},
        signatures=[
            Signature("as-is", answers_like(lambda c: {"one": c.data["x"][0]}), "does nothing", "Look.")
        ],
        hints=("first", "second", "third"),
    )


def unit():
    """The unit; each process makes its own."""
    exercises = {
        "u99-double": exercise("u99-double", "double", 2.0),
        "u99-triple": exercise("u99-triple", "triple", 3.0),
    }
    return Unit("u99_fake", exercises, (), PROBES, "0123456789ab")


def units():
    """All there are."""
    return [unit()]


def units_with_a_bug():
    """The judges of these fail."""

    def judge(case, answer):
        raise RuntimeError("a bug of ours")

    return [_judged_by(lambda exercise: judge)]


def units_that_end_the_grader():
    """The judges of these end their own process, as often as the file that DEATHS names has letters."""

    def judge_of(exercise):
        def judge(case, answer):
            left = Path(os.environ[DEATHS])
            if deaths := left.read_text(encoding="utf-8"):
                left.write_text(deaths[1:], encoding="utf-8")
                os._exit(9)
            return exercise.judge(case, answer)

        return judge

    return [_judged_by(judge_of)]


def _judged_by(judge_of):
    made = unit()
    exercises = {n: replace(e, judge=judge_of(e)) for n, e in made.exercises.items()}
    return replace(made, exercises=exercises)

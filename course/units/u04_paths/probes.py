"""Probes of unit 4: call the student's function and bring back plain numbers."""

import operator

OPERATORS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}


def combine(names, case):
    """One merge: what came out, key by key, and whether the inputs stayed as they were."""
    data = case.data
    a = dict(zip(data["a keys"].split(), [float(v) for v in data["a values"]]))
    b = dict(zip(data["b keys"].split(), [float(v) for v in data["b values"]]))
    before = dict(a), dict(b)
    function = names["combine_dicts"]
    out = function(a, b) if data["op"] == "" else function(a, b, OPERATORS[data["op"]])
    answer = {"a is unchanged": float(a == before[0]), "b is unchanged": float(b == before[1])}
    answer["is a dictionary"] = float(isinstance(out, dict))
    if isinstance(out, dict):
        answer["is new"] = float(out is not a and out is not b)
        answer["keys"] = " ".join(sorted(map(str, out)))
        answer.update({f"value {key}": value for key, value in out.items()})
    return answer

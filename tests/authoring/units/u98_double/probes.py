"""What is asked of the student's code."""


def double(names, case):
    return {"y": names["double"](case.data["x"])}


def line(names, case):
    made = names["Line"](case.data["a"], case.data["c"])
    return {"y": made.at(case.data["x"]), "slope": made.slope()}

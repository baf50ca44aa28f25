"""Mistakes that come back in several exercises: their names, and the first hint for each.

A hint turns the eye to the right place; it holds no formula and no code.
"""

from __future__ import annotations

LIBRARY: dict[str, tuple[str, str]] = {
    "M01": (
        "overwrites instead of adding",
        "Count the roads that lead from the result back to this leaf. Does each of them leave something?",
    ),
    "M02": (
        "lets one side win where both have the key",
        "Look at a key that both dictionaries hold. Whose number came out, and where did the other one go?",
    ),
    "M03": ("changes the dictionary it was handed", "Print your input before and after the call."),
    "M14": (
        "drops the incoming gradient",
        "Something arrives from above. Double it: does everything you send on double too?",
    ),
    "M16": (
        "uses each factor's own value as its slope in a product",
        "Cover one factor with a finger and nudge it: which number says how fast the product moves?",
    ),
    "M32": (
        "updates one parameter after the other",
        "Were all slopes taken at the same place, or had you already moved when you took the second?",
    ),
    "M47": (
        "reads values after they changed",
        "Between the forward and the backward pass a value may change. Which one made the result?",
    ),
    "M48": (
        "changes what it was handed",
        "Is it yours to change? Compare your inputs before and after the call.",
    ),
    "one-sided-difference": (
        "takes a difference to one side in place of a derivative",
        "Your slope is right to some digits and changes with your step. What would it be without a step?",
    ),
    "central-difference": (
        "takes a central difference in place of a derivative",
        "Differences are how an answer is checked. Which rule gives all the digits, without a step?",
    ),
    "higher-order-difference": (
        "takes a difference of higher order in place of a derivative",
        "Many more digits than a plain difference, and still not all. Which rule needs no step at all?",
    ),
}

"""Arithmetic on arrays, entry by entry: each row with its rules beside it.

Needs primitive.py. Operands broadcast; whoever hands a gradient on sums it back to the operand's shape, so
no rule has to. Read in U10 and U11.
"""

from __future__ import annotations

import numpy as np

from autodiff.primitive import POSITIVE, elementwise

add = elementwise("add", "+", np.add, a=lambda g: g, b=lambda g: g)
subtract = elementwise("subtract", "−", np.subtract, a=lambda g: g, b=lambda g: -g)
multiply = elementwise("multiply", "×", np.multiply, a=lambda g, b: g * b, b=lambda g, a: g * a)
divide = elementwise("divide", "÷", np.divide, a=lambda g, b: g / b, b=lambda g, b, out: -(g / b) * out)
negative = elementwise("negative", "−", np.negative, a=lambda g: -g)

exp = elementwise("exp", "exp", np.exp, a=lambda g, out: g * out)
log = elementwise("log", "log", np.log, domain=POSITIVE, a=lambda g, a: g / a)

sign = elementwise("sign", "sign", np.sign, a=lambda g: g * 0.0)
absolute = elementwise("absolute", "abs", np.absolute, a=lambda g, a: g * sign(a))
power = elementwise(
    "power",
    "**",
    np.power,
    domain={"a": POSITIVE},
    a=lambda g, a, b: g * b * a ** (b - 1),
    b=lambda g, a, out: g * out * log(a),
)

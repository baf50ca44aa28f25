"""U5 The Scalar class: exercises. Write your code in place of each blank, then: course check u05 FILE"""

# %% id=u05-student
STUDENT = ""

# %% [markdown] id=u05-intro
# # The Scalar class: exercises
#
# You build the class that the rest of the course stands on: a number that knows how to hand a
# gradient back. Run the cells from the top; check as often as you like.

# %% id=u05-setup
from course.checking import check


def add_up(a, b):
    """Two gradient dictionaries as one: shared names add. (You wrote the general version in unit 4.)"""
    return {name: a.get(name, 0.0) + b.get(name, 0.0) for name in [*a, *b]}

# %% [markdown] id=u05-multiply-task
# ## Plus and times
#
# A `Scalar` is a value together with a function `grad(g)`. It takes the gradient `g` that arrives and
# answers with a dictionary: what each named leaf gets. A leaf answers `{name: g}`, a constant `{}`.
#
# Complete `__add__` and `__mul__`. Each returns a new `Scalar` whose value is the sum or the product, and
# whose `grad(g)` asks both operands and merges what they answer with `add_up`. It is the gradient of the
# values that were added or multiplied, even if someone changes `a.value` afterwards, and asking twice gives
# the same answer twice.
#
# Example: with `a = Scalar(2.0, "a")` and `b = Scalar(5.0, "b")`, `(a * b).grad(10.0)` is
# `{"a": 50.0, "b": 20.0}`.

# %% id=u05-multiply role=exercise
class Scalar:
    """A number that can hand a gradient back. With a name it is a leaf, without one a constant."""

    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        # YOUR CODE HERE
        raise NotImplementedError()

    def __mul__(self, other):
        # YOUR CODE HERE
        raise NotImplementedError()

# %% id=u05-multiply-check role=check points=5
check("u05-multiply")

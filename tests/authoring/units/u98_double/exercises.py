"""The exercises of a unit that only the tests know."""

# %% [markdown] id=u98-title
# # Doubling
#
# Write each function, then run its check.

# %% id=u98-imports
from course.checking import check


# %% id=u98-double role=exercise
def double(x):
    """Twice x: double(3) is 6."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% id=u98-double-check role=check points=4
check("u98-double")


# %% id=u98-line role=exercise tracks=full alt="nothing's drawn"
class Line:
    """a·x + c, and its slope."""

    def __init__(self, a, c):
        self.a, self.c = a, c

    def at(self, x):
        ### BEGIN SOLUTION
        return self.a * x + self.c
        ### END SOLUTION

    def slope(self):
        ### BEGIN SOLUTION
        if self.a == 0:
            return 0.0

        return self.a
        ### END SOLUTION


# %% id=u98-line-check role=check points=2.5
check("u98-line")

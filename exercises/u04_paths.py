"""U4 Many paths: combine_dicts: exercises. Write your code in place of each blank, then: course check u04 FILE"""

# %% id=u04-student
STUDENT = ""

# %% [markdown] id=u04-intro
# # Many paths: exercises
#
# A gradient is a dictionary: which name gets how much. Where two paths meet, two dictionaries become one.

# %% id=u04-setup
import operator

from course.checking import check

# %% [markdown] id=u04-combine-task
# ## Merge two dictionaries
#
# Write `combine_dicts(a, b, op)`. It returns a new dictionary with every key of `a` and of `b`. A key that
# both have gets `op(a's value, b's value)`; a key that only one has keeps its value. `a` and `b` stay as
# they are, and the answer is a new dictionary even if one of them is empty. Without a third argument, `op`
# adds.

# %% id=u04-combine role=exercise
def combine_dicts(a, b, op=operator.add):
    """Merge two dictionaries.

    Example: combine_dicts({"x": 2, "y": 3}, {"y": 10, "z": 5}) is {"x": 2, "y": 13, "z": 5}.
    """
    # YOUR CODE HERE
    raise NotImplementedError()

# %% id=u04-combine-check role=check points=6
check("u04-combine")

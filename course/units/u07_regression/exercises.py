# %% [markdown] id=u07-intro
# # Linear regression: exercises
#
# The engine computes gradients now; what is left is walking downhill with them.

# %% id=u07-setup
from autodiff import Scalar
from course.checking import check

# %% [markdown] id=u07-step-task
# ## One step for all parameters
#
# Write `gradient_step(cost, values, rate)`: one step of gradient descent. `values` holds a number for each
# parameter's name, and `cost(**leaves)` takes a `Scalar` of that name for each and returns the cost as a
# `Scalar`.
# Return a new dictionary of numbers: each value moved against its slope by `rate` times the slope, all
# slopes taken at the same point. A parameter that the cost doesn't use stays where it is; `values` is left
# as it was. The step is taken whatever it does to the cost. One call of `cost` holds all the slopes: however
# many parameters there are, call it at most twice.
#
# Example: with `cost = lambda b, w: (b + w * 3 - 10).square()`,
# `gradient_step(cost, {"b": 0.0, "w": 0.0}, 0.1)` is `{"b": 2.0, "w": 6.0}`.


# %% id=u07-step role=exercise
def gradient_step(cost, values, rate):
    """One step of gradient descent: a new dictionary with the same names as `values`."""
    ### BEGIN SOLUTION
    leaves = {name: Scalar(value, name=name) for name, value in values.items()}
    grad = cost(**leaves).grad()
    return {name: value - rate * grad.get(name, 0.0) for name, value in values.items()}
    ### END SOLUTION


# %% id=u07-step-check role=check points=5
check("u07-step")

# %% [markdown] id=u07-step-why role=why
# ### Why the wrong one looks right
#
# Updating `b` first and then asking for the slope of `w` also walks downhill, and on gentle costs it arrives.
# But the slope of `w` was taken somewhere else than that of `b`: the path is another one, and the step length
# that was safe for gradient descent may not be safe for it.

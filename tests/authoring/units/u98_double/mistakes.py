"""Known wrong answers, and right ones that look different."""


# %% kind=wrong exercise=u98-double name=squares family=values
def double(x):
    return x * x


# %% kind=right exercise=u98-double name=adds
def double(x):
    return x + x

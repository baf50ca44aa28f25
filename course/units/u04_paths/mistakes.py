# Named wrong solutions and accepted variants of unit 4. Each cell stands in place of the exercise's cell.

# %% kind=wrong exercise=u04-combine name=M02 family=values
def combine_dicts(a, b, op=operator.add):
    return {**a, **b}


# %% kind=wrong exercise=u04-combine name=M02-left family=values
def combine_dicts(a, b, op=operator.add):
    return b | a


# %% kind=wrong exercise=u04-combine name=M03 family=state
def combine_dicts(a, b, op=operator.add):
    for key, value in b.items():
        a[key] = op(a[key], value) if key in a else value
    return a


# %% kind=wrong exercise=u04-combine name=op-ignored family=reuse
def combine_dicts(a, b, op=operator.add):
    merged = dict(a)
    for key, value in b.items():
        merged[key] = merged.get(key, 0) + value
    return merged


# %% kind=wrong exercise=u04-combine name=op-swapped family=reuse
def combine_dicts(a, b, op=operator.add):
    merged = dict(a)
    for key, value in b.items():
        merged[key] = op(value, merged[key]) if key in merged else value
    return merged


# %% kind=wrong exercise=u04-combine name=missing-is-zero family=reuse
def combine_dicts(a, b, op=operator.add):
    return {key: op(a.get(key, 0), b.get(key, 0)) for key in [*a, *b]}


# %% kind=wrong exercise=u04-combine name=shared-only family=forward
def combine_dicts(a, b, op=operator.add):
    return {key: op(a[key], b[key]) for key in a if key in b}


# %% kind=right exercise=u04-combine name=one-expression
def combine_dicts(a, b, op=operator.add):
    return {**a, **b, **{key: op(a[key], b[key]) for key in a.keys() & b.keys()}}


# %% kind=right exercise=u04-combine name=branches
def combine_dicts(a, b, op=operator.add):
    result = {}
    for key in set(a) | set(b):
        if key not in b:
            result[key] = a[key]
        elif key not in a:
            result[key] = b[key]
        else:
            result[key] = op(a[key], b[key])
    return result

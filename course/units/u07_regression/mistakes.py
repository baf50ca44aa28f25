# Named wrong solutions and accepted variants of unit 7. Each cell stands in place of the exercise's cell.

# %% kind=wrong exercise=u07-step name=M32 family=values
def gradient_step(cost, values, rate):
    values = dict(values)
    for name in values:
        leaves = {k: Scalar(v, name=k) for k, v in values.items()}
        values[name] = values[name] - rate * cost(**leaves).grad().get(name, 0.0)
    return values


# %% kind=wrong exercise=u07-step name=uphill family=forward
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    return {name: value + rate * grad.get(name, 0.0) for name, value in values.items()}


# %% kind=wrong exercise=u07-step name=no-rate family=forward
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    return {name: value - grad.get(name, 0.0) for name, value in values.items()}


# %% kind=wrong exercise=u07-step name=first-only family=values
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    first = next(iter(values))
    return {**values, first: values[first] - rate * grad.get(first, 0.0)}


# %% kind=wrong exercise=u07-step name=change-only family=forward
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    return {name: rate * grad.get(name, 0.0) for name in values}


# %% kind=wrong exercise=u07-step name=M48 family=state
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    for name in values:
        values[name] -= rate * grad.get(name, 0.0)
    return values


# %% kind=wrong exercise=u07-step name=unused-parameter family=state
def gradient_step(cost, values, rate):
    grad = cost(**{name: Scalar(value, name=name) for name, value in values.items()}).grad()
    return {name: value - rate * grad[name] for name, value in values.items()}


# %% kind=wrong exercise=u07-step name=one-sided-difference family=reuse
def gradient_step(cost, values, rate):
    def at(name, value):
        return cost(**{k: Scalar(value if k == name else v, name=k) for k, v in values.items()}).value

    h = 1e-6
    slopes = {k: (at(k, v + h) - at(k, v)) / h for k, v in values.items()}
    return {k: v - rate * slopes[k] for k, v in values.items()}


# %% kind=wrong exercise=u07-step name=central-difference family=reuse
def gradient_step(cost, values, rate):
    def at(name, value):
        return cost(**{k: Scalar(value if k == name else v, name=k) for k, v in values.items()}).value

    h = 1e-5
    slopes = {k: (at(k, v + h) - at(k, v - h)) / (2 * h) for k, v in values.items()}
    return {k: v - rate * slopes[k] for k, v in values.items()}


# %% kind=wrong exercise=u07-step name=higher-order-difference family=reuse
def gradient_step(cost, values, rate):
    def at(name, value):
        return cost(**{k: Scalar(value if k == name else v, name=k) for k, v in values.items()}).value

    def slope(k, x, h=1e-4):
        return (8 * (at(k, x + h) - at(k, x - h)) - (at(k, x + 2 * h) - at(k, x - 2 * h))) / (12 * h)

    return {k: v - rate * slope(k, v) for k, v in values.items()}


# %% kind=wrong exercise=u07-step name=one-by-one family=reuse
def gradient_step(cost, values, rate):
    moved = {}
    for name, value in values.items():
        slopes = cost(**{k: Scalar(v, name=k) for k, v in values.items()}).grad()
        moved[name] = value - rate * slopes.get(name, 0.0)
    return moved


# %% kind=right exercise=u07-step name=loops
def gradient_step(cost, values, rate):
    leaves = {}
    for name in values:
        leaves[name] = Scalar(values[name], name=name)
    total = cost(**leaves)
    slopes = total.grad(1.0)
    result = {}
    for name in values:
        result[name] = values[name] - rate * slopes[name] if name in slopes else values[name]
    return result


# %% kind=right exercise=u07-step name=by-object
def gradient_step(cost, values, rate):
    leaves = {name: Scalar(value, name) for name, value in values.items()}
    slopes = cost(**leaves).gradients()
    return {name: leaf.value - rate * slopes.get(leaf, 0.0) for name, leaf in leaves.items()}

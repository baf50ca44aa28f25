# Named wrong solutions and accepted variants of unit 5. Each cell stands in place of the exercise's cell.

# %% kind=wrong exercise=u05-multiply name=M16 family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        left, right = self.value, other.value
        return Scalar(left * right, grad=lambda g: add_up(self.grad(g * left), other.grad(g * right)))


# %% kind=wrong exercise=u05-multiply name=M14 family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(1.0), other.grad(1.0)))

    def __mul__(self, other):
        left, right = self.value, other.value
        return Scalar(left * right, grad=lambda g: add_up(self.grad(right), other.grad(left)))


# %% kind=wrong exercise=u05-multiply name=M02 family=reuse
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: {**self.grad(g), **other.grad(g)})

    def __mul__(self, other):
        left, right = self.value, other.value
        return Scalar(left * right, grad=lambda g: {**self.grad(g * right), **other.grad(g * left)})


# %% kind=wrong exercise=u05-multiply name=M01 family=reuse
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def joined(self, value, *parts):
        def grad(g):
            answer = {}
            for operand, slope in parts:
                for name, share in operand.grad(g * slope).items():
                    answer[name] = share
            return answer

        return Scalar(value, grad=grad)

    def __add__(self, other):
        return self.joined(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return self.joined(self.value * other.value, (self, other.value), (other, self.value))


# %% kind=wrong exercise=u05-multiply name=value-of-sum family=forward
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        left, right = self.value, other.value
        return Scalar(left + right, grad=lambda g: add_up(self.grad(g * right), other.grad(g * left)))


# %% kind=wrong exercise=u05-multiply name=M02-left family=reuse
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: other.grad(g) | self.grad(g))

    def __mul__(self, other):
        left, right = self.value, other.value
        return Scalar(left * right, grad=lambda g: other.grad(g * left) | self.grad(g * right))


# %% kind=wrong exercise=u05-multiply name=as-plus family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        return Scalar(self.value * other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))


# %% kind=wrong exercise=u05-multiply name=M47 family=state
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        return Scalar(
            self.value * other.value,
            grad=lambda g: add_up(self.grad(g * other.value), other.grad(g * self.value)),
        )


# %% kind=wrong exercise=u05-multiply name=one-sided-difference family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value
        h = 1e-6
        by_a = ((a + h) * b - a * b) / h
        by_b = (a * (b + h) - a * b) / h
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))


# %% kind=wrong exercise=u05-multiply name=central-difference family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value
        h = 1e-5
        by_a = ((a + h) * b - (a - h) * b) / (2 * h)
        by_b = (a * (b + h) - a * (b - h)) / (2 * h)
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))


# %% kind=wrong exercise=u05-multiply name=higher-order-difference family=values
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, grad=lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        a, b = self.value, other.value

        def slope(f, x, h=1e-5):
            return (-f(x + 2 * h) + 8 * f(x + h) - 8 * f(x - h) + f(x - 2 * h)) / (12 * h)

        by_a, by_b = slope(lambda x: x * b, a), slope(lambda x: a * x, b)
        return Scalar(a * b, grad=lambda g: add_up(self.grad(g * by_a), other.grad(g * by_b)))


# %% kind=right exercise=u05-multiply name=default-arguments
class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad or (lambda g: {} if name is None else {name: g})

    def __add__(self, other):
        return Scalar(self.value + other.value, None, lambda g: add_up(self.grad(g), other.grad(g)))

    def __mul__(self, other):
        def back(g, a=self.value, b=other.value):
            return add_up(self.grad(b * g), other.grad(a * g))

        return Scalar(self.value * other.value, None, back)


# %% kind=right exercise=u05-multiply name=one-helper
def _make(value, *pairs):
    def grad(g):
        merged = {}
        for operand, slope in pairs:
            for name, part in operand.grad(g * slope).items():
                merged[name] = merged.get(name, 0.0) + part
        return merged

    return Scalar(value, grad=grad)


class Scalar:
    def __init__(self, value, name=None, grad=None):
        self.value = value
        self.grad = grad if grad is not None else self._leaf(name)

    @staticmethod
    def _leaf(name):
        return (lambda g: {name: g}) if name is not None else (lambda g: {})

    def __add__(self, other):
        return _make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return _make(self.value * other.value, (self, other.value), (other, self.value))

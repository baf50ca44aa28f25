# %% [markdown] id=u05-why
# # Where does the slope come from?
#
# Here is a function that somebody wrote years ago: a bill of a times b plus a. It contains a plus and a
# times, and no derivative. Call it with two floats and you get a number. Call it with two other numbers,
# from this course, and you get the same number, and you can ask it for its slopes. (Reading and predicting
# take about 25 minutes.)

# %% id=u05-puzzle
import inspect

import matplotlib.pyplot as plt

from autodiff import ClosureScalar, Scalar, combine_dicts, draw


def bill(a, b):
    return a * b + a


print(bill(2.0, 5.0))
out = bill(ClosureScalar(2.0, name="a"), ClosureScalar(5.0, name="b"))
print(out.value, out.grad())

# %% [markdown] id=u05-puzzle-doubt
# Both calls give 12.0. The second also says that the bill moves 6 times as fast as a and 2 times as fast as
# b. Check the 6: at a = 2.1 the bill is 2.1·5 + 2.1 = 12.6, so 0.1 more of a costs 0.6 more.
#
# Nobody wrote a 6. `bill` doesn't know one, and the two numbers you passed in are not even in a variable any
# more. So where do the slopes come from, and where are they kept?
#
# **Predict 1.** `grad` takes a number g; without one it takes 1. What does `out.grad(10.0)` give: the same
# dictionary, ten times the numbers, or an error?

# %% id=u05-arriving
print(out.grad(10.0))

# %% [markdown] id=u05-arriving-see
# Ten times: 60 and 20. If you said "the same", you took a gradient for a property of the number. It is an
# answer to a question: *something further on moves g times as fast as you do; how fast does it move with
# each leaf?* g is the gradient that arrives. Each number multiplies its own slopes into it and hands it on.

# %% [markdown] id=u05-by-hand
# ## A function in an envelope
#
# Take the smallest case by hand. A leaf named a, asked with g = 6, answers {"a": 6}: all of it is mine. As a
# function, that is one line. Python lets you make such a function, keep it, and call it later.


# %% id=u05-leaf
def leaf(name):
    return lambda g: {name: g}


grad_a, grad_b = leaf("a"), leaf("b")
print(grad_a(6.0), grad_b(2.0))

# %% [markdown] id=u05-leaf-see
# `leaf("a")` has returned long ago when you call `grad_a(6.0)`, and still the name "a" is there. A function
# made inside another keeps what it needs from there, like a letter in a sealed envelope.
#
# Now a number made from two others: d = a − b. d moves 1 times as fast as a and −1 times as fast as b. So d,
# asked with g, asks a with g and b with −g, and merges the two answers. That is what you learned in unit 4.


# %% id=u05-difference
def difference(grad_a, grad_b):
    def envelope(g):
        return combine_dicts(grad_a(g), grad_b(-g))

    return envelope


grad_d = difference(grad_a, grad_b)
print(grad_d(1.0), grad_d(3.0))

# %% [markdown] id=u05-difference-see
# With 1 arriving, a gets 1 and b gets −1; with 3 arriving, 3 and −3. No value was needed: the slopes of a
# difference are 1 and −1 at every point. For a square it is otherwise. At 3 the square moves 6 times as
# fast, at 5 it moves 10 times as fast. This envelope has to hold a number.


# %% id=u05-squared
def squared(value, grad_value):
    slope = 2 * value

    def envelope(g):
        return grad_value(g * slope)

    return envelope


grad_s = squared(3.0, leaf("x"))
print(grad_s(1.0), grad_s(10.0), inspect.getclosurevars(grad_s).nonlocals["slope"])

# %% [markdown] id=u05-squared-see
# 6 for g = 1 and 60 for g = 10. The last number is a look into the envelope without opening it: 6.0 is in
# there, put in while the square was computed. That answers the puzzle. The slopes come from the operations,
# each of which knows its own, and they are kept in functions that hang on the numbers.
#
# A function that keeps the values it saw when it was made is called a **closure**.

# %% [markdown] id=u05-class
# ## From functions to a class
#
# Value and envelope belong together, so put them into one object. Python calls `__sub__` where you write a
# minus. A number with a name is a leaf; without a name and without an envelope it is a constant, and answers
# with an empty dictionary.


# %% id=u05-number
class Number:
    def __init__(self, value, name=None, envelope=None):
        self.value = value
        self.grad = envelope or (lambda g: {} if name is None else {name: g})

    def __sub__(self, other):
        def envelope(g):
            return combine_dicts(self.grad(g), other.grad(-g))

        return Number(self.value - other.value, envelope=envelope)


a, b = Number(7.0, "a"), Number(4.0, "b")
print((a - b).value, (a - b).grad(1.0), (a - Number(4.0)).grad(1.0))

# %% [markdown] id=u05-number-see
# The value is 3.0, a gets 1.0 and b gets −1.0. In the last answer the 4 is a constant: same value, nobody
# to pay, so b's entry is missing. The class grows by one method at a time. Next comes the square, whose
# slope is worked out *before* the envelope is made.


# %% id=u05-square
def square(self):
    slope = 2 * self.value

    def envelope(g):
        return self.grad(g * slope)

    return Number(self.value * self.value, envelope=envelope)


Number.square = square
error = (a - b).square()
print(error.value, error.grad(1.0))

# %% [markdown] id=u05-square-see
# (7 − 4)² = 9, with the slopes 6 and −6. Two operations that know nothing of each other work together: the
# square asks the difference with 1·6, the difference asks a with 6 and b with −6. That is the chain rule,
# and no line of the program is about it.

# %% [markdown] id=u05-times
# ## Times, on paper
#
# In the exercises you write plus and times. Plus is a minus with another sign. For times, find out what its
# envelope must hold: here is 2·5, once with the 2 moved by 0.1, once with the 5 moved by 0.1.
#
# **Predict 2.** How many times as fast as the nudge does the product grow, in each case: 2, 5 or 10 times?

# %% id=u05-times-nudged
print(round((2.1 * 5 - 2 * 5) / 0.1, 6), round((2 * 5.1 - 2 * 5) / 0.1, 6))

# %% [markdown] id=u05-times-see
# Moving the 2 makes the product grow 5 times as fast, moving the 5 makes it grow 2 times as fast. The other
# factor decides. Fill in the letter that x·y sends, at x = 2 and y = 5, when g = 10 arrives: x is asked with
# 10 · `?`, y is asked with 10 · `?`. Then let the course's class answer.

# %% id=u05-times-answer
x, y = ClosureScalar(2.0, name="x"), ClosureScalar(5.0, name="y")
print((x * y).grad(10.0))

# %% [markdown] id=u05-times-answer-see
# 10·5 = 50 for x, 10·2 = 20 for y. If you had 20 and 50, you gave each its own value. At 3·3 you would never
# find out. `ClosureScalar` is the class you are building, from autodiff/closures.py. Here are the envelopes
# that the bill of the puzzle leaves behind, and what one passes to the next.

# %% id=u05-envelopes alt="Four envelopes. Plus holds no number and sends 1 to times and 1 to a. Times holds 5 for a and 2 for b, and sends 5 to a and 2 to b. At a the two letters add up to 6."
spots = {"+": (4, 0), "×": (2, 0.9), "a": (0, -0.4), "b": (0, 1.7)}
holds = {"+": "no number", "×": "5, meant for a\n2, meant for b", "a": "the name a", "b": "the name b"}
letters = [("+", "×", "1"), ("+", "a", "1"), ("×", "a", "1 · 5"), ("×", "b", "1 · 2")]
fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.axis((-0.7, 4.7, -0.9, 2.2))
ax.set_axis_off()
look = {"arrowstyle": "-|>", "color": "#b34700", "ls": "--", "lw": 2, "shrinkB": 50}
for start, end, g in letters:
    ax.annotate("", spots[end], spots[start], arrowprops=look)
    x0, y0 = [(p + q) / 2 for p, q in zip(spots[start], spots[end], strict=True)]
    ax.text(x0, y0, f"g = {g}", color="#b34700", ha="center", va="center", backgroundcolor="white")
for name, (x0, y0) in spots.items():
    box = {"boxstyle": "round", "fc": "white", "ec": "#0072b2"}
    ax.text(x0, y0, f"{name}\n{holds[name]}", size=11, ha="center", va="center", bbox=box)
plt.show()

# %% [markdown] id=u05-envelopes-see
# See that a gets two letters, 5 from the times and 1 from the plus, and answers each by itself. The merging
# happens in the plus, which gets both answers back: {"a": 5, "b": 2} and {"a": 1} become {"a": 6, "b": 2}.

# %% [markdown] id=u05-twice
# ## Why x + x works
#
# What happens where both operands are the same object? Nothing in `__sub__` above looks whether self and
# other are two. Make a leaf that tells you when it is asked.


# %% id=u05-asked
def telling(g):
    print("x is asked, with", g)
    return {"x": g}


x = ClosureScalar(3.0, grad=telling)
print((x + x).grad())
print((x * x).grad())

# %% [markdown] id=u05-asked-see
# x + x asks x twice, with 1.0 each, gets {"x": 1.0} twice, and the merge adds them: 2.0. x·x asks twice with
# 3.0, the other factor each time, which makes 6.0. The plus needs no case for it: two letters to one
# address are two letters. Had the merge been `{**a, **b}`, the answers would be 1.0 and 3.0.

# %% [markdown] id=u05-breaks
# ## What breaks it
#
# **Predict 3.** A friend saves a line and lets the envelope work out the slope when it is called. Both
# squares below are made at x = 3. Then x.value becomes 100, and both are asked with 1. What do they answer?


# %% id=u05-late
def late_square(self):
    return Number(self.value**2, envelope=lambda g: self.grad(g * 2 * self.value))


x = Number(3.0, "x")
early, late = x.square(), late_square(x)
x.value = 100.0
print(early.value, early.grad(1.0), late.value, late.grad(1.0))

# %% [markdown] id=u05-late-see
# Both values are 9. The early envelope says 6, the slope of the square that was computed. The late one says
# 200, a slope at a point where nothing was computed. It held x, not 3.0, and looked inside too late. A
# training loop that writes new values into old objects walks into this at every step.
#
# The same mistake comes in a second dress. Three envelopes are made in a loop, for 1·x, 2·x and 3·x.

# %% id=u05-loop
late = [lambda g: {"x": g * k} for k in (1, 2, 3)]
print([envelope(1.0) for envelope in late])


def times(k):
    return lambda g: {"x": g * k}


print([envelope(1.0)["x"] for envelope in map(times, (1, 2, 3))])

# %% [markdown] id=u05-loop-see
# All three say 3. They share one k, and when they are called the loop has left it at 3. Made inside a
# function, each call has a k of its own: 1, 2, 3. A closure keeps variables; give it one that won't change.
#
# The last one is the mistake that passes most tests. Here the square forgets to use what arrives.


# %% id=u05-dropped
def dropped_square(self):
    slope = 2 * self.value
    return Number(self.value**2, envelope=lambda g: self.grad(slope))


x = Number(3.0, "x")
print(x.square().grad(1.0), dropped_square(x).grad(1.0))
print(x.square().square().grad(1.0), dropped_square(dropped_square(x)).grad(1.0))

# %% [markdown] id=u05-dropped-see
# Alone, and asked with 1, both squares say 6. Put one after the other, the right ones give 108, the slope
# 4·27 of x⁴ at 3, and the wrong ones 6: the inner square never hears of the outer. Ask with something other
# than 1, and you find it at once.

# %% [markdown] id=u05-scalar
# ## The same calls, and a graph
#
# The course's `Scalar` gives the answers of `ClosureScalar`, and keeps for each number which numbers it came
# from. So it can be drawn. It also takes plain numbers, as in 2 * x, where `ClosureScalar` asks you to wrap
# them. First the values, from left to right.

# %% id=u05-forward alt="Forward graph of the bill: a = 2 and b = 5 go into a times with value 10; the times and a go into a plus with value 12."
out = bill(Scalar(2.0, name="a"), Scalar(5.0, name="b"))
draw(out, name="bill")

# %% [markdown] id=u05-gradient-why
# Then the way back: the same nodes, arrows turned round, with the slope on each arrow and the g that arrives
# in each node.

# %% id=u05-gradient alt="Gradient graph of the bill: 1 flows from the plus to the times and to a; from the times 5 flows to a and 2 to b; 6 arrives at a."
draw(out, view="gradient", name="bill")

# %% [markdown] id=u05-gradient-see
# Compare with the envelopes: the 5 and the 2 that the times holds are the slopes on its arrows, and at a the
# two arrows with 5 and 1 make g = 6. It is the same pass, once as letters and once as a map.

# %% [markdown] id=u05-check-one
# ## Check yourself
#
# **1.** What is the gradient of a constant's square, `Scalar(3.0).square().grad()`: {}, {"": 6.0} or an
# error?

# %% id=u05-check-one-answer
print(Scalar(3.0).square().grad())

# %% [markdown] id=u05-check-two
# Empty: a constant has nobody to pay. Who expects {"": 6.0} takes a missing name for an empty one.
#
# **2.** Two leaves, 3 and 5, both get the name "x", and are multiplied. What does each class say?

# %% id=u05-check-two-answer
print((ClosureScalar(3.0, name="x") * ClosureScalar(5.0, name="x")).grad())
try:
    (Scalar(3.0, name="x") * Scalar(5.0, name="x")).grad()
except ValueError as problem:
    print(problem)

# %% [markdown] id=u05-check-three
# `ClosureScalar` merges 5 and 3 to 8: for a dictionary, equal names are one variable. `Scalar` knows its
# nodes as objects and refuses, since a silent 8 would be the slope of nothing you wrote.
#
# **3.** a = 7, b = 4. Are the gradients of (a − b)·(a − b) and of the square of a − b equal?

# %% id=u05-check-three-answer
a, b = Scalar(7.0, name="a"), Scalar(4.0, name="b")
print(((a - b) * (a - b)).grad(), (a - b).square().grad())

# %% [markdown] id=u05-close
# They are: 6 and −6 twice. The product sends each of its two differences 3, and the merge adds 3 + 3; the
# square sends its one difference 6. If you expected half for the product, a road got lost.
#
# ## What you can now do
#
# You can overload an operator so that it computes a value and remembers how to hand a gradient back. You can
# write a backward rule as a closure that holds the numbers of its own time. You can say what a leaf is, and
# what a constant is.
#
# One thing should worry you. x + x asks x twice. If x is itself a sum y + y, then y is asked four times.

# %% id=u05-visits
from autodiff.graph import count_visits

slow, quick = ClosureScalar(1.0, name="x"), Scalar(1.0, name="x")
for _ in range(10):
    slow, quick = slow + slow, quick + quick
print(count_visits(slow), count_visits(quick))

# %% [markdown] id=u05-bridge
# Ten doublings: 2047 questions for `ClosureScalar`, 21 for `Scalar`, and the same answer. Ten more would be
# two million. How does `Scalar` get away with 21? That is **unit 6**.
#
# **A museum piece.** In a public thread (karpathy/nn-zero-to-hero, issue 52) a reader reports a bug in the
# rule of the exponential: it multiplies by the output, and shouldn't it multiply by the input? Somebody
# answers that the rule is right. You can decide such a question in ten seconds: what is the
# slope of eˣ at 0, and what would the input say there?

# %% id=u05-museum
x = Scalar(0.0, name="x")
print(x.exp().value, x.exp().grad())

# %% [markdown] id=u05-museum-see
# At 0 the input is 0.0, and a slope of 0 would say that eˣ is flat there. The slope is 1.0, as large as the
# output. Where two rules compete, find a point at which they differ.

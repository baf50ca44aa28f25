# %% [markdown] id=u04-why
# # Three answers, one slope: who is right?
#
# A number t feeds two others: u = 2·t and v = t². Their product is y = u·v. At t = 4 you get u = 8, v = 16
# and y = 128. You want the slope of y: how fast does y move when t moves?
#
# Ana knows two slopes, 2 for u and 2·t = 8 for v. y is a product, so she multiplies them: 16. Ben starts at
# y and walks back through v: y moves 8 times as fast as v, v moves 8 times as fast as t, so 8·8 = 64.
# Run the cell and see what the computer says. (`Scalar` is a number that can be asked for its slope; you
# build it in unit 5. Reading and predicting take about 20 minutes.)

# %% id=u04-puzzle
import operator

import matplotlib.pyplot as plt

from autodiff import Scalar, combine_dicts, draw

t = Scalar(4.0, name="t")
u = 2 * t
v = t.square()
y = u * v
print(u.value, v.value, y.value)
print(y.grad())

# %% [markdown] id=u04-doubt
# The values are 8, 16 and 128, as you expect. The slope is 96, and it comes in a dictionary: the name t gets
# 96. Neither Ana nor Ben has it. A computer can be wrong too, so ask without any engine: move t by 0.001 to
# either side, and divide what y does by the 0.002 between the two.


# %% id=u04-nudge-once
def y_at(t):
    return (2 * t) * t**2


print(round((y_at(4.001) - y_at(3.999)) / 0.002, 3))

# %% [markdown] id=u04-roads-predict
# 96.0 again, so 96 is right. Where does it come from?
#
# **Predict 1.** Ben's walk goes through v. There is a second walk, through u. Its first slope is how fast y
# moves with u, and in a product that is the other factor, v. What does this second walk give when you
# multiply its two slopes: 16, 32 or 128? Write it down, then look at the picture.

# %% id=u04-roads alt="Two roads lead from y back to t. The upper, solid and blue, goes through u with slopes 16 and 2. The lower, dashed and orange, goes through v with slopes 8 and 8."
nodes = {"t": (0, 0, t), "u": (2, 1, u), "v": (2, -1, v), "y": (4, 0, y)}
blue, orange = ("#0072b2", "-"), ("#b34700", "--")
edges = [("y", "u", 16, *blue), ("u", "t", 2, *blue), ("y", "v", 8, *orange), ("v", "t", 8, *orange)]
fig, ax = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
ax.axis((-0.5, 4.5, -1.5, 1.5))
ax.set_axis_off()
for start, end, slope, colour, line in edges:
    (x0, y0, _), (x1, y1, _) = nodes[start], nodes[end]
    look = {"arrowstyle": "-|>", "color": colour, "ls": line, "lw": 2, "shrinkB": 32}
    ax.annotate("", (x1, y1), (x0, y0), arrowprops=look)
    ax.text((x0 + x1) / 2, 0.9 * (y0 + y1), f"× {slope}", color=colour, size=13, ha="center", va="center")
for name, (x0, y0, number) in nodes.items():
    label = f"{name} = {number.value:g}"
    ax.text(x0, y0, label, size=13, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"})
plt.show()

# %% [markdown] id=u04-roads-see
# See that the two roads share nothing but their ends: each starts at y, each arrives at t, and each brings
# its own product. The blue one brings 16·2 = 32, the orange one 8·8 = 64.
#
# If you wrote 16, you took Ana's road, and no such road is in the picture: hers would have to pass
# through u and v one after the other. If you wrote 128, you used y itself as the slope by u. Ben's 64 is
# no mistake, only half of the work. And 32 + 64 = 96.

# %% [markdown] id=u04-why-add
# ## Why add?
#
# That the two products add up to 96 might be luck. Move t by a step h and follow both factors. u grows by
# some amount du, v by some amount dv, and the product grows by three parts: du times the old v, the old u
# times dv, and du times dv, where both moved.
#
# **Predict 2.** Divide each part by h, so that it becomes a slope, and let h shrink: 1, 0.1, 0.01, 0.001.
# Which of the three parts dies out: the first, the second, the third, or none?

# %% id=u04-nudges
print("     h    by u     by v    both   together")
for h in (1.0, 0.1, 0.01, 0.001):
    du = 2 * (4 + h) - 8
    dv = (4 + h) ** 2 - 16
    parts = [du * 16 / h, 8 * dv / h, du * dv / h]
    print(f"{h:6} {parts[0]:7.2f} {parts[1]:8.2f} {parts[2]:7.2f} {sum(parts):10.2f}")

# %% [markdown] id=u04-nudges-see
# The first column stays at 32: the blue road. The second goes 72.00, 64.80, 64.08, 64.01, towards 64: the
# orange road. The third goes 18.00, 1.62, 0.16, 0.02, and dies out. What is left, 96.02 at the
# smallest h, is the sum of the roads.
#
# Now you can also say what Ana computed. The part where both factors moved is about 16·h², so its slope is
# 16·h: her 16 belongs to the one part that doesn't count. Her answer tempts because *along* one road you do
# multiply. Between roads you add, because each road brings a movement of its own, and movements add.

# %% [markdown] id=u04-graph-see
# Here is the same computation as the course draws it. On each dashed arrow stands its slope, written ∂, and
# on each node the gradient g that has arrived there.

# %% id=u04-graph alt="The graph of y with gradients flowing back: 16 arrives at u, 8 arrives at v, and at t the two roads meet with 96."
draw(y, view="gradient", name="y")

# %% [markdown] id=u04-graph-read
# Read it from the right. At y it starts with g = 1. At u arrives 1·16, at v arrives 1·8. At t two arrows
# come in, with 16·2 and 8·8, and the g written there is their sum, 96. Where arrows meet, you add.

# %% [markdown] id=u04-dictionaries
# ## One dictionary a road
#
# So far one leaf, t. Most computations have several, and a road may reach some of them and not others. Make
# the 2 a leaf of its own, w = 2, so that u = w·t. Now the road through u ends at two leaves; the road
# through v still ends at t alone.
#
# A dictionary says that well. Below u stands {"t": 2, "w": 4}: u moves 2 times as fast as t and 4 times as
# fast as w. Below v stands {"t": 8}. There is no "w" in it, because no road leads there; nobody has to write
# a zero. Multiply each by the slope above it, 16 and 8.


# %% id=u04-scaled
def scaled(g, slopes):
    return {name: g * slope for name, slope in slopes.items()}


by_u = scaled(16, {"t": 2, "w": 4})
by_v = scaled(8, {"t": 8})
print(by_u, by_v)

# %% [markdown] id=u04-bills-see
# The two dictionaries are {"t": 32, "w": 64} and {"t": 64}: two bills. t stands on both, w on the first
# only. (That w gets 64 as well is a coincidence: 16·4.) Lay the bills out name by name, and add.

# %% id=u04-bills
for name in ("t", "w"):
    bills = [bill[name] for bill in (by_u, by_v) if name in bill]
    print(name, bills, sum(bills))

# %% [markdown] id=u04-name
# t gets 32 + 64 = 96, and w keeps its 64. A name on one bill keeps what it has; a name on both gets the sum.
# That is all. A way through the graph from the result to a leaf is called a **path**; slopes multiply along
# a path and add over paths. Putting two such dictionaries together is a **merge**, and the course calls it
# `combine_dicts`. You write your own in the exercises.

# %% id=u04-combine-use
print(combine_dicts(by_u, by_v))
print(combine_dicts(by_v, by_u))
print(combine_dicts(by_u, {}))

# %% [markdown] id=u04-combine-see
# The first line is the gradient of y. In the second the bills change places and the numbers stay: which road
# you walk first doesn't matter. In the third one bill is empty, as it is for a road that ends at a constant,
# and nothing changes. One more property makes a good alarm: no money gets lost. The two bills hold
# 32 + 64 + 64 = 160 in all, and so does the merged one, 96 + 64.
#
# Adding is what gradients need. The merge itself works with any operation: it is the third argument.
#
# **Predict 3.** Merge {"a": 2, "c": 4} and {"c": 3} by multiplying. c becomes 12. What becomes of a, which
# only the first one has: 2 or 0?

# %% id=u04-operator
print(combine_dicts({"a": 2, "c": 4}, {"c": 3}, operator.mul))

# %% [markdown] id=u04-operator-see
# a stays 2. The tempting answer, 0, treats a name that isn't there as a zero, and 2·0 = 0. For adding the
# two views agree, since adding zero changes nothing; that is why the difference is easy to miss.

# %% [markdown] id=u04-breaks
# ## What breaks it
#
# Python can merge two dictionaries in one short expression, `{**a, **b}`. It is tempting, and it runs.
#
# **Predict 4.** by_u is {"t": 32, "w": 64} and by_v is {"t": 64}. Which slope does t get from
# `{**by_u, **by_v}`: 32, 64 or 96?

# %% id=u04-one-side
print({**by_u, **by_v})
print({**scaled(7, {"a": 1}), **scaled(2, {"b": 1})})

# %% [markdown] id=u04-one-side-see
# 64: where both have a name, the right one wins, and the blue road is lost. It is Ben's answer, made by a
# machine. The second line shows why nobody notices: a·b at a = 2, b = 7 has the gradient {"a": 7, "b": 2},
# and so says the wrong merge. As long as no leaf is reached twice, it is right for ever. The alarm works,
# though: the bills held 160, and {"t": 64, "w": 64} holds 128.
#
# A second wrong merge gets every number right, once. It adds the second bill into the first.


# %% id=u04-greedy
def greedy(a, b):
    for name, amount in b.items():
        a[name] = a.get(name, 0) + amount
    return a


kept = {"t": 32, "w": 64}
print(greedy(kept, by_v))
print(greedy(kept, by_v))

# %% [markdown] id=u04-greedy-see
# The same question, asked twice, gives 96 and then 160 for t. The first call wrote its answer into `kept`,
# and the second call added 64 once more. When a gradient grows each time you ask for it, look at your inputs
# after the call.
#
# The smallest graph with two paths has one leaf. How many arrows lead from x·x back to x?

# %% id=u04-square alt="x times x: two dashed arrows lead from the product back to the one leaf x, each with slope 3, and 6 arrives there."
x = Scalar(3.0, name="x")
draw(x * x, view="gradient", name="y")

# %% [markdown] id=u04-square-see
# Two arrows, each with the slope 3, so 3 + 3 = 6 arrives: the slope of x² at 3. One value sits in both seats
# of the product. A program that keeps the seats in a Python set keeps one of them, and answers 3.

# %% [markdown] id=u04-faded
# ## Your turn on paper
#
# The same kind of graph with two holes: u = 5·s, v = s³, y = u·v, at s = 2, so u = 10 and v = 8. The road
# through u brings 8 · `?`. The road through v brings `?` · 12. Fill in both, add, and compare.

# %% id=u04-faded-answer
s = Scalar(2.0, name="s")
print(((5 * s) * (s * s * s)).grad())

# %% [markdown] id=u04-faded-see
# 160 is 8·5 + 10·12, or 40 + 120. If you got 60, you multiplied 5 and 12, as Ana did.

# %% [markdown] id=u04-check-one
# ## Check yourself
#
# **1.** z = p·q + p at p = 2, q = 7. How many paths lead from z to p, and what is p's slope: 7, 8 or 14?

# %% id=u04-check-one-answer
from autodiff.graph import paths

p, q = Scalar(2.0, name="p"), Scalar(7.0, name="q")
z = p * q + p
print(len(list(paths(z, p))), z.grad())

# %% [markdown] id=u04-check-two
# Two paths: one through the product with slope 7, one straight from the sum with slope 1, together 8. With 7
# you lost the short path, which is the one that people lose. 14 is the value of p·q, not a slope. q has one
# path, and gets 2.
#
# **2.** You suspect that somebody's engine merges with `{**a, **b}`. Which of these three graphs expose it:
# p·q, p + p, p·(p + q)?

# %% id=u04-check-two-answer
bills = {
    "p * q": ({"p": 7}, {"q": 2}),
    "p + p": ({"p": 1}, {"p": 1}),
    "p * (p + q)": ({"p": 9}, {"p": 2, "q": 2}),
}
for graph, (a, b) in bills.items():
    print(f"{graph:12} {combine_dicts(a, b)!s:22} { ({**a, **b})!s:20}")

# %% [markdown] id=u04-check-three
# The left column is the truth, the right one the suspect. p·q hides the mistake: no leaf is reached twice.
# p + p shows it with 1 for 2, and p·(p + q) with 2 for 11. A graph without a shared leaf can't test a merge.
#
# **3.** Merge {"t": 5} and {"t": -5}. Does t disappear from the answer?

# %% id=u04-check-three-answer
print(combine_dicts({"t": 5}, {"t": -5}))

# %% [markdown] id=u04-close
# t stays, with 0: two roads lead there, and they cancel. A missing name says that there is no road at all.
#
# ## What you can now do
#
# You can say why gradients add where paths meet. You can merge two gradient dictionaries by hand. You can
# find the graph that exposes a lost path.
#
# In this lesson you wrote the dictionaries below u and v yourself. How could u know, on its own, what to
# write on its bill? **Unit 5** gives each number a small function that does it.
#
# **A museum piece.** The first lecture of a well-loved series (karpathy/nn-zero-to-hero) writes a small
# engine live. In its notebook, micrograd_lecture_second_half_roughly.ipynb, a comment stands in the rule for
# the exponential: in the video, it says, the line had = where += belongs. With = the second path overwrites
# the first, as `{**a, **b}` does. If the operand of exp is used once, both spellings give the same number.

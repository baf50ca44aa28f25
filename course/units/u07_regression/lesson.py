# %% [markdown] id=u07-why
# # Why does a loop that works explode on real data?
#
# Below is a loop that fits a line y = b + w·x. It starts somewhere, asks how wrong the line is, asks which
# way is uphill, and takes a step the other way. You will take it apart in a moment. First watch it twice.
#
# The first time it gets 20 points that a computer made: 10 + 5·x, plus noise of size 3, from a seeded random
# generator. The second time it gets 235 Belgian households of 1857: income, and what they spent on food.
# Same loop, same step. (Reading and predicting take about 25 minutes.)

# %% id=u07-loop
import matplotlib.pyplot as plt
import numpy as np

from autodiff import Scalar, draw
from course.data import load


def cost_of(b, w, xs, ys):
    errors = [(b + w * x - y).square() for x, y in zip(xs, ys, strict=True)]
    return sum(errors[1:], start=errors[0]) * (1 / len(errors))


# %% id=u07-descend
def descend(b, w, xs, ys, rate, steps):
    trace = []
    for _ in range(steps + 1):
        cost = cost_of(Scalar(b, name="b"), Scalar(w, name="w"), xs, ys)
        slopes = cost.grad()
        trace.append((b, w, cost.value))
        b, w = b - rate * slopes["b"], w - rate * slopes["w"]
    return trace


# %% id=u07-puzzle
rng = np.random.default_rng(2)
made_x = rng.uniform(-10, 10, 20)
made_y = 10 + 5 * made_x + 3 * rng.standard_normal(20)
made = descend(15.0, 2.0, made_x.tolist(), made_y.tolist(), rate=0.01, steps=200)
print("made up: b = {:.2f}, w = {:.2f}, cost {:.2f}".format(*made[-1]))

engel = load("engel")
income, food = engel["income"], engel["foodexp"]
real = descend(0.0, 0.0, income.tolist(), food.tolist(), rate=0.01, steps=10)
print("real:    b = {:.1e}, w = {:.1e}, cost {:.1e}".format(*real[-1]))

# %% [markdown] id=u07-puzzle-see
# On the made-up points the loop ends at b = 10.32 and w = 5.06, close to the 10 and 5 that made them. On the
# real ones it ends, after ten steps, at a cost of 3.1e+93, a 3 and 93 digits, with a b of 41 digits and a w
# of 44. Nothing is wrong with the data, and no line of the loop has changed. What is it that it can't bear?

# %% [markdown] id=u07-cost
# ## One number that says how wrong
#
# Take three points, small enough for paper: x is 1, 2, 3 and y is 4, 5, 12. Take the line with b = 0 and
# w = 1, which predicts 1, 2, 3. The errors, prediction minus truth, are −3, −3, −9. Square them, so that no
# error cancels another and a large one counts more, and take the mean: (9 + 9 + 81)/3 = 33. This is the
# **cost**.
#
# **Predict 1.** The line lies below all three points. Should b go up or down? Then which sign does the slope
# of the cost by b have: plus or minus?

# %% id=u07-small
few_x, few_y = [1, 2, 3], [4, 5, 12]
cost = cost_of(Scalar(0.0, name="b"), Scalar(1.0, name="w"), few_x, few_y)
print(cost.value, {name: round(slope, 6) for name, slope in cost.grad().items()})

# %% [markdown] id=u07-small-see
# The cost is 33. The slopes are −10 by b and −24 by w. b should go up, so that the cost goes down; a cost
# that falls when b grows has a *negative* slope. If you said plus, you took the slope for the way to go. It
# points uphill, and you walk against it: this is where the minus in the loop comes from.
#
# Where does −24 come from? The cost is a graph like those of unit 5. Here it is, with the gradients.

# %% id=u07-graph alt="The cost of three points as a graph: three branches, each predicting, subtracting and squaring, meet in a sum. On the way back, three dashed arrows arrive at b, with g = −10, and three at w, with g = −24."
draw(cost, view="gradient", name="cost")

# %% [markdown] id=u07-graph-see
# Three branches, one for each point, and three arrows that arrive at b and at w. Each branch sends
# 2·error/3 to b: −2, −2 and −6, together −10. To w it sends the same times x: −2·1, −2·2 and −6·3, together
# −24. Many paths, one sum.

# %% [markdown] id=u07-step
# ## One step, both parameters
#
# A step takes each parameter against its slope, by a small share of it, the **rate**. With the rate 0.1, b
# goes from 0 to 0 + 0.1·10 = 1, and w from 1 to 1 + 0.1·24 = 3.4.
#
# **Predict 2.** A friend does it in two lines: first she moves b to 1, then she computes the slope by w, with
# the new b, and moves w. Where does her w arrive: at 3.4, below it, or above?


# %% id=u07-sequential
def small_cost(b, w):
    return cost_of(Scalar(b, name="b"), Scalar(w, name="w"), few_x, few_y)


slopes = small_cost(0.0, 1.0).grad()
together = (0.0 - 0.1 * slopes["b"], 1.0 - 0.1 * slopes["w"])
first_b = 0.0 - 0.1 * slopes["b"]
one_by_one = (first_b, 1.0 - 0.1 * small_cost(first_b, 1.0).grad()["w"])
for b, w in (together, one_by_one):
    print(f"b = {b:.2f}, w = {w:.2f}, cost {small_cost(b, w).value:.2f}")

# %% [markdown] id=u07-sequential-see
# Together: (1.00, 3.40). One by one: (1.00, 3.00), below, because with b at 1 the line is less wrong and the
# slope by w is only −20. Her cost is even the lower one, 2.67 against 2.88. That is why nobody notices: both walk
# downhill. But hers is another walk. It depends on which parameter comes first, and what you will learn here
# about safe rates isn't true of it. A gradient is all the slopes *at one point*. Take them all, then move.
#
# Now you, on paper. At b = 1, w = 3.4 the errors are 0.4, 2.8 and −0.8. The slope by b is 2/3 · `?`, and the
# slope by w is 2/3 · (1·0.4 + 2·`?` + 3·`?`). Fill in, work out both, then run.

# %% id=u07-second-slopes
slopes = small_cost(1.0, 3.4).grad()
print({name: round(slope, 6) for name, slope in slopes.items()})

# %% [markdown] id=u07-second-slopes-see
# 2/3 · 2.4 is 1.6, and 2/3 · (0.4 + 5.6 − 2.4) is 2.4. Both slopes are positive now: the step went a little
# too far, and the next one comes back.

# %% [markdown] id=u07-made
# ## The loop, seen working
#
# Now look at the first run again: 200 steps on the 20 made-up points.
#
# **Predict 3.** The noise has size 3. Where does the cost level off: near 0, near 3, or near 9?

# %% id=u07-made-figure alt="Cost against step on a log axis: it drops from 300 to 30 within four steps, creeps down for a hundred more, and levels off at the dotted line that marks 9."
fig, ax = plt.subplots(figsize=(5.2, 2.8), dpi=90, layout="constrained")
ax.semilogy([cost for _, _, cost in made], color="#0072b2", lw=2, label="cost")
ax.axhline(9, color="#b34700", ls=":", lw=2, label="9, the noise squared")
ax.set(xlabel="step", ylabel="cost (log axis)")
ax.legend()
plt.show()

# %% [markdown] id=u07-made-see
# See that the first few steps do most of the work, and that the curve then settles near the dotted line; its
# last value is 8.72. Near 9 is right: the cost is made of *squared* errors, and the best line still misses
# each point by the noise. If you said 0, you expected a line through all the points; there is none. If you
# said 3, you forgot the square.

# %% [markdown] id=u07-breaks
# ## What breaks it: a graph from yesterday
#
# The loop builds the cost anew at each step. Building costs time, so why not once, before the loop?

# %% id=u07-stale
cost = small_cost(0.0, 1.0)
b = 0.0
for _ in range(3):
    b = b - 0.1 * cost.grad()["b"]
    print(round(b, 6), round(cost.value, 6))

# %% [markdown] id=u07-stale-see
# b marches 1, 2, 3 in equal steps and the cost says 33 each time. The graph remembers the numbers it was
# built with; the new b is a float that no graph has seen. A gradient that never changes is the sign. (A
# `Scalar` refuses a new value for this reason.)

# %% [markdown] id=u07-explode
# ## Why it explodes
#
# Shrink the puzzle: one parameter, cost s·w², lowest at w = 0. Its slope is 2·s·w, so one step takes w to
# w − rate·2·s·w, which is w·(1 − 2·s·rate). Each step *multiplies* w by the same factor. With s = 1 and the
# rate 0.9 the factor is −0.8; with 1.01 it is −1.02.
#
# **Predict 4.** Both factors are negative, so both runs jump from one side to the other. Which of them
# arrives: both, the first, or none?

# %% id=u07-parabola
for rate in (0.9, 1.01):
    w, walk = 1.0, []
    for _ in range(60):
        w = w - rate * Scalar(w, name="w").square().grad()["w"]
        walk.append(w)
    print(rate, [round(w, 3) for w in walk[:4]], "…", f"{walk[-1]:.1e}")

# %% [markdown] id=u07-parabola-see
# The first: −0.8, 0.64, −0.512, and after 60 steps it has come down to 1.5e-06, although it jumps across the
# valley every time. The second is at 3.3 and growing. Jumping isn't the trouble; landing farther out than
# before is. If you said "none", you took every sign change for an explosion.
#
# The number 2·s is the **curvature**: how fast the slope itself changes. A step is safe while rate times
# curvature stays below 2. The Engel cost has two parameters, so it has a curvature by b, one by w, and one
# that mixes them: twice the means of 1, of x² and of x. They stand in a small square table, and its largest
# eigenvalue is the curvature in the steepest direction. That one decides.


# %% id=u07-curvature
def steepest(x):
    table = 2 * np.array([[1.0, np.mean(x)], [np.mean(x), np.mean(x**2)]])
    return float(np.linalg.eigvalsh(table)[-1])


curvature = steepest(income)
print(f"by w alone {2 * np.mean(income**2):.4g}, steepest {curvature:.4g}")
print(f"largest safe rate {2 / curvature:.2e}")
print(f"cost grows by {(1 - 0.01 * curvature) ** 2:.3g}, measured {real[10][2] / real[9][2]:.3g}")

# %% [markdown] id=u07-curvature-see
# An income of 1,000 francs counts with its square, so the curvature is about 2.467 million, nearly all of it
# from w. The largest safe rate is 8.11e-07, and you used 0.01. The factor for w is then 1 − 0.01 · 2.467
# million, about −24,670; the cost goes with its square, 6.09e+08. That is what you measure from step 9 to
# step 10, to three digits. The explosion is the parabola's, with a larger number.
#
# So take half of the safe rate, 4e-7. No explosion. Does it arrive?

# %% id=u07-slow
slow = descend(0.0, 0.0, income.tolist(), food.tolist(), rate=4e-7, steps=50)
for step in (0, 5, 50):
    print(step, "b = {:.5f}, w = {:.5f}, cost {:.1f}".format(*slow[step]))

# %% [markdown] id=u07-slow-see
# The cost starts at 465666.6. After 5 steps it is 17642.3, and after 50 it still is. It looks finished. But b
# has moved by less than 0.002, and the best line, which you will see below, has b = 147.48 and a cost of
# 12909.8.
#
# A rate that w can bear does nothing for b. By b the curvature is 2, a million times smaller, and so is the
# progress: the cost is a canyon, steep across and almost flat along. "It has stopped falling" is no proof.

# %% [markdown] id=u07-standardise
# ## Standardise: make the canyon a bowl
#
# The trouble is in the units. Nothing forces you to count income in francs. Subtract the mean, divide by the
# standard deviation: now a typical household is at 0 and a rich one at 2. Do the same with food. This is
# called **standardising**. The mean of x is then 0, so nothing mixes b and w, and the mean of x² is 1, so
# both curvatures are 2. From the rule above, which rates are safe?

# %% id=u07-standardised
x = (income - income.mean()) / income.std()
y = (food - food.mean()) / food.std()
print(f"steepest {steepest(x):.6f}, largest safe rate {2 / steepest(x):.6f}")
runs = {rate: descend(1.5, -1.0, x.tolist(), y.tolist(), rate, 25) for rate in (0.2, 0.9, 1.01)}
for rate, run in runs.items():
    print(rate, "b = {:.4f}, w = {:.4f}, cost {:.4f}".format(*run[-1]))

# %% [markdown] id=u07-standardised-see
# The steepest curvature is 2, so every rate below 1 is safe. The prediction from one parabola holds for 235
# households: after 25 steps 0.2 has arrived at b = 0, w = 0.9112 and the cost 0.1696; 0.9 is all but there,
# with 0.1697; 1.01 has been thrown to b = −2.46, w = 4.05 and the cost 16.0577. Step by step:

# %% id=u07-rates alt="Cost against step on a log axis for three rates. 0.2, solid, falls quickly and levels off at 0.17; 0.9, dashed, falls more slowly to the same level; 1.01, dotted, rises in a straight line."
fig, ax = plt.subplots(figsize=(5.2, 2.8), dpi=90, layout="constrained")
looks = {0.2: ("#0072b2", "-"), 0.9: ("#00795b", "--"), 1.01: ("#b34700", ":")}
for rate, (colour, line) in looks.items():
    ax.semilogy([cost for _, _, cost in runs[rate]], line, color=colour, lw=2.5, label=f"rate {rate}")
ax.set(xlabel="step", ylabel="cost (log axis)")
ax.legend()
plt.show()

# %% [markdown] id=u07-rates-see
# On a log axis, growth by a constant factor is a straight line: the dotted one. The other two level off at
# the same height, the squared error that no line can avoid. Next, look down on the cost from above.

# %% id=u07-contours alt="Two maps of the cost over b and w. Left, raw data: the level lines are long slanted stripes; the path climbs straight up at b = 0 and stops on the valley floor, far left of the star. Right, standardised: circles, and the path runs straight to the star in their middle."
fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.3), dpi=90, layout="constrained")
maps = [(slow, income, food, (-60, 260, 0, 1)), (runs[0.2], x, y, (-2, 2, -1.2, 2.8))]
for ax, (run, data_x, data_y, frame) in zip(axes, maps, strict=True):
    b, w = np.meshgrid(np.linspace(*frame[:2], 80), np.linspace(*frame[2:], 80))
    cost = np.mean((b[..., None] + w[..., None] * data_x - data_y) ** 2, axis=-1)
    ax.contour(b, w, cost, cost.min() * np.array([1.2, 2, 4, 8, 16, 32]), colors="#8a929b", linewidths=1)
    ax.plot([p[0] for p in run], [p[1] for p in run], "o-", color="#00795b", ms=4, label="descent")
    best_w, best_b = np.polyfit(data_x, data_y, 1)
    ax.plot(best_b, best_w, "*", color="#b34700", ms=15, label="best line")
    ax.set(xlabel="b", ylabel="w", title="raw" if run is slow else "standardised")
axes[1].set_aspect("equal")
axes[0].legend(loc="upper right")
plt.show()

# %% [markdown] id=u07-contours-see
# See on the left that the path reaches the floor of the valley at once, and then stands still, 147 francs
# from the star: along the floor there is hardly a slope. On the right the level lines are circles. Against
# the slope means towards the middle there, from everywhere, and one rate suits both parameters.

# %% [markdown] id=u07-certificate
# ## A certificate
#
# A descent that has stopped moving may still be wrong. For a line there is a second way, without any search:
# the best slope is the sum of dx·dy over the sum of dx·dx, where dx and dy are the distances from the means,
# and the best line goes through the point of means. Such a formula is called a **closed form**. Descend
# until nothing moves, translate back to francs, and compare.

# %% id=u07-francs
b, w, _ = descend(1.5, -1.0, x.tolist(), y.tolist(), rate=0.2, steps=60)[-1]
slope = w * food.std() / income.std()
intercept = food.mean() + food.std() * b - slope * income.mean()
dx, dy = income - income.mean(), food - food.mean()
best_slope = (dx @ dy) / (dx @ dx)
best_intercept = food.mean() - best_slope * income.mean()
print(f"descent      {intercept:.9f} {slope:.12f}")
print(f"closed form  {best_intercept:.9f} {best_slope:.12f}")

# %% [markdown] id=u07-francs-see
# The two agree in every digit that is printed: 147.475388524 and 0.485178423677. Of each further franc, these
# households spent about 49 centimes on food. The raw descent, which had "stopped falling" at w = 0.60262,
# would not have passed this test. Here is the fit, with the lines that the descent passed on its way.

# %% id=u07-fit alt="235 households, food against income. Lines of steps 0, 1 and 3 turn from falling to rising; the solid fitted line runs from 330 at income 377 to 2553 at income 4958. Poorer households lie close to it, richer ones spread widely."
fig, ax = plt.subplots(figsize=(5.6, 3.6), dpi=90, layout="constrained")
ax.plot(income, food, "o", color="#0072b2", ms=3, label="a household")
ends = np.array([income.min(), income.max()])
for step, line in ((0, ":"), (1, "-."), (3, "--")):
    b, w, _ = runs[0.2][step]
    passing = food.mean() + food.std() * (b + w * (ends - income.mean()) / income.std())
    ax.plot(ends, passing, line, color="#00795b", lw=1.5, label=f"step {step}")
ax.plot(ends, intercept + slope * ends, "-", color="#b34700", lw=2.5, label="fitted line")
ax.set(xlabel="income (francs a year)", ylabel="spent on food (francs)", ylim=(-1000, 3900))
ax.legend(ncols=2, loc="upper left", fontsize=9)
plt.show()

# %% [markdown] id=u07-check-one
# ## Check yourself
#
# **1.** On the standardised data, which rate arrives soonest: 0.2, 0.5 or 0.9? How many steps does it need?

# %% id=u07-check-one-answer
for step, (b, w, _) in enumerate(descend(1.5, -1.0, x.tolist(), y.tolist(), rate=0.5, steps=2)):
    print(step, round(b, 6) + 0.0, round(w, 6))

# %% [markdown] id=u07-check-two
# One step with 0.5 goes all the way: the factor 1 − 0.5·2 is 0. If you said 0.9 because it is the largest,
# think of its factor, −0.8: it overshoots and has to come back. (0.911243, where w arrives, is the correlation
# of income and food: on standardised data the best slope always is.)
#
# **2.** Somebody copies every household, so that each stands twice in the data. Does the cost change? And if
# it were the sum of the squares, not their mean?

# %% id=u07-check-two-answer
for copies in (1, 2):
    mean = cost_of(Scalar(0.0), Scalar(1.0), few_x * copies, few_y * copies).value
    print(mean, mean * 3 * copies)

# %% [markdown] id=u07-check-three
# On the three points of the beginning, the mean stays 33.0 and the sum goes from 99.0 to 198.0. With a sum
# all slopes double too, and the safe rate halves: a rate that worked on one data set fails on a larger one.
# The mean is a convention, and this is its reason.
#
# **3.** Somebody counts income in thousands of francs and doesn't subtract the mean. By w alone the curvature
# is now 2.467, so 0.6 looks safe, since 0.6 · 2.467 is 1.48. Is it?

# %% id=u07-check-three-answer
thousands = income / 1000
print(f"by w alone {2 * np.mean(thousands**2):.3f}, steepest {steepest(thousands):.3f}")
for rate in (0.4, 0.6):
    print(rate, "cost {2:.4g}".format(*descend(0.0, 0.0, thousands.tolist(), food.tolist(), rate, 20)[-1]))

# %% [markdown] id=u07-close
# No. 0.4 is at 1.299e+04 after 20 steps, close to the best cost of 12909.8; 0.6 is at 1.022e+13. b and w pull
# together in one direction, whose curvature is 4.213, so the largest safe rate is 2/4.213 = 0.47. The
# curvature by each parameter alone can be too kind. Subtracting the mean is what takes the mixing away.
#
# ## What you can now do
#
# You can write a cost as a graph and take its gradient. You can move all parameters at once, from one point,
# at a rate that you know to be safe. You can certify a fit by its closed form.
#
# The safe rate came from a curvature, the slope of a slope, and you worked that out by hand. Why not ask the
# engine? Because `cost.grad()` gives plain numbers, and a plain number can't be asked for its slope. In
# **unit 8** the gradient is a graph itself.
#
# **A museum piece.** Engines that keep the gradient *in* the parameter have to clear it between two steps.
# In karpathy/llm.c (pull request 548) the training loop cleared it, but only after the first backward pass;
# the gradients of the first step were deposited twice, and the C program drifted away from the PyTorch one
# that it was meant to match. In this lesson each step builds a new graph and gets a new dictionary, so there
# was nothing to forget. What would b and w be after one step, had yours been doubled?

"""The lesson of a unit that only the tests know."""

# %% [markdown] id=u98-why
# # Why double?
#
# Two of a kind
# are more than one.

# %% id=u98-first
import random
import time

import matplotlib.pyplot as plt
import numpy as np

began = time.perf_counter()
print(f"{sum([0.1, 0.2]):.3f} in {time.perf_counter() - began:.6f} s")
{"two": 2}

# %% id=u98-random tracks=taster
print(random.random(), np.random.rand())

# %% id=u98-figure alt="a line that rises from 0 to 6"
fig, ax = plt.subplots(figsize=(2, 1))
ax.plot([0, 3], [0, 6])
plt.show()

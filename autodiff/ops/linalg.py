"""Products of vectors and matrices: matmul, and what is composed from it.

Needs shapes.py. Read in U10.
"""

from __future__ import annotations

import numpy as np

from autodiff.ops.shapes import stretch as stretch
from autodiff.primitive import linear

matmul = linear("matmul", "@", np.matmul, a=lambda g, b: g @ b.T, b=lambda g, a: a.T @ g)

"""The rows, a room per family: shapes first. Each file holds the forward and the gradient of its operations.

Needs primitive.py. `FUNCTIONS` has them all by name, together with what is composed from them. Read from U10
on; `shapes` in U11.
"""

from autodiff.ops import choices as choices
from autodiff.ops import diagonals as diagonals
from autodiff.ops import join as join
from autodiff.ops import layout as layout
from autodiff.ops import linalg as linalg
from autodiff.ops import pointwise as pointwise
from autodiff.ops import reduce as reduce
from autodiff.ops import scans as scans
from autodiff.ops import select as select
from autodiff.ops import shapes as shapes
from autodiff.ops import sorting as sorting
from autodiff.ops import special as special
from autodiff.ops import statistics as statistics
from autodiff.ops import tiling as tiling
from autodiff.ops import transcendental as transcendental
from autodiff.ops import values as values
from autodiff.primitive import FUNCTIONS as FUNCTIONS

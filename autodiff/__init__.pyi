from autodiff.checks import check_gradients as check_gradients
from autodiff.checks import finite_difference as finite_difference
from autodiff.checks import numerical_gradient as numerical_gradient
from autodiff.checks import numerical_gradient_full as numerical_gradient_full
from autodiff.closures import ClosureScalar as ClosureScalar
from autodiff.closures import combine_dicts as combine_dicts
from autodiff.drawing import draw as draw
from autodiff.errors import GradientError as GradientError
from autodiff.ops.shapes import reduce_broadcast as reduce_broadcast
from autodiff.scalar import Scalar as Scalar

__version__: str

from typing import Any

from autodiff.checkpoints import checkpoint as checkpoint
from autodiff.checks import check_gradients as check_gradients
from autodiff.checks import finite_difference as finite_difference
from autodiff.checks import numerical_gradient as numerical_gradient
from autodiff.checks import numerical_gradient_full as numerical_gradient_full
from autodiff.closures import ClosureScalar as ClosureScalar
from autodiff.closures import combine_dicts as combine_dicts
from autodiff.drawing import draw as draw
from autodiff.drawing import draw_difference as draw_difference
from autodiff.drawing import explain as explain
from autodiff.drawing import plots as plots
from autodiff.drawing import step as step
from autodiff.errors import GradientError as GradientError
from autodiff.functional import elementwise_grad as elementwise_grad
from autodiff.functional import grad as grad
from autodiff.functional import gradients as gradients
from autodiff.functional import jvp as jvp
from autodiff.functional import value_and_grad as value_and_grad
from autodiff.functional import vjp as vjp
from autodiff.jacobians import ggnvp as ggnvp
from autodiff.jacobians import hessian as hessian
from autodiff.jacobians import hvp as hvp
from autodiff.jacobians import jacobian as jacobian
from autodiff.ops.choices import at_least as at_least
from autodiff.ops.choices import at_most as at_most
from autodiff.ops.choices import clip as clip
from autodiff.ops.choices import fmax as fmax
from autodiff.ops.choices import fmin as fmin
from autodiff.ops.choices import maximum as maximum
from autodiff.ops.choices import minimum as minimum
from autodiff.ops.choices import nan_to_num as nan_to_num
from autodiff.ops.choices import relu as relu
from autodiff.ops.choices import where as where
from autodiff.ops.diagonals import diag as diag
from autodiff.ops.diagonals import diagonal as diagonal
from autodiff.ops.diagonals import place_diagonal as place_diagonal
from autodiff.ops.diagonals import trace as trace
from autodiff.ops.diagonals import tril as tril
from autodiff.ops.diagonals import triu as triu
from autodiff.ops.join import append as append
from autodiff.ops.join import array_split as array_split
from autodiff.ops.join import block as block
from autodiff.ops.join import column_stack as column_stack
from autodiff.ops.join import concat as concat
from autodiff.ops.join import concatenate as concatenate
from autodiff.ops.join import dsplit as dsplit
from autodiff.ops.join import dstack as dstack
from autodiff.ops.join import hsplit as hsplit
from autodiff.ops.join import hstack as hstack
from autodiff.ops.join import split as split
from autodiff.ops.join import stack as stack
from autodiff.ops.join import unstack as unstack
from autodiff.ops.join import vsplit as vsplit
from autodiff.ops.join import vstack as vstack
from autodiff.ops.layout import astype as astype
from autodiff.ops.layout import atleast_1d as atleast_1d
from autodiff.ops.layout import atleast_2d as atleast_2d
from autodiff.ops.layout import atleast_3d as atleast_3d
from autodiff.ops.layout import broadcast_arrays as broadcast_arrays
from autodiff.ops.layout import broadcast_to as broadcast_to
from autodiff.ops.layout import copy as copy
from autodiff.ops.layout import expand_dims as expand_dims
from autodiff.ops.layout import flatten as flatten
from autodiff.ops.layout import flip as flip
from autodiff.ops.layout import fliplr as fliplr
from autodiff.ops.layout import flipud as flipud
from autodiff.ops.layout import matrix_transpose as matrix_transpose
from autodiff.ops.layout import moveaxis as moveaxis
from autodiff.ops.layout import permute_dims as permute_dims
from autodiff.ops.layout import ravel as ravel
from autodiff.ops.layout import reshape as reshape
from autodiff.ops.layout import reshape_as as reshape_as
from autodiff.ops.layout import roll as roll
from autodiff.ops.layout import rollaxis as rollaxis
from autodiff.ops.layout import rot90 as rot90
from autodiff.ops.layout import squeeze as squeeze
from autodiff.ops.layout import swapaxes as swapaxes
from autodiff.ops.layout import transpose as transpose
from autodiff.ops.linalg import dot as dot
from autodiff.ops.linalg import inner as inner
from autodiff.ops.linalg import kron as kron
from autodiff.ops.linalg import matmul as matmul
from autodiff.ops.linalg import outer as outer
from autodiff.ops.linalg import tensordot as tensordot
from autodiff.ops.linalg import vdot as vdot
from autodiff.ops.pointwise import absolute as abs
from autodiff.ops.pointwise import absolute as absolute
from autodiff.ops.pointwise import add as add
from autodiff.ops.pointwise import add_sequence as add_sequence
from autodiff.ops.pointwise import cbrt as cbrt
from autodiff.ops.pointwise import ceil as ceil
from autodiff.ops.pointwise import copysign as copysign
from autodiff.ops.pointwise import divide as divide
from autodiff.ops.pointwise import divide as true_divide
from autodiff.ops.pointwise import divmod as divmod
from autodiff.ops.pointwise import fabs as fabs
from autodiff.ops.pointwise import float_power as float_power
from autodiff.ops.pointwise import floor as floor
from autodiff.ops.pointwise import floor_divide as floor_divide
from autodiff.ops.pointwise import fmod as fmod
from autodiff.ops.pointwise import hypot as hypot
from autodiff.ops.pointwise import log as log
from autodiff.ops.pointwise import mod as mod
from autodiff.ops.pointwise import mod as remainder
from autodiff.ops.pointwise import multiply as multiply
from autodiff.ops.pointwise import multiply_sequence as multiply_sequence
from autodiff.ops.pointwise import negative as negative
from autodiff.ops.pointwise import positive as positive
from autodiff.ops.pointwise import power as pow
from autodiff.ops.pointwise import power as power
from autodiff.ops.pointwise import reciprocal as reciprocal
from autodiff.ops.pointwise import rint as rint
from autodiff.ops.pointwise import round as around
from autodiff.ops.pointwise import round as round
from autodiff.ops.pointwise import sign as sign
from autodiff.ops.pointwise import sqrt as sqrt
from autodiff.ops.pointwise import square as square
from autodiff.ops.pointwise import subtract as subtract
from autodiff.ops.pointwise import trunc as fix
from autodiff.ops.pointwise import trunc as trunc
from autodiff.ops.reduce import logsumexp as logsumexp
from autodiff.ops.reduce import max as amax
from autodiff.ops.reduce import max as max
from autodiff.ops.reduce import mean as mean
from autodiff.ops.reduce import min as amin
from autodiff.ops.reduce import min as min
from autodiff.ops.reduce import nanmax as nanmax
from autodiff.ops.reduce import nanmean as nanmean
from autodiff.ops.reduce import nanmin as nanmin
from autodiff.ops.reduce import nansum as nansum
from autodiff.ops.reduce import ptp as ptp
from autodiff.ops.reduce import spread as spread
from autodiff.ops.reduce import std as std
from autodiff.ops.reduce import var as var
from autodiff.ops.scans import cumprod as cumprod
from autodiff.ops.scans import cumsum as cumsum
from autodiff.ops.scans import diff as diff
from autodiff.ops.scans import gradient as gradient
from autodiff.ops.scans import prod as prod
from autodiff.ops.scans import product as product
from autodiff.ops.scans import recurrence as recurrence
from autodiff.ops.scans import running_product as running_product
from autodiff.ops.scans import running_sum as running_sum
from autodiff.ops.scans import shift as shift
from autodiff.ops.scans import slopes as slopes
from autodiff.ops.scans import slopes_reversed as slopes_reversed
from autodiff.ops.scans import trapezoid as trapezoid
from autodiff.ops.select import choose as choose
from autodiff.ops.select import compress as compress
from autodiff.ops.select import extract as extract
from autodiff.ops.select import index as index
from autodiff.ops.select import scatter as scatter
from autodiff.ops.select import select as select
from autodiff.ops.select import take as take
from autodiff.ops.select import take_along_axis as take_along_axis
from autodiff.ops.shapes import alias as alias
from autodiff.ops.shapes import cast as cast
from autodiff.ops.shapes import reduce_broadcast as reduce_broadcast
from autodiff.ops.shapes import stretch as stretch
from autodiff.ops.shapes import sum as sum
from autodiff.ops.shapes import unbroadcast as unbroadcast
from autodiff.ops.sorting import partition as partition
from autodiff.ops.sorting import sort as sort
from autodiff.ops.sorting import sort_by as sort_by
from autodiff.ops.sorting import unsort_by as unsort_by
from autodiff.ops.special import erf as erf
from autodiff.ops.special import sinc as sinc
from autodiff.ops.special import spherical_bessel as spherical_bessel
from autodiff.ops.statistics import average as average
from autodiff.ops.statistics import median as median
from autodiff.ops.statistics import percentile as percentile
from autodiff.ops.statistics import quantile as quantile
from autodiff.ops.tiling import delete as delete
from autodiff.ops.tiling import full_like as full_like
from autodiff.ops.tiling import insert as insert
from autodiff.ops.tiling import linspace as linspace
from autodiff.ops.tiling import meshgrid as meshgrid
from autodiff.ops.tiling import pad as pad
from autodiff.ops.tiling import repeat as repeat
from autodiff.ops.tiling import tile as tile
from autodiff.ops.transcendental import arccos as acos
from autodiff.ops.transcendental import arccos as arccos
from autodiff.ops.transcendental import arccosh as acosh
from autodiff.ops.transcendental import arccosh as arccosh
from autodiff.ops.transcendental import arccot as arccot
from autodiff.ops.transcendental import arccoth as arccoth
from autodiff.ops.transcendental import arccsc as arccsc
from autodiff.ops.transcendental import arccsch as arccsch
from autodiff.ops.transcendental import arcsec as arcsec
from autodiff.ops.transcendental import arcsech as arcsech
from autodiff.ops.transcendental import arcsin as arcsin
from autodiff.ops.transcendental import arcsin as asin
from autodiff.ops.transcendental import arcsinh as arcsinh
from autodiff.ops.transcendental import arcsinh as asinh
from autodiff.ops.transcendental import arctan as arctan
from autodiff.ops.transcendental import arctan as atan
from autodiff.ops.transcendental import arctan2 as arctan2
from autodiff.ops.transcendental import arctan2 as atan2
from autodiff.ops.transcendental import arctanh as arctanh
from autodiff.ops.transcendental import arctanh as atanh
from autodiff.ops.transcendental import cos as cos
from autodiff.ops.transcendental import cosh as cosh
from autodiff.ops.transcendental import cot as cot
from autodiff.ops.transcendental import coth as coth
from autodiff.ops.transcendental import csc as csc
from autodiff.ops.transcendental import csch as csch
from autodiff.ops.transcendental import deg2rad as deg2rad
from autodiff.ops.transcendental import deg2rad as radians
from autodiff.ops.transcendental import exp as exp
from autodiff.ops.transcendental import exp2 as exp2
from autodiff.ops.transcendental import expm1 as expm1
from autodiff.ops.transcendental import log10 as log10
from autodiff.ops.transcendental import log1p as log1p
from autodiff.ops.transcendental import log2 as log2
from autodiff.ops.transcendental import logaddexp as logaddexp
from autodiff.ops.transcendental import logaddexp2 as logaddexp2
from autodiff.ops.transcendental import logit as logit
from autodiff.ops.transcendental import rad2deg as degrees
from autodiff.ops.transcendental import rad2deg as rad2deg
from autodiff.ops.transcendental import sec as sec
from autodiff.ops.transcendental import sech as sech
from autodiff.ops.transcendental import sigmoid as sigmoid
from autodiff.ops.transcendental import sin as sin
from autodiff.ops.transcendental import sinh as sinh
from autodiff.ops.transcendental import softplus as softplus
from autodiff.ops.transcendental import tan as tan
from autodiff.ops.transcendental import tanh as tanh
from autodiff.ops.transcendental import xlogy as xlogy
from autodiff.primitive import elementwise as elementwise
from autodiff.primitive import linear as linear
from autodiff.primitive import operation as operation
from autodiff.primitive import variadic as variadic
from autodiff.recording import no_grad as no_grad
from autodiff.recording import stop_gradient as stop_gradient
from autodiff.recording import trace_nonfinite as trace_nonfinite
from autodiff.scalar import Scalar as Scalar
from autodiff.tensors import Tensor as Tensor
from autodiff.tensors import tensor as tensor
from autodiff.threads import name_scope as name_scope

def all(*args: Any, **options: Any) -> Any: ...
def allclose(*args: Any, **options: Any) -> Any: ...
def any(*args: Any, **options: Any) -> Any: ...
def argmax(*args: Any, **options: Any) -> Any: ...
def argmin(*args: Any, **options: Any) -> Any: ...
def argpartition(*args: Any, **options: Any) -> Any: ...
def argsort(*args: Any, **options: Any) -> Any: ...
def argwhere(*args: Any, **options: Any) -> Any: ...
def array_equal(*args: Any, **options: Any) -> Any: ...
def array_equiv(*args: Any, **options: Any) -> Any: ...
def bincount(*args: Any, **options: Any) -> Any: ...
def count_nonzero(*args: Any, **options: Any) -> Any: ...
def digitize(*args: Any, **options: Any) -> Any: ...
def empty_like(*args: Any, **options: Any) -> Any: ...
def equal(*args: Any, **options: Any) -> Any: ...
def flatnonzero(*args: Any, **options: Any) -> Any: ...
def greater(*args: Any, **options: Any) -> Any: ...
def greater_equal(*args: Any, **options: Any) -> Any: ...
def histogram(*args: Any, **options: Any) -> Any: ...
def isclose(*args: Any, **options: Any) -> Any: ...
def iscomplexobj(*args: Any, **options: Any) -> Any: ...
def isfinite(*args: Any, **options: Any) -> Any: ...
def isin(*args: Any, **options: Any) -> Any: ...
def isinf(*args: Any, **options: Any) -> Any: ...
def isnan(*args: Any, **options: Any) -> Any: ...
def isneginf(*args: Any, **options: Any) -> Any: ...
def isposinf(*args: Any, **options: Any) -> Any: ...
def isreal(*args: Any, **options: Any) -> Any: ...
def isrealobj(*args: Any, **options: Any) -> Any: ...
def less(*args: Any, **options: Any) -> Any: ...
def less_equal(*args: Any, **options: Any) -> Any: ...
def lexsort(*args: Any, **options: Any) -> Any: ...
def logical_and(*args: Any, **options: Any) -> Any: ...
def logical_not(*args: Any, **options: Any) -> Any: ...
def logical_or(*args: Any, **options: Any) -> Any: ...
def logical_xor(*args: Any, **options: Any) -> Any: ...
def nanargmax(*args: Any, **options: Any) -> Any: ...
def nanargmin(*args: Any, **options: Any) -> Any: ...
def ndim(*args: Any, **options: Any) -> Any: ...
def nonzero(*args: Any, **options: Any) -> Any: ...
def not_equal(*args: Any, **options: Any) -> Any: ...
def ones_like(*args: Any, **options: Any) -> Any: ...
def ravel_multi_index(*args: Any, **options: Any) -> Any: ...
def searchsorted(*args: Any, **options: Any) -> Any: ...
def shape(*args: Any, **options: Any) -> Any: ...
def signbit(*args: Any, **options: Any) -> Any: ...
def size(*args: Any, **options: Any) -> Any: ...
def unique(*args: Any, **options: Any) -> Any: ...
def unravel_index(*args: Any, **options: Any) -> Any: ...
def zeros_like(*args: Any, **options: Any) -> Any: ...

__version__: str
_HOMES: dict[str, str]

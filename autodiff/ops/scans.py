"""Running totals and products along an axis, the product of all, differences and slopes.

Needs layout.py, reduce.py and select.py. The gradient of a product needs the product of the other entries:
two running products give it without a division, so it is exact where entries are 0. Read in U12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from autodiff.errors import OperandError, OptionError, ShapeError
from autodiff.ops.layout import operand, ravel
from autodiff.ops.select import index
from autodiff.ops.shapes import stretch, sum
from autodiff.primitive import ENGINES, Array, Axis, Function, composed, linear, operation

# --- along one axis, forwards (step 1) or backwards (step -1) --------------------------------------------


def _accumulate(ufunc: np.ufunc, a: Any, axis: int, step: int) -> Array:
    a = np.asarray(a)
    if step > 0:
        accumulated: Array = ufunc.accumulate(a, axis=axis)
        return accumulated
    backwards = (slice(None),) * normalize_axis_index(axis, a.ndim) + (slice(None, None, -1),)
    # Filled from its end: an array of its own is worth more than a reversed view, which would be copied.
    out: Array = np.empty_like(a)
    ufunc.accumulate(a[backwards], axis=axis, dtype=a.dtype, out=out[backwards])
    return out


running_sum: Function = linear(
    "running_sum",
    "Σ→",
    lambda a, axis, step=1: _accumulate(np.add, a, axis, step),
    doc="out[j] = Σ a[i] over i ≤ j along `axis`; with step −1, over i ≥ j.",
    a=lambda g, axis, step: running_sum(g, axis=axis, step=-step),
)


def _shift(a: Any, axis: int, by: int = 1, fill: float = 0.0) -> Array:
    a = np.asarray(a)
    out: Array = np.full_like(a, fill)
    target, source = out.swapaxes(axis, 0), a.swapaxes(axis, 0)
    if by > 0:
        target[by:] = source[:-by]
    else:
        target[:by] = source[-by:]
    return out


shift: Function = operation(
    "shift",
    "⇥",
    _shift,
    doc="out[j] = a[j − by] along `axis`, by = 1 or −1; `fill` where nothing comes from.",
    a=lambda g, axis, by: shift(g, axis=axis, by=-by),
)


def _recurrence(a: Any, b: Any, axis: int, step: int = 1) -> Array:
    """Steps of doubled length: about log₂ n operations on arrays instead of n on numbers."""
    if a.shape != b.shape:
        raise ShapeError(f"recurrence takes two operands of one shape; got {a.shape} and {b.shape}")
    factor = np.array(a.swapaxes(axis, 0)[::step])
    out = np.array(b.swapaxes(axis, 0)[::step])
    reach = 1  # out[j] counts its last `reach` terms, factor[j] is their product
    while reach < len(out):
        out[reach:] += factor[reach:] * out[:-reach]
        factor[reach:] = factor[reach:] * factor[:-reach]
        reach *= 2
    return out[::step].swapaxes(axis, 0)


recurrence: Function = operation(
    "recurrence",
    "⟳",
    _recurrence,
    doc="out[j] = b[j] + a[j]·out[j − step] along `axis`, beginning with out = 0 (step −1: from the end).",
    a=lambda g, a, out, axis, step: (
        recurrence(shift(a, axis=axis, by=-step), g, axis=axis, step=-step) * shift(out, axis=axis, by=step)
    ),
    b=lambda g, a, axis, step: recurrence(shift(a, axis=axis, by=-step), g, axis=axis, step=-step),
)


def _running_product_rule(g: Any, a: Any, out: Any, axis: int, step: int) -> Any:
    """Σ over the results that a[j] is in: the product before it, times g-weighted products after it."""
    before = shift(out, axis=axis, by=step, fill=1.0)
    return before * recurrence(shift(a, axis=axis, by=-step), g, axis=axis, step=-step)


running_product = operation(
    "running_product",
    "Π→",
    lambda a, axis, step=1: _accumulate(np.multiply, a, axis, step),
    doc="out[j] = Π a[i] over i ≤ j along `axis`; with step −1, over i ≥ j.",
    a=_running_product_rule,
)


def _others(a: Any, axis: int) -> Any:
    """For each entry the product of all others along `axis`."""
    before = shift(running_product(a, axis=axis), axis=axis, fill=1.0)
    after = shift(running_product(a, axis=axis, step=-1), axis=axis, by=-1, fill=1.0)
    return before * after


product = operation(
    "product",
    "Π",
    lambda a, axis, keepdims=False: np.multiply.reduce(a, axis=axis, keepdims=keepdims),
    doc="The product along one axis.",
    a=lambda g, a, axis, keepdims: stretch(g, like=a, axis=axis, keepdims=keepdims) * _others(a, axis),
)

# --- as NumPy has them -----------------------------------------------------------------------------------


@composed(np.prod)
def prod(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product over `axis` (all axes by default); its gradient is exact where entries are 0.

    >>> prod(np.array([2.0, 0.0, 3.0]))
    np.float64(0.0)
    """
    a = operand(a)
    if a.ndim == 1 and axis is None:
        axis = 0
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    out = a
    for k in sorted(axes, reverse=True):
        out = product(out, axis=k, keepdims=keepdims)
    return 1 * a if out is a else out  # a value of its own, and truths are counted


@composed(np.cumsum)
def cumsum(a: Any, axis: int | None = None) -> Any:
    """Running totals: out[j] = Σ a[i] over i ≤ j along `axis` (None: of the flattened `a`).

    >>> cumsum(np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    """
    return running_sum(*_line(a, axis))


@composed(np.cumprod)
def cumprod(a: Any, axis: int | None = None) -> Any:
    """Running products: out[j] = Π a[i] over i ≤ j along `axis` (None: of the flattened `a`).

    >>> cumprod(np.array([2.0, 0.0, 3.0]))
    array([2., 0., 0.])
    """
    return running_product(*_line(a, axis))


def _line(a: Any, axis: int | None) -> tuple[Any, int]:
    """`a` and the axis to go along: its only one after flattening, where none is named."""
    a = operand(a)
    if axis is not None:
        return a, axis
    return (a if a.ndim == 1 else ravel(a)), 0


@composed(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """The difference of neighbours along `axis`, a[i + 1] − a[i], taken n times.

    >>> diff(np.array([1.0, 4.0, 9.0, 16.0]), n=2)
    array([2., 2.])
    """
    if n < 0:
        raise OptionError(f"diff takes differences n times; got n={n}, and it takes 0 or more")
    a = operand(a)
    if not a.ndim:
        raise ShapeError("diff needs at least one axis to go along; got a single number of shape ()")
    before = (slice(None),) * normalize_axis_index(axis, a.ndim)
    for _ in range(n):
        later, earlier = index(a, (*before, slice(1, None))), index(a, (*before, slice(None, -1)))
        a = later != earlier if a.dtype.kind == "b" else later - earlier
    return a


@composed(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """∫ y dx along `axis` by the trapezoidal rule: Σ (x[i+1] − x[i])·(y[i] + y[i+1])/2.

    `x` (of one axis, or as many as y) may be a variable, too; without it all gaps are `dx`.

    >>> trapezoid(np.array([1.0, 2.0, 3.0]), dx=2.0)
    np.float64(8.0)
    """
    y = operand(y)
    axis = normalize_axis_index(axis, y.ndim)
    before, after = (slice(None),) * axis, (None,) * (y.ndim - 1 - axis)
    if x is None:
        gaps = dx
    elif operand(x).ndim == 1:
        gaps = index(diff(x), (slice(None), *after))
    else:
        gaps = diff(x, axis=axis)
    pairs = index(y, (*before, slice(1, None))) + index(y, (*before, slice(None, -1)))
    return sum(gaps * pairs / 2.0, axis=axis)


# --- slopes of a curve through given points --------------------------------------------------------------


def _weights(p: Any, q: Any, r: Any, at: Any) -> tuple[Any, Any, Any]:
    """What three values count in the slope, at one of the places, of the parabola through them."""
    return (
        ((at - q) + (at - r)) / ((p - q) * (p - r)),
        ((at - p) + (at - r)) / ((q - p) * (q - r)),
        ((at - p) + (at - q)) / ((r - p) * (r - q)),
    )


def _slopes_reversed(a: Any, spacing: Any, axis: int, edge_order: int = 1) -> Array:
    g = np.asarray(a).swapaxes(axis, 0)
    x = np.arange(len(g)) if np.ndim(spacing) == 0 else np.asarray(spacing)  # whole numbers are exact
    out = np.zeros_like(g)
    inner = _weights(x[:-2], x[1:-1], x[2:], at=x[1:-1])
    for k, weight in enumerate(inner):
        out[k : len(g) - 2 + k] += weight.reshape(-1, *[1] * (g.ndim - 1)) * g[1:-1]
    for end, three in ((0, range(3)), (-1, range(-3, 0))):
        if edge_order == 2:
            p, q, r = x[list(three)]
            for k, weight in zip(three, _weights(p, q, r, at=x[end]), strict=True):
                out[k] += weight * g[end]
        else:
            first = three[0] if end == 0 else three[1]
            part = g[end] / (x[first + 1] - x[first])
            out[first] -= part
            out[first + 1] += part
    return (out if np.ndim(spacing) else out / spacing).swapaxes(axis, 0)


slopes: Function = linear(
    "slopes",
    "d/dx",
    lambda a, spacing, axis, edge_order=1: np.gradient(a, spacing, axis=axis, edge_order=edge_order),
    doc="The slope at each place along one axis, from its neighbours: np.gradient along that axis.",
    a=lambda g, spacing, axis, edge_order: slopes_reversed(
        g, spacing=spacing, axis=axis, edge_order=edge_order
    ),
)

slopes_reversed: Function = linear(
    "slopes_reversed",
    "d/dxᵀ",
    _slopes_reversed,
    doc="The reverse of `slopes`: what arrives at a slope goes back to the values that it was made of.",
    a=lambda g, spacing, axis, edge_order: slopes(g, spacing=spacing, axis=axis, edge_order=edge_order),
)


@composed(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """The slopes of the values `f` along each axis, by central differences: one array, or a tuple of them.

    The spacing is 1, one number for all axes, or for each axis a number or its coordinates. At the ends
    `edge_order` 1 takes the line through two points, 2 the parabola through three.

    >>> gradient(np.array([1.0, 4.0, 9.0]), edge_order=2)
    array([2., 4., 6.])
    """
    f = operand(f)
    axes = range(f.ndim) if axis is None else normalize_axis_tuple(axis, f.ndim)
    gaps = varargs or (1.0,)
    if len(gaps) == 1 and not operand(gaps[0]).ndim:
        gaps *= len(axes)
    if len(gaps) != len(axes):
        raise OperandError(
            f"gradient along {len(axes)} axes takes no spacing, one number, or one for each axis (a number "
            f"or an array of coordinates); got {len(gaps)}"
        )
    # The coordinates are kept for the way back: nobody may change them until then.
    gaps = tuple(gap if type(gap) in ENGINES else np.array(gap) for gap in gaps)
    parts = [slopes(f, spacing=gap, axis=k, edge_order=edge_order) for gap, k in zip(gaps, axes, strict=True)]
    return parts[0] if len(parts) == 1 else tuple(parts)

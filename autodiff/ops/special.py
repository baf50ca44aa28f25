"""Functions that need more than a formula: erf, and sinc with all its derivatives.

Needs transcendental.py. Both are computed from series, to full double precision. Read in U10.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.ops.transcendental import exp
from autodiff.primitive import Array, Function, elementwise

# --- sinc ------------------------------------------------------------------------------------------------


def _series(z: Array, n: int) -> Array:
    """Σₖ (−z²/2)ᵏ / (k!·(2n + 2k + 1)!!), the innermost bracket first."""
    total = np.ones_like(z)
    for k in range(30, 0, -1):
        total = 1.0 - z * z * total / (2.0 * k * (2 * n + 2 * k + 1))
    return total / math.prod(range(1, 2 * n + 2, 2))


def _bessel(a: Any, n: int) -> Any:
    z = np.abs(np.asarray(a) * 1.0)
    near = z * z <= 4 * (2 * n + 3)  # here the series loses no digits; further out the recurrence is stable
    far = np.where(near, 10.0, z)
    before, out = np.cos(far), np.sin(far) / far
    for k in range(n):
        before, out = out, ((2 * k + 1) * out - before) / (far * far)
    return np.where(near, _series(np.where(near, z, 0.0), n), out)[()]


spherical_bessel: Function = elementwise(
    "spherical_bessel",
    "jₙ/aⁿ",
    _bessel,
    doc="jₙ(a)/aⁿ, which starts with sin(a)/a at n = 0; its slope is −a times the next one's value.",
    a=lambda g, a, n: -g * a * spherical_bessel(a, n=n + 1),
)
sinc = elementwise(
    "sinc",
    "sinc",
    np.sinc,
    numpy=(np.sinc,),
    doc="sin(πa)/(πa), and 1 at 0; right derivatives of every order, at 0 too.",
    a=lambda g, a: g * (-(math.pi**2) * a * spherical_bessel(math.pi * a, n=1)),
)

# --- erf: its Taylor series around the nearest of 97 knots, since NumPy has none -------------------------

_PER_UNIT = 16  # so that 12 terms give every digit
_END = 6.0  # from here on erf is 1 to the last digit
_SLOPE = 2.0 / math.sqrt(math.pi)


def _coefficients() -> Array:
    """Row k holds the coefficients of dᵏ around each knot c; erf' = f obeys f' = −2·(c + d)·f."""
    c = np.arange(_END * _PER_UNIT + 1) / _PER_UNIT
    before, f = np.zeros_like(c), _SLOPE * np.exp(-c * c)
    rows = [np.array([math.erf(knot) for knot in c])]
    for k in range(1, 13):
        rows.append(f / k)
        before, f = f, -2.0 * (c * f + before) / k
    return np.array(rows)


_COEFFICIENTS = _coefficients()


def _erf(a: Any) -> Any:
    a = np.asarray(a)
    at = np.rint(np.fmin(np.abs(a), _END) * _PER_UNIT).astype(np.intp)
    d = np.minimum(np.abs(a), _END) - at / _PER_UNIT
    out = np.zeros_like(d)
    for row in _COEFFICIENTS[::-1]:
        out = out * d + row[at]
    return np.copysign(out, a).astype(a.dtype if a.dtype.kind == "f" else float)[()]


erf = elementwise(
    "erf",
    "erf",
    _erf,
    doc="2/√π · ∫₀ᵃ exp(−t²) dt.",
    a=lambda g, a: g * (_SLOPE * exp(-a * a)),
)

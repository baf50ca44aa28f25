"""The errors of the package: one family, so that `except GradientError` catches all of it.

Needs nothing. Each child is also the built-in error that it specialises, so code that expects a
`ValueError` or a `TypeError` keeps working. Every unit meets them.
"""

from __future__ import annotations


class GradientError(Exception):
    """Base of every error that this package raises on its own account."""


class OperandError(GradientError, TypeError):
    """An operand that is not a number (or an array, a string, None) reached an engine."""


class DomainError(GradientError, ValueError):
    """A function was asked for a value outside its domain, such as the logarithm of -1."""


class NameClashError(GradientError, ValueError):
    """Two different leaves of one graph bear the same name, so a dictionary by name can't tell them apart."""


class ImmutableError(GradientError, AttributeError):
    """Something that a recorded graph relies on was about to be changed."""


class ShapeError(GradientError, ValueError):
    """Shapes that can't belong together."""


class NumericalCheckError(GradientError, ValueError):
    """A numerical derivative that can't be trusted, with the two numbers that disagree."""


class OptionError(GradientError, ValueError):
    """An option that doesn't exist, with those that do."""


class DrawingError(GradientError, RuntimeError):
    """A picture could not be made or saved."""


class UnsupportedError(GradientError, TypeError):
    """A function or an argument that an engine has no rule for: refused, never ignored."""


class FreedGraphError(GradientError, RuntimeError):
    """A backward pass met a graph that an earlier one has cleared."""


class NonFiniteError(GradientError, ArithmeticError):
    """A value or a gradient turned nan or infinite while `trace_nonfinite` was watching."""

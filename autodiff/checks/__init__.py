"""Derivatives by numbers alone, to check an engine with: central differences, Decimals, the complex step.

Needs errors.py, ops/shapes.py and plain functions of arrays; nothing of an engine. Read in U13.
"""

from autodiff.checks.complex_step import numerical_gradient
from autodiff.checks.differences import finite_difference, numerical_gradient_full

__all__ = ["finite_difference", "numerical_gradient", "numerical_gradient_full"]

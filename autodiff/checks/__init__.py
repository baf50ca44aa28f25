"""Derivatives by numbers alone, to check an engine with: central differences, Decimals, the complex step.

Needs errors.py, ops/shapes.py and plain functions of arrays; `check_gradients`, which asks an
engine, loads it when it is called. Read in U13.
"""

from autodiff.checks.complex_step import numerical_gradient
from autodiff.checks.differences import finite_difference, numerical_gradient_full
from autodiff.checks.gradients import check_gradients

__all__ = ["check_gradients", "finite_difference", "numerical_gradient", "numerical_gradient_full"]

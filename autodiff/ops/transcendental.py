"""Exponentials, logarithms, trigonometry: functions of one or two numbers, entry by entry.

Needs pointwise.py. Read in U10.
"""

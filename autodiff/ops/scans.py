"""Running totals and differences along an axis.

Needs select.py. Read in U12.
"""

"""Medians, quantiles, averages and what skips nan: composed from rows.

Needs reduce.py and select.py. Read in U12.
"""

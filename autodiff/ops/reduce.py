"""Many entries into one: mean, var, prod, max and their kin; `sum` stands in shapes.py.

Needs shapes.py and pointwise.py. Read in U10.
"""

"""The rows, a room per family: shapes first. Each file holds the forward and the gradient of its operations.

Needs errors.py. Read from U10 on; `shapes` in U11.
"""

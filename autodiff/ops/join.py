"""Joining and splitting, repeating and padding: each with its reverse.

Needs select.py. Read in U12.
"""

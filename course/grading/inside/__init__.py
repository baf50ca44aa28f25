"""What runs beside student code: standard library and NumPy only, copied into a folder of its own.

Nothing here knows a right answer, a path of the instructor's or a score, so there is nothing to take; and
nothing that is sent from here is believed, so there is nothing to gain by changing it.
"""

"""What students are handed: notebooks, blanks, a wheel of the engine and the checks; no solution."""

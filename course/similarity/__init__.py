"""Which submissions of a class are alike, and where: pairs to look at, never a verdict."""

"""The engine of arrays: what a Tensor is, what it answers, what it refuses."""

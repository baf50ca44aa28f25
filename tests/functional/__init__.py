"""Functions of functions: gradients, products with Jacobians and Hessians, checkpoints."""

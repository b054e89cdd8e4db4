"""What is measured again of the hypercube paper."""

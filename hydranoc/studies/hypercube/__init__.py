"""Reproduced results of the hypercube paper."""

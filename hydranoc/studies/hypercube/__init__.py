"""Figures of the hypercube paper."""

"""Compiled loops: compiled by Numba when first needed, kept as machine code, and loaded without Numba."""

"""Mutation score of the hardware: ``python -m benchmarks.mutation``."""

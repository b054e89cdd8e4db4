"""Mutation score of the hardware: ``python -m verification.mutation``."""

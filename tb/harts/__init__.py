"""Benches of the hardware parts that only hexagonal meshes have."""

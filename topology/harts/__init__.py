"""HARTS: wrapped hexagonal meshes, and their broadcasts."""

"""HARTS: wrapped hexagonal meshes, and how broadcasts travel in them."""

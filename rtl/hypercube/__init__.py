"""Hypercubes: switches with adaptive routing, and networks of them."""

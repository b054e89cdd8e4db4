"""Hypercubes for the engine that moves planes: 64 routers with adaptive routing at a time, exact to the cycle."""

"""Hypercubes with adaptive wormhole routing: the part shared by hardware and model."""

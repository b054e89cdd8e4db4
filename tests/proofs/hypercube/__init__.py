"""Proofs of hypercubes."""

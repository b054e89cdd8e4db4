"""Proofs of tori and meshes."""

"""Tori and meshes of two dimensions: what hardware and model share."""

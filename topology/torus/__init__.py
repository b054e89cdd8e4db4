"""Tori and meshes of two dimensions: the part shared by hardware and model."""

"""Figures of the torus paper."""

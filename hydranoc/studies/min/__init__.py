"""Figures of the MIN paper."""

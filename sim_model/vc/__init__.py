"""Routers with virtual channels in one step (docs/look_up/timing_torus.md)."""

"""Routers with virtual channels in one step (docs/look_up/timing.md, "Links with lanes" and "Router with lanes")."""

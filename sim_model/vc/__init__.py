"""Routers with lanes, one cycle of all of them (docs/timing.md, "Links with lanes" and "Router with lanes")."""

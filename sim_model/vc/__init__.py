"""Routers with virtual channels, stepped together (docs/timing.md, "Links with lanes" and "Router with lanes")."""

"""The router with virtual channels, which the families with lanes share (docs/timing.md, "Router with lanes")."""

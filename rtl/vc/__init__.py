"""Router with virtual channels, shared by several families (docs/timing.md, "Router with lanes")."""

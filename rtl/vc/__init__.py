"""Router with virtual channels, shared by several families (docs/look_up/timing.md, "Router with lanes")."""

"""Router with virtual channels, shared by several families (docs/look_up/timing_torus.md)."""

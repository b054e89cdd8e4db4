"""Golden model of the collective plane, exact to the cycle (docs/understand/collective_plane.md)."""

"""Hardware of HARTS: a node of a wrapped hexagonal mesh."""

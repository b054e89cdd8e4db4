"""Claims about the parts of a HARTS node."""

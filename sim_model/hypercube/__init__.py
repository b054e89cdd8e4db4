"""Golden model of hypercubes with adaptive routing, whose nodes forward broadcasts (Sec. 2 and 3)."""

"""Golden model of HARTS: virtual cut-through and broadcasts in wrapped hexagonal meshes."""

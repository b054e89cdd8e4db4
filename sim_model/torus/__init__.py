"""Golden model of tori and meshes, and the multicasts that their software sends."""

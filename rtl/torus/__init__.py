"""Hardware of tori and meshes."""

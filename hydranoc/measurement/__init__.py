"""Measured points: runs repeated until their means are known well enough, and the verdict whether there are means."""

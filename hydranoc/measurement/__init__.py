"""Measured points: runs repeated until their means are precise enough, and the verdict on the existence of means."""

"""Engines of the golden model: by cycles (the reference), by whole worms, by bit planes."""

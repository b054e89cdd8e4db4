"""Output of a run for its user: summaries, result folders, progress."""

"""What a run tells its user: summaries, result folders, progress."""

"""Release tools: compiled loops that are part of a wheel."""

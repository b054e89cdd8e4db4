"""Random draws: networks, and their traffic."""

"""Random draws: networks, a file for each family, and their traffic."""

"""Common parts of studies: figures, points, replications, runs to the end."""

"""A run of a configured network as one HTML page that needs nothing else."""

"""Collective plane: switches that combine, endpoints, and the generator of a whole plane."""

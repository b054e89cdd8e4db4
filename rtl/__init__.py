"""The hardware: shared parts, the routers of the families, and the network generator."""

"""Front half of a router, shared by all families with routing tables."""

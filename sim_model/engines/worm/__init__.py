"""The second engine: moves worms and not flits, exact to the cycle."""

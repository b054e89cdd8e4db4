"""The golden model: cycle-exact, compiled simulation of the networks, traffic and statistics."""

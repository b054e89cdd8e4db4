"""The golden model: cycle-exact, compiled simulation of the networks, traffic, statistics and analytical models."""

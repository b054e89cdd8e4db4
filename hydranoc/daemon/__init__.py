"""A process that keeps the command's modules loaded, and forks for each command; ``hydranoc daemon start``."""

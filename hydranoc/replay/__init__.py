"""Replay of a network's channels, worm by worm."""

"""Benches around an exported network, for its users to change."""

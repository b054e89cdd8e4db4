"""Benches and bench parts for every family."""

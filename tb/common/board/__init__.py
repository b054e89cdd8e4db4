"""Bench for self-tests of boards: listens to the serial line."""

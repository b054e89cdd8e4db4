"""Sweeps: a configuration measured with many values of its keys, on many cores, in one table."""

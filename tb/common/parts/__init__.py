"""Benches of the shared hardware parts: each part next to its golden twin, with random traffic.

One file per part contains its cocotb tests, with parameters from ``parameters.py``. The other files are the drivers and
checks of the benches, which do not need a simulator themselves.
"""

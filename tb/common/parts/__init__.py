"""Benches of the shared hardware parts: each part next to its golden twin, with random traffic.

One file per part holds its cocotb tests; parameters reach them through ``parameters.py``. The other files are the
drivers and checks that the benches are made of, which do not need a simulator themselves.
"""

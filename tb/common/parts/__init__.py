"""Drivers and checks of benches that run a part next to its golden twin, with random traffic.

Parameters of instances are in ``parameters.py``. Drivers and checks do not need a simulator themselves.
"""

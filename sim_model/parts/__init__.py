"""Golden twin of the input buffer, in plain Python.

A twin is written from its part's contract and not from its code. ``step(inputs) -> outputs`` is one cycle: it returns
the outputs of that cycle, combinational ones included, and then updates the registers. Ports are named as in
the part, with dots: ``link.valid``. Flits are integers in the order of ``topology.common.flits``.
"""

"""The family-agnostic half of the cycle loop: links, buffers, injectors, hosts and ejectors, Numba-compiled.

A cycle (docs/look_up/timing.md) is three calls in this order, put together by the family in its own compiled loop:

1. ``links.move_flits``: every output register whose sink has room sends its flit. The flit is written behind
   the others in the sink's ring buffer at once, and the sink's ``arrived`` bit says that it was not there at the
   start of the cycle. That bit is all that is needed to keep "state at the start of the cycle" exact. Registers that
   may move are listed (``movers.py``).
2. ``links.load_heads``: hosts that are due prepare a message or offer one to their injector.
3. the family's routers: ``links.pop`` buffers, load registers, and finally add ``arrived`` to ``nonempty``. A router
   whose worms are all blocked may be skipped until it is ``awake``, or until an alarm is set for it (``alarms.py``).

All state is NumPy arrays in named tuples (``state.py``), so everything here also runs as plain Python under
``NUMBA_DISABLE_JIT=1``.
"""

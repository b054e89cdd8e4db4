"""Golden model of AXI4 ends: interfaces of managers and subordinates between two networks, and their hosts."""

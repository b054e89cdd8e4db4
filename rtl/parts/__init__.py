"""Leaf parts of routers and network interfaces: arbiters, buffers, crossbars, clock crossings."""

"""Bench of a network's registers: an AXI4-Lite master of cocotbext-axi accesses the registers in the manifest."""

"""Bench of a network's registers: an AXI4-Lite master of cocotbext-axi reads and writes what the manifest lists."""

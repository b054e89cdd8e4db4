"""Benches of networks with AXI4 ends."""

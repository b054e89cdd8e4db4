"""Registers of a network behind AXI4-Lite: one map, from which hardware, C header, page and manifest are made."""

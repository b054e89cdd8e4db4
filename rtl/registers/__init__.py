"""Registers of a network behind AXI4-Lite: hardware, C header, page and manifest are generated from one map."""

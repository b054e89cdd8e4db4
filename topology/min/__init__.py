"""Multistage networks: wiring, groups of switches, routing tables (Varavithya and Mohapatra)."""

"""Hypercubes with adaptive routing: from their configuration to tables, model, hardware and pictures."""

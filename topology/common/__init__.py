"""Topology parts that every family uses."""

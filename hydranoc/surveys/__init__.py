"""Measurements across families, by configurations that users can write."""

"""Routers whose neighbours break the rules."""

"""Boards that test a network by themselves: a registry, one file per board, and the parts of the test (``common``)."""

"""Collective operations on 64 nodes: by all algorithms and on the collective plane, in all families."""

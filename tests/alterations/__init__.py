"""Certified networks with one programmed alteration each: the checker of certificates must refuse all of them.

``python -m tests.alterations`` makes every alteration; a fixed sample of them is in every test run.
"""

"""Certified networks altered by a program, one thing at a time: the checker of certificates has to refuse them all.

``python -m tests.alterations`` makes every alteration; a fixed sample of them is in every test run.
"""

"""Refusal of a certificate, and reading of lists of names."""

from collections import Counter


class Refused(Exception):
    """Refusal of a certificate; the message has the reason."""


def demand(holds, why):
    """Refuse the certificate unless a condition holds."""
    if not holds:
        raise Refused(why)


def ranks(names, listed, what):
    """Return the position of each name in a list of the certificate, which must have each exactly once."""
    demand(isinstance(listed, list) and all(isinstance(name, str) for name in listed), f"{what} is no list of names")
    known = set(names)
    for name, times in Counter(listed).items():
        demand(name in known, f"{name} in {what} is none of this network's")
        demand(times == 1, f"{name} is twice in {what}")
    place = {name: rank for rank, name in enumerate(listed)}
    for name in names:
        demand(name in place, f"{name} is missing in {what}")
    return place

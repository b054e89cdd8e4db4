"""How a certificate is refused, and lists of names are read."""

from collections import Counter


class Refused(Exception):
    """Why a certificate is not accepted."""


def demand(holds, why):
    """Refuse the certificate unless something holds."""
    if not holds:
        raise Refused(why)


def ranks(names, listed, what):
    """Place of each name in a list of the certificate, which has to hold each just once."""
    demand(isinstance(listed, list) and all(isinstance(name, str) for name in listed), f"{what} is no list of names")
    known = set(names)
    for name, times in Counter(listed).items():
        demand(name in known, f"{name} in {what} is none of this network's")
        demand(times == 1, f"{name} is twice in {what}")
    place = {name: rank for rank, name in enumerate(listed)}
    for name in names:
        demand(name in place, f"{name} is missing in {what}")
    return place

"""Selection of the next case: the family that is furthest behind its share."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

from verification.campaign.cases import FAMILIES, cases_of

SHARES: Mapping[str, int] = {"spam": 44, "min": 38, "harts": 6, "hypercube": 6, "torus": 6}
"""Percentages of all router-cycles; families with expensive routers have less."""


class Shares:
    """Allocates networks, each with its remaining cases.

    Parameters:
        families: Families of the campaign.
        router_cycles (mapping of str to int): Router-cycles of each so far.
        done: Cases that are not to be run again.
        first_case: First case to run.
    """

    def __init__(
        self, families: Sequence[str], router_cycles: Mapping[str, int], done: Collection[int], first_case: int = 0
    ):
        self._compared = {family: router_cycles.get(family, 0) for family in families}
        self._networks = {family: _open_networks(family, set(done), first_case) for family in families}

    def add(self, family: str, router_cycles: int) -> None:
        """Add compared or expected router-cycles to a family."""
        self._compared[family] += router_cycles

    def next_network(self) -> list[int]:
        """Return the cases over the next network."""
        family = min(self._compared, key=lambda name: (self._compared[name] / SHARES[name], FAMILIES.index(name)))
        return next(self._networks[family])


def _open_networks(family: str, done: set[int], first_case: int) -> Iterator[list[int]]:
    for turn in count():
        cases = [case for case in cases_of(family, turn) if case >= first_case and case not in done]
        if cases:
            yield cases

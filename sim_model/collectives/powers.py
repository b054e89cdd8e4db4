"""Powers of two among members: logarithms, and the fold of other numbers of members to a power of two."""

from typing import NamedTuple


def floor_log2(members: int) -> int:
    """Return the largest k with 2^k at most ``members``."""
    return members.bit_length() - 1


def ceil_log2(members: int) -> int:
    """Return the smallest k with 2^k at least ``members``."""
    return (members - 1).bit_length()


class Fold(NamedTuple):
    """Members that stay in a power of two of places, and others that hand their part to one of them.

    Members:
        places: By place: its members; the first one stays, the second one, if there is one, folds.
    """

    places: tuple[tuple[int, ...], ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Staying and folding member of each place with two."""
        return [(place[0], place[1]) for place in self.places if len(place) == 2]


def folded(members: int) -> Fold:
    """Return the fold of some members; the first ones are in pairs, so that places have neighbouring members."""
    places = 1 << floor_log2(members)
    pairs = members - places
    together = [(2 * place, 2 * place + 1) for place in range(pairs)]
    return Fold((*together, *((place + pairs,) for place in range(pairs, places))))

"""Phases of several operations: exchanges between places of a power of two, and rings."""

from sim_model.collectives.algorithm import Case
from sim_model.collectives.powers import Fold, floor_log2, folded
from sim_model.collectives.schedule import Rounds, Send


def double(rounds: Rounds, case: Case) -> None:
    """Combine the whole vectors of all members at all members, by recursive doubling.

    Members beyond a power of two hand their vector to a neighbour first, and get the result from it at the end.
    """
    fold = folded(case.members)
    fold_in(rounds, fold, (0,))
    for bit in range(floor_log2(case.members)):
        rounds.add(
            Send(place[0], (fold.places[number ^ (1 << bit)][0],), combines=True)
            for number, place in enumerate(fold.places)
        )
    rounds.add(Send(stays, (folds,)) for stays, folds in fold.pairs)


def fold_in(rounds: Rounds, fold: Fold, parts: tuple[int, ...]) -> None:
    """Combine the vectors of folding members with those of their neighbours."""
    rounds.add(Send(folds, (stays,), parts, combines=True) for stays, folds in fold.pairs)


def halve(rounds: Rounds, fold: Fold, parts_of: list[tuple[int, ...]]) -> None:
    """Combine at each place the parts of that place, by recursive halving.

    Parameters:
        rounds
        fold
        parts_of: Parts by place.
    """
    step = len(fold.places) // 2
    while step:
        rounds.add(
            Send(place[0], (fold.places[number ^ step][0],), _block(parts_of, number ^ step, step), combines=True)
            for number, place in enumerate(fold.places)
        )
        step //= 2


def spread(rounds: Rounds, fold: Fold, parts_of: list[tuple[int, ...]]) -> None:
    """Bring the parts of each place to all places, by recursive doubling; parameters as for ``halve``."""
    step = 1
    while step < len(fold.places):
        rounds.add(
            Send(place[0], (fold.places[number ^ step][0],), _block(parts_of, number, step))
            for number, place in enumerate(fold.places)
        )
        step *= 2


def _block(parts_of: list[tuple[int, ...]], place: int, size: int) -> tuple[int, ...]:
    """Return the parts of the aligned block of places with a place in it."""
    first = place // size * size
    return tuple(part for parts in parts_of[first : first + size] for part in parts)


def ring_reduce(rounds: Rounds, case: Case) -> None:
    """Combine part m at member m: partial results travel around the ring."""
    for step in range(1, case.members):
        rounds.add(
            Send(m, ((m + 1) % case.members,), ((m - step) % case.members,), combines=True) for m in case.everyone
        )


def ring_gather(rounds: Rounds, case: Case) -> None:
    """Bring part m from the m-th member behind the root to all, around the ring."""
    for step in range(case.members - 1):
        rounds.add(Send(case.at(m), (case.at(m + 1),), ((m - step) % case.members,)) for m in case.everyone)

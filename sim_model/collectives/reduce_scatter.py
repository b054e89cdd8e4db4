"""Reductions with scattered results: part m of the vectors of all members, combined, at member m."""

from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.exchanges import fold_in, halve, ring_reduce
from sim_model.collectives.powers import folded
from sim_model.collectives.schedule import Rounds, Send


def _halving(rounds: Rounds, case: Case) -> None:
    """Exchange shrinking blocks; members beyond a power of two send first and get their part at the end."""
    fold = folded(case.members)
    fold_in(rounds, fold, tuple(case.everyone))
    halve(rounds, fold, list(fold.places))
    rounds.add(Send(stays, (folds,), (folds,)) for stays, folds in fold.pairs)


def _pairwise(rounds: Rounds, case: Case) -> None:
    """Send each member its part, one after the other, in turn with one that sends."""
    for distance in range(1, case.members):
        rounds.add(
            (
                Send(m, (target,), (target,), combines=True)
                for m in case.everyone
                for target in [(m + distance) % case.members]
            ),
            paced=True,
        )


ALGORITHMS = {
    "recursive-halving": Algorithm(_halving),
    "pairwise": Algorithm(_pairwise),
    "ring": Algorithm(ring_reduce),
}

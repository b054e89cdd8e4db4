"""All-reductions: the vectors of all members, combined, at all members."""

from sim_model.collectives import broadcast, reduce
from sim_model.collectives.algorithm import Algorithm, Case, whole
from sim_model.collectives.exchanges import double, fold_in, halve, ring_gather, ring_reduce, spread
from sim_model.collectives.powers import floor_log2, folded
from sim_model.collectives.schedule import Rounds, Send


def _ring(rounds: Rounds, case: Case) -> None:
    ring_reduce(rounds, case)
    ring_gather(rounds, case._replace(root=0))


def _places(case: Case) -> int:
    return 1 << floor_log2(case.members)


def _rabenseifner(rounds: Rounds, case: Case) -> None:
    """Combine by recursive halving, bring the parts together by recursive doubling (Rabenseifner)."""
    fold, parts_of = folded(case.members), [(place,) for place in range(_places(case))]
    everything = tuple(range(_places(case)))
    fold_in(rounds, fold, everything)
    halve(rounds, fold, parts_of)
    spread(rounds, fold, parts_of)
    rounds.add(Send(stays, (folds,), everything) for stays, folds in fold.pairs)


def _binomial(rounds: Rounds, case: Case) -> None:
    reduce.binomial(rounds, case)
    broadcast.binomial(rounds, case)


def _binomial_multicast(rounds: Rounds, case: Case) -> None:
    reduce.binomial(rounds, case)
    broadcast.multicast(rounds, case)


ALGORITHMS = {
    "recursive-doubling": Algorithm(double, whole),
    "ring": Algorithm(_ring),
    "rabenseifner": Algorithm(_rabenseifner, _places),
    "binomial": Algorithm(_binomial, whole),
    "binomial-multicast": Algorithm(_binomial_multicast, whole, in_hardware=True),
}

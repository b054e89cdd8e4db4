"""Barriers: no member ends before all have begun. Transfers carry no data."""

from sim_model.collectives.algorithm import Algorithm, Case, whole
from sim_model.collectives.exchanges import double
from sim_model.collectives.powers import ceil_log2
from sim_model.collectives.schedule import Rounds, Send
from sim_model.collectives.trees import downward, upward


def _dissemination(rounds: Rounds, case: Case) -> None:
    """Let each member signal to those 1, 2, 4, ... farther on (Hensgen, Finkel and Manber)."""
    for number in range(ceil_log2(case.members)):
        rounds.add(Send(m, ((m + (1 << number)) % case.members,), combines=True) for m in case.everyone)


def _gather(rounds: Rounds, case: Case) -> None:
    for pairs in upward(case.members):
        rounds.add(Send(case.at(child), (case.at(parent),), combines=True) for child, parent in pairs)


def _binomial(rounds: Rounds, case: Case) -> None:
    _gather(rounds, case)
    for pairs in downward(case.members):
        rounds.add(Send(case.at(parent), (case.at(child),)) for parent, child in pairs)


def _binomial_multicast(rounds: Rounds, case: Case) -> None:
    _gather(rounds, case)
    rounds.add([Send(case.root, case.others)])


ALGORITHMS = {
    "dissemination": Algorithm(_dissemination, whole),
    "recursive-doubling": Algorithm(double, whole),
    "binomial": Algorithm(_binomial, whole),
    "binomial-multicast": Algorithm(_binomial_multicast, whole, in_hardware=True),
}

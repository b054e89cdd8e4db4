"""Reductions: the vectors of all members, combined, at the root."""

from sim_model.collectives.algorithm import Algorithm, Case, whole
from sim_model.collectives.schedule import Rounds, Send
from sim_model.collectives.trees import upward


def binomial(rounds: Rounds, case: Case) -> None:
    """Combine along a binomial tree."""
    for pairs in upward(case.members):
        rounds.add(Send(case.at(child), (case.at(parent),), combines=True) for child, parent in pairs)


def _linear(rounds: Rounds, case: Case) -> None:
    for other in case.others:
        rounds.add([Send(other, (case.root,), combines=True)])


ALGORITHMS = {"binomial": Algorithm(binomial, whole), "linear": Algorithm(_linear, whole)}

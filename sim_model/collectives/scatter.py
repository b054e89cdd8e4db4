"""Scatters: part m of the root's vector to member m."""

from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.schedule import Rounds, Send
from sim_model.collectives.trees import downward, subtree


def _binomial(rounds: Rounds, case: Case) -> None:
    for pairs in downward(case.members):
        rounds.add(
            Send(case.at(parent), (case.at(child),), tuple(map(case.at, subtree(child, case.members))))
            for parent, child in pairs
        )


def _linear(rounds: Rounds, case: Case) -> None:
    for other in case.others:
        rounds.add([Send(case.root, (other,), (other,))])


ALGORITHMS = {"binomial": Algorithm(_binomial), "linear": Algorithm(_linear)}

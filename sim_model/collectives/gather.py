"""Gathers: part m of the vector from member m to the root."""

from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.schedule import Rounds, Send
from sim_model.collectives.trees import subtree, upward


def _binomial(rounds: Rounds, case: Case) -> None:
    for pairs in upward(case.members):
        rounds.add(
            Send(case.at(child), (case.at(parent),), tuple(map(case.at, subtree(child, case.members))))
            for child, parent in pairs
        )


def _linear(rounds: Rounds, case: Case) -> None:
    for other in case.others:
        rounds.add([Send(other, (case.root,), (other,))])


ALGORITHMS = {"binomial": Algorithm(_binomial), "linear": Algorithm(_linear)}

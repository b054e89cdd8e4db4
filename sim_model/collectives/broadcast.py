"""Broadcasts: the vector of the root to all members."""

from sim_model.collectives.algorithm import Algorithm, Case, whole
from sim_model.collectives.exchanges import ring_gather
from sim_model.collectives.schedule import Rounds, Send
from sim_model.collectives.trees import downward, subtree


def binomial(rounds: Rounds, case: Case) -> None:
    """Send the whole vector along a binomial tree."""
    for pairs in downward(case.members):
        rounds.add(Send(case.at(parent), (case.at(child),)) for parent, child in pairs)


def multicast(rounds: Rounds, case: Case) -> None:
    """Send the whole vector as one multicast."""
    rounds.add([Send(case.root, case.others)])


def _scatter_ring(rounds: Rounds, case: Case) -> None:
    """Scatter the vector, then gather it everywhere around the ring (van de Geijn); parts count from the root on."""
    for pairs in downward(case.members):
        rounds.add(
            Send(case.at(parent), (case.at(child),), tuple(subtree(child, case.members))) for parent, child in pairs
        )
    ring_gather(rounds, case)


def _chain(rounds: Rounds, case: Case) -> None:
    """Send segments from member to member, each as soon as it has come."""
    hops = case.members - 1
    for number in range(case.segments + hops - 1):
        rounds.add(
            Send(case.at(hop), (case.at(hop + 1),), (number - hop,))
            for hop in range(hops)
            if 0 <= number - hop < case.segments
        )


ALGORITHMS = {
    "binomial": Algorithm(binomial, whole),
    "scatter-ring": Algorithm(_scatter_ring),
    "chain": Algorithm(_chain, lambda case: case.segments),
    "multicast": Algorithm(multicast, whole, in_hardware=True),
}

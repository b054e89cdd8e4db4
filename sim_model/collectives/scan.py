"""Scans: at each member the vectors of all members up to it, combined."""

from sim_model.collectives.algorithm import Algorithm, Case, whole
from sim_model.collectives.powers import ceil_log2
from sim_model.collectives.schedule import Rounds, Send


def _doubling(rounds: Rounds, case: Case) -> None:
    """Send the result so far to the member 1, 2, 4, ... farther on (Hillis and Steele)."""
    for bit in range(ceil_log2(case.members)):
        step = 1 << bit
        rounds.add(Send(m, (m + step,), combines=True) for m in range(case.members - step))


ALGORITHMS = {"recursive-doubling": Algorithm(_doubling, whole)}

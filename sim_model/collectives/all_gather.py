"""All-gathers: part m of the vector from member m to all members."""

from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.exchanges import ring_gather, spread
from sim_model.collectives.powers import ceil_log2, folded
from sim_model.collectives.schedule import Rounds, Send


def _ring(rounds: Rounds, case: Case) -> None:
    ring_gather(rounds, case._replace(root=0))


def _doubling(rounds: Rounds, case: Case) -> None:
    """Exchange growing blocks; members beyond a power of two send first and get the whole vector at the end."""
    fold = folded(case.members)
    rounds.add(Send(folds, (stays,), (folds,)) for stays, folds in fold.pairs)
    spread(rounds, fold, list(fold.places))
    rounds.add(Send(stays, (folds,), tuple(case.everyone)) for stays, folds in fold.pairs)


def _bruck(rounds: Rounds, case: Case) -> None:
    """Send all parts so far to the member 1, 2, 4, ... before (Bruck et al.)."""
    p = case.members
    for bit in range(ceil_log2(p)):
        step = 1 << bit
        count = min(step, p - step)
        sends = (Send(m, ((m - step) % p,), tuple((m + k) % p for k in range(count))) for m in case.everyone)
        rounds.add(sends, paced=True)


def _multicast(rounds: Rounds, case: Case) -> None:
    """Let each member multicast its part, all at once."""
    for m in case.everyone:
        rounds.add([Send(m, tuple(other for other in case.everyone if other != m), (m,))])


ALGORITHMS = {
    "ring": Algorithm(_ring),
    "recursive-doubling": Algorithm(_doubling),
    "bruck": Algorithm(_bruck),
    "multicast": Algorithm(_multicast, in_hardware=True),
}

"""All-to-alls: part d of the vector of member s to member d, as part s * members + d."""

from sim_model.collectives.algorithm import Algorithm, Case
from sim_model.collectives.powers import ceil_log2
from sim_model.collectives.schedule import Rounds, Send


def _part(case: Case, source: int, destination: int) -> int:
    return source * case.members + destination


def _pairwise(rounds: Rounds, case: Case) -> None:
    """Exchange in turn: with the member whose number differs by an exclusive or, or at a distance both ways."""
    p = case.members
    is_power = p & (p - 1) == 0
    for distance in range(1, p):
        targets = [m ^ distance if is_power else (m + distance) % p for m in case.everyone]
        rounds.add((Send(m, (t,), (_part(case, m, t),)) for m, t in enumerate(targets)), paced=True)


def _bruck(rounds: Rounds, case: Case) -> None:
    """Move each part by the ones in its distance, 1, 2, 4, ... members at a time (Bruck et al.)."""
    p = case.members
    for bit in range(ceil_log2(p)):
        step = 1 << bit
        moved = [distance for distance in range(1, p) if distance & step]

        def parts(m: int, step: int = step, moved: list[int] = moved) -> tuple[int, ...]:
            sources = [(m - (distance & (step - 1))) % p for distance in moved]
            return tuple(
                _part(case, source, (source + distance) % p) for source, distance in zip(sources, moved, strict=True)
            )

        rounds.add((Send(m, ((m + step) % p,), parts(m)) for m in case.everyone), paced=True)


def _linear(rounds: Rounds, case: Case) -> None:
    """Send to all others without waiting for any, the next member first."""
    for distance in range(1, case.members):
        rounds.add(
            Send(m, (target,), (_part(case, m, target),))
            for m in case.everyone
            for target in [(m + distance) % case.members]
        )


ALGORITHMS = {"pairwise": Algorithm(_pairwise), "bruck": Algorithm(_bruck), "linear": Algorithm(_linear)}

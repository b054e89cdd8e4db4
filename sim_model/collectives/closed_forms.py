"""Closed forms of all algorithms: messages, rounds, and terms of the time without contention.

p members, s segments; n is the length of the vector. The schedules are not used: tests compare both.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sim_model.collectives.algorithm import Case
from sim_model.collectives.powers import ceil_log2, floor_log2


class Form(NamedTuple):
    """Counts of a schedule.

    Members:
        messages: Transfers.
        rounds: Rounds.
        flits: Sum over the rounds of the longest transfer, as a multiple of the vector.
        startups: Start-ups that follow each other; default one a round.
        combined: Flits that are combined one after the other, as a multiple of the vector.
        partners: Members with which all exchange at once, see ``PARTNERS``; empty if only some send at a time.
        exchanged: Part of ``flits`` that is exchanged with partners; default all, if there are any.
    """

    messages: int
    rounds: int
    flits: float = 0.0
    startups: int | None = None
    combined: float = 0.0
    partners: str = ""
    exchanged: float | None = None

    def cycles(self, flits: int, costs: "Costs") -> float:
        """Return the estimated cycles of an operation on a vector of some flits."""
        startups = self.rounds if self.startups is None else self.startups
        exchanged = self.flits if self.exchanged is None else self.exchanged
        contention = costs.contention.get(self.partners, 1.0) - 1
        body = self.flits + contention * exchanged + costs.compute_cycles_per_flit * self.combined
        in_turn = (self.rounds - startups) * TURN_CYCLES
        return startups * (costs.startup_cycles + HOP_CYCLES) + in_turn + flits * body


NEXT, ONE_BIT, AHEAD, ALL = PARTNERS = ("next", "one-bit", "ahead", "all")
"""Partners in exchanges of all members: the next member, those whose number differs in one bit, those a power of two
ahead, and all others in turn."""
HOP_CYCLES = 8
"""Cycles of a message besides start-up and body in the estimate: header, injection, path and delivery."""
TURN_CYCLES = 5
"""Cycles of a message besides its body at a member that receives several in turn: header, and gap between messages."""


class Costs(NamedTuple):
    """Costs of hosts and network.

    Members:
        startup_cycles: Of a host per message.
        compute_cycles_per_flit: Of a host that combines received flits with its own.
        contention (mapping of str to float): Factor of the time of exchanges, by partners; default 1.
    """

    startup_cycles: int = 0
    compute_cycles_per_flit: float = 0.0
    contention: Mapping[str, float] = MappingProxyType({})


def _fold(p: int) -> tuple[int, int, int, int]:
    """Return k and 2^k for the largest power of two among p members, the folding members, and 1 if there are any."""
    k = floor_log2(p)
    folding = p - (1 << k)
    return k, 1 << k, folding, int(folding > 0)


def _doubling(p: int) -> tuple[int, int]:
    """Return messages and rounds of one exchange along all dimensions, with the fold."""
    k, q, folding, fold = _fold(p)
    return q * k + 2 * folding, k + 2 * fold


def _double(p: int) -> Form:
    k, _, _, fold = _fold(p)
    return Form(*_doubling(p), flits=k + 2 * fold, combined=k + fold, partners=ONE_BIT)


def _halved(p: int, combined: bool) -> Form:
    """Return the form of one exchange of halves along all dimensions."""
    _, q, _, fold = _fold(p)
    halves = 1 - 1 / q
    flits = halves + fold * (1 + 1 / p)
    return Form(*_doubling(p), flits, combined=(halves + fold) * combined, partners=ONE_BIT)


def _rabenseifner(p: int) -> Form:
    k, q, folding, fold = _fold(p)
    halves = 1 - 1 / q
    messages, rounds = 2 * q * k + 2 * folding, 2 * k + 2 * fold
    return Form(messages, rounds, 2 * halves + 2 * fold, combined=halves + fold, partners=ONE_BIT)


def _turns(p: int, times: int, combined: int, partners: str) -> Form:
    """Return the form of exchanges of one part at a time with the next member, or with all in turn."""
    share = (p - 1) / p
    return Form(times * p * (p - 1), times * (p - 1), times * share, combined=combined * share, partners=partners)


def _bruck(p: int, flits: float) -> Form:
    return Form(p * ceil_log2(p), ceil_log2(p), flits, partners=AHEAD)


def _tree(p: int, flits: float, combined: bool = False) -> Form:
    return Form(p - 1, ceil_log2(p), flits, combined=ceil_log2(p) * combined)


def _share(p: int) -> float:
    return (p - 1) / p


def _binomial_shares(p: int) -> float:
    """Return the longest transfers of a binomial gather or scatter: the largest subtree of each round."""
    return sum(min(1 << bit, p - (1 << bit)) for bit in range(ceil_log2(p))) / p


FORMS: dict[tuple[str, str], Callable[[int, int], Form]] = {
    ("barrier", "dissemination"): lambda p, _: _bruck(p, 0),
    ("barrier", "recursive-doubling"): lambda p, _: Form(*_doubling(p), partners=ONE_BIT),
    ("barrier", "binomial"): lambda p, _: Form(2 * (p - 1), 2 * ceil_log2(p)),
    ("barrier", "binomial-multicast"): lambda p, _: Form(p, ceil_log2(p) + 1),
    ("broadcast", "binomial"): lambda p, _: _tree(p, ceil_log2(p)),
    ("broadcast", "scatter-ring"): lambda p, _: Form(
        (p - 1) * (p + 1), ceil_log2(p) + p - 1, _binomial_shares(p) + _share(p), partners=NEXT, exchanged=_share(p)
    ),
    ("broadcast", "chain"): lambda p, s: Form(s * (p - 1), s + p - 2, (s + p - 2) / s),
    ("broadcast", "multicast"): lambda *_: Form(1, 1, 1),
    ("reduce", "binomial"): lambda p, _: _tree(p, ceil_log2(p), True),
    ("reduce", "linear"): lambda p, _: Form(p - 1, p - 1, p - 1, startups=1, combined=p - 1),
    ("gather", "binomial"): lambda p, _: _tree(p, _binomial_shares(p)),
    ("gather", "linear"): lambda p, _: Form(p - 1, p - 1, _share(p), startups=1),
    ("scatter", "binomial"): lambda p, _: _tree(p, _binomial_shares(p)),
    ("scatter", "linear"): lambda p, _: Form(p - 1, p - 1, _share(p)),
    ("all-reduce", "recursive-doubling"): lambda p, _: _double(p),
    ("all-reduce", "ring"): lambda p, _: _turns(p, 2, 1, NEXT),
    ("all-reduce", "rabenseifner"): lambda p, _: _rabenseifner(p),
    ("all-reduce", "binomial"): lambda p, _: Form(
        2 * (p - 1), 2 * ceil_log2(p), 2 * ceil_log2(p), combined=ceil_log2(p)
    ),
    ("all-reduce", "binomial-multicast"): lambda p, _: Form(
        p, ceil_log2(p) + 1, ceil_log2(p) + 1, combined=ceil_log2(p)
    ),
    ("all-gather", "ring"): lambda p, _: _turns(p, 1, 0, NEXT),
    ("all-gather", "recursive-doubling"): lambda p, _: _halved(p, combined=False),
    ("all-gather", "bruck"): lambda p, _: _bruck(p, _share(p)),
    ("all-gather", "multicast"): lambda p, _: Form(p, p, 1, startups=1),
    ("reduce-scatter", "recursive-halving"): lambda p, _: _halved(p, combined=True),
    ("reduce-scatter", "pairwise"): lambda p, _: _turns(p, 1, 1, ALL),
    ("reduce-scatter", "ring"): lambda p, _: _turns(p, 1, 1, NEXT),
    ("all-to-all", "pairwise"): lambda p, _: _turns(p, 1, 0, ALL),
    ("all-to-all", "bruck"): lambda p, _: _bruck(
        p, sum(sum(1 for distance in range(p) if distance >> bit & 1) for bit in range(ceil_log2(p))) / p
    ),
    ("all-to-all", "linear"): lambda p, _: _turns(p, 1, 0, ALL),
    ("scan", "recursive-doubling"): lambda p, _: Form(
        p * ceil_log2(p) - (1 << ceil_log2(p)) + 1, ceil_log2(p), ceil_log2(p), combined=ceil_log2(p)
    ),
}
"""Forms by operation and algorithm, from members and segments; for two members and more."""


def form_of(operation: str, algorithm: str, case: Case) -> Form:
    """Return the closed forms of an algorithm; all zero for one member."""
    return Form(0, 0) if case.members == 1 else FORMS[operation, algorithm](case.members, case.segments)

"""Best-case latencies in closed form (Sec. 5, tables I and II), in set-ups T and delays d."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """A latency.

    Members:
        sends: Times T = S + rM: packets stored and sent on, the source's send included.
        cuts: Times d: nodes cut through.
    """

    sends: float
    cuts: float

    def time(self, send: float, cut: float) -> float:
        """Return the latency for given T and d."""
        return self.sends * send + self.cuts * cut


def paper_latency(algorithm: str, size: int) -> Cost:
    """Return the latency of Table I, for meshes of size 3 and up."""
    table = {
        "sbcast": Cost(2, size - 3),
        "2-bcast": Cost(2, 2 * size - 4),
        "3-bcast": Cost(2, 2 * size - 4),
        "4-bcast": Cost(3, size - 3),
        "5-bcast": Cost(3, 2 * size - 5),
        "6-bcast": Cost(3, 2 * size - 5),
    }
    return table[algorithm]


def slowest_copies(algorithm: str, size: int) -> tuple[Cost, ...]:
    """Return costs of the copies that can be the last, whatever T and d; the latency is the largest of them.

    The paper's table leaves out that copies with fewer sends cut through more nodes. That matters where d is large:
    for 4-BCAST from T < (n - 1) d on.
    """
    paper = paper_latency(algorithm, size)
    others = {"sbcast": Cost(1, size - 2), "2-bcast": paper, "3-bcast": paper}
    return (paper, others.get(algorithm, Cost(2, 2 * size - 4)))


def algorithm_a_latency(size: int, buffering: float) -> Cost:
    """Return the mean latency of Algorithm A, if each node on the way stores the packet with a given probability."""
    between = 3 * size * (size - 1) - 1
    stored = between * buffering
    return Cost(stored + 1, between - stored)

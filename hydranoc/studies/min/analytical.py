"""Latency without contention in closed form (Sec. 5.2, table in Sec. 6 of its evaluation)."""

from dataclasses import dataclass

from topology.min.graph import MinNetwork

STARTUP_NS, ROUTING_NS, FLIT_NS = 500, 60, 20
"""The paper's times: software start-up, routing at a switch, a flit over a link."""


@dataclass(frozen=True)
class PaperLatency:
    """Latencies by the paper's formulas, for a message between the most distant nodes.

    Members:
        unicast_ns, multicast_ns (float): One destination, and a set that branches at every stage.
        software_steps_ns (float): One step of a software multicast, which is a unicast.
    """

    unicast_ns: float
    multicast_ns: float


def links_and_switches(stages: int, bidirectional: bool) -> tuple[int, int]:
    """Return links and switches on the longest path: n + 1 and n, or 2 n and 2 n - 1 with a turn at the last stage."""
    return (2 * stages, 2 * stages - 1) if bidirectional else (stages + 1, stages)


def paper_latency(network: MinNetwork, flits: int) -> PaperLatency:
    """Return the closed forms. A token is half a ring away on average; rings of one cost nothing.

    Parameters:
        network: With one consumption channel.
        flits: Length of the message. The paper counts a flit time per link and per flit, one more than a pipeline
            needs.
    """
    links, switches = links_and_switches(network.stages, network.bidirectional)
    unicast = STARTUP_NS + ROUTING_NS * switches + FLIT_NS * (links + flits)
    rings = [network.radix**level for level in range(1, network.stages)]
    return PaperLatency(unicast, unicast + sum(FLIT_NS * size / 2 for size in rings))

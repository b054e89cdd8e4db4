"""Best-case latencies of broadcasts in an idle mesh (Sec. 5)."""

from dataclasses import dataclass
from typing import Any

from hydranoc.measurement.whole_runs import finish, prepare
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message
from topology.harts.broadcast import ALGORITHM_A
from topology.harts.frame import SLOTS
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting, operation

FLIT_BITS = 64
BYTES_PER_FLIT = FLIT_BITS // 8
PAPER_BYTES = (64, 128, 512)


def packet_flits(body_bytes: int) -> int:
    """Return the flits of a packet: the header, and a flit per eight bytes."""
    return 1 + -(-body_bytes // BYTES_PER_FLIT)


def send_frames(flits: int) -> int:
    """Return t in frames: the packet's own, and one for the network processor."""
    return flits + 1


CUT_FRAMES = 1
"""d in frames."""


@dataclass(frozen=True)
class BroadcastLatency:
    """A broadcast in an idle mesh.

    Members
    -------
    algorithm : str
    size : int
    flits : int
    frames : int
        From the source's first send until the last copy is in its node's memory.
    """

    algorithm: str
    size: int
    flits: int
    frames: int


def broadcast_latency(algorithm: str, size: int, flits: int) -> BroadcastLatency:
    """Measure one broadcast from node 0."""
    model = HartsModel(HartsRouting(HexMesh(size), FLIT_BITS, algorithm_a=algorithm == ALGORITHM_A))
    number = operation(algorithm)
    copies = model.routing.wanted_copies(number, 0)
    record = Message(0, tuple(copies), flits, operation=number, copies=copies)
    log: Any = finish(prepare(model, [record])).copy_log
    # the host's packet is stored at first; a frame's slots are the directions
    frames = int((log.stored_cycle - log.direction).max()) // SLOTS - flits - 1
    return BroadcastLatency(algorithm, size, flits, frames)

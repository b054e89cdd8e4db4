"""Best-case latencies of broadcasts in an idle mesh, and table I (Sec. 5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hydranoc.measurement.whole_runs import finish, prepare
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series
from hydranoc.studies.harts.analytical import paper_latency, slowest_copies
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message
from topology.harts.broadcast import ALGORITHM_A, COPIES, SFBCAST
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

    Members:
        algorithm
        size
        flits
        frames: From the source's first send until the last copy is in its node's memory.
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


TABLE_1_SIZES = (3, 4, 5, 6, 7)
QUICK_SIZES = (3, 5)


def table_1(effort: Effort) -> Figure:
    """Return table I: latencies of all procedures in an idle mesh against the closed forms."""
    algorithms = tuple(COPIES)[: tuple(COPIES).index(SFBCAST)]
    sizes = QUICK_SIZES if effort.quick else TABLE_1_SIZES
    rows = []
    for done, size in enumerate(sizes):
        if effort.progress:
            effort.progress("measuring", done, len(sizes))
        for algorithm in algorithms:
            for body_bytes in PAPER_BYTES:
                flits = packet_flits(body_bytes)
                send = send_frames(flits)
                found = broadcast_latency(algorithm, size, flits).frames
                paper = paper_latency(algorithm, size)
                expected = max(cost.time(send, CUT_FRAMES) for cost in slowest_copies(algorithm, size))
                rows.append(
                    (algorithm, size, body_bytes, paper.sends, paper.cuts, paper.time(send, 1), expected, found)
                )
    longest = [row for row in rows if row[2] == PAPER_BYTES[-1]]
    apart = [row for row in rows if row[5] != row[7]]
    lengths = ", ".join(f"T = {send_frames(packet_flits(count))} frames for {count} bytes" for count in PAPER_BYTES)
    return Figure(
        title="HARTS, table I: best-case latency of a broadcast, 512 bytes",
        x_label="size of the mesh",
        y_label="latency, frames of 8 cycles",
        series=(*_lines("closed form", longest, 5), *_lines("simulated", longest, 7)),
        claims=(
            Claim(
                "latencies of table I with one T per length of packet and one d",
                f"{len(rows) - len(apart)} of {len(rows)} equal; {lengths}; d = {CUT_FRAMES} frame",
                not apart,
                note="where T < (n - 1) d the slowest copies of 4-BCAST have two sends and 2 n - 4 cuts",
            ),
            Claim(
                "latencies of the slowest copies with the same T and d",
                f"{sum(row[6] == row[7] for row in rows)} of {len(rows)} equal",
                all(row[6] == row[7] for row in rows),
            ),
        ),
        columns=(
            "algorithm",
            "size",
            "bytes",
            "paper_sends",
            "paper_cuts",
            "paper_frames",
            "expected_frames",
            "frames",
        ),
        rows=tuple(rows),
        x_names=tuple(map(str, sizes)),
        comparable=Comparable(("algorithm", "size", "bytes"), exact=("expected_frames", "frames")),
    )


def _lines(name: str, rows: Sequence[tuple], column: int) -> Iterator[Series]:
    """Yield latencies against size: a line per closed form, marks for simulations; one for all equal ones."""
    by_values: dict[tuple, list[str]] = {}
    for algorithm in dict.fromkeys(row[0] for row in rows):
        by_values.setdefault(tuple(row[column] for row in rows if row[0] == algorithm), []).append(algorithm)
    for colour, (values, algorithms) in enumerate(by_values.items()):
        simulated = name == "simulated"
        label = f"{', '.join(algorithms)}: {name}"
        yield Series(label, range(len(values)), values, colour=colour, joined=not simulated, marked=simulated)

"""Table II of HARTS: the packet that goes round the mesh, alone and among others."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hydranoc.measurement.observations import NOT_DELIVERED
from hydranoc.measurement.point import STABLE, UNDECIDED
from hydranoc.measurement.whole_runs import finish, prepare
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.harts import table_2
from hydranoc.studies.harts.latency import FLIT_BITS, packet_flits, send_frames
from hydranoc.studies.harts.stored_rounds import KINDS, SENDS, RoundPoint, RoundsLoad, measure_rounds, sends
from sim_model.harts.memory_hosts import MemoryHostsModel
from sim_model.messages.messages import Message
from topology.harts.broadcast import ALGORITHM_A
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting, operation

ROUTING = HartsRouting(HexMesh(3), FLIT_BITS, algorithm_a=True)


def round_among(*others: Message) -> int:
    """Sends of a packet that goes round from node 0, with others before it."""
    copies = ROUTING.wanted_copies(operation(ALGORITHM_A), 0)
    record = Message(0, tuple(copies), 9, 100, operation=operation(ALGORITHM_A), copies=copies)
    results = finish(prepare(MemoryHostsModel(ROUTING, pages=48), [*others, record]))
    return int(sends(results)[-1])


def test_sends_are_counted_where_a_link_was_busy():
    assert round_among() == 1
    # a long packet over the third and one over the sixth link of the round, each under way when its head comes
    assert round_among(Message(2, [3], 65, 90)) == 2
    assert round_among(Message(2, [3], 65, 90), Message(5, [6], 65, 300)) == 3


def test_the_shortest_packet_that_is_stored_takes_a_send():
    """64 bytes: the next copy is complete T = 10 frames later, and one frame later where it is cut through."""
    rows = [(0, 1, 100), (0, 2, 108), (0, 3, 188), (0, 4, 196), (1, 1, 300), (1, 2, 308)]
    log = np.array(rows[::-1], dtype=[("message", int), ("hops", int), ("stored_cycle", int)])
    results: Any = SimpleNamespace(copy_log=log, messages=range(2))
    assert sends(results).tolist() == [2, 1]


def test_the_idle_row(monkeypatch):
    claim = table_2.idle_claim()
    assert claim.holds
    assert claim.measured.startswith("27 and 20, 35 and 36, 83 and 132 frames")
    monkeypatch.setattr(table_2, "PRINTED_STORED", 3)
    assert not table_2.idle_claim().holds
    monkeypatch.undo()
    monkeypatch.setitem(table_2.PRINTED, 0.0, (1.0, 16.0))
    assert not table_2.idle_claim().holds


def test_what_is_printed_is_the_formula():
    from sim_model.harts.analytical import algorithm_a_latency

    for busy, printed in table_2.PRINTED.items():
        cost = algorithm_a_latency(table_2.SIZE, busy)
        assert (cost.sends, cost.cuts) == pytest.approx(printed)
    assert send_frames(packet_flits(64)) == 10


def point(found: float, half_width: float, busy: float = 0.1, *, stable: bool = True) -> RoundPoint:
    return RoundPoint(0.4, STABLE if stable else UNDECIDED, busy, found, half_width, 100, 10)


@pytest.mark.parametrize(
    ("points", "holds"),
    [
        ([point(2.7, 0.1), point(3.5, 0.2, 0.15)], True),
        ([point(2.9, 0.1)], False),
        ([point(2.4, 0.1)], False),
        ([point(2.7, 0.3)], False),
        ([point(2.7, 0.1), point(2.7, 0.1, stable=False)], False),
        ([], False),
    ],
)
def test_sends_within_a_tenth_of_the_formula(points, holds):
    assert table_2.buffering_claim(points).holds == holds


def test_rounds_among_packets():
    run = RoundsLoad(3, 0.3).run(0, 200_000)
    own = (run.kind == KINDS.index(SENDS)) & (run.end_cycle != NOT_DELIVERED)
    found = run.latency_cycles[own]
    assert len(found) > 5
    assert found.min() >= 1
    assert found.max() <= 18
    assert run.channel_flits is not None
    assert np.diff(run.channel_flits, axis=0).min() >= 0


@pytest.mark.slow
def test_a_busier_mesh_stores_more():
    light, busy = measure_rounds(3, (0.1, 0.7), Effort(quick=True))
    assert light.stable
    assert busy.stable
    assert light.busy < 0.05 < 0.15 < busy.busy
    assert light.sends + light.half_width < busy.sends - busy.half_width

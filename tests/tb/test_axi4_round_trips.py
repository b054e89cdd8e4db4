"""Transactions without contention: closed forms, golden model and hardware agree at several distances."""

from typing import Any

import pytest

from hydranoc import load
from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message, Messages
from tests.sampled import sampled
from topology.axi4.round_trip import MessageCycles, read_cycles, write_cycles
from topology.harts.frame import SLOTS, packet_cycles
from topology.harts.graph import after_step, directions_onward, routing_tags

NETWORKS: dict[str, dict[str, Any]] = {
    "mesh": {"family": "spam", "topology": {"kind": "mesh", "shape": [1, 6]}},
    "slow": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 3]}, "routing_cycles": 4, "link_cycles": 2},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 4}},
    "hypercube": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 3}},
    "harts": {"family": "harts", "topology": {"kind": "hexmesh", "size": 3}, "flit_bits": 40, "packet_flits": 260},
}
SIMULATORS = {"harts": "verilator"}
"""Icarus is too slow for the nodes of a hexagonal mesh."""
MEMORIES, BEATS, MEMORY_CYCLES, APART_CYCLES = (1, 2, 5), (1, 2, 3, 40), (1, 6), 1_000
PLACES = [(m, kind, beats) for m in MEMORIES for kind in ("read", "write") for beats in BEATS]


def design_of(name: str, memory_cycles: int, *, whole: bool = True, shift: int = 0) -> Any:
    """Return a manager and memories at several distances, with a read and a write of each length to each of them.

    Parameters:
        name: Network.
        memory_cycles, whole: Of the memories, and of the store.
        shift: Delay of transaction i, in cycles, divided by i.
    """
    transactions = [
        {
            "manager": 0,
            "kind": kind,
            "address": 0x1000 * m,
            "beats": beats,
            "start_cycle": (i + 1) * APART_CYCLES + i * shift,
        }
        for i, (m, kind, beats) in enumerate(PLACES)
    ]
    return load(
        {
            "network": NETWORKS[name],
            "axi4": {
                "managers": [0],
                "regions": [{"processor": m, "base": 0x1000 * m, "size": 0x1000} for m in MEMORIES],
                "store_writes": whole,
            },
            "traffic": {"kind": "axi4", "memory_cycles": memory_cycles, "transactions": transactions},
        }
    )


def alone(model: Model, source: int, destination: int, body: int) -> MessageCycles:
    """Return the time of a message alone in a network, by the cycle of its acceptance."""
    flits = model.header_flits([destination]) + body
    processors = len(model.network.processors)

    def run(start_cycle: int) -> int:
        given = [Message(source, [destination], flits, start_cycle)]
        messages = Messages.build(given, processors=processors, header_flits=model.header_flits)
        return int(Simulation(model, messages, engine="cycle").run().arrival_cycle[0]) - start_cycle

    return run


def in_frames(model: HartsModel, source: int, destination: int, body: int) -> MessageCycles:
    """Return the closed form in a hexagonal mesh."""
    tags, directions = routing_tags(model.network, source, destination), []
    while onward := directions_onward(tags):
        directions.append(onward[0])
        tags = after_step(tags, onward[0])
    return lambda accepted_cycle: packet_cycles(accepted_cycle, directions, 1 + body)


def expected_cycles(design: Any, times: Any, memory_cycles: int, offered: Any, *, whole: bool = True) -> list[int]:
    """Return the closed forms of all transactions.

    Parameters:
        times: ``alone`` or ``in_frames``.
        offered (list of int): Cycles.
    """
    requests, responses = design.axi4.requests.model, design.axi4.responses.model
    words = design.axi4.format.request_words(requests.flit_bits)
    first = 0 if design.axi4.header_word_bits else 1
    expected = []
    for (memory, kind, beats), cycle in zip(PLACES, offered, strict=True):
        is_write = kind == "write"
        request = times(requests, 0, memory, words + beats * is_write)
        response = times(responses, memory, 0, first + beats * (not is_write))
        own = (request, response, memory_cycles)
        if is_write:
            expected.append(write_cycles(beats, *own, whole=whole, offered_cycle=cycle))
        else:
            expected.append(read_cycles(*own, offered_cycle=cycle))
    return expected


@pytest.mark.parametrize("whole", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("memory_cycles", sampled(MEMORY_CYCLES, (6,)))
@pytest.mark.parametrize("name", sampled(NETWORKS, ("mesh",)))
def test_round_trips_are_those_of_the_closed_forms(name, memory_cycles, whole, tmp_path, require_tool):
    simulator = SIMULATORS.get(name, "icarus")
    require_tool(simulator)
    design = design_of(name, memory_cycles, whole=whole)
    outcome = design.compare_axi4(simulator, tmp_path)
    assert outcome.mismatch_report == ""
    offered = outcome.results.offered_cycle.tolist()
    expected = expected_cycles(design, alone, memory_cycles, offered, whole=whole)
    assert outcome.results.latency.tolist() == expected
    if name == "mesh":
        model = design.axi4.requests.model
        words = design.axi4.format.request_words(model.flit_bits)
        assert alone(model, 0, 1, words)(0) == 5 + words
        assert expected[0] == 23 + memory_cycles


@pytest.mark.parametrize("memory_cycles", sampled(MEMORY_CYCLES, (6,)))
def test_round_trips_in_frames(memory_cycles):
    """In a hexagonal mesh the slot of the offer counts."""
    design = design_of("harts", memory_cycles, shift=1)
    results = design.simulate_axi4().results
    offered = results.offered_cycle.tolist()
    assert {cycle % SLOTS for cycle in offered} == set(range(SLOTS))
    assert results.latency.tolist() == expected_cycles(design, in_frames, memory_cycles, offered)

"""Transactions without contention: closed forms, golden model and hardware agree at several distances."""

from typing import Any

import pytest

from hydranoc import load
from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from tests.sampled import sampled
from topology.axi4.round_trip import read_cycles, write_cycles

NETWORKS: dict[str, dict[str, Any]] = {
    "mesh": {"family": "spam", "topology": {"kind": "mesh", "shape": [1, 6]}},
    "slow": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 3]}, "routing_cycles": 4, "link_cycles": 2},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 4}},
    "hypercube": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 3}},
}
MEMORIES, BEATS, MEMORY_CYCLES, APART_CYCLES = (1, 2, 5), (1, 2, 3, 40), (1, 6), 400


def message_cycles(model: Model, source: int, destination: int, body: int) -> int:
    """Return the time of a message alone in a network."""
    flits = model.header_flits([destination]) + body
    processors = len(model.network.processors)
    given = [Message(source, [destination], flits)]
    messages = Messages.build(given, processors=processors, header_flits=model.header_flits)
    return int(Simulation(model, messages, engine="cycle").run().arrival_cycle[0])


@pytest.mark.parametrize("whole", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("memory_cycles", sampled(MEMORY_CYCLES, (6,)))
@pytest.mark.parametrize("name", sampled(NETWORKS, ("mesh",)))
def test_round_trips_are_those_of_the_closed_forms(name, memory_cycles, whole, tmp_path, require_tool):
    require_tool("icarus")
    places = [(m, kind, beats) for m in MEMORIES for kind in ("read", "write") for beats in BEATS]
    design = load(
        {
            "network": NETWORKS[name],
            "axi4": {
                "managers": [0],
                "regions": [{"processor": m, "base": 0x1000 * m, "size": 0x1000} for m in MEMORIES],
                "store_writes": whole,
            },
            "traffic": {
                "kind": "axi4",
                "memory_cycles": memory_cycles,
                "transactions": [
                    {"manager": 0, "kind": kind, "address": 0x1000 * m, "beats": beats, "start_cycle": i * APART_CYCLES}
                    for i, (m, kind, beats) in enumerate(places)
                ],
            },
        }
    )
    outcome = design.compare_axi4("icarus", tmp_path)
    assert outcome.mismatch_report == ""
    assert design.axi4
    requests, responses = design.axi4.requests.model, design.axi4.responses.model
    words = design.axi4.format.request_words(requests.flit_bits)
    expected = []
    for memory, kind, beats in places:
        is_write = kind == "write"
        request = message_cycles(requests, 0, memory, words + beats * is_write)
        response = message_cycles(responses, memory, 0, 1 + beats * (not is_write))
        if is_write:
            expected.append(write_cycles(beats, request, response, memory_cycles, whole=whole))
        else:
            expected.append(read_cycles(request, response, memory_cycles))
    assert outcome.results.latency.tolist() == expected
    if name == "mesh":
        assert message_cycles(requests, 0, 1, words) == 5 + words
        assert expected[0] == 24 + memory_cycles

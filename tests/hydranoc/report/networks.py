"""Networks of the report tests, and a plain reading of a recording."""

from typing import Any

from hydranoc import Design
from sim_model.engines.simulation import Simulation


def _random(**keys: Any) -> dict[str, Any]:
    return {"kind": "random", "seed": 5, "cycles": 600, "flits": 12, **keys}


def _multicasts(rate: float, **keys: Any) -> dict[str, Any]:
    return _random(messages_per_node_per_cycle=rate, multicast_fraction=0.3, destinations=4, **keys)


MESH = {"kind": "mesh", "shape": [3, 3]}
HEXMESH = {"kind": "hexmesh", "size": 2}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "spam": {"network": {"family": "spam", "topology": MESH}, "traffic": _multicasts(0.01)},
    "spam, links of 3 cycles": {
        "network": {"family": "spam", "topology": MESH, "link_cycles": 3, "buffer_flits": 6},
        "traffic": _multicasts(0.01, startup_cycles=20),
    },
    "min": {
        "network": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}},
        "traffic": _multicasts(0.01),
    },
    "omega": {
        "network": {"family": "min", "topology": {"kind": "omega", "radix": 2, "stages": 3}},
        "traffic": _multicasts(0.01),
    },
    "harts": {
        "network": {"family": "harts", "topology": HEXMESH, "flit_bits": 64, "packet_flits": 17},
        "traffic": _random(messages_per_node_per_cycle=0.002, multicast_fraction=0.4, algorithm="6-bcast"),
    },
    "torus": {
        "network": {"family": "torus", "topology": {"kind": "torus", "rows": 3, "columns": 3}},
        "traffic": _multicasts(0.01, software="u-torus"),
    },
    "hypercube": {
        "network": {
            "family": "hypercube",
            "topology": {"kind": "hypercube", "dimensions": 3},
            "virtual_channels": 2,
            "buffer_flits": 4,
            "injection_channels": 3,
        },
        "traffic": _random(messages_per_node_per_cycle=0.03, broadcast_fraction=0.1, software="recursive-doubling"),
    },
}


NONE = -1
INDEX_BITS = 0xFFFF


def simulation_of(design: Design, **keys) -> Simulation:
    return Simulation(design.model, design.messages, design.startup_cycles, hosts=design.config.hosts, **keys)


def read_holds(design: Design, cycles: int) -> dict[tuple[int, int], tuple[int, int, int]]:
    """(channel, head's cycle) -> message, tail's cycle, head's variant."""
    trace = simulation_of(design).record(cycles)
    found, heads = {}, {}
    for cycle, row in enumerate(trace.flits.tolist()):
        for channel, flit in enumerate(row[: len(design.network.channels)]):
            if flit == NONE:
                continue
            message, index, tail = flit >> 17, flit >> 1 & INDEX_BITS, flit & 1
            if index == 0:
                assert channel not in heads
                heads[channel] = (cycle, message, int(trace.variants[cycle, channel]))
            head, owner, variant = heads[channel]
            assert owner == message
            if tail:
                assert index == design.messages.flits[message] - 1
                found[channel, head] = (message, cycle, variant)
                del heads[channel]
    assert heads == {}
    return found

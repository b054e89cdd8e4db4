"""A recording read flit by flit in plain Python, as a reference for holds."""

from hydranoc import Design
from sim_model.engines.simulation import Simulation

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

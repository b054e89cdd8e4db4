"""The golden model of networks whose processors have several injection channels: every injector has its own host."""

from itertools import pairwise

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import TAIL, index_of, message_of
from sim_model.messages.messages import Message, Messages
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

CHANNELS = 3
MODEL = TorusModel(TorusRouting(InjectingTorus(Grid(2, 4, True), 2, CHANNELS), 16))
NETWORK = MODEL.network
HEADER = MODEL.header_flits([1])
PAUSING = HostBehaviour(pause_level=100, stall_level=60, seed=7)


def build(*records, injection_channels=CHANNELS):
    return Messages.build(
        records,
        processors=len(NETWORK.processors),
        header_flits=MODEL.header_flits,
        injection_channels=injection_channels,
    )


def random_messages(count=400, cycles=1_500):
    random, records = np.random.default_rng(4), []
    for start in sorted(random.integers(0, cycles, size=count).tolist()):
        source, destination = map(int, random.choice(len(NETWORK.processors), 2, replace=False))
        injection, body = int(random.integers(CHANNELS)), int(random.integers(12))
        records.append(Message(source, [destination], HEADER + body, start_cycle=start, injection=injection))
    return build(*records)


def sent(trace):
    """(cycle, packed flit) of what moved on each injection channel, by injector."""
    flits = trace.flits[:, list(NETWORK.injection_channels)]
    return [
        [(cycle, int(flits[cycle, i])) for cycle in np.flatnonzero(flits[:, i] >= 0)] for i in range(flits.shape[1])
    ]


@pytest.mark.parametrize("hosts", [EAGER, PAUSING], ids=["eager", "pausing"])
@pytest.mark.parametrize("startup_cycles", [0, 5])
def test_every_injector_sends_its_messages_in_order(startup_cycles, hosts):
    messages = random_messages()
    results = Simulation(MODEL, messages, startup_cycles, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    trace = Simulation(MODEL, messages, startup_cycles, hosts=hosts).record(results.cycles)
    order = np.lexsort((np.arange(len(messages)), messages.start_cycle))
    both = 0
    for injector, moves in enumerate(sent(trace)):
        processor, port = divmod(injector, CHANNELS)
        own = [int(m) for m in order if (messages.source[m], messages.injection[m]) == (processor, port)]
        wanted = [(m, index) for m in own for index in range(messages.flits[m])]
        assert [(message_of(flit), index_of(flit)) for _, flit in moves] == wanted
        tails = {message_of(flit): cycle for cycle, flit in moves if flit & TAIL}
        accepted = {int(m): c for c, m in enumerate(trace.accepted_message[:, injector]) if m >= 0}
        assert accepted == {m: int(results.accepted_cycle[m]) for m in own}
        for before, after in pairwise(own):
            least = max(tails[before] + 1, int(messages.start_cycle[after])) + startup_cycles
            assert accepted[after] == least if hosts == EAGER else accepted[after] >= least
    busy = [{cycle for cycle, _ in moves} for moves in sent(trace)]
    for first in range(0, len(busy), CHANNELS):
        both += len(busy[first] & busy[first + 1] & busy[first + 2])
    assert both  # all three injectors of a processor move a flit in one cycle


def test_injectors_of_a_processor_do_not_wait_for_each_other():
    apart = build(Message(0, [1], 40, injection=0), Message(0, [2], 40, injection=2), Message(0, [1], 40, injection=2))
    results = Simulation(MODEL, apart, startup_cycles=3).run()
    assert results.accepted_cycle[:2].tolist() == [3, 3]
    assert results.accepted_cycle[2] > 43
    reports = [Simulation(MODEL, apart).step()]
    assert reports[0].accepted == [(0, 0), (2, 1)]


def test_a_relay_starts_at_its_own_injector():
    records = [
        Message(0, [1], HEADER + 4),
        Message(1, [2], 60),
        Message(1, [3], HEADER + 4, parents=(0,), delay_cycles=2, injection=1),
        Message(1, [3], HEADER + 4, parents=(0,), delay_cycles=2),
    ]
    results = Simulation(MODEL, build(*records)).run()
    assert results.accepted_cycle[2] == results.arrival_cycle[0] + 2
    assert results.accepted_cycle[3] > 60
    assert (results.lost, results.duplicated) == (0, 0)


def test_sources_pause_apart():
    """Injectors of a processor have patterns of their own."""
    alike = [Message(0, [5], 200, injection=port) for port in range(CHANNELS)]
    trace = Simulation(MODEL, build(*alike), hosts=PAUSING).record(60)
    waits = {tuple(cycle for cycle, _ in moves) for moves in sent(trace)[:CHANNELS]}
    assert len(waits) == CHANNELS


def test_an_injection_channel_that_the_network_does_not_have():
    plenty = build(Message(0, [1], 9), Message(3, [1], 9, injection=4), injection_channels=5)
    with pytest.raises(ValueError, match=r"^Injection channel of message 1 must be 0 to 2 in this network, not 4$"):
        Simulation(MODEL, plenty)

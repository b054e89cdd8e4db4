"""Whole SPAM networks in Amaranth's simulator: back-pressure, and lock-step with the golden model."""

import random

import pytest

from rtl.generator.network import NetworkTop
from rtl.spam.network import spam_plan
from sim_model.messages.messages import Message
from tests.networks import figure_1, random_irregular
from tests.rtl.lockstep import LockStep
from tests.rtl.simulate import run
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

TWO_ROUTERS = Network(2, [(0, 1)], [0, 0, 1, 1])
STAR = Network(1, [], [0, 0, 0, 0])
CONFLICT = [Message(0, (1, 3), 12), Message(2, (1, 3), 12)]
CASES = [
    # seed, flit bits, routing cycles, buffer flits, enqueue
    (1, 32, 1, 2, "atomic"),
    (2, 8, 1, 1, "atomic"),
    (3, 8, 1, 2, "atomic"),
    (4, 16, 2, 2, "atomic"),
    (5, 8, 3, 2, "atomic"),
    (6, 32, 4, 1, "atomic"),
    (7, 64, 7, 4, "atomic"),
    (8, 32, 1, 2, "split"),
    (9, 8, 2, 2, "split"),
]


def random_messages(routing, seed, cycles):
    """Unicasts, multicasts and broadcasts, enough to fill the network; some have no body."""
    numbers, processors = random.Random(seed), range(len(routing.network.processors))
    messages = []
    for _ in range(cycles // 12):
        source = numbers.choice(processors)
        others = [processor for processor in processors if processor != source]
        destinations = numbers.sample(others, numbers.choice((1, 1, min(2, len(others)), len(others))))
        flits = routing.header_flits(routing.destinations_of(source, destinations)) + numbers.choice((0, 0, 1, 2, 9))
        messages.append(Message(source, destinations, flits, start_cycle=numbers.randrange(cycles)))
    return messages


@pytest.mark.parametrize(("seed", "flit_bits", "routing_cycles", "buffer_flits", "enqueue"), CASES)
def test_lockstep_with_the_golden_model(seed, flit_bits, routing_cycles, buffer_flits, enqueue):
    network = figure_1() if seed == 1 else random_irregular(seed, 4)
    routing = SpamRouting(SpamLabels(network), flit_bits)
    settings = {"routing_cycles": routing_cycles, "buffer_flits": buffer_flits, "enqueue": enqueue}
    messages = random_messages(routing, seed, cycles=200)
    assert LockStep(routing, messages, **settings).run(240) > 100


class WideKeyRouting(SpamRouting):
    """A small network whose key is as long as that of a network of thousands of vertices."""

    @property
    def header(self):
        return HeaderFormat((("lca", 12), ("source", 4)), len(self.network.processors), self.flit_bits)


@pytest.mark.parametrize("routing_cycles", [1, 4])
def test_lockstep_with_a_key_of_two_flits(routing_cycles):
    routing = WideKeyRouting(SpamLabels(random_irregular(2, 4)), 8)
    assert routing.header.key_flits == 2
    messages = random_messages(routing, 5, cycles=200)
    settings = {"routing_cycles": routing_cycles, "buffer_flits": 2, "enqueue": "atomic"}
    assert LockStep(routing, messages, **settings).run(240) > 100


@pytest.mark.parametrize(("enqueue", "deadlocked"), [("atomic", False), ("split", True)])
def test_split_enqueue_deadlocks_and_atomic_does_not(enqueue, deadlocked):
    routing = SpamRouting(SpamLabels(STAR), 32)
    pair = LockStep(routing, CONFLICT, buffer_flits=2, routing_cycles=1, enqueue=enqueue)
    pair.run(120)
    assert pair.simulation.deadlocked == deadlocked


def test_stalled_ejectors_lose_nothing():
    """A broadcast over two routers while every ejector's user and the payload stall at random."""
    routing = SpamRouting(SpamLabels(TWO_ROUTERS), 16)
    header_flits, words = routing.header.multicast_flits, [7, 1, 65_535, 0, 9]
    top = NetworkTop(spam_plan(routing))
    numbers, received = random.Random(3), {processor: [] for processor in (1, 2, 3)}

    async def testbench(ctx):
        ctx.set(top.inject_n0_message_header, routing.header_value(0, [1, 2, 3]))
        ctx.set(top.inject_n0_message_header_flits, header_flits)
        ctx.set(top.inject_n0_message_flits, header_flits + len(words))
        ctx.set(top.inject_n0_message_valid, 1)
        sent = 0
        for _ in range(120):
            ctx.set(top.inject_n0_payload_valid, int(sent < len(words) and numbers.random() < 0.5))
            ctx.set(top.inject_n0_payload_data, words[min(sent, len(words) - 1)])
            for processor, flits in received.items():
                ready = numbers.random() < 0.4
                ctx.set(getattr(top, f"eject_n{processor}_ready"), int(ready))
                if ready and ctx.get(getattr(top, f"eject_n{processor}_valid")):
                    flits.append([ctx.get(getattr(top, f"eject_n{processor}_{f}")) for f in ("data", "head", "tail")])
            accepted = ctx.get(top.inject_n0_message_ready)
            sent += ctx.get(top.inject_n0_payload_ready) & ctx.get(top.inject_n0_payload_valid)
            await ctx.tick()
            if accepted:
                ctx.set(top.inject_n0_message_valid, 0)

    run(top, testbench)
    data = [*routing.header.to_flits(routing.header_value(0, [1, 2, 3]), header_flits), *words]
    last = len(data) - 1
    assert all(
        flits == [[word, int(i == 0), int(i == last)] for i, word in enumerate(data)] for flits in received.values()
    )

"""Hypercubes in lock-step with their golden model, and one-line faults that it must report."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.hypercube.network import hypercube_plan
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from tests.tb.comparisons import REPORT, assert_equal, compare_verilog
from tests.tb.hypercube_workloads import SentHome, hypercube_routing, job
from tests.tb.mutations import Mutation
from topology.common.host_pattern import HostBehaviour, level_of
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE

# dimensions, VCs, buffer flits, flit bits, rule, injection channels
SMALL = (
    (1, 1, 4, 16, DUATO, 1),
    (1, 3, 2, 16, DUATO, 1),
    (2, 1, 3, 16, DUATO, 1),
    (2, 2, 1, 16, DUATO, 2),
    (3, 2, 4, 64, DUATO, 3),
    (2, 4, 2, 16, DUATO, 1),
    (3, 8, 16, 16, DUATO, 1),
)
HOSTS = (HostBehaviour(), HostBehaviour(pause_level=level_of(0.3), stall_level=level_of(0.4), seed=5))
FAULTY = {  # workload that shows a fault
    "fast": ((2, 2, 4, 16, DUATO, 1), HOSTS[0], 400),
    "wide": ((3, 3, 2, 16, DUATO, 1), HOSTS[0], 600),
    "stalled": ((2, 2, 4, 16, DUATO, 1), HOSTS[1], 600),
    "home": ((2, 2, 4, 16, DUATO, 1), HOSTS[0], 300),
    "channels": ((3, 3, 2, 16, DUATO, 3), HOSTS[0], 300),
}
INPUT, OUTPUT, ALLOCATOR, ROUTER, FRONTS, ORDER, RANDOM, DELIVERY, POINTER = (
    f"{file}.py"
    for file in (
        "hypercube/adaptive_input",
        "hypercube/adaptive_output",
        "hypercube/vc_allocator",
        "hypercube/router",
        "hypercube/vc_heads",
        "vc/cycle_order",
        "vc/random_order",
        "vc/delivery_buffer",
        "parts/ring_pointer",
    )
)
MUTATIONS = [
    Mutation(name, file, text, replacement, workload)
    for name, file, text, replacement, workload in (
        ("keeps what has no way", INPUT, "drains.eq(self.active & self.nowhere", "drains.eq(0 & self.nowhere", "home"),
        ("never drains from a host", INPUT, "~remaining.any() if self._part.host", "0 if self._part.host", "home"),
        ("says nothing of what it drains", INPUT, "discarding[v].eq(drained)", "discarding[v].eq(0)", "home"),
        ("loses the credits of VC 0", INPUT, "self.credits.eq(popped)", "self.credits.eq(popped & 2)", "fast"),
        ("never releases VC 0", INPUT, "(popped & tails)[", "(popped & tails & 2)[", "fast"),
        (
            "releases a VC behind any flit",
            FRONTS,
            "self.is_tail.eq(ended & ~buffer.several)",
            "self.is_tail.eq(1)",
            "fast",
        ),
        ("counts a credit twice", INPUT, "credits + 1", "credits + 2", "fast"),
        ("forgets the flit that left just now", INPUT, "self._asks + left", "self._asks", "wide"),
        ("asks late", INPUT, "& (credited | enough)", "& enough", "fast"),
        ("takes a body flit for a head", FRONTS, "& ~buffer.present & ~vc.active", "& ~buffer.present", "fast"),
        (
            "takes flits for those of the other VC",
            INPUT,
            "else self.link.valid)",
            "else self.link.valid[::-1])",
            "fast",
        ),
        ("goes on behind a tail", FRONTS, "return ~is_tail & ", "return ", "fast"),
        ("fills a delivery buffer too full", INPUT, "part.room | ~delivers", "1", "stalled"),
        ("frees a VC too early", OUTPUT, "else self.releases[vc]", "else self.load[vc]", "fast"),
        ("takes the VC of another one", OUTPUT, "concat(lower).all(), self.taken", "1, self.taken", "wide"),
        (
            "gives the escape VC to all",
            OUTPUT,
            "self.vcs - self.has_escape",
            "self.vcs - 0 * self.has_escape",
            "fast",
        ),
        (
            "lets other heads take the leader's VC",
            ALLOCATOR,
            "~leads[i].replicate(high - low) | leader[low:high]",
            "Const(-1, high - low)",
            "wide",
        ),
        ("gives VCs that are not free", ALLOCATOR, "concat(self._free()[o] & line for", "concat(line for", "fast"),
        ("gives escapes that are not free", ALLOCATOR, "(picked.escape & self.free_escapes).any()", "1", "fast"),
        (
            "escapes over the highest dimension",
            ALLOCATOR,
            "lowest: Any = lowest_one(wanted)",
            "lowest: Any = wanted[::-1]",
            "fast",
        ),
        ("makes a step without a choice", ALLOCATOR, "order.step.eq(chose)", "order.step.eq(1)", "fast"),
        ("makes no step", ALLOCATOR, "order.step.eq(chose)", "order.step.eq(0)", "fast"),
        ("looks along another diagonal", ALLOCATOR, "c)) ^ d for", "c)) for", "fast"),
        (
            "numbers injection channels like ports",
            ALLOCATOR,
            "lines[output ^ p.input_codes[port]] for",
            "lines[output ^ port] for",
            "channels",
        ),
        ("never changes places", RANDOM, "Mux(state[0], swapped,", "Mux(0, swapped,", "wide"),
        ("has another shift register", RANDOM, "init=ORDER_SEED", "init=2", "wide"),
        ("forgets which pairs are turned round", ORDER, "held[k] ^ (i % 2)", "held[k] ^ 0", "fast"),
        ("says too late that there is no room", DELIVERY, "self.depth - ROOM_FLITS", "self.depth", "stalled"),
        ("offers a VC beside the escape", ROUTER, "other & ~escapes", "other", "wide"),
        (
            "keeps the delivery channel behind a tail",
            INPUT,
            "self.ends.eq((asked & tails).any())",
            "self.ends.eq(0)",
            "fast",
        ),
        (
            "sends over the last VC as well",
            OUTPUT,
            "self.requests.any() & ~concat(others)",
            "~concat(others)",
            "fast",
        ),
        ("addresses places that are not counted", POINTER, "following ^ (following >> 1)", "following ^ 1", "fast"),
    )
]


def name(shape) -> str:
    dimensions, vcs, buffer_flits, flit_bits, rule, channels = shape
    return f"{dimensions}-cube-{vcs}x{buffer_flits}-flit{flit_bits}-{rule}-{channels}"


def job_of(shape, **more) -> Comparison:
    dimensions, vcs, buffer_flits, flit_bits, rule, channels = shape
    routing = hypercube_routing(dimensions, vcs, flit_bits=flit_bits, rule=rule, injection_channels=channels)
    return job(routing, buffer_flits, **more)


def campaign():
    """All sizes with all VCs and depths; other parameters vary in turn."""
    deal = itertools.product((2, 3, 4, 5, 6), (1, 2, 3, 4), (1, 2, 4))
    for number, (dimensions, vcs, depth) in enumerate(deal):
        channels = (1, dimensions, 2)[(number + number // 12) % 3]
        yield (dimensions, vcs, depth, (16, 64)[number % 2], DUATO, channels), HOSTS[number // 3 % 2]


@pytest.mark.parametrize("shape", SMALL, ids=name)
def test_small_networks_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(shape, cycles=500, most_compared=2_000), "icarus", tmp_path)


def test_pauses_and_stalls(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(SMALL[3], cycles=500, hosts=HOSTS[1], most_compared=2_000), "icarus", tmp_path)


@pytest.mark.parametrize("channels", [1, 3])
def test_broadcasts_among_unicasts(channels, tmp_path, require_tool):
    """Relays send on when they have the tail, over the injection channel of the dimension if it exists."""
    require_tool("icarus")
    shape = (3, 2, 2, 16, DUATO, channels)
    comparison = job_of(shape, cycles=2_000, hosts=HOSTS[1], most_compared=3_000, broadcasts=True)
    assert (comparison.messages.parent_counts > 0).sum() > 90
    assert_equal(comparison, "icarus", tmp_path)


@pytest.mark.parametrize("hosts", HOSTS, ids=["eager", "pausing"])
def test_what_is_sent_to_its_own_sender_is_drained(hosts, tmp_path, require_tool):
    require_tool("icarus")
    sound = job_of(SMALL[3], cycles=500, hosts=hosts)
    model = SentHome(sound.model.routing, sound.model.buffer_flits)
    simulation = Simulation(model, sound.messages, hosts=hosts)
    results = simulation.run()
    wrong = len(range(0, len(sound.messages), 3))
    assert (results.discarded, results.lost, results.disordered) == (wrong, wrong, 0)
    forged = replace(sound, model=model, cycles=min(2_000, results.cycles))
    assert_equal(forged, "icarus", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "hosts"), list(campaign()), ids=lambda part: name(part) if isinstance(part, tuple) else ""
)
def test_campaign(shape, hosts, tmp_path, require_tool):
    require_tool("verilator")
    comparison = job_of(shape, cycles=100_000, hosts=hosts, most_compared=120_000, broadcasts=True)
    assert comparison.cycles >= 100_000
    assert_equal(comparison, "verilator", tmp_path)


@pytest.mark.parametrize(("rule", "vcs"), [(WRONG_ESCAPE, 1), (ADAPTIVE_ONLY, 1)])
def test_without_an_order_of_escapes_hardware_and_model_deadlock_alike(rule, vcs, tmp_path, require_tool):
    require_tool("icarus")
    routing = hypercube_routing(2, vcs, rule=rule)
    model = HypercubeModel(routing, buffer_flits=2)
    random = np.random.default_rng(1)
    pairs = [map(int, random.choice(4, 2, replace=False)) for _ in range(2_000)]
    records = [Message(source, [destination], 24, start_cycle=2 * k) for k, (source, destination) in enumerate(pairs)]
    messages = Messages.build(records, processors=4, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert results.deadlocked
    harness = harness_source(hypercube_plan(routing, buffer_flits=2))
    assert_equal(Comparison(model, messages, 0, results.cycles + 200, harness), "icarus", tmp_path)


def marked(mutations: list[Mutation]) -> Iterator[Any]:
    """Every third fault is always tested, and all with ``--slow``."""
    for number, mutation in enumerate(mutations):
        yield pytest.param(mutation, marks=[pytest.mark.slow] if number % 3 else [])


@pytest.mark.parametrize("mutation", list(marked(MUTATIONS)), ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    shape, hosts, cycles = FAULTY[mutation.workload]
    comparison = job_of(shape, cycles=cycles, hosts=hosts, most_compared=2_000)
    if mutation.workload == "home":
        comparison = replace(comparison, model=SentHome(comparison.model.routing, comparison.model.buffer_flits))
    result = compare_verilog(comparison, mutation, tmp_path, {"buffer_flits": shape[2]}, "hypercube")
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report

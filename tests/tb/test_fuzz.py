"""Routers whose neighbours break the rules of worms: no router is wedged, and sound worms pass, whole and unmixed."""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.generator.plan import NetworkPlan
from rtl.harts import receiver_bank
from rtl.harts import router as harts_router
from rtl.harts.network import harts_plan
from rtl.min.network import min_plan
from rtl.parts import worm_guard
from rtl.routed import header_decoder, route_unit, routed_input
from rtl.spam.network import spam_plan
from tb.common.fuzz.job import JOB_VARIABLE, FuzzJob, SoundWorm
from tests.networks import five_port_network
from tests.tb.racks import mutated
from topology.common.part_headers import BIT_STRING, PARTS
from topology.harts.graph import DIRECTIONS, HexMesh
from topology.harts.header import HOST, PacketHeader
from topology.harts.routing import HartsRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

# A router in a simulator with all its links on a few wide ports, for tb.common.fuzz to break its rules.

BENCH = "tb.common.fuzz.bench"
TOP = "rig"


class Rig(wiring.Component):
    """A router with its side inputs tied.

    drive_valid, drive_payload, drive_ready: Of all inputs side by side, and of all outputs.
    seen: ``ready`` of all inputs, ``valid`` of all outputs, ``payload`` of all outputs.
    """

    def __init__(self, router: Any, tied: Mapping[str, int], looped: Mapping[str, str]):
        self.router, self.tied, self.looped = router, tied, looped
        inputs, outputs = len(router.inputs), len(router.outputs)
        width = len(Value.cast(router.inputs[0].payload))
        super().__init__(
            {
                "drive_valid": In(inputs),
                "drive_payload": In(inputs * width),
                "drive_ready": In(outputs),
                "seen": Out(inputs + outputs * (width + 1)),
            }
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.submodules.router = router = self.router
        for i, link in enumerate(router.inputs):
            payload = Value.cast(link.payload)
            m.d.comb += [
                link.valid.eq(self.drive_valid[i]),
                payload.eq(self.drive_payload.word_select(i, len(payload))),
            ]
        for o, link in enumerate(router.outputs):
            m.d.comb += link.ready.eq(self.drive_ready[o])
        for name, value in self.tied.items():
            m.d.comb += getattr(router, name).eq(value)
        for name, output in self.looped.items():
            m.d.comb += getattr(router, name).eq(getattr(router, output))
        ready = [link.ready for link in router.inputs]
        outputs = [link.valid for link in router.outputs] + [Value.cast(link.payload) for link in router.outputs]
        m.d.comb += self.seen.eq(Cat(*ready, *outputs))
        return m


def run_fuzz(make_rig: Callable[[], Rig], job: FuzzJob, simulator: str, folder: Path) -> str:
    """The failure as text, or an empty string."""
    source = BenchSource(
        TOP,
        verilog.convert(make_rig(), name=TOP),
        ("clk", "rst", "drive_valid", "drive_payload", "drive_ready"),
        ("seen",),
    )
    built = build_simulator(source, simulator, waves=False)
    result, path = folder / "result.txt", folder / "job.pickle"
    path.write_bytes(pickle.dumps(replace(job, result=str(result))))
    run_bench(built, BENCH, {JOB_VARIABLE: str(path)}, folder)
    return result.read_text()


# Routers whose neighbours break the rules of worms: no router is wedged, and sound worms pass, whole and unmixed.

SAMPLE, ALL = 20, 10_000


def spam(switch, flit_bits, header_kind=BIT_STRING, **settings):
    network = five_port_network()
    routing = SpamRouting(SpamLabels(network, 0), flit_bits, header_kind=header_kind)
    classes = [int(routing.labels.channel_class[channel]) for channel in network.input_channel[switch]]
    keys = [network.processor_vertex(p) for p in range(len(network.processors))]
    return subject(spam_plan(routing, **settings), routing, switch, classes, keys, routing.multicast_keys, {})


def min_switch(switch, flit_bits, kind=("baseline", 4, 2), header_kind=BIT_STRING, **settings):
    network = MinNetwork(*kind)
    routing = MinRouting(network, flit_bits, header_kind)
    plan = min_plan(routing, **settings)
    classes = [routing.input_class(channel) for channel in network.input_channel[switch]]
    looped = {"token_in": "token_out"} if "release_flits" in plan.routers[switch].constants else {}
    nodes = range(len(network.processors))
    return subject(plan, routing, switch, classes, nodes, routing.multicast_keys, looped)


def subject(plan: NetworkPlan, routing, switch, classes, unicast_keys, multicast_keys, looped):
    """A router of a plan, and the sound worms of each input: all unicasts, and multicasts that split here."""
    use, outputs = plan.routers[switch], len(plan.network.output_channel[switch])
    header, masks, reach = routing.header, routing.routes[switch], routing.reach[switch]
    tied = {**use.constants, **({"starts_here": 1} if looped else {})}

    def worm(key, destinations, channel_class):
        bits = sum(1 << d for d in destinations) if len(destinations) > 1 else 0
        flits = header.flits_of(destinations)
        ways = int(masks[key, channel_class])
        reached = sum(1 << o for o in range(outputs) if any(reach[o, d] for d in destinations))
        return SoundWorm(tuple(header.to_flits(header.pack((key, 1), bits), flits)), ways or reached, not ways)

    worms = []
    everybody = tuple(range(header.destinations))
    for channel_class in classes:
        own = [worm(key, (node,), channel_class) for node, key in enumerate(unicast_keys)]
        own += [worm(key, everybody, channel_class) for key in multicast_keys]
        own += [worm(key, everybody[: len(everybody) // 2], channel_class) for key in multicast_keys]
        worms.append(tuple(sound for sound in own if sound.outputs))
    job = FuzzJob(header.flit_bits, tuple(worms), outputs, False, 9, 60, SAMPLE, False, True, 1, "")
    return lambda: Rig(plan.shapes[use.shape](), tied, looped), job


def mesh_node(**settings):
    """A node of a hexagonal mesh whose neighbours always keep a page for it; sound worms are ordinary packets."""
    routing = HartsRouting(HexMesh(2), 64)
    plan = harts_plan(routing, packet_flits=12, **settings)
    use = plan.routers[0]
    tied = {**use.constants, **{f"ahead_{d}": 3 for d in range(DIRECTIONS)}}
    steps = [(f"m{output % 3}", 1 if output < 3 else -1, output) for output in range(DIRECTIONS)]
    onward = [
        SoundWorm((PacketHeader(**{tag: step}).pack(routing.header),), 1 << output, False)
        for tag, step, output in steps
    ]
    for_host = SoundWorm((PacketHeader().pack(routing.header),), 1 << HOST, False)
    worms = tuple((*onward, for_host) if port != HOST else tuple(onward) for port in range(HOST + 1))
    job = FuzzJob(64, worms, HOST + 1, True, 9, 96, SAMPLE, False, True, 1, "")
    return lambda: Rig(plan.shapes[use.shape](), tied, {}), job


SUBJECTS = {
    "spam": lambda **guard: spam(0, 32, **guard),
    "spam-headers-of-several-flits": lambda **guard: spam(2, 8, buffer_flits=1, **guard),
    "spam-routing-delay": lambda **guard: spam(3, 16, routing_cycles=4, **guard),
    "min": lambda **guard: min_switch(0, 32, **guard),
    "min-headers-of-several-flits": lambda **guard: min_switch(1, 8, buffer_flits=1, **guard),
    "spam-headers-of-parts": lambda **guard: spam(2, 8, PARTS, buffer_flits=1, **guard),
    "min-headers-of-parts": lambda **guard: min_switch(1, 8, header_kind=PARTS, routing_cycles=2, **guard),
    "min-two-ways": lambda **guard: min_switch(2, 16, ("bi-butterfly", 2, 3), routing_cycles=2, **guard),
}
WORMHOLE = tuple(SUBJECTS)
SUBJECTS["mesh-node"] = mesh_node
GUARDED, WATCHED, RESET = "guarded", "watched", "reset"
"""With guards after the drain; the same, with a watchdog that allows the longest sound worm; without after a reset."""
CASES = [(name, kind) for name in WORMHOLE for kind in (GUARDED, WATCHED, RESET)]
CASES += [("mesh-node", GUARDED), ("mesh-node", RESET)]


def fuzzed(name, kind):
    """A router with or without guards, and the job that suits it."""
    make_subject = SUBJECTS[name]
    guard = {} if kind == RESET else {"whole_packets": True} if name == "mesh-node" else {"guard": True}
    make_rig, job = make_subject(**guard)
    if kind == WATCHED:
        headers = [len(worm.header) for worms in job.worms for worm in worms]
        job = replace(job, longest_worm=max(headers) + job.most_body_flits)
        make_rig, _ = make_subject(**guard, watchdog_flits=job.longest_worm)
    return make_rig, replace(job, resets=kind == RESET)


QUICK = (
    ("spam-headers-of-several-flits", WATCHED),
    ("spam-headers-of-parts", GUARDED),
    ("min", GUARDED),
    ("mesh-node", GUARDED),
    ("spam", RESET),
    ("min-headers-of-parts", RESET),
)


@pytest.mark.parametrize(("name", "kind"), QUICK)
def test_sample(name, kind, tmp_path, require_tool):
    require_tool("icarus")
    make_rig, job = fuzzed(name, kind)
    assert run_fuzz(make_rig, job, "icarus", tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_ten_thousand_sequences(name, kind, tmp_path, require_tool):
    require_tool("verilator")
    make_rig, job = fuzzed(name, kind)
    assert run_fuzz(make_rig, replace(job, sequences=ALL, seed=2), "verilator", tmp_path) == ""


def test_a_faulty_guard_is_found(tmp_path, require_tool, monkeypatch):
    """It forgets that a worm is open; the proof of the guard has more faults."""
    require_tool("icarus")
    faulty = mutated(worm_guard, "(flit.head | in_worm) & ~onward.tail", "flit.head & ~onward.tail")
    monkeypatch.setattr(routed_input, "WormGuard", faulty.WormGuard)
    make_rig, job = fuzzed("spam-headers-of-several-flits", GUARDED)
    assert run_fuzz(make_rig, job, "icarus", tmp_path) != ""


def test_headers_without_an_end_are_found(tmp_path, require_tool, monkeypatch):
    """A router that waits for a flit marked as the last, without a limit, is wedged by noise."""
    require_tool("icarus")
    faulty = mutated(header_decoder, "return longest | self._names_set", "return self._names_set")
    monkeypatch.setattr(route_unit, "HeaderDecoder", faulty.HeaderDecoder)
    make_rig, job = fuzzed("spam-headers-of-parts", GUARDED)
    assert "wedged" in run_fuzz(make_rig, job, "icarus", tmp_path)


@pytest.mark.slow
def test_a_mesh_node_that_overwrites_what_waits_is_found(tmp_path, require_tool, monkeypatch):
    """Neighbours leave flits waiting for longer than a frame."""
    require_tool("icarus")
    faulty = mutated(receiver_bank, "held_up.eq(state", "held_up.eq(0 & state").ReceiverBank
    monkeypatch.setattr(harts_router, "ReceiverBank", faulty)
    make_rig, job = SUBJECTS["mesh-node"](whole_packets=True)
    assert run_fuzz(make_rig, job, "icarus", tmp_path) != ""

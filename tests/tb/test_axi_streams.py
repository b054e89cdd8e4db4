"""AXI4-Stream packets through whole networks, and through an injector and an ejector alone, in Icarus and Verilator."""

import json
import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import verilog
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.endpoints.axi_ejector import AxiStreamEjector
from rtl.endpoints.axi_ends import NETWORK, SEPARATE, SHARED, StreamOptions
from rtl.endpoints.axi_injector import LEADING_WORD, SET_MODES, TDEST, TUSER, AxiStreamInjector, set_words
from rtl.endpoints.axi_network import NO_OPTIONS, SINK_OUTPUTS, SOURCE_INPUTS, SOURCE_OUTPUTS, generate_axi_network
from rtl.generator.plan import NetworkPlan
from rtl.min.network import min_plan
from rtl.spam.network import spam_addressing, spam_plan
from tb.common.axi.job import JOB_VARIABLE, AxiJob, AxiResult, Load, input_prefixes
from tests.networks import ring
from tests.sampled import sampled
from topology.common.ages import ARBITRATIONS
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.common.part_headers import PARTS
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.routing import TorusRouting

# Jobs for networks with AXI4-Stream endpoints, and the expected deliveries.

RoutedNetwork = SpamRouting | MinRouting | TorusRouting | HypercubeRouting

BENCH = "tb.common.axi.bench"

MAX_PACKET = 14
PERIODS_PS = (3_700, 9_974, 10_006, 31_300)
"""Periods of clocks unrelated to the network's 10 ns: much faster, nearly as fast, and much slower."""


def due(job: AxiJob) -> tuple[int, int]:
    """Deliveries, and packets without a destination."""
    receivers = [packet.receivers(job.nodes) for phase in job.phases for packet in phase.packets]
    return sum(map(len, receivers)), receivers.count(set())


def axi_source(
    verilog_text: str,
    top: str,
    sources: Sequence[int],
    sinks: Sequence[int],
    *,
    tkeep: bool = False,
    clocks: Sequence[str] = (),
    sets: bool = True,
    injection_channels: int = 1,
) -> BenchSource:
    """Verilog with AXI4-Stream ports, for the bench; without ``sets`` they have no ``tuser``."""
    kept, left_out = ("tkeep",) if tkeep else (), () if sets else ("tuser",)
    source_names, sink_names = (
        [name for name in (*names, *kept) if name not in left_out] for names in (SOURCE_INPUTS, SINK_OUTPUTS)
    )
    prefixes = [prefix for i in sources for prefix in input_prefixes(i, injection_channels)]
    inputs = [f"{prefix}_{name}" for prefix in prefixes for name in source_names]
    outputs = [f"{prefix}_{name}" for prefix in prefixes for name in SOURCE_OUTPUTS]
    inputs += [f"m_axis_n{i}_tready" for i in sinks]
    outputs += [f"m_axis_n{i}_{name}" for i in sinks for name in sink_names]
    return BenchSource(top, verilog_text, ("clk", "rst", *clocks, *inputs), tuple(outputs))


def unicast_source(plan: NetworkPlan, options: StreamOptions = NO_OPTIONS) -> tuple[BenchSource, AxiJob]:
    """A network whose messages have one destination each, and a job without packets for it."""
    made = generate_axi_network(plan, TDEST, options=options)
    entry, nodes = made.manifest["axi_stream"], tuple(range(len(plan.network.processors)))
    ports = [port for port in dict.fromkeys(entry["clocks"]) if port != "clk"]
    channels = plan.network.injection_channels_per_processor
    source = axi_source(
        *(made.files["noc.v"], "noc", nodes, nodes),
        tkeep=options.tkeep,
        clocks=ports,
        sets=False,
        injection_channels=channels,
    )
    clocks = tuple(zip(entry["clocks"], PERIODS_PS, strict=True)) if ports else ()
    job = AxiJob(
        *(len(nodes), entry["tdata_bits"], 0, nodes, nodes, True, 1, ()),
        lanes=entry["tkeep_bits"],
        clocks=clocks,
        sets=False,
        injection_channels=channels,
    )
    return source, job


def run_job(source: BenchSource, job: AxiJob, simulator: str, folder: Path) -> AxiResult:
    """Run a job in a simulator."""
    job = replace(job, result=str(folder / "result.json"))
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    built = build_simulator(source, simulator, waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "job.pickle")}, folder)
    return AxiResult(**json.loads(Path(job.result).read_text()))


def network_job(routing: RoutedNetwork, mode: str, *, packets: int, ordered: bool = False, seed: int = 1) -> AxiJob:
    """Random packets of all nodes at once, under every mixture of idle sources and back-pressure."""
    network = routing.network
    nodes = tuple(range(len(network.processors)))
    leading = set_words(routing.header) if mode == LEADING_WORD else 0
    sets = mode in SET_MODES
    load = Load(len(nodes), routing.flit_bits, nodes, packets, MAX_PACKET, bodiless=leading > 0, sets=sets)
    phases = load.every_mixture(random.Random(seed))
    channels = network.injection_channels_per_processor
    return AxiJob(
        *(len(nodes), routing.flit_bits, leading, nodes, nodes, ordered, seed, phases),
        sets=sets,
        injection_channels=channels,
    )


def check_overtaking(source: BenchSource, job: AxiJob, folder: Path) -> None:
    """Packets arrive once and intact, but overtake each other; if order is required, the bench names the late one."""
    result = run_job(source, job, "icarus", folder)
    check(result, job)
    assert result.overtaken > 0
    report = run_job(source, replace(job, ordered=True), "icarus", folder).report
    assert report
    assert " after packet " in report


def check(result: AxiResult, job: AxiJob) -> None:
    assert result.report is None
    assert (result.deliveries, result.swallowed) == due(job)
    assert min(due(job)) > 0
    assert len(result.cycles) == len(job.phases)


# AXI4-Stream packets through whole networks, and through an injector and an ejector alone, in Icarus and Verilator.

MODES = (TUSER, LEADING_WORD)


def network_source(plan: NetworkPlan, mode: str) -> BenchSource:
    nodes = range(len(plan.network.processors))
    return axi_source(generate_axi_network(plan, mode).files["noc.v"], "noc", nodes, nodes)


def options_case(mode: str, options: StreamOptions, *, packets: int) -> tuple[BenchSource, AxiJob]:
    """Four nodes with words of four bytes."""
    routing = SpamRouting(SpamLabels(lattice_network(4, seed=7)), 33 if options.tkeep else 32)
    made = generate_axi_network(spam_plan(routing), mode, options=options)
    nodes, entry = tuple(range(4)), made.manifest["axi_stream"]
    lanes = entry["tkeep_bits"]
    load = Load(4, 32, nodes, packets, MAX_PACKET, bodiless=mode == LEADING_WORD, lanes=lanes)
    phases = load.every_mixture(random.Random(3))
    clocks = tuple(zip(entry["clocks"], PERIODS_PS, strict=True)) if options.clocks != NETWORK else ()
    if options.clocks == SHARED:
        clocks = ((entry["clocks"][0], PERIODS_PS[0]),) * 4
    job = AxiJob(4, 32, entry["leading_words"], nodes, nodes, False, 1, phases, lanes=lanes, clocks=clocks)
    ports = [port for port in dict.fromkeys(entry["clocks"]) if port != "clk"]
    return axi_source(made.files["noc.v"], "noc", nodes, nodes, tkeep=options.tkeep, clocks=ports), job


@pytest.mark.slow
@pytest.mark.parametrize("arbitration", ARBITRATIONS)
@pytest.mark.parametrize(("mode", "packets"), [(TUSER, 2), (LEADING_WORD, 1)])
def test_sixteen_nodes(mode, packets, arbitration, tmp_path, require_tool):
    require_tool("icarus")
    routing = SpamRouting(SpamLabels(lattice_network(16, seed=6)), 32, arbitration=arbitration)
    job = network_job(routing, mode, packets=packets)
    check(run_job(network_source(spam_plan(routing), mode), job, "icarus", tmp_path), job)


def test_sixteen_nodes_of_a_multistage_network(tmp_path, require_tool):
    require_tool("icarus")
    routing = MinRouting(MinNetwork(BIDIRECTIONAL, 4, 2), 16)
    job = network_job(routing, TUSER, packets=2)
    check(run_job(network_source(min_plan(routing), TUSER), job, "icarus", tmp_path), job)


@pytest.mark.parametrize("mode", sampled(MODES, (LEADING_WORD,)))
def test_headers_of_parts(mode, tmp_path, require_tool):
    """Headers of two flits of fields and of up to three of parts."""
    require_tool("icarus")
    network = Network(4, [(0, 1), (1, 2), (2, 3), (0, 3)], [node % 4 for node in range(14)])
    routing = SpamRouting(SpamLabels(network), 8, header_kind=PARTS)
    assert (routing.header.unicast_flits, routing.header.multicast_flits) == (2, 5)
    job = network_job(routing, mode, packets=2)
    check(run_job(network_source(spam_plan(routing), mode), job, "icarus", tmp_path), job)


OPTIONS = {
    "bytes": (TUSER, StreamOptions(tkeep=True)),
    "bytes-and-leading-words": (LEADING_WORD, StreamOptions(tkeep=True)),
    "clocks": (TUSER, StreamOptions(SEPARATE)),
    "one-other-clock": (TUSER, StreamOptions(SHARED)),
    "bytes-and-clocks": (LEADING_WORD, StreamOptions(SEPARATE, tkeep=True)),
}
QUICK_OPTIONS = ("bytes-and-clocks",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK_OPTIONS else [pytest.mark.slow]) for name in OPTIONS]
)
def test_bytes_and_clocks(name, tmp_path, require_tool):
    """Words that are not full, and endpoints whose clocks are unrelated to the network's."""
    require_tool("icarus")
    source, job = options_case(*OPTIONS[name], packets=6)
    check(run_job(source, job, "icarus", tmp_path), job)


def test_order_in_a_tree(tmp_path, require_tool):
    """Where there is one route only, packets to the same receivers stay in order; headers of two and of three flits.

    A unicast may overtake a multicast even here, which goes up to the lowest common ancestor of all its receivers.
    """
    require_tool("icarus")
    network = Network(6, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5)], [1, 2, 3, 3, 4, 4, 5, 5, 5, 0])
    routing = SpamRouting(SpamLabels(network, 0), 8)
    assert (routing.header.unicast_flits, routing.header.multicast_flits) == (1, 3)
    job = network_job(routing, TUSER, packets=6, ordered=True)
    job = replace(job, phases=tuple(phase for phase in job.phases if phase.idle == 0))
    check(run_job(network_source(spam_plan(routing), TUSER), job, "icarus", tmp_path), job)


class Pair(wiring.Component):
    """The injector of node 0 with the ejector of node 1 at its link."""

    def __init__(self, routing: SpamRouting, mode: str):
        self.injector = AxiStreamInjector(routing.header, spam_addressing(routing), mode)
        self.ejector = AxiStreamEjector(routing.header)
        self.key = routing.network.processor_vertex(1)
        injector, ejector = self.injector.signature.members, self.ejector.signature.members
        members = {f"s_axis_n0_{name}": injector[name] for name in (*SOURCE_INPUTS, *SOURCE_OUTPUTS)}
        members.update({f"m_axis_n1_{name}": ejector[name] for name in (*SINK_OUTPUTS, "tready")})
        super().__init__(members)

    def elaborate(self, _platform):
        m: Any = Module()
        m.submodules.injector, m.submodules.ejector = self.injector, self.ejector
        connect(m, self.injector.link, self.ejector.link)
        if "unicast_key" in self.ejector.signature.members:
            m.d.comb += self.ejector.unicast_key.eq(self.key)
        for name, member in self.signature.members.items():
            part = self.injector if name.startswith("s_axis") else self.ejector
            inside = getattr(part, name.rpartition("_")[2])
            m.d.comb += inside.eq(getattr(self, name)) if member.flow is In else getattr(self, name).eq(inside)
        return m


def pair_source(routing: SpamRouting, mode: str) -> BenchSource:
    return axi_source(verilog.convert(Pair(routing, mode), name="pair"), "pair", [0], [1])


def pair_job(routing: SpamRouting, mode: str) -> AxiJob:
    """Packets of node 0; the ones that do not go to node 1 go there all the same, as multicasts."""
    job = network_job(routing, mode, packets=1, ordered=True)
    load = Load(job.nodes, job.flit_bits, [0], 6, MAX_PACKET, bodiless=job.leading_words > 0)
    phases = load.every_mixture(random.Random(2))
    phases = tuple(replace(phase, packets=tuple(map(_to_node_1, phase.packets))) for phase in phases)
    return replace(job, sources=(0,), sinks=(1,), phases=phases)


def _to_node_1(packet):
    if packet.destinations is None:
        return replace(packet, tdest=packet.tdest % 2)  # node 0: to itself, swallowed
    return replace(packet, destinations=tuple(sorted({*packet.destinations, 1})))


QUICK_PAIRS = [(TUSER, 8), (LEADING_WORD, 8), (LEADING_WORD, 13), (TUSER, 512)]
PAIRS = [
    pytest.param(mode, flit_bits, marks=[] if (mode, flit_bits) in QUICK_PAIRS else [pytest.mark.slow])
    for mode in MODES
    for flit_bits in (8, 13, 32, 64, 512)
]


@pytest.mark.parametrize(("mode", "flit_bits"), PAIRS)
def test_pair(mode, flit_bits, tmp_path, require_tool):
    require_tool("icarus")
    routing = SpamRouting(SpamLabels(ring(20)), flit_bits)
    job = pair_job(routing, mode)
    receivers = [packet.receivers(20) & {1} for phase in job.phases for packet in phase.packets]
    result = run_job(pair_source(routing, mode), job, "icarus", tmp_path)
    assert result.report is None
    assert result.deliveries == sum(map(len, receivers)) > 0
    assert result.swallowed == receivers.count(set()) > 0

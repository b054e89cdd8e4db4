"""Jobs for networks with AXI4-Stream endpoints, and the expected deliveries."""

import json
import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.endpoints.axi_ends import StreamOptions
from rtl.endpoints.axi_injector import LEADING_WORD, SET_MODES, TDEST, set_words
from rtl.endpoints.axi_network import NO_OPTIONS, SINK_OUTPUTS, SOURCE_INPUTS, SOURCE_OUTPUTS, generate_axi_network
from rtl.generator.plan import NetworkPlan
from tb.common.axi.job import JOB_VARIABLE, AxiJob, AxiResult, Load, input_prefixes
from topology.hypercube.routing import HypercubeRouting
from topology.min.routing import MinRouting
from topology.spam.routing import SpamRouting
from topology.torus.routing import TorusRouting

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
        vcs=entry["tkeep_bits"],
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

"""Jobs for networks with AXI4-Stream endpoints, and what must come out of them."""

import json
import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.common.axi_injector import LEADING_WORD, SET_MODES, set_words
from rtl.common.axi_network import SINK_OUTPUTS, SOURCE_INPUTS, SOURCE_OUTPUTS
from tb.common.axi.job import JOB_VARIABLE, AxiJob, AxiResult, Load
from topology.min.routing import MinRouting
from topology.spam.routing import SpamRouting
from topology.torus.routing import TorusRouting

BENCH = "tb.common.axi.bench"

LONGEST_PACKET = 14


def due(job: AxiJob) -> tuple[int, int]:
    """Deliveries, and packets that can go nowhere."""
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
) -> BenchSource:
    """Verilog with AXI4-Stream ports, for the bench; without ``sets`` they have no ``tuser``."""
    kept, left_out = ("tkeep",) if tkeep else (), () if sets else ("tuser",)
    source_names, sink_names = (
        [name for name in (*names, *kept) if name not in left_out] for names in (SOURCE_INPUTS, SINK_OUTPUTS)
    )
    inputs = [f"s_axis_n{i}_{name}" for i in sources for name in source_names]
    outputs = [f"s_axis_n{i}_{name}" for i in sources for name in SOURCE_OUTPUTS]
    inputs += [f"m_axis_n{i}_tready" for i in sinks]
    outputs += [f"m_axis_n{i}_{name}" for i in sinks for name in sink_names]
    return BenchSource(top, verilog_text, ("clk", "rst", *clocks, *inputs), tuple(outputs))


def run_job(source: BenchSource, job: AxiJob, simulator: str, folder: Path) -> AxiResult:
    """Run a job in a simulator."""
    job = replace(job, result=str(folder / "result.json"))
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    built = build_simulator(source, simulator, waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "job.pickle")}, folder)
    return AxiResult(**json.loads(Path(job.result).read_text()))


def network_job(
    routing: SpamRouting | MinRouting | TorusRouting, mode: str, *, packets: int, ordered: bool = False, seed: int = 1
) -> AxiJob:
    """Random packets of all nodes at once, under every mixture of idle sources and back-pressure."""
    nodes = tuple(range(len(routing.network.processors)))
    leading = set_words(routing.header) if mode == LEADING_WORD else 0
    sets = mode in SET_MODES
    load = Load(len(nodes), routing.flit_bits, nodes, packets, LONGEST_PACKET, bodiless=leading > 0, sets=sets)
    phases = load.every_mixture(random.Random(seed))
    return AxiJob(len(nodes), routing.flit_bits, leading, nodes, nodes, ordered, seed, phases, sets=sets)


def check(result: AxiResult, job: AxiJob) -> None:
    assert result.report is None
    assert (result.deliveries, result.swallowed) == due(job)
    assert min(due(job)) > 0
    assert len(result.cycles) == len(job.phases)

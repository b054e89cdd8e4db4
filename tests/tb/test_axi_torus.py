"""AXI4-Stream packets through tori and meshes: each arrives once and intact, and where there is one way, in order."""

import random
from dataclasses import replace

import pytest

from hydranoc.lockstep.simulator import BenchSource
from rtl.endpoints.axi_ends import SEPARATE, StreamOptions
from rtl.endpoints.axi_injector import TDEST
from rtl.endpoints.axi_network import NO_OPTIONS
from rtl.torus.network import torus_plan
from tb.common.axi.job import AxiJob, Load, Phase
from tests.tb.axi_jobs import MAX_PACKET, check, check_overtaking, network_job, run_job, unicast_source
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting

TORUS, MESH = Grid(3, 3), Grid(2, 3, wraps=False)


def routing_of(grid: Grid, vcs: int, rule: str = DALLY_SEITZ, flit_bits: int = 16) -> TorusRouting:
    return TorusRouting(TorusNetwork(grid, vcs), flit_bits, rule)


ONE_WAY = {"torus": routing_of(TORUS, 2), "torus-dateline": routing_of(TORUS, 2, DATELINE), "mesh": routing_of(MESH, 1)}
"""Networks in which a packet may take one VC only at each hop."""


def source_of(routing: TorusRouting, options: StreamOptions = NO_OPTIONS) -> tuple[BenchSource, AxiJob]:
    """The network for the bench, and a job without packets for it."""
    return unicast_source(torus_plan(routing), options)


def eager(job: AxiJob) -> tuple[Phase, ...]:
    """Those phases in which sources do not pause."""
    return tuple(phase for phase in job.phases if phase.idle == 0)


@pytest.mark.parametrize("name", ONE_WAY)
def test_packets_of_a_pair_stay_in_order(name, tmp_path, require_tool):
    require_tool("icarus")
    job = network_job(ONE_WAY[name], TDEST, packets=2, ordered=True)
    check(run_job(source_of(ONE_WAY[name])[0], job, "icarus", tmp_path), job)


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_WAY)
def test_packets_of_a_pair_stay_in_order_for_long(name, tmp_path, require_tool):
    require_tool("icarus")
    job = network_job(ONE_WAY[name], TDEST, packets=30, ordered=True, seed=2)
    check(run_job(source_of(ONE_WAY[name])[0], job, "icarus", tmp_path), job)


def test_with_a_choice_of_vcs_packets_overtake_each_other(tmp_path, require_tool):
    require_tool("icarus")
    routing = routing_of(MESH, 2)
    source, job = source_of(routing)[0], network_job(routing, TDEST, packets=40)
    check_overtaking(source, replace(job, phases=eager(job)[:1]), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "vcs"), [(MESH, 3), (TORUS, 4), (Grid(3, 4), 3)])
def test_with_a_choice_of_vcs_for_long(grid, vcs, tmp_path, require_tool):
    require_tool("icarus")
    routing = routing_of(grid, vcs)
    job = network_job(routing, TDEST, packets=30)
    check(run_job(source_of(routing)[0], job, "icarus", tmp_path), job)


def test_bytes_and_clocks(tmp_path, require_tool):
    """Words that are not full, and endpoints whose clocks are unrelated to the network's."""
    require_tool("icarus")
    source, job = source_of(routing_of(Grid(2, 2), 2, flit_bits=33), StreamOptions(SEPARATE, tkeep=True))
    load = Load(job.nodes, job.flit_bits, job.sources, 4, MAX_PACKET, bodiless=False, vcs=job.vcs, sets=False)
    job = replace(job, phases=load.every_mixture(random.Random(3)))
    check(run_job(source, job, "icarus", tmp_path), job)

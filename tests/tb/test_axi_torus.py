"""AXI4-Stream packets through tori, meshes and hypercubes: each arrives once and intact, with one way in order."""

import random
from dataclasses import replace

import pytest

from hydranoc.lockstep.simulator import BenchSource
from rtl.endpoints.axi_ends import SEPARATE, StreamOptions
from rtl.endpoints.axi_injector import TDEST
from rtl.hypercube.network import hypercube_plan
from rtl.torus.network import torus_plan
from tb.common.axi.job import Load
from tests.sampled import sampled
from tests.tb.test_axi_streams import MAX_PACKET, check, check_overtaking, network_job, run_job, unicast_source
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting

TORUS, MESH = Grid(3, 3), Grid(2, 3, wraps=False)
Routing = TorusRouting | HypercubeRouting


def torus(grid: Grid, vcs: int, rule: str = DALLY_SEITZ, flit_bits: int = 16) -> TorusRouting:
    return TorusRouting(TorusNetwork(grid, vcs), flit_bits, rule)


def hypercube(dimensions: int, vcs: int, injection_channels: int = 1) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), 16)


ONE_WAY = {
    "torus": torus(TORUS, 2),
    "torus-dateline": torus(TORUS, 2, DATELINE),
    "mesh": torus(MESH, 1),
    "hypercube": hypercube(2, 1),  # one VC is the escape alone
}
"""Networks in which a packet may take one VC only at each hop."""
OVERTAKING = {
    "mesh": (torus(MESH, 2), 40),
    "hypercube": (hypercube(3, 2), 60),
    "hypercube-of-three-channels": (hypercube(3, 2, 3), 60),
}
"""Networks with a choice, and packets of each node."""


def source_of(routing: Routing) -> BenchSource:
    plan = torus_plan(routing) if isinstance(routing, TorusRouting) else hypercube_plan(routing)
    return unicast_source(plan)[0]


@pytest.mark.parametrize("name", sampled(ONE_WAY, ("torus", "mesh", "hypercube")))
def test_packets_of_a_pair_stay_in_order(name, tmp_path, require_tool):
    require_tool("icarus")
    job = network_job(ONE_WAY[name], TDEST, packets=2, ordered=True)
    check(run_job(source_of(ONE_WAY[name]), job, "icarus", tmp_path), job)


@pytest.mark.parametrize("name", sampled(OVERTAKING, ("mesh",)))
def test_with_a_choice_packets_overtake_each_other(name, tmp_path, require_tool):
    """Sources do not pause."""
    require_tool("icarus")
    routing, packets = OVERTAKING[name]
    job = network_job(routing, TDEST, packets=packets)
    check_overtaking(source_of(routing), replace(job, phases=job.phases[:1]), tmp_path)


@pytest.mark.slow
def test_bytes_and_clocks(tmp_path, require_tool):
    """Words that are not full, and endpoints whose clocks are unrelated to the network's."""
    require_tool("icarus")
    plan = torus_plan(torus(Grid(2, 2), 2, flit_bits=33))
    source, job = unicast_source(plan, StreamOptions(SEPARATE, tkeep=True))
    load = Load(job.nodes, job.flit_bits, job.sources, 4, MAX_PACKET, bodiless=False, lanes=job.lanes, sets=False)
    job = replace(job, phases=load.every_mixture(random.Random(3)))
    check(run_job(source, job, "icarus", tmp_path), job)

"""AXI4-Stream packets through hypercubes: each arrives once and intact; adaptive ones overtake each other."""

from dataclasses import replace

import pytest

from rtl.endpoints.axi_injector import TDEST
from rtl.hypercube.network import hypercube_plan
from tests.tb.axi_jobs import check, check_overtaking, network_job, run_job, unicast_source
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def routing_of(dimensions: int, vcs: int, injection_channels: int = 1) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), 16)


def source_of(routing: HypercubeRouting):
    return unicast_source(hypercube_plan(routing))[0]


@pytest.mark.parametrize(("vcs", "injection_channels"), [(2, 1), (2, 3)])
def test_packets_arrive_and_overtake_each_other(vcs, injection_channels, tmp_path, require_tool):
    """Without a pause."""
    require_tool("icarus")
    routing = routing_of(3, vcs, injection_channels)
    source, job = source_of(routing), network_job(routing, TDEST, packets=60)
    check_overtaking(source, replace(job, phases=job.phases[:1]), tmp_path)


def test_in_dimension_order_packets_stay_in_order(tmp_path, require_tool):
    """One VC is the escape alone, so there is one way."""
    require_tool("icarus")
    routing = routing_of(2, 1)
    job = network_job(routing, TDEST, packets=2, ordered=True)
    check(run_job(source_of(routing), job, "icarus", tmp_path), job)


@pytest.mark.slow
@pytest.mark.parametrize(("dimensions", "vcs", "injection_channels"), [(3, 2, 1), (3, 3, 3), (4, 2, 2), (3, 1, 1)])
def test_packets_arrive_under_every_mixture_of_pauses(dimensions, vcs, injection_channels, tmp_path, require_tool):
    require_tool("icarus")
    routing = routing_of(dimensions, vcs, injection_channels)
    job = network_job(routing, TDEST, packets=20)
    check(run_job(source_of(routing), job, "icarus", tmp_path), job)

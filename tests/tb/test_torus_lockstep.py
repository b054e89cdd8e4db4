"""Tori and meshes in lock-step with their golden model, and one-line faults that it must report."""

import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.torus.network import torus_plan
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.torus.model import TorusModel
from tests.sampled import sampled
from tests.tb.comparisons import assert_equal
from tests.tb.workloads import torus_job as job
from tests.tb.workloads import torus_routing
from topology.common.host_pattern import HostBehaviour, level_of
from topology.torus.routing import BALANCED, DALLY_SEITZ, DATELINE

TORUS, MESH = True, False
# rows, columns, wraps, VCs, flit bits, VC rule, buffer flits, routing cycles, VC reallocation, injection priority
SMALL = (
    (2, 4, TORUS, 2, 16, DATELINE, 1, 1, "tail", "equal"),  # in smaller rings no worm stays in class 1
    (2, 3, TORUS, 2, 16, DALLY_SEITZ, 4, 1, "tail", "low"),
    (1, 8, MESH, 1, 16, DALLY_SEITZ, 2, 1, "tail", "equal"),
    (3, 3, MESH, 2, 16, DALLY_SEITZ, 4, 2, "empty", "low"),
    (3, 3, TORUS, 4, 64, DATELINE, 3, 4, "tail", "equal"),
    (3, 4, TORUS, 3, 16, DALLY_SEITZ, 8, 3, "empty", "low"),
    (2, 5, TORUS, 2, 16, BALANCED, 4, 1, "tail", "equal"),
    (4, 1, TORUS, 3, 16, BALANCED, 2, 2, "empty", "low"),
    (3, 3, TORUS, 8, 16, DALLY_SEITZ, 16, 1, "tail", "equal"),
    (1, 3, TORUS, 2, 16, BALANCED, 3, 3, "tail", "equal"),  # the smallest that counts a routing delay
)
HOSTS = (HostBehaviour(), HostBehaviour(pause_level=level_of(0.3), stall_level=level_of(0.4), seed=5))
FAULTY = {  # workload that shows a fault
    "fast": ((3, 3, TORUS, 2, 16, DALLY_SEITZ, 2, 1, "tail", "equal"), HOSTS[0], 400),
    "slow": ((3, 3, TORUS, 4, 16, DALLY_SEITZ, 4, 2, "tail", "equal"), HOSTS[0], 1_500),
    "balanced": (SMALL[6], HOSTS[0], 800),
    "stalled": ((3, 3, TORUS, 2, 16, DALLY_SEITZ, 2, 1, "tail", "equal"), HOSTS[1], 400),
    "yielding": ((3, 3, TORUS, 2, 16, DALLY_SEITZ, 2, 1, "tail", "low"), HOSTS[0], 400),
}


def name(shape) -> str:
    rows, columns, wraps, vcs, flit_bits, rule, buffer_flits, routing_cycles, reuse, priority = shape
    kind = "torus" if wraps else "mesh"
    settings = f"{vcs}x{buffer_flits}-flit{flit_bits}-{rule}-routing{routing_cycles}-{reuse}-{priority}"
    return f"{rows}x{columns}-{kind}-{settings}"


def job_of(shape, **more) -> Comparison:
    rows, columns, wraps, vcs, flit_bits, rule, buffer_flits, routing_cycles, reuse, priority = shape
    routing = torus_routing(rows, columns, vcs, wraps=wraps, flit_bits=flit_bits, rule=rule)
    return job(routing, buffer_flits, routing_cycles, vc_reallocation=reuse, injection_priority=priority, **more)


@pytest.mark.parametrize("shape", sampled(SMALL, (SMALL[0], SMALL[3], SMALL[6], SMALL[9])), ids=name)
def test_small_networks_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(shape, cycles=800), "icarus", tmp_path)


@pytest.mark.sentinel
def test_pauses_and_stalls(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(SMALL[1], cycles=800, hosts=HOSTS[1]), "icarus", tmp_path, anew=True)


def test_with_one_vc_hardware_and_model_deadlock_alike(tmp_path, require_tool):
    require_tool("icarus")
    routing = torus_routing(1, 4, 1, wraps=True, flit_bits=16, rule=DALLY_SEITZ)
    model, plan = TorusModel(routing, buffer_flits=2), torus_plan(routing, buffer_flits=2)
    records = [Message(node, [(node + 2) % 4], 24, start_cycle=0) for node in range(4)]
    messages = Messages.build(records, processors=4, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert results.deadlocked
    assert_equal(Comparison(model, messages, 0, results.cycles + 200, harness_source(plan)), "icarus", tmp_path)

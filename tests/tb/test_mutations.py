"""One-line faults of the hardware (``tests/faults.txt``): lock-steps report each of them by name, and benches see them.

A fault counts as found by a lock-step when the comparison stops with a report that names the cycle and a channel, a
processor or a wire. The workloads are small, so a fault that needs a rare coincidence is not in the table.
"""

import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from hydranoc.lockstep.compare import Comparison, compare_network
from hydranoc.lockstep.simulator import BenchSource, SimulatorFailed
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.spam.network import spam_plan
from sim_model.engines.simulation import Simulation
from tests.networks import five_port_network
from tests.sampled import sampled
from tests.tb import test_headers_lockstep as headers
from tests.tb import test_hosts_lockstep as links
from tests.tb import test_hypercube_lockstep as hypercube
from tests.tb import test_torus_lockstep as torus
from tests.tb.comparisons import REPORT, compare_verilog, from_anything
from tests.tb.mutations import ROOT, as_parameters, copy_hardware, harness_verilog, mutations, python_in_copy
from tests.tb.test_axi4 import PHASES, plan_of_variant, source_of
from tests.tb.test_axi4 import run_job as axi4_run
from tests.tb.test_axi_streams import axi_source, check, network_job, run_job
from tests.tb.test_harts_lockstep import forgers, short_run
from tests.tb.test_registers import generated, register_job, run_registers
from tests.tb.test_resets import COUNTED_SHAPE, busy, counted
from tests.tb.workloads import (
    FAULTS,
    FAULTY,
    MOST,
    PACKET_FLITS,
    SMALL_SPAM,
    SOME,
    SentHome,
    Shape,
    every_broadcast,
    holding_back,
    loaded,
    min_job,
    spam_comparison,
    staged_traffic,
)
from topology.common.ages import AGE
from topology.common.graph import Network
from topology.common.host_pattern import Blockade, HostBehaviour
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

Sound = tuple[Comparison, dict[str, Any]]
"""A comparison, and the keywords of the family's plan."""
SPAM_SHAPES = {
    # three header flits: 4 bits of routing key and 4 of source, then 8 + 3 destination bits
    "multi-flit-headers": Shape(flit_bits=8, buffer_flits=2, routing_cycles=1),
    "routing-delay": Shape(flit_bits=32, buffer_flits=2, routing_cycles=3),
    "fast-pipeline": Shape(flit_bits=8, buffer_flits=2, routing_cycles=2, fast=True),
    "ages": Shape(flit_bits=16, arbitration=AGE, age_step_cycles=4),
}
BEHAVIOURS = {
    "stalls": HostBehaviour(0, SOME, seed=3),
    "pauses": HostBehaviour(MOST, 0, seed=3),
    "blocked": HostBehaviour(blocked=(Blockade(1, 60, 80),)),
}
MESHES = {
    "loaded": lambda: loaded(2, 700, faults=FAULTS[2]),
    "short": short_run,
    "forgers": lambda: forgers(2, guard=True),
    "unseen": lambda: loaded(2, 120),  # no host sees anything of the fault
    "broadcasts": lambda: every_broadcast(3),
    "algorithm-a": lambda: every_broadcast(2, algorithm_a=True),
}


def in_spam(workload: str) -> Sound:
    shape = SPAM_SHAPES[workload]
    routing = shape.routing(five_port_network(), root=0)
    traffic = staged_traffic(routing, 160, 1, loads=(0.3, 0.9), flits=8)
    return spam_comparison(routing, shape, traffic), shape.plan_settings


def in_a_torus(workload: str) -> Sound:
    shape, hosts, cycles = torus.FAULTY[workload]
    names = "buffer_flits", "routing_cycles", "vc_reallocation", "injection_priority"
    return torus.job_of(shape, cycles=cycles, hosts=hosts), dict(zip(names, shape[6:], strict=True))


def in_a_hypercube(workload: str) -> Sound:
    shape, hosts, cycles = hypercube.FAULTY[workload]
    job = hypercube.job_of(shape, cycles=cycles, hosts=hosts, most_compared=2_000)
    if workload == "home":
        job = replace(job, model=SentHome(job.model.routing, job.model.buffer_flits))
    return job, {"buffer_flits": shape[2]}


def behind_tails(workload: str) -> Sound:
    shape, hosts = hypercube.REUSE_FAULTY[workload]
    short = hypercube.SHORT_BODY_FLITS
    job = hypercube.reuse_job(shape, cycles=400, hosts=hosts, most_compared=1_500, most_body_flits=short)
    return job, {"buffer_flits": shape[2], "vc_reallocation": shape[3]}


def eager(shape: Shape) -> Comparison:
    routing = shape.routing(SMALL_SPAM)
    assert routing.header.multicast_flits > 1  # buffers of routers have a cursor, those of ejectors have none
    return spam_comparison(routing, shape, staged_traffic(routing, 160, 1, loads=(0.3, 0.9), flits=8))


def with_hosts(workload: str) -> Sound:
    shape = Shape(flit_bits=8)
    sound = eager(shape)
    job = holding_back(sound, BEHAVIOURS[workload])
    assert job.cycles > Simulation(job.model, job.messages).run().cycles
    return job, shape.settings


def over_links(workload: str) -> Sound:
    if workload == "spam":
        return links.spam_job(3, 160), {"link_cycles": 3}
    return min_job(*FAULTY, cycles=400, link_cycles=3), {"buffer_flits": 2, "link_cycles": 3}


def in_parts(name: str) -> Sound:
    job = headers.JOBS[name][1]()
    return job, {"buffer_flits": job.model.buffer_flits, "routing_cycles": job.model.routing_cycles}


def packets(family: str) -> dict[str, Any]:
    return {"packet_flits": PACKET_FLITS} if family == "harts" else {}


SOUND: dict[str, Callable[[str], Sound]] = {
    "spam": in_spam,
    "min": lambda _: (min_job(*FAULTY, cycles=600), {"buffer_flits": FAULTY[5], "routing_cycles": FAULTY[6]}),
    "torus": in_a_torus,
    "hypercube": in_a_hypercube,
    "hypercube-reuse": behind_tails,
    "harts": lambda workload: (MESHES[workload](), packets("harts")),
    "hosts": with_hosts,
    "links": over_links,
    "parts-spam": lambda _: in_parts("spam-two-flits-of-fields"),
    "parts-min": lambda _: in_parts("min"),
    "wide": lambda family: (headers.WIDE_JOBS[family](), packets(family)),
    "unroutable": lambda family: (headers.UNROUTABLE[family](), packets(family)),
    "resets": lambda family: (busy(family.split()[0]), packets(family)),
}
LOCKSTEP = [m for m in mutations("lock-step") if m.workload.split()[0] in SOUND]
SYMPTOMS = {  # of a workload or of a fault
    "harts unseen": re.compile(r".*\n  (channel \S+: hardware signature|side wire kept_)"),
    # stalls of the buffer behind show first in the last stage, not in the channel
    "is always ready": re.compile(r"(?s).* stage .*stages \["),
}


@cache
def sound(workload: str) -> tuple[Comparison, dict[str, Any], str]:
    """Comparison, keywords and family of a workload."""
    group, _, name = workload.partition(" ")
    job, settings = SOUND[group](name)
    modules = [of.__module__ for of in type(job.model.routing).__mro__]
    return job, settings, next(name for name in modules if name.startswith("topology.")).split(".")[1]


@pytest.mark.parametrize(
    "workload",
    [
        pytest.param(name, marks=() if name == "hosts stalls" else pytest.mark.slow)
        for name in sorted({mutation.workload for mutation in LOCKSTEP})
    ],
)
def test_sound_copy_agrees(workload, tmp_path, require_tool):
    require_tool("icarus")
    job, settings, family = sound(workload)
    result = compare_verilog(job, None, tmp_path, settings, family)
    assert (result.report, result.compared_cycles) == (None, job.cycles)


@pytest.mark.parametrize("mutation", as_parameters(LOCKSTEP))
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    job, settings, family = sound(mutation.workload)
    result = compare_verilog(job, mutation, tmp_path, settings, family)
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report
    for symptom in {mutation.workload, mutation.name} & SYMPTOMS.keys():
        assert SYMPTOMS[symptom].match(result.report or ""), result.report
    if job.resets:
        assert (result.mismatch_cycle or 0) >= job.resets[0]


@pytest.mark.parametrize("mutation", as_parameters(mutations("lock-step", "hosts")))
def test_eager_hosts_do_not_show_faults_of_hosts_that_hold_back(mutation, tmp_path, require_tool):
    """Then an ejector is never full and no word is ever late."""
    require_tool("icarus")
    shape = Shape(flit_bits=8)
    assert compare_verilog(eager(shape), mutation, tmp_path, shape.settings, "spam").report is None


@pytest.mark.parametrize("mutation", as_parameters(mutations("lock-step", "counters", "random-memory")))
def test_faulty_counter_is_reported(mutation, tmp_path, require_tool):
    """A simulation that begins with zeros in memories does not see that no logic clears them."""
    require_tool("icarus")
    random_memory = mutation.workload == "random-memory"
    made = counted(cycles=250, traffic_cycles=200) if random_memory else counted()
    copy_hardware(tmp_path, mutation)
    settings = {"buffer_flits": COUNTED_SHAPE.buffer_flits}
    verilog = harness_verilog(tmp_path, made.model.routing, settings, counters=True)
    faulty = replace(made, harness=replace(made.harness, verilog=verilog))
    result = compare_network(from_anything(faulty) if random_memory else faulty, "icarus", tmp_path).result
    assert (result.mismatches, result.mismatch_cycle) == (1, None)
    assert (result.report or "").startswith("channel counters differ\n")


MIXTURES = ((0.0, 0.0), (0.0, 0.9))  # idle sources, back-pressure
STREAM_MODES = {"tuser": TUSER, "leading-word": LEADING_WORD}
WRITE_STREAMS = """
import pickle, sys
from rtl.endpoints.axi_network import generate_axi_network
from rtl.spam.network import spam_plan

routing, mode = pickle.load(sys.stdin.buffer)
sys.stdout.write(generate_axi_network(spam_plan(routing), mode).files["noc.v"])
"""
WRITE_MEMORIES = """
import pickle, sys
from tests.tb.test_axi4 import plan_of_variant, source_of

sys.stdout.buffer.write(pickle.dumps(source_of(plan_of_variant(sys.argv[1]))))
"""
WRITE_REGISTERS = """
import pickle, sys
from tests.tb.test_registers import generated

sys.stdout.buffer.write(pickle.dumps(generated(sys.argv[1])))
"""


def run_streams(mode: str, mutation, folder):
    """Run the bench on a copy of the hardware: eleven nodes on seven switches, headers of one and of three flits."""
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (5, 6)]
    routing = SpamRouting(SpamLabels(Network(7, edges, [0, 0, 1, 3, 3, 4, 5, 5, 6, 6, 6]), 0), 10)
    copy_hardware(folder, mutation)
    verilog = python_in_copy(folder, WRITE_STREAMS, given=(routing, mode)).decode()
    assert (verilog == generate_axi_network(spam_plan(routing), mode).files["noc.v"]) == (mutation is None)
    nodes = range(len(routing.network.processors))
    job = network_job(routing, mode, packets=4)
    job = replace(job, phases=tuple(phase for phase in job.phases if (phase.idle, phase.backpressure) in MIXTURES))
    return run_job(axi_source(verilog, "noc", nodes, nodes), job, "icarus", folder), job


@pytest.mark.parametrize("mode", sampled(STREAM_MODES, ("tuser",)))
def test_sound_streams_pass(mode, tmp_path, require_tool):
    require_tool("icarus")
    check(*run_streams(STREAM_MODES[mode], None, tmp_path))


@pytest.mark.parametrize("mutation", as_parameters(mutations("bench", "axi")))
def test_bench_of_streams_sees_the_fault(mutation, tmp_path, require_tool):
    require_tool("icarus")
    result, _ = run_streams(STREAM_MODES[mutation.workload.split()[1]], mutation, tmp_path)
    assert result.report, f"the bench did not see hardware that {mutation.name}"


@pytest.mark.parametrize("mutation", as_parameters(mutations("bench", "registers")))
def test_bench_of_registers_sees_the_fault(mutation, tmp_path, require_tool):
    require_tool("icarus")
    _, name, test = mutation.workload.split()
    copy_hardware(tmp_path, mutation)
    design = pickle.loads(python_in_copy(tmp_path, WRITE_REGISTERS, name))
    assert design.files["noc.v"] != generated(name).files["noc.v"]
    seen = run_registers(design, register_job(name), (test,), tmp_path)
    assert seen[test], f"the bench did not see registers that {mutation.name}"


@pytest.mark.parametrize("mutation", as_parameters(mutations("bench", "memories")))
def test_bench_of_memories_sees_the_fault(mutation, tmp_path, require_tool):
    """An exception inside of cocotbext-axi counts as well: it checks what it gets."""
    require_tool("icarus")
    copy_hardware(tmp_path, mutation)
    variant = mutation.workload.split()[1]
    plan = plan_of_variant(variant)
    source: BenchSource = pickle.loads(python_in_copy(tmp_path, WRITE_MEMORIES, variant))
    assert source.verilog != source_of(plan).verilog
    try:
        result = axi4_run(plan, "icarus", tmp_path, source, transactions=40, phases=PHASES[:2], patience_cycles=20_000)
    except (SimulatorFailed, FileNotFoundError):
        return
    assert result.report, f"the bench did not see hardware that {mutation.name}"


def test_faults_are_of_lines_that_there_are(tmp_path):
    """Those of proofs too."""
    every = [m for kind in ("proof", "lock-step", "bench") for m in mutations(kind)]
    assert len(every) > 500
    outdated = [m for m in every if (ROOT / m.path).read_text().count(m.text) != 1]
    lines = [f"tests/faults.txt: {m.name!r}: {m.text!r} is not once in {m.path}" for m in outdated]
    assert not lines, "\n".join([*lines, "Give each fault the text of its line as it is now"])
    with pytest.raises(ValueError, match=r"must have exactly once 'no line has this', not 0 times"):
        copy_hardware(tmp_path, replace(every[0], text="no line has this"))

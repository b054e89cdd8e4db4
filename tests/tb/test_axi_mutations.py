"""The AXI4-Stream bench finds faults: each one-line mutation of injector, ejector and key part is reported."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rtl.endpoints.axi_injector import LEADING_WORD, TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.spam.network import spam_plan
from tests.tb.axi_jobs import axi_source, check, network_job, run_job
from tests.tb.mutations import ROOT, Mutation, copy_hardware
from topology.common.graph import Network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

_GENERATE = """
import pickle, sys
from rtl.endpoints.axi_network import generate_axi_network
from rtl.spam.network import spam_plan

routing, mode = pickle.load(sys.stdin.buffer)
sys.stdout.write(generate_axi_network(spam_plan(routing), mode).files["noc.v"])
"""
INJECTOR, EJECTOR = "endpoints/axi_injector.py", "endpoints/axi_ejector.py"
FLITS = "endpoints/packet_flits.py"
KEY, SELECTION = "spam/multicast_key.py", "parts/selection.py"
MIXTURES = ((0.0, 0.0), (0.0, 0.9))  # idle sources, back-pressure
QUICK = 4
# the quick ones first; the field ``workload`` is the destination mode here
MUTATIONS = (
    Mutation(
        "takes words while the link is full", FLITS, "injector.tready.eq(self.free)", "injector.tready.eq(1)", TUSER
    ),
    Mutation("loses words that the user does not take", EJECTOR, "~in_body | self.tready", "1", TUSER),
    Mutation("takes every message for a unicast", EJECTOR, "last.eq(Mux(multicast,", "last.eq(Mux(0,", TUSER),
    Mutation("does not see two neighbours", SELECTION, "| (left & right)", "", TUSER),
    Mutation(
        "sends a packet that is nothing but its set",
        INJECTOR,
        "with m.If(self.tlast):\n                m.next",
        "with m.If(self.tlast & ~last):\n                m.next",
        LEADING_WORD,
    ),
    Mutation("never complains", INJECTOR, "self.error.eq(1)", "self.error.eq(0)", TUSER),
    Mutation("sends to itself by set", INJECTOR, "mask & ~own", "mask", TUSER),
    Mutation("does not wait for the key", INJECTOR, "(waited == cycles)", "~waited.any()", TUSER),
    Mutation(
        "sends every header without its last flit",
        INJECTOR,
        "with m.If(flits_left == 1):",
        "with m.If(flits_left <= 2):",
        TUSER,
    ),
    Mutation("sends to itself by tdest", INJECTOR, "exists & (self.tdest != self.node)", "exists", TUSER),
    Mutation(
        "stores every word of the set in the first place",
        INJECTOR,
        "position == word if word else ~position.any()",
        "~position.any()",
        LEADING_WORD,
    ),
    Mutation(
        "takes long headers for bodies after the first flit",
        EJECTOR,
        "~flit.head & self.tuser | differs",
        "differs",
        TUSER,
    ),
    Mutation("takes the sender from any flit", EJECTOR, "with m.If(taken & at[number]):", "with m.If(taken):", TUSER),
    Mutation("calls every packet a unicast", EJECTOR, "self.tuser.eq(multicast)", "self.tuser.eq(0)", TUSER),
    Mutation("goes on to the wrong ancestor", KEY, "branch & ~above[switch]", "branch", TUSER),
)


@pytest.fixture(scope="module")
def routing():
    """Eleven nodes on seven switches, headers of one and of three flits."""
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (5, 6)]
    network = Network(7, edges, [0, 0, 1, 3, 3, 4, 5, 5, 6, 6, 6])
    return SpamRouting(SpamLabels(network, 0), 10)


def run_copy(routing, mode: str, mutation: Mutation | None, folder: Path):
    """Run the bench on the Verilog of a copy of the hardware."""
    copy_hardware(folder, mutation)
    answer = subprocess.run(
        [sys.executable, "-c", _GENERATE],
        input=pickle.dumps((routing, mode)),
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    verilog = answer.stdout.decode()
    assert (verilog == generate_axi_network(spam_plan(routing), mode).files["noc.v"]) == (mutation is None)
    nodes = range(len(routing.network.processors))
    job = network_job(routing, mode, packets=4)
    phases = tuple(phase for phase in job.phases if (phase.idle, phase.backpressure) in MIXTURES)
    job = replace(job, phases=phases)
    return run_job(axi_source(verilog, "noc", nodes, nodes), job, "icarus", folder), job


@pytest.mark.parametrize("mode", [TUSER, LEADING_WORD])
def test_sound_copy_passes(mode, routing, tmp_path, require_tool):
    require_tool("icarus")
    check(*run_copy(routing, mode, None, tmp_path))


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, id=mutation.name.replace(" ", "-"), marks=[pytest.mark.slow] if i >= QUICK else [])
        for i, mutation in enumerate(MUTATIONS)
    ],
)
def test_mutation_is_reported(mutation, routing, tmp_path, require_tool):
    require_tool("icarus")
    result, _ = run_copy(routing, mutation.workload, mutation, tmp_path)
    assert result.report, f"the bench did not see hardware that {mutation.name}"

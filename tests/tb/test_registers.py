"""The registers of networks of every family over AXI4-Lite, and faults in them that the bench must find."""

import os
import pickle
import subprocess
import sys

import pytest

from tests.tb.mutations import ROOT, Mutation, copy_hardware
from tests.tb.registers_runner import TESTS, generated, register_job, run_registers

_GENERATE = """
import pickle, sys
from tests.tb.registers_runner import generated

sys.stdout.buffer.write(pickle.dumps(generated(sys.argv[1])))
"""
PORT, BLOCK = "registers/axi_lite.py", "registers/register_block.py"
AROUND, MONITOR, TOKENS = "registers/interrupts.py", "generator/error_monitor.py", "min/token_monitor.py"
GUARD = "parts/worm_guard.py"
QUICK = 4
# the quick ones first; the field ``workload`` names the test of the bench, and before it the network if it is not "min"
MUTATIONS = (
    Mutation(
        "forgets every channel that a clear does not name",
        MONITOR,
        "remembered & ~clear",
        "Mux(clear.any(), 0, remembered)",
        "errors",
    ),
    Mutation("says OKAY to a read of nothing", PORT, "refused.eq(~self.read_found)", "refused.eq(0)", "unmapped"),
    Mutation("takes numbers before they are there", PORT, "Signal(max(1, self.read_cycles))", "Signal(1)", "counters"),
    Mutation(
        "interrupts for what is not enabled",
        AROUND,
        "(self.pending & self.enable).any()",
        "self.pending.any()",
        "errors",
    ),
    Mutation(
        "writes parts of words", PORT, "self.write.eq(accepted & whole)", "self.write.eq(accepted)", "parts_of_words"
    ),
    Mutation("says OKAY to parts of words", PORT, "~(whole & self.write_found)", "~self.write_found", "parts_of_words"),
    Mutation("says OKAY to a write to nothing", PORT, "~(whole & self.write_found)", "~whole", "unmapped"),
    Mutation("takes a write while an answer waits", PORT, "~accepted & ~self.bvalid", "~accepted", "posted_writes"),
    Mutation(
        "accepts an address without data",
        PORT,
        "self.awvalid & self.wvalid & ~accepted",
        "self.awvalid & ~accepted",
        "handshakes",
    ),
    Mutation("takes back an answer", PORT, "with m.Elif(self.rready):", "with m.Else():", "handshakes"),
    Mutation("writes to all registers at once", BLOCK, "with m.If(written):", "with m.If(self.write):", "errors"),
    Mutation("reads numbers anywhere", BLOCK, "here = self.read_address[bits:] ==", "here = -1 !=", "unmapped"),
    Mutation(
        "clears what is written as 0",
        BLOCK,
        "Mux(written[word], self.write_data, 0)",
        "written[word].replicate(32)",
        "errors",
    ),
    Mutation(
        "lets a network run that is held in reset",
        AROUND,
        "self.hold | ResetSignal()",
        "ResetSignal()",
        "network_reset",
    ),
    Mutation("calls sums exact too early", AROUND, "self.busy.any(), self.cycles,", "self.busy.any(), 0,", "counters"),
    Mutation(
        "counts on after a clear", MONITOR, "Mux(self.clear_discarded, 0, self.discarded)", "self.discarded", "errors"
    ),
    Mutation(
        "never clears what guards said",
        MONITOR,
        "self.clear_misframed if self.clearable",
        "self.clear_unroutable if self.clearable",
        "misframed",
    ),
    Mutation(
        "clears lost tokens with duplicated ones",
        TOKENS,
        "lost & ~self.clear_lost",
        "lost & ~self.clear_duplicated",
        "tokens",
    ),
    Mutation(
        "moves the chain at every write",
        BLOCK,
        'f"{name}_written").eq(written)',
        'f"{name}_written").eq(self.write)',
        "tables",
    ),
    Mutation("lets worms of any length pass", GUARD, "flit.tail | too_long", "flit.tail", "cut_off"),
    Mutation(
        "says nothing of what SPAM drains",
        "routed/routed_input.py",
        "& ~route_unit.request[i].any()",
        "& 0",
        "spam errors",
    ),
    Mutation(
        "says nothing of what meshes drain", "harts/router.py", "Mux(drained, 1 <<", "Mux(0, 1 <<", "harts errors"
    ),
    Mutation(
        "says nothing of what tori drain",
        "vc/vc_input.py",
        "Mux(request.nowhere & request.is_head, request.vc, 0)",
        "0",
        "torus errors",
    ),
    Mutation(
        "says nothing of what cubes drain",
        "hypercube/adaptive_input.py",
        "discarding[v].eq(drained)",
        "discarding[v].eq(0)",
        "hypercube errors",
    ),
)


QUICK_NETWORKS = {"icarus": tuple(TESTS), "verilator": ("spam",)}


def benches():
    """Simulator and network."""
    for simulator, quick in QUICK_NETWORKS.items():
        for name in TESTS:
            yield pytest.param(simulator, name, marks=() if name in quick else pytest.mark.slow)


@pytest.mark.parametrize(("simulator", "name"), list(benches()))
def test_registers_do_what_the_map_says(simulator, name, tmp_path, require_tool):
    require_tool(simulator)
    outcomes = run_registers(generated(name), register_job(name), TESTS[name], tmp_path, simulator)
    assert outcomes == dict.fromkeys(TESTS[name])


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, id=mutation.name.replace(" ", "-"), marks=[pytest.mark.slow] if i >= QUICK else [])
        for i, mutation in enumerate(MUTATIONS)
    ],
)
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    name, _, test = mutation.workload.rpartition(" ")
    name = name or "min"
    copy_hardware(tmp_path, mutation)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    answer = subprocess.run(
        [sys.executable, "-c", _GENERATE, name],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    design = pickle.loads(answer.stdout)
    assert design.files["noc.v"] != generated(name).files["noc.v"]
    seen = run_registers(design, register_job(name), (test,), tmp_path)
    assert seen[test], f"the bench did not see registers that {mutation.name}"

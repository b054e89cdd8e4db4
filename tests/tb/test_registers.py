"""The registers of whole networks over AXI4-Lite, and faults in them that the bench must find."""

import os
import subprocess
import sys

import pytest

from tests.tb.mutations import ROOT, Mutation, copy_hardware
from tests.tb.registers_runner import NETWORKS, generated, register_job, run_registers

_GENERATE = """
import sys
from tests.tb.registers_runner import generated

sys.stdout.write(generated("min").files["noc.v"])
"""
PORT, BLOCK = "common/registers/axi_lite.py", "common/registers/register_block.py"
AROUND, MONITOR, TOKENS = "common/registers/interrupts.py", "common/error_monitor.py", "min/token_monitor.py"
QUICK = 4
# the quick ones first; the field ``workload`` names the test of the bench here
MUTATIONS = (
    Mutation(
        "forgets every channel that a clear does not name",
        MONITOR,
        "remembered[channel] & ~clear[channel]",
        "remembered[channel] & ~clear.any()",
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
)


@pytest.fixture(scope="module")
def outcomes(require_tool, tmp_path_factory):
    """By network and test of the bench, None or why it failed."""
    require_tool("icarus")
    return {
        name: run_registers(
            generated(name).files["noc.v"], register_job(name), tests, tmp_path_factory.mktemp("registers")
        )
        for name, tests in NETWORKS.items()
    }


@pytest.mark.parametrize(("name", "test"), [(name, test) for name, tests in NETWORKS.items() for test in tests])
def test_registers_do_what_the_map_says(name, test, outcomes):
    assert outcomes[name][test] is None


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, id=mutation.name.replace(" ", "-"), marks=[pytest.mark.slow] if i >= QUICK else [])
        for i, mutation in enumerate(MUTATIONS)
    ],
)
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    copy_hardware(tmp_path, mutation)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    answer = subprocess.run(
        [sys.executable, "-c", _GENERATE],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    verilog = answer.stdout.decode()
    assert verilog != generated("min").files["noc.v"]
    seen = run_registers(verilog, register_job("min"), (mutation.workload,), tmp_path)
    assert seen[mutation.workload], f"the bench did not see registers that {mutation.name}"

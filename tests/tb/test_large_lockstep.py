"""Networks of about 1,024 routers in lock-step; by hand and by night, since each takes minutes to build.

``python -m benchmarks.lockstep_scale`` compares 20,000 cycles of each and prints what it costs.
"""

import re

import pytest
import yaml

from benchmarks.lockstep_scale import NETWORKS, configuration
from hydranoc import load
from tests.tb.test_blocks import compared, with_other_column

pytestmark = pytest.mark.slow
CYCLES = 500


def large(kind: str, folder):
    file = folder / "network.yaml"
    file.write_text(yaml.safe_dump(configuration(kind, 1024, CYCLES)))
    return load(file)


@pytest.mark.parametrize("kind", NETWORKS)
def test_1024_routers(kind, tmp_path, require_tool):
    require_tool("verilator")
    design = large(kind, tmp_path)
    harness = design.harness()
    result = compared(harness.verilog, design, harness, tmp_path, CYCLES)
    assert (result.compared_cycles, result.mismatches) == (CYCLES, 0)


def test_a_fault_of_one_router_of_1024_is_reported_by_name(tmp_path, require_tool):
    require_tool("verilator")
    design = large("torus", tmp_path)
    harness = design.harness()
    result = compared(with_other_column(harness.verilog, "router_s525"), design, harness, tmp_path, CYCLES)
    assert result.mismatches == 1
    assert re.search(r"first difference in cycle \d+\n  channel s525->s\d+:", result.report)

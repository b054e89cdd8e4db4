"""Cost of the register block: a network's logic on ECP5 without and with it, routers and hosts' ends left aside."""

from pathlib import Path

import pytest

from fpga.common.area import Area, read_area
from fpga.common.devices import DEVICES
from hydranoc.api import load
from rtl.generator.network import generate_design, generate_network
from rtl.registers.top import generate_with_registers
from tests.rtl.programs import call

ROOT = Path(__file__).parents[2]
DEVICE = DEVICES["ecp5"]
MAX_LUT4 = 250
FLIP_FLOPS = 40
# registers change nothing in routers, injectors and ejectors, which are synthesised as boxes without content
SYNTHESIS = """
read_verilog noc.v
blackbox noc_spam_router_* noc_message_injector noc_message_ejector
{synthesis} -top noc
tee -q -o area.json stat -json
"""


@pytest.fixture
def area_of(require_tool, tmp_path):
    yosys = require_tool("yosys")
    plan = load(ROOT / "examples" / "demo.yaml").plan

    def measure(generate) -> Area:
        (tmp_path / "noc.v").write_text(generate_network(plan, "noc", generate).files["noc.v"])
        (tmp_path / "synthesis.ys").write_text(SYNTHESIS.format(synthesis=DEVICE.synthesis))
        call(yosys, ["-q", "synthesis.ys"], tmp_path)
        return read_area((tmp_path / "area.json").read_text(), DEVICE)

    return measure


def test_registers_of_16_nodes_cost_less_than_250_lut4(area_of):
    without, with_registers = area_of(generate_design), area_of(generate_with_registers)
    assert 0 < with_registers.luts - without.luts < MAX_LUT4
    assert with_registers.flip_flops - without.flip_flops == FLIP_FLOPS
    page = (ROOT / "docs" / "look_up" / "registers.md").read_text()
    assert f"{with_registers.luts - without.luts} LUT4 and {FLIP_FLOPS} flip-flops" in page

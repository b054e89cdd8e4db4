"""Netlists and their tools: foreign files, lint, largest networks, constraints, injectors, and cost of registers."""

import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fpga.common.area import Area, read_area
from fpga.common.devices import DEVICES
from hydranoc.api import load
from rtl.endpoints.axi_ends import SEPARATE, SHARED, StreamOptions
from rtl.endpoints.axi_injector import TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.generator.network import generate_design, generate_network
from rtl.generator.plan import NetworkPlan
from rtl.generator.rtlil import operators
from rtl.generator.rtlil.netlist import read_modules
from rtl.generator.rtlil.yosys import verilog_of
from rtl.generator.verilog import ModuleLibrary
from rtl.hypercube.network import hypercube_plan
from rtl.parts.monitor import TransferMonitor
from rtl.parts.part import Part
from rtl.registers.top import generate_with_registers
from rtl.spam.network import spam_plan
from tests.rtl.simulate import call
from tests.rtl.test_verilog import design
from tests.sampled import sampled
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

# A generated network beside files of other projects: their lint warnings are shown, and ours adds none.

# a library with a fault of each kind that was once switched off for all files
FOREIGN = """\
`timescale 1ns / 1ps
module foreign(
  input wire clk, input wire rst, input wire [7:0] \\_1_ ,
  input wire [3:0] number, output reg [3:0] count, output wire one
);
  reg [3:0] state = 4'h0;
  wire _0_;
  assign _0_ = number[0];
  assign one = !number;
  always @(posedge clk) state <= state + 4'h1;
  always @*
    casez (state)
      4'b???1: count = 4'h1;
      4'b??1?: count = {3'h0, number == 1'h1};
      default: count = 4'h0;
    endcase
endmodule
"""
FAULTS = {"CASEOVERLAP", "DECLFILENAME", "PROCASSINIT", "UNUSEDSIGNAL", "WIDTHEXPAND", "WIDTHTRUNC"}


def kinds(text: str) -> list[str]:
    """Kinds of the warnings in Verilator's output."""
    return [line.split(":")[0].removeprefix("%Warning-") for line in text.splitlines() if line.startswith("%Warning-")]


@pytest.fixture(scope="module")
def network():
    return design("fast").files


@pytest.mark.parametrize("control", sampled([[], ["noc.vlt"]], [["noc.vlt"]]), ids=["bare", "with-control-file"])
@pytest.mark.parametrize("order", [("noc.v", "library.v"), ("library.v", "noc.v")], ids=["before", "behind"])
def test_all_faults_of_a_foreign_file_are_shown(network, order, control, require_tool, tmp_path):
    for name, text in {**network, "library.v": FOREIGN}.items():
        (tmp_path / name).write_text(text)
    tops = ["--lint-only", "-Wall", "-Wno-fatal", "-Wno-MULTITOP"]
    shown = call(require_tool("verilator"), [*tops, *control, *order], tmp_path)
    assert {kind for kind in kinds(shown) if kind != "MULTITOP"} == FAULTS
    assert not [line for line in shown.splitlines() if line.startswith("%Warning") and "noc.v:" in line]


def test_the_head_switches_nothing_off_but_for_its_own_file(network):
    text = network["noc.v"]
    assert [line for line in text.splitlines() if "lint_off" in line] == ["/* verilator lint_off DECLFILENAME */"]
    assert [line for line in text.splitlines() if line.startswith("`")] == ["`timescale 1ns / 1ps"]
    assert "lint_off" not in network["noc.vlt"]


# Changes to a netlist for lint preserve its function: proved by Yosys for every kind of cell that they change.

PROOF = """
read_rtlil gold.il
proc
rename top gold
design -stash gold
read_verilog gate.v
proc
rename top gate
design -stash gate
design -copy-from gold -as gold gold
design -copy-from gate -as gate gate
miter -equiv -flatten -make_assert gold gate miter
sat -verify -prove-asserts miter
"""


class Specimen(wiring.Component):
    """Comparisons and sums of all widths and signs, selections, and bits that nothing reads."""

    wide: In(6)
    narrow: In(3)
    signed_wide: In(signed(5))
    signed_narrow: In(signed(2))
    choice: In(3)
    compared: Out(12)
    total: Out(3)
    chosen: Out(6)
    some: Out(2)
    counted: Out(2)

    def elaborate(self, _platform):
        m = Module()
        pairs = [(self.wide, self.narrow), (self.signed_wide, self.signed_narrow)]
        results = [result for a, b in pairs for result in (a == b, a != b, a < b, a <= b, a > b, a >= b)]
        for bit, result in zip(self.compared, results, strict=True):
            m.d.comb += bit.eq(result)
        both = Signal(6)
        m.d.comb += [both.eq((self.wide + self.narrow)[:6]), self.total.eq(both - self.signed_narrow)]
        with m.Switch(self.choice):
            with m.Case(0):
                m.d.comb += self.chosen.eq(self.wide)
            with m.Case(2, 3):
                m.d.comb += self.chosen.eq(self.narrow)
            with m.Case(5):
                m.d.comb += self.chosen.eq(self.signed_wide)
            with m.Default():
                m.d.comb += self.chosen.eq(0b101101)
        masked, count = Signal(6), Signal(4)
        with m.If(self.narrow == 0):
            m.d.comb += masked.eq(self.wide & ~self.chosen)
        m.d.comb += self.some.eq(masked[2:4])
        m.d.comb += count.eq(self.signed_wide - self.narrow)
        m.d.comb += self.counted.eq(count[1:3])
        return m


@pytest.fixture(scope="module")
def netlist():
    return rtlil.convert(Specimen(), name="top", emit_src=False)


def proof(netlist, folder, tool):
    (folder / "gold.il").write_text(netlist)
    (folder / "gate.v").write_text(verilog_of(netlist, {}))
    (folder / "proof.ys").write_text(PROOF)
    return call(tool, ["-q", "proof.ys"], folder)


def test_the_function_is_the_same(netlist, require_tool, tmp_path):
    proof(netlist, tmp_path, require_tool("yosys"))


def test_a_wrong_extension_is_seen(netlist, require_tool, tmp_path, monkeypatch):
    monkeypatch.setattr(operators, "select", lambda *range_: ["1" * range_[-1]])
    with pytest.raises(AssertionError):
        proof(netlist, tmp_path, require_tool("yosys"))


def test_what_yosys_writes_is_read_and_written_alike():
    text = """\
module \\top
  wire width 8 input 1 \\a
  wire width 8 output 2 \\y
  wire $1
  cell $not $2
    parameter \\A_SIGNED 0
    parameter \\A_WIDTH 4
    parameter \\Y_WIDTH 1
    connect \\A { \\a [7:6] 2'x0 }
    connect \\Y $1
  end
  connect \\y { \\a [0] 6'001001 $1 }
end
"""
    [module] = read_modules(text)
    assert "\n".join(module.text()) + "\n" == text


def test_other_lines_are_refused():
    with pytest.raises(ValueError, match="must have modules of wires, cells and connections, not '  memory size 4"):
        read_modules("module \\top\n  memory size 4 \\words\nend\n")


# Networks of the largest sizes: they are generated, and larger ones are refused before any work.


def of_equal_degree(switches: int, switch_links: int) -> Network:
    """A processor and equally many links on every switch: a ring with chords of random lengths."""
    lengths = [1, *random.Random(1).sample(range(2, switches // 2), switch_links // 2 - 1)]
    links = {tuple(sorted((i, (i + length) % switches))) for i in range(switches) for length in lengths}
    return Network(switches, sorted(links), range(switches))


class OddBits(Part):
    """Every other bit of an input; as Yosys writes it, one line of 60,000 characters."""

    def __init__(self):
        super().__init__("odd_bits", {"i": In(8192), "o": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.o.eq(Cat(self.i[n] for n in range(1, 8192, 2)).any())
        return m


def test_lines_are_no_longer_than_simulators_read(require_tool, tmp_path):
    """Verilator fails at lines of more than 40,000 words, as of a mesh of 1,024 routers with two VCs."""
    library = ModuleLibrary()
    library.add(OddBits(), "odd_bits")
    text = library.verilog()
    assert text.count("i[4097]") == 1
    assert max(map(len, text.splitlines())) <= 2_000
    require_tool("icarus")
    (tmp_path / "odd_bits.v").write_text(text)
    subprocess.run(["iverilog", "-g2005", "-t", "null", str(tmp_path / "odd_bits.v")], check=True)


def refused(message: str):
    return pytest.raises(ValueError, match=f"^{re.escape(message)}$")


def test_routing_table_too_large():
    routing = SpamRouting(SpamLabels(of_equal_degree(512, switch_links=22), 0), 32)
    message = (
        "Routing table of a switch with 23 ports must have at most 65536 bits, 3 per port and vertex: "
        "at most 949 vertices (switches and processors), not 1024"
    )
    with refused(message):
        spam_plan(routing)


def test_too_many_channels():
    network = Network(32_769, [(i, i + 1) for i in range(32_768)], [0])
    header = HeaderFormat((("lca", 16), ("source", 1)), 1, 32)
    with refused("A network must have at most 65536 channels to be hardware, not 65538"):
        NetworkPlan("spam", network, header, {}, (), {})


def test_port_too_wide():
    message = "Port valid of transfer_monitor must have at most 65536 bits, not 65537"
    with refused(message):
        ModuleLibrary().add(TransferMonitor(65_537), "transfer_monitor")


# Constraints of clock crossings: each name occurs in the Verilog, and no register of a crossing is missing.


def made(clocks=SEPARATE, generate=generate_design):
    plan = spam_plan(SpamRouting(SpamLabels(lattice_network(3, seed=7)), 32))
    return generate_axi_network(plan, TUSER, "noc", StreamOptions(clocks), generate)


def paths_of(verilog, module="noc"):
    """Paths of all registers and instances below a module."""
    body = re.search(rf"(?ms)^module {module}\(.*?^endmodule", verilog)[0]
    yield from re.findall(r"(?m)^  reg (?:\[\d+:0\] )?(\w+)(?: \[\d+:0\])?;", body)
    for kind, instance in re.findall(r"(?m)^  (\w+) (\w+) \($", body):
        if kind != "module":
            yield from (f"{instance}/{path}" for path in paths_of(verilog, kind))


@pytest.mark.parametrize("clocks", [SEPARATE, SHARED])
@pytest.mark.parametrize("generate", [generate_design, generate_with_registers])
def test_each_name_is_in_the_verilog(clocks, generate):
    network = made(clocks, generate)
    there = set(paths_of(network.files["noc.v"]))
    cells = re.findall(r"[\w/]+(?=_reg\*)", network.files["noc.xdc"])
    assert cells
    assert set(cells) <= there
    ports = {port["name"] for port in network.manifest["ports"]}
    assert set(" ".join(re.findall(r"get_ports \{?([\w ]+)\}?\]", network.files["noc.xdc"])).split()) <= ports
    registers = [name.replace("|", "/") for name in re.findall(r"\{\*([\w|]+)\*\}", network.files["noc.sdc"])]
    assert set(registers) <= there


def test_every_register_between_clocks_is_bounded():
    network = made()
    crossing = {path for path in paths_of(network.files["noc.v"]) if path.endswith(("/stage0", "fifo/read_data"))}
    bounded = re.findall(r"set_max_delay .*?-to \[get_cells -quiet \{(.*?)\}\]", network.files["noc.xdc"])
    assert {path.removesuffix("_reg*") for paths in bounded for path in paths.split()} == crossing
    quartus = re.findall(r"set_max_delay.*-to \[get_registers \{\*(.*?)\*\}\]", network.files["noc.sdc"])
    assert {path.replace("|", "/") for path in quartus} == crossing
    near = re.findall(r"ASYNC_REG TRUE \[get_cells -quiet \{(.*?)\}\]", network.files["noc.xdc"])
    stages = {path for path in paths_of(network.files["noc.v"]) if path.endswith(("/stage0", "/stage1"))}
    assert {path.removesuffix("_reg*") for paths in near for path in paths.split()} == stages


def test_a_bound_begins_at_the_clock_that_launches():
    """A synchroniser with a user's clock takes bits of the network's, and the reverse."""
    network = made()
    verilog = network.files["noc.v"]
    bound = r"-from \[get_clocks -of_objects \[get_ports (\w+)\]\] -to \[get_cells -quiet \{(.*?)\}"
    bounds = re.findall(bound, network.files["noc.xdc"])
    assert {clock for clock, _ in bounds} == {"clk", *network.manifest["axi_stream"]["clocks"]}
    for clock, paths in bounds:
        for path in paths.split():
            if "synchronizer" not in path:
                continue
            crossing, part, name, _ = path.split("/")
            kind = re.search(rf"(?m)^  (\w+) {crossing} \(", verilog)[1]
            module = re.search(rf"(?ms)^module {kind}_{part}_{name}\(.*?^endmodule", verilog)[0]
            assert ("posedge user_clk" in module) == (clock == "clk")


def test_networks_with_one_clock_have_no_constraints():
    assert not {"noc.xdc", "noc.sdc"} & set(made("network").files)
    assert "constraints" not in made("network").manifest
    assert made().manifest["constraints"] == {"vivado": "noc.xdc", "quartus": "noc.sdc"}


# The plain top of a network whose processors have several injection channels: ports and entries for each.


def test_nodes_list_their_injection_channels():
    plain = generate_network(hypercube_plan(HypercubeRouting(HypercubeNetwork(2, 2, 2), 16)))
    channels, names = plain.manifest["channels"], [f"n{node}_c{channel}" for node in range(4) for channel in range(2)]
    for i, node in enumerate(plain.manifest["nodes"]):
        assert node["injectors"] == [f"injector_n{i}_c0", f"injector_n{i}_c1"]
        assert [channels[channel]["name"] for channel in node["injection_channels"]] == [
            f"p{i}_0->s{i}",
            f"p{i}_1->s{i}",
        ]
        assert not node.keys() & {"injector", "injection_channel"}
    ports = {port["name"] for port in plain.manifest["ports"]}
    assert {name for name in ports if name.endswith("_message_valid")} == {f"inject_{n}_message_valid" for n in names}


# Cost of the register block: a network's logic on ECP5 without and with it, routers and hosts' ends left aside.

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


@pytest.mark.slow
def test_registers_of_16_nodes_cost_less_than_250_lut4(area_of):
    without, with_registers = area_of(generate_design), area_of(generate_with_registers)
    assert 0 < with_registers.luts - without.luts < MAX_LUT4
    assert with_registers.flip_flops - without.flip_flops == FLIP_FLOPS
    page = (ROOT / "docs" / "look_up" / "registers.md").read_text()
    assert f"{with_registers.luts - without.luts} LUT4 and {FLIP_FLOPS} flip-flops" in page

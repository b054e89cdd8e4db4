"""Wrappers for place and route, and projects for Xilinx's tools."""

import json
import random
import re
from collections import Counter

import pytest
from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out

from fpga.common import flow
from fpga.common.area import Area, ReportError, read_area
from fpga.common.devices import DEVICES, NO_CLOCK
from fpga.common.subject import TOP, router_subject
from fpga.common.wrappers import LUT_INPUTS, RegisteredPart, SerialPart, TiedPart
from hydranoc import load
from hydranoc.cli import run as command
from hydranoc.fpga.report import area_figures
from rtl.generator.structure import flat_ports
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from tests.networks import figure_1
from tests.rtl.simulate import call, run
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

CYCLES = 300


class Exor(Part):
    """``y`` is ``a ^ b``, a cycle later."""

    def __init__(self, bits: int):
        super().__init__(f"exor_{bits}", {"a": In(bits), "b": In(bits), "y": Out(bits)})

    def elaborate(self, _platform):
        m = Module()
        m.d.sync += self.y.eq(self.a ^ self.b)
        return m


def router(switch: int) -> TiedPart:
    plan = spam_plan(SpamRouting(SpamLabels(figure_1()), 16))
    instance = plan.routers[switch]
    return TiedPart(plan.shapes[instance.shape](), instance.constants)


def responses(part: Part, stimulus: list[dict[str, int]]) -> list[dict[str, int]]:
    """All outputs in every cycle."""
    ports = {name: (is_input, Value.cast(value)) for name, is_input, value in flat_ports(part)}
    seen = []

    async def testbench(ctx):
        for values in stimulus:
            for name, value in values.items():
                ctx.set(ports[name][1], value)
            seen.append({name: ctx.get(value) for name, (is_input, value) in ports.items() if not is_input})
            await ctx.tick()

    run(part, testbench)
    return seen


def random_stimulus(part: Part, seed: int) -> list[dict[str, int]]:
    generator = random.Random(seed)
    inputs = {name: len(value) for name, is_input, value in flat_ports(part) if is_input}
    return [{name: generator.getrandbits(bits) for name, bits in inputs.items()} for _ in range(CYCLES)]


@pytest.mark.parametrize("switch", [None, 3])
def test_registers_add_two_cycles_and_nothing_else(switch):
    def make():
        return Exor(7) if switch is None else router(switch)

    # input in the first cycle after reset, in which no router is ready, would be lost depending on a cycle
    stimulus = random_stimulus(make(), seed=1)
    stimulus[0] = dict.fromkeys(stimulus[0], 0)
    plain, registered = responses(make(), stimulus), responses(RegisteredPart(make()), stimulus)
    assert registered[3:] == plain[1:-2]
    assert len({tuple(values.items()) for values in plain}) > CYCLES // 10


def test_a_tied_input_has_its_value_and_is_no_port():
    part = TiedPart(Exor(7), {"b": 0x55})
    assert [name for name, _, _ in flat_ports(part)] == ["a", "y"]
    assert responses(part, [{"a": value} for value in (0, 0x7F, 3)]) == [{"y": v} for v in (0, 0x55, 0x2A)]


def test_serial_part_drives_every_input_and_sees_every_output():
    bits, generator = 9, random.Random(2)
    pins = [generator.getrandbits(1) for _ in range(CYCLES)]
    seen = responses(SerialPart(Exor(bits)), [{"serial_in": pin} for pin in pins])
    steps = 1  # one in the part, and one for each step of the fold
    while LUT_INPUTS ** (steps - 1) < bits:
        steps += 1
    tree, parities = [0] * (2 * bits), []
    for pin in pins:
        parities.append(sum(tree) % 2)
        tree = [pin, *(tree[(i - 1) // 2] ^ pin ^ i % 2 for i in range(1, 2 * bits))]
    assert [values["serial_out"] for values in seen[steps:]] == parities[:-steps]
    assert len(set(parities)) == 2


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"c": 1}, "Tied input is 'c'; it must be one of a, b"),
        ({"y": 1}, "Tied input is 'y'; it must be one of a, b"),
        ({"a": 128}, "Value of a must have at most 7 bits, not 8"),
    ],
)
def test_what_cannot_be_tied(constants, message):
    with pytest.raises(ValueError, match=message):
        TiedPart(Exor(7), constants)


XC7 = DEVICES["xc7"]
TWO = """network:
  family: spam
  topology: {switches: 2, edges: [[0, 1]], processors: [0, 1]}
  flit_bits: 16
  buffer_flits: FLITS
"""
SHALLOW, DEEP = 4, 300  # flits of a buffer in LUTs, and of one in block memory behind a front in LUTs
LUTS_OF_MEMORIES = {"RAM32M": 4, "RAM64M": 4, "RAM64X1S": 1, "RAM64X1D": 2, "SRL16E": 1, "SRLC32E": 1}
BLOCK_MEMORIES = {"RAMB18E1", "RAMB36E1"}
NOT_COUNTED = {"CARRY4", "MUXF7", "MUXF8"}


@pytest.fixture
def configuration(tmp_path):
    def written(buffer_flits: int = SHALLOW) -> str:
        path = tmp_path / "two.yaml"
        path.write_text(TWO.replace("FLITS", str(buffer_flits)))
        return str(path)

    return written


def cells_of(netlist: str) -> list[dict]:
    """All cells of the top module, which is flat; those of other modules are models of the device's cells."""
    modules = json.loads(netlist)["modules"].values()
    (top,) = (module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return [cell for cell in top["cells"].values() if cell["type"] != "$scopeinfo"]


def recount(netlist: str) -> dict[str, int]:
    """LUTs, flip-flops and memories, cell by cell; a cell of an unknown kind is an error."""
    counts = Counter()
    for cell in cells_of(netlist):
        kind = cell["type"]
        if lut := re.fullmatch(r"LUT([1-6])", kind):
            assert len([pin for pin in cell["connections"] if re.fullmatch(r"I\d", pin)]) == int(lut[1])
            counts["logic_luts"] += 1
        elif kind == "INV":
            counts["logic_luts"] += 1
        elif kind in ("FDRE", "FDSE", "FDCE", "FDPE"):
            counts["flip_flops"] += 1
        elif kind in LUTS_OF_MEMORIES:
            counts["memory_luts"] += LUTS_OF_MEMORIES[kind]
        elif kind in BLOCK_MEMORIES:
            counts["block_memories"] += 1
        else:
            assert kind in NOT_COUNTED, kind
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("buffer_flits", [SHALLOW, DEEP])
def test_counts_are_those_of_the_netlist(buffer_flits, configuration, require_tool, tmp_path, capsys):
    yosys = require_tool("yosys")
    folder = tmp_path / "out"
    assert command(["fpga", configuration(buffer_flits), "--device", "xc7", "-o", str(folder), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert json.loads((folder / "fpga.json").read_text()) == summary
    (router,) = summary["results"]
    call(yosys, ["-q", flow.SCRIPT], folder / router["name"])  # the kept cells reproduce the netlist
    netlist = (folder / router["name"] / flow.NETLIST).read_text()
    counts = recount(netlist)
    block_memories = counts.pop("block_memories", 0)
    assert {key: router[key] for key in ("logic_luts", "memory_luts", "flip_flops")} == counts
    assert router["luts"] == counts["logic_luts"] + counts["memory_luts"]
    assert sum(router["memories"][kind] for kind in BLOCK_MEMORIES) == block_memories
    assert (block_memories > 0) == (buffer_flits == DEEP)
    assert router["cells"] == Counter(cell["type"] for cell in cells_of(netlist))


def test_every_report_says_that_there_is_no_clock(configuration, require_tool, tmp_path, capsys):
    require_tool("yosys")
    arguments = ["fpga", configuration(), "--device", "xc7", "--network", "-o", str(tmp_path / "out")]
    assert command(arguments) == 0
    out = capsys.readouterr().out
    assert "network: 2 switches, 2 processors\n  LUT" in out
    assert f"\n  clock   {NO_CLOCK}\n" in out
    assert "MHz" not in out
    assert "critical path" not in out
    summary = json.loads((tmp_path / "out" / "fpga.json").read_text())
    assert summary["no_clock"] == f"a clock is {NO_CLOCK}"
    assert summary["seeds"] is None
    (network,) = summary["results"]
    assert [network[key] for key in ("fits", "fmax_mhz", "critical_path")] == [None] * 3
    assert network["fmax_mhz_by_seed"] == network["shortages"] == []
    luts = [network[key] for key in ("luts", "logic_luts", "memory_luts")]
    assert "  LUT     {:,}: {:,} in logic, {:,} in memories\n".format(*luts) in out
    assert f"\n  FF      {network['flip_flops']:,}\n" in out


def test_area_counts_tables_in_logic_and_in_memories():
    cells = {"LUT1": 1, "LUT6": 20, "INV": 3, "FDRE": 7, "FDSE": 2, "RAM32M": 5, "SRL16E": 4, "RAMB36E1": 1}
    report = {"design": {"num_cells_by_type": {"$scopeinfo": 9, "CARRY4": 6, "MUXF7": 2, **cells}}}
    area = read_area(json.dumps(report), XC7)
    memories = {**dict.fromkeys(XC7.memories, 0), "RAM32M": 5, "SRL16E": 4, "RAMB36E1": 1}
    assert area == Area(24, 9, memories, 4 * 5 + 4, {**cells, "CARRY4": 6, "MUXF7": 2})


def test_the_router_is_synthesised_without_wrappers(configuration):
    subject = router_subject(load(configuration()).plan, 0)
    assert TOP not in subject.verilog(XC7)
    assert f"module {subject.module}(" in subject.verilog(XC7)
    script = flow.synthesis_script(XC7, subject.module, TOP)
    assert script.count("synth_xilinx") == 1
    assert f"-top {subject.module}\n" in script
    assert "nextpnr" not in flow.build_script(XC7, [1, 2])


CMOS = DEVICES["cmos"]


def gates_of(cells: dict[str, int], bits: int = 0) -> str:
    return json.dumps({"design": {"num_cells_by_type": cells, "num_memory_bits": bits}})


def test_gates_are_counted_in_transistors():
    cells = {"$_NAND_": 3, "$_NOT_": 1, "$_AOI4_": 2, "$_DFF_P_": 5}
    memory = {"$memrd_v2": 2, "$memwr_v2": 1, "$scopeinfo": 4}
    area = read_area(gates_of({**cells, **memory}, bits=4096), CMOS)
    assert area == Area(0, 5, {}, 0, cells, 3 * 4 + 2 + 2 * 8 + 5 * 16, 4096)
    figures = area_figures(area, CMOS)
    assert (figures["gate_equivalents"], figures["memory_bits"]) == (28, 4096)  # 110 / 4 = 27.5, to the even number


@pytest.mark.parametrize("kind", ["$_DLATCH_P_", "$add", "$_DFFE_PP_"])
def test_a_cell_without_known_transistors_is_refused(kind):
    with pytest.raises(ReportError, match=re.escape(repr(kind))):
        read_area(gates_of({"$_NAND_": 3, kind: 1}), CMOS)


@pytest.mark.slow
@pytest.mark.parametrize("buffer_flits", [SHALLOW, DEEP])
def test_only_deep_memories_are_counted_in_bits(buffer_flits, configuration, require_tool, tmp_path, capsys):
    require_tool("yosys")
    folder = tmp_path / "out"
    assert command(["fpga", configuration(buffer_flits), "--device", "cmos", "-o", str(folder), "--json"]) == 0
    (router,) = json.loads(capsys.readouterr().out)["results"]
    assert router["transistors"] == sum(CMOS.transistors[kind] * count for kind, count in router["cells"].items())
    assert (router["memory_bits"] > 0) == (buffer_flits == DEEP)

"""Register maps: refused parameters, registers of networks, and the agreement of header, page and manifest."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc.api import load
from rtl.generator.network import NetworkTop, generate_network
from rtl.registers.network_map import CONDITIONS, NUMBERS, network_registers
from rtl.registers.page import c_header, register_manifest, register_tables
from rtl.registers.register_map import ACCESSES, READ, Field, Register, RegisterMap
from rtl.registers.top import RegisterTop, generate_with_registers
from tests.rtl.simulate import call, check_accepted, run
from tests.sampled import sampled
from tests.tb.test_registers import TESTS, generated, network_plan

ROOT = Path(__file__).parents[2]
FIELD = Field("one", 0, 1, "")
STRICT_C = ("-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Field("wide", 30, 3, ""), "Field wide must lie in 32 bits, not 3 from bit 30 on"),
        (lambda: Field("none", 0, 0, ""), "Field none must lie in 32 bits, not 0 from bit 0 on"),
        (lambda: Field("big", 0, 2, "", 4), "Value of field big must have 2 bits, not 4"),
        (lambda: Register("A", 0, "RX", "", (FIELD,)), "Access of A is 'RX'; it must be one of R, RW, W, W1C, WC"),
        (lambda: Register("A", 2, READ, "", (FIELD,)), "Address of A is 2; it must be a multiple of 4"),
        (lambda: Register("A", 0, READ, ""), "Register A must have either fields, or mask_bits, or numbers"),
        (lambda: Register("A", 0, READ, "", (FIELD, FIELD)), "Fields of A must not share bits"),
        (lambda: Register("A", 8, READ, "", numbers=3), "Address of A is 0x8; it must be a multiple of 0x10"),
        (
            lambda: RegisterMap((Register("A", 0, READ, "", mask_bits=33), Register("B", 4, READ, "", (FIELD,)))),
            "Address of B is 0x4; it must be 0x8 or more",
        ),
        (
            lambda: RegisterMap((Register("A", 0, READ, "", (FIELD,)), Register("A", 4, READ, "", (FIELD,)))),
            "Register A must be in the map once, not twice",
        ),
    ],
)
def test_maps_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize("network", TESTS)
def test_every_status_output_has_its_register_and_every_interrupt_its_bit(network):
    plan = network_plan(network)
    registers = network_registers(plan)
    for part in plan.status:
        for output in part.meanings:
            name = f"{part.name}_{output}"
            assert name.upper() in registers
            assert name in (*CONDITIONS, *NUMBERS)
    pending = {field.name: field.low for field in registers["INTERRUPT_PENDING"].fields}
    assert pending == {name: bit for bit, name in enumerate(CONDITIONS) if name.upper() in registers}
    limit = {"spam": 20, "min": 20, "harts": 9}
    assert ("WATCHDOG" in registers) == (network in limit)
    if network in limit:
        assert registers["WATCHDOG"].value == limit[network]


@pytest.mark.parametrize("network", TESTS)
def test_registers_of_one_word_stand_where_they_do_in_every_network(network):
    everything = network_registers(network_plan("min"))
    for register in network_registers(network_plan(network)):
        if register.fields:
            assert register.address == everything[register.name].address


@pytest.mark.parametrize("network", sampled(TESTS, ("plain", "min", "harts")))
def test_lint(network, require_tool, tmp_path):
    made = generate_network(network_plan(network), "noc", generate_with_registers)
    check_accepted(made, require_tool, tmp_path, ["verilator", "icarus"])


def modules(verilog: str) -> set[str]:
    """The lines of all modules, sorted: nets without a name are numbered, and ordered, as falls out."""
    texts = re.split(r"(?m)^module ", re.sub(r"\b_\d+_\b", "_", verilog))[1:]
    return {f"module {text.splitlines()[0]}\n" + "\n".join(sorted(text.split("\n"))) for text in texts}


@pytest.mark.parametrize("network", sampled(["spam", "min"], ["min"]))
def test_a_network_is_the_same_inside_with_registers_and_without(network):
    """All modules but the top and the parts with sticky bits, which cannot be cleared without registers."""
    plan = network_plan(network)
    plain = generate_network(plan).files
    with_registers = generate_network(plan, "noc", generate_with_registers).files
    changed = {text.split("(")[0] for text in modules(plain["noc.v"]) - modules(with_registers["noc.v"])}
    assert changed == {"module noc", "module noc_error_monitor", *(["module noc_token_monitor"] * (network == "min"))}
    assert "clear_" not in re.sub("counters_clear", "", plain["noc.v"])
    assert set(with_registers) - set(plain) == {"noc_regs.h", "noc_registers.md"}


def test_ports_of_the_groups_are_gone():
    names = {port["name"] for port in generated("min").manifest["ports"]}
    assert not [name for name in names if re.match("counters_|tables_|errors_|token_", name)]
    assert {"irq", "s_axil_awaddr", "s_axil_rready", "moved", "inject_n0_error"} <= names


def test_manifest_has_every_register():
    registers = network_registers(network_plan("min"))
    entry = generated("min").manifest["registers"]
    assert entry == {"prefix": "s_axil_", **register_manifest(registers)}
    assert [register["name"] for register in entry["registers"]] == [register.name for register in registers]
    assert entry["address_bits"] == 9


@pytest.mark.parametrize("network", sampled(TESTS, ("plain", "min")))
def test_c_header_says_what_the_map_says(network, require_tool, tmp_path):
    """A C compiler reads it, and gives the numbers of the map."""
    made = generate_network(network_plan(network), "noc", generate_with_registers)
    wanted = expected_macros(network_registers(network_plan(network)))
    prints = "".join(f'  printf("%s %lu\\n", "{name}", (unsigned long)({name}));\n' for name in wanted)
    (tmp_path / "noc_regs.h").write_text(made.files["noc_regs.h"])
    includes = '#include "noc_regs.h"\n' * 2 + "#include <stdio.h>\n"
    (tmp_path / "print.c").write_text(f"{includes}int main(void) {{\n{prints}  return 0;\n}}\n")
    call(require_tool("c++"), [*STRICT_C, "-o", "print", "print.c"], tmp_path)
    lines = subprocess.run([tmp_path / "print"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {line.split()[0]: int(line.split()[1]) for line in lines} == wanted
    assert wanted == {**wanted, **expected_addresses(made.manifest["registers"])}


def test_c_code_of_the_page_compiles(require_tool, tmp_path):
    """The code in docs/look_up/registers.md works with the generated header, for a network that has all registers."""
    pieces = re.findall(r"(?ms)^```c\n(.*?)^```$", (ROOT / "docs" / "look_up" / "registers.md").read_text())
    assert len(pieces) == 2
    functions = "".join(_PAGE_FUNCTION.format(i=i, piece=piece) for i, piece in enumerate(pieces))
    (tmp_path / "noc_regs.h").write_text(c_header(network_registers(network_plan("min")), "noc"))
    (tmp_path / "page.c").write_text(f"{_PAGE_START}{functions}")
    call(require_tool("c++"), [*STRICT_C, "-c", "page.c"], tmp_path)


_PAGE_START = """\
#include <stdint.h>
#include "noc_regs.h"
#define NOC 0x40000000u
uint32_t read32(uint32_t address);
void write32(uint32_t address, uint32_t value);
"""
_PAGE_FUNCTION = """
uint32_t piece_{i}(const uint32_t *words, uint32_t channel);
uint32_t piece_{i}(const uint32_t *words, uint32_t channel) {{
  uint32_t i = 0, stalled_cycles = 0;
  (void)words, (void)channel, (void)i;
{piece}
  return stalled_cycles;
}}
"""


def expected_addresses(entry: dict) -> dict[str, int]:
    """Addresses of the registers of one word, as the manifest has them."""
    return {f"NOC_{register['name']}": register["address"] for register in entry["registers"] if "fields" in register}


def expected_macros(registers: RegisterMap) -> dict[str, int]:
    macros = {"NOC_BYTES": 1 << registers.address_bits}
    for register in registers:
        name = f"NOC_{register.name}"
        if not register.fields:
            macros[f"{name}(3)"] = register.address + 12
            macros[f"{name}_{'NUMBERS' if register.numbers else 'WORDS'}"] = register.words
            continue
        macros[name] = register.address
        if register.constant:
            macros[f"{name}_VALUE"] = register.value
        for field in register.fields:
            macros[f"{name}_{field.name.upper()}_SHIFT"] = field.low
            macros[f"{name}_{field.name.upper()}_MASK"] = ((1 << field.bits) - 1) << field.low
    return macros


def test_page_of_the_example_is_in_the_docs():
    """docs/look_up/register_map.md shows the registers of examples/registers.yaml as the generator makes them."""
    plan = load(ROOT / "examples" / "registers.yaml").plan
    page = (ROOT / "docs" / "look_up" / "register_map.md").read_text()
    assert "\n".join(register_tables(network_registers(plan))) in page
    assert all(f"`{access}`" in page or f"| {access} |" in page for access in ACCESSES)


def test_registers_in_amaranths_simulator():
    """The top is an ordinary component there: a read, a write, and a network that is held in reset."""
    plan = replace(network_plan("plain"), moved=False)
    top = RegisterTop(NetworkTop, plan)
    control = top.registers["CONTROL"].address

    async def testbench(ctx):
        ctx.set(top.s_axil_bready, 1)
        ctx.set(top.s_axil_rready, 1)
        ctx.set(top.inject_n0_message_valid, 0)
        for address, value in ((0, 0x484E4F43), (control, 0)):
            assert await read(ctx, top, address) == value
        ctx.set(top.s_axil_awaddr, control)
        ctx.set(top.s_axil_wdata, 1)
        ctx.set(top.s_axil_wstrb, 0xF)
        ctx.set(top.s_axil_awvalid, 1)
        ctx.set(top.s_axil_wvalid, 1)
        await ctx.tick().until(top.s_axil_awready)
        ctx.set(top.s_axil_awvalid, 0)
        ctx.set(top.s_axil_wvalid, 0)
        assert await read(ctx, top, control) == 1
        assert ctx.get(top.inject_n0_message_ready) == 0

    run(top, testbench)


def test_a_component_may_have_registers():
    """``component`` of a design gives a network with AXI4-Stream ends and registers."""
    top = load(ROOT / "examples" / "axi_stream" / "network.yaml").component("tuser", registers=True)
    wanted = {register.address: register.value for register in top.registers if register.constant}
    assert len(wanted) == 5

    async def testbench(ctx):
        ctx.set(top.s_axil_rready, 1)
        assert {address: await read(ctx, top, address) for address in wanted} == wanted

    run(top, testbench)


async def read(ctx, top, address):
    ctx.set(top.s_axil_araddr, address)
    ctx.set(top.s_axil_arvalid, 1)
    await ctx.tick().until(top.s_axil_arready)
    ctx.set(top.s_axil_arvalid, 0)
    await ctx.tick().until(top.s_axil_rvalid)
    return ctx.get(top.s_axil_rdata)

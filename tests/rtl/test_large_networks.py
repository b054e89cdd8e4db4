"""Networks of the largest sizes: they are generated, and larger ones are refused before any work."""

import random
import re
import subprocess
from typing import Any

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In, Out

from rtl.endpoints.harness import generate_harness
from rtl.generator.network import generate_network
from rtl.generator.plan import NetworkPlan
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.monitor import TransferMonitor
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

NETLIST_BITS = 65_536


def ring_of(switches: int, processors_per_switch: int) -> Network:
    """Routers of one shape only, so that a large network is made quickly."""
    links = [(i, (i + 1) % switches) for i in range(switches)]
    return Network(switches, links, [i // processors_per_switch for i in range(switches * processors_per_switch)])


def of_equal_degree(switches: int, switch_links: int) -> Network:
    """A processor and equally many links on every switch: a ring with chords of random lengths."""
    lengths = [1, *random.Random(1).sample(range(2, switches // 2), switch_links // 2 - 1)]
    links = {tuple(sorted((i, (i + length) % switches))) for i in range(switches) for length in lengths}
    return Network(switches, sorted(links), range(switches))


def input_bits(design) -> int:
    return sum(port["bits"] for port in design.manifest["ports"] if port["direction"] == "input")


def plan_of(network: Network, flit_bits: int) -> NetworkPlan:
    return spam_plan(SpamRouting(SpamLabels(network, 0), flit_bits))


def test_512_processors():
    plan = plan_of(ring_of(64, 8), 32)
    design = generate_harness(plan)
    assert input_bits(design) > NETLIST_BITS
    text = design.files["harness.v"]
    assert text.count("\n  harness_sending_host injector_n") == 512
    assert text.count("\n  harness_spam_router_p10 router_s") == 64


class OddBits(Part):
    """Every other bit of an input; as Yosys writes it, one line of 60,000 characters."""

    def __init__(self):
        super().__init__("odd_bits", {"i": In(8192), "o": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.o.eq(Cat(self.i[n] for n in range(1, 8192, 2)).any())
        return m


def test_lines_are_no_longer_than_simulators_read(require_tool, tmp_path):
    """Verilator fails at lines of more than 40,000 words, as of a mesh of 1,024 routers with two lanes."""
    library = ModuleLibrary()
    library.add(OddBits(), "odd_bits")
    text = library.verilog()
    assert text.count("i[4097]") == 1
    assert max(map(len, text.splitlines())) <= 2_000
    require_tool("icarus")
    (tmp_path / "odd_bits.v").write_text(text)
    subprocess.run(["iverilog", "-g2005", "-t", "null", str(tmp_path / "odd_bits.v")], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("generate", [generate_network, generate_harness])
@pytest.mark.parametrize("flit_bits", [8, 32, 512])
def test_512_switches_and_512_processors(generate, flit_bits):
    design = generate(plan_of(lattice_network(512, seed=7), flit_bits))
    assert input_bits(design) > NETLIST_BITS
    assert sum(shape["instances"] for shape in design.manifest["router_shapes"]) == 512


@pytest.mark.slow
@pytest.mark.parametrize("flit_bits", [8, 32, 512])
def test_512_switches_of_many_ports(flit_bits):
    design = generate_network(plan_of(of_equal_degree(512, switch_links=16), flit_bits))
    assert [shape["shape"] for shape in design.manifest["router_shapes"]] == ["spam_router_p17"]


@pytest.mark.slow
def test_32_ports():
    design = generate_network(plan_of(ring_of(17, 30), 8))
    assert [shape["shape"] for shape in design.manifest["router_shapes"]] == ["spam_router_p32"]


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

"""Constraints of clock crossings: each name occurs in the Verilog, and no register of a crossing is missing."""

import re

import pytest

from rtl.endpoints.axi_ends import SEPARATE, SHARED, StreamOptions
from rtl.endpoints.axi_injector import TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.generator.network import generate_design
from rtl.registers.top import generate_with_registers
from rtl.spam.network import spam_plan
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


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

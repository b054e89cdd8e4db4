"""Tops of networks whose processors have several injection channels: an injector and its ports for each."""

import re

import pytest

from rtl.endpoints.axi_ends import SEPARATE, StreamOptions
from rtl.endpoints.axi_injector import TDEST
from rtl.endpoints.axi_network import AxiStreamTop, generate_axi_network
from rtl.endpoints.harness import generate_harness
from rtl.generator.network import generate_network
from tests.rtl.programs import call
from tests.tb.injection_workloads import injecting_plan, injecting_routing

PLAN = injecting_plan(injecting_routing(2, 2, 2, wraps=False))
NODES = range(4)
NAMES = [f"n{node}_c{channel}" for node in NODES for channel in range(2)]


def instances(text: str, prefix: str) -> list[str]:
    return re.findall(rf"\n  \w+ {prefix}_(n\w+) \(", text)


@pytest.fixture(scope="module")
def plain():
    return generate_network(PLAN)


@pytest.fixture(scope="module")
def streams():
    return generate_axi_network(PLAN, TDEST, options=StreamOptions(clocks=SEPARATE))


@pytest.fixture(scope="module")
def harness():
    return generate_harness(PLAN)


def test_every_injection_channel_has_an_injector(plain, streams, harness):
    for made in (plain, streams, harness):
        text = made.files[f"{made.top}.v"]
        assert instances(text, "injector") == NAMES
        assert instances(text, "ejector") == [f"n{node}" for node in NODES]


def test_nodes_list_their_injection_channels(plain):
    channels = plain.manifest["channels"]
    for i, node in enumerate(plain.manifest["nodes"]):
        assert node["injectors"] == [f"injector_n{i}_c0", f"injector_n{i}_c1"]
        assert [channels[channel]["name"] for channel in node["injection_channels"]] == [
            f"p{i}_0->s{i}",
            f"p{i}_1->s{i}",
        ]
        assert not node.keys() & {"injector", "injection_channel"}


def test_ports_of_the_plain_top(plain):
    ports = {port["name"]: port["bits"] for port in plain.manifest["ports"]}
    offers = [name for name in ports if name.endswith("_message_valid")]
    assert offers == [f"inject_{name}_message_valid" for name in NAMES]
    assert all(f"inject_{name}_payload_data" in ports for name in NAMES)
    assert [name for name in ports if name.endswith("_head")] == [f"eject_n{node}_head" for node in NODES]


def test_ports_of_the_harness(harness):
    ports = {port["name"]: port["bits"] for port in harness.manifest["ports"]}
    assert ports["message_valid"] == ports["accepted"] == len(NAMES)
    assert [name for name in ports if name.startswith("message_n")] == [f"message_{name}" for name in NAMES]
    assert harness.manifest["harness"]["observed"]["accepted"]["bits"] == len(NAMES)


def test_injectors_have_patterns_of_their_own(harness):
    salts = re.findall(r"injector_n\w+ \([^;]*\.salt\((\S+)\)", harness.files["harness.v"])
    assert len(salts) == len(set(salts)) == len(NAMES)


def test_streams_have_an_input_per_channel_and_a_clock_per_node(streams):
    entry, ports = streams.manifest["axi_stream"], {port["name"] for port in streams.manifest["ports"]}
    assert entry["inputs"] == [f"s_axis_{name}" for name in NAMES]
    assert entry["outputs"] == [f"m_axis_n{node}" for node in NODES]
    assert entry["clocks"] == [f"axis_n{node}_clk" for node in NODES]
    assert {name for name in ports if name.endswith("_clk")} == set(entry["clocks"])
    for name in NAMES:
        assert {f"s_axis_{name}_{port}" for port in ("tdata", "tvalid", "tready", "tlast", "tdest", "error")} <= ports
    text = streams.files["noc.v"]
    assert instances(text, "crossing_from") == instances(text, "crossing_error") == NAMES


def test_both_injectors_of_a_node_know_its_number():
    structure = AxiStreamTop(PLAN, TDEST).structure()
    injectors = [instance for instance in structure.instances if instance.name.startswith("injector_")]
    numbers = [injector.inputs["node"] for injector in injectors]
    assert [number.value for number in numbers] == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("top", ["plain", "streams", "harness"])
def test_verilator_lint(top, request, require_tool, tmp_path):
    verilator, made = require_tool("verilator"), request.getfixturevalue(top)
    for file, text in made.files.items():
        (tmp_path / file).write_text(text)
    arguments = ["--lint-only", "-Wall", f"{made.top}.v"]
    assert call(verilator, arguments, tmp_path).count("%Warning") == 0

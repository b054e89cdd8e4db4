"""The section ``axi4``: what it refuses, and the files that are written."""

import copy
import json
import subprocess
from typing import Any

import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from tests.each import each
from tests.rtl.simulate import check_accepted
from topology.axi4.address_map import AddressMap, Region, Window

EXAMPLE = "examples/axi4.yaml"
CONFIGURATION: dict[str, Any] = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "axi4": {
        "managers": [0],
        "regions": [
            {"processor": 1, "base": 0x1000, "size": 0x1000},
            {"processor": 3, "base": 0x4000, "size": 0x4000},
        ],
        "multicast": [{"processors": [1, 3], "base": 0x8000, "size": 0x1000}],
    },
}
MESH = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}}
WRONG = {
    "size": (("axi4", "regions", 0, "size"), 0x1800, "Size is 0x1800; it must be a power of two, at least 0x1000"),
    "small": (("axi4", "regions", 0, "size"), 0x800, "Size is 0x800; it must be a power of two, at least 0x1000"),
    "base": (("axi4", "regions", 1, "base"), 0x5000, "Base is 0x5000; it must be a multiple of the size 0x4000"),
    "overlap": (("axi4", "multicast", 0, "base"), 0x6000, "Base is 0x6000; it must be at least 0x8000"),
    "beyond": (("axi4", "address_bits"), 14, "Last address is 0x7fff; it must be at most 0x3fff"),
    "large window": (("axi4", "multicast", 0, "size"), 0x4000, "First region of processor 1 has 0x1000 bytes"),
    "twice": (("axi4", "multicast", 0, "processors"), [1, 1], "each once"),
    "no region": (("axi4", "multicast", 0, "processors"), [1, 2], "First region of processor 2 has 0x0 bytes"),
    "processor": (("axi4", "regions", 0, "processor"), 4, "processor is 4; it must be at most 3"),
    "manager": (("axi4", "managers"), [0, 7], "processor is 7; it must be at most 3"),
    "no manager": (("axi4", "managers"), [], "axi4.managers"),
    "data": (("axi4", "data_bits"), 48, "axi4.data_bits is 48; it must be a power of two"),
    "pieces": (("axi4", "max_burst_flits"), 48, "axi4.max_burst_flits is 48; it must be a power of two"),
    "deliveries": (("axi4", "delivery_buffer_flits"), 3, "axi4.delivery_buffer_flits is 3; it must be 0 or at least 4"),
    "lite": (("axi4", "lite"), [2], "processor is 2; it must have a manager or a subordinate"),
    "store": (("axi4", "write_beats"), 100, "axi4.write_beats is 100; it must be at least 258 with store_writes"),
    "flits": (("network", "flit_bits"), 32, "network.flit_bits is 32; it must be at least 36"),
    "responses": (
        ("axi4", "responses"),
        {"family": "spam", "topology": {"kind": "ring", "switches": 5}},
        "must have 4",
    ),
    "order": (("axi4", "same_id"), "pipelined", "must be serial: messages of the requests may overtake each other"),
    "packets": (("network",), MESH, "packet_flits is 65; it must be at least 259, the flits of a burst of 256 beats"),
    "watchdog": (
        ("network",),
        {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}, "worm_guard": True, "watchdog_flits": 10},
        "network.watchdog_flits is 10; it must be at least 259",
    ),
    "wide": (("axi4", "data_bits"), 512, "axi4.data_bits is 512; it must be at most 256"),
    "narrow": (
        ("network",),
        {"family": "harts", "topology": {"kind": "hexmesh", "size": 3}, "packet_flits": 260},
        "network.flit_bits is absent; it must be given, since the 36 bits of a beat are too few: .* header's 40 bits",
    ),
    "faults": (
        ("network",),
        {**MESH, "packet_flits": 260, "faults": {"silent_nodes": [2]}},
        "network has faults; with AXI4 ends it must have none",
    ),
}


ORDERED: list[dict[str, Any]] = [
    {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}, "ordering": "pair"},
    {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2}, "ordering": "pair"},
    {"family": "min", "topology": {"kind": "butterfly", "radix": 2, "stages": 2}},
    {"family": "torus", "topology": {"kind": "torus", "rows": 3, "columns": 3}, "virtual_channels": 2},
    {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 2}, "virtual_channels": 1},
]


@each("name", WRONG)
def test_a_wrong_section_is_refused(name):
    path, value, message = WRONG[name]
    given = copy.deepcopy(CONFIGURATION)
    place: Any = given
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ConfigError, match=message):
        load(given).axi4_verilog()


@each("at, line", [("network", 4), ("responses", 10)])
@each("key", ["counters: true", "tables: loadable"])
def test_keys_with_ports_are_refused_at_their_line(at, line, key, tmp_path, capsys):
    network = ["  family: spam", "  topology: {kind: mesh, shape: [2, 2]}"]
    lines = ["network:", *network, *([f"  {key}"] if at == "network" else []), "axi4:", "  regions:"]
    lines += ["    - {processor: 1, base: 0, size: 4096}"]
    if at == "responses":
        lines += ["  responses:", *(f"  {text}" for text in network), f"    {key}"]
    (tmp_path / "net.yaml").write_text("\n".join([*lines, ""]))
    name, value = key.split(": ")
    text = f"net.yaml:{line}: {at}.{name} is {value}; with AXI4 ends it must be "
    for verb in (["verilog", "--axi4", "-o", str(tmp_path / "build")], ["check"]):
        assert run([verb[0], str(tmp_path / "net.yaml"), *verb[1:]]) == 2
        error = capsys.readouterr().err
        assert text in error
        assert error.count("\n") == 1


def test_small_buffers_are_refused_without_hardware():
    with pytest.raises(ConfigError, match="delivery_buffer_flits is 2; it must be 0 or at least 4"):
        _ = load({**CONFIGURATION, "axi4": {**CONFIGURATION["axi4"], "delivery_buffer_flits": 2}}).axi4


@each("network", ORDERED)
def test_networks_that_keep_pairs_take_pipelined_ids(network):
    section = {"regions": [{"processor": 1, "base": 0, "size": 4096}], "same_id": "pipelined"}
    axi4 = load({"network": network, "axi4": section}).axi4
    assert axi4 is not None
    assert axi4.plan.pipelined


def test_copies_need_stored_writes():
    torus = {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}}
    message = "axi4.store_writes is false; with axi4.multicast it must be true in family 'torus'"
    with pytest.raises(ConfigError, match=message):
        load({"network": torus, "axi4": {**CONFIGURATION["axi4"], "store_writes": False}}).axi4_verilog()


EQUAL = [{"processor": p, "base": 0x1000 * p, "size": 0x1000} for p in (1, 2, 3)]
WRONG_MASKS: dict[str, tuple[dict[str, Any], str]] = {
    "windows": ({"multicast": CONFIGURATION["axi4"]["multicast"]}, "with axi4.multicast it must be absent"),
    "lite": ({"lite": [1]}, "with axi4.lite it must be absent"),
    "sizes": ({"regions": CONFIGURATION["axi4"]["regions"]}, "Size is 0x4000; it must be 0x1000"),
    "processors": (
        {"regions": [*EQUAL, {"processor": 1, "base": 0x8000, "size": 0x1000}]},
        r"Processors of regions are \[1, 2, 3, 1\]; they must be different",
    ),
}


@each("name", WRONG_MASKS)
def test_wrong_masks_are_refused(name):
    change, message = WRONG_MASKS[name]
    given = {"managers": [0], "regions": EQUAL, "multicast_mask": "awuser", **change}
    with pytest.raises(ConfigError, match=message):
        load({"network": CONFIGURATION["network"], "axi4": given}).axi4_verilog()


def test_masks_need_multicasts_and_widen_one_port():
    given: dict[str, Any] = {"managers": [0], "regions": EQUAL, "multicast_mask": "awuser", "user_bits": 3}
    bits = {
        port["name"]: port["bits"] for port in load({**CONFIGURATION, "axi4": given}).axi4_verilog().manifest["ports"]
    }
    assert [bits[name] for name in ("s_axi_n0_awuser", "s_axi_n0_aruser", "m_axi_n1_awuser")] == [35, 3, 3]
    torus = {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}}
    with pytest.raises(ConfigError, match="family 'torus' has no multicast in hardware"):
        load({"network": torus, "axi4": given}).axi4_verilog()


def test_lite_ports_have_no_bursts_and_at_most_64_bits():
    given = {**CONFIGURATION, "axi4": {**CONFIGURATION["axi4"], "lite": [0, 1]}}
    names = {port["name"] for port in load(given).axi4_verilog().manifest["ports"]}
    for prefix in ("s_axi_n0", "m_axi_n1"):
        assert {name for name in names if name.startswith(prefix)} == {
            f"{prefix}_{name}"
            for name in (
                *("awaddr", "awprot", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready"),
                *("bresp", "bvalid", "bready", "araddr", "arprot", "arvalid", "arready"),
                *("rdata", "rresp", "rvalid", "rready"),
            )
        }
    assert "m_axi_n3_awlen" in names
    given["axi4"]["data_bits"] = 128
    with pytest.raises(ConfigError, match=r"axi4\.data_bits is 128; with axi4\.lite it must be one of 32, 64"):
        load(given).axi4_verilog()


def test_without_a_section_there_are_no_ends():
    with pytest.raises(ConfigError, match="key 'axi4' is missing"):
        load({"network": CONFIGURATION["network"]}).axi4_verilog()


def test_targets_and_receivers():
    regions, windows = [Region(1, 0x1000, 0x1000), Region(3, 0x4000, 0x4000)], [Window((1, 3), 0x8000, 0x1000)]
    areas = AddressMap(regions, windows)
    assert [areas.target(address) for address in (0, 0x1000, 0x1FFF, 0x2000, 0x7FFC, 0x8FFF, 0x9000)] == [
        *(None, 0, 0, None, 1, 2, None)
    ]
    assert areas.receivers(0, 1) == ()
    assert areas.receivers(2, 1) == (3,)
    assert (areas.first_base(3), areas.first_base(2)) == (0x4000, 0)


def test_tools_accept_what_is_written(tmp_path, require_tool):
    made = load(CONFIGURATION).axi4_verilog()
    check_accepted(made, require_tool, tmp_path)
    assert made.manifest["axi4"]["managers"] == {0: "s_axi_n0"}
    assert made.manifest["axi4"]["subordinates"] == {1: "m_axi_n1", 3: "m_axi_n3"}
    assert set(made.manifest["files"]) == set(made.files)
    header = tmp_path / "use.c"
    header.write_text(
        '#include "noc_map.h"\nint size[NOC_N3_SIZE == 0x4000 && NOC_MULTICAST_0_BASE == 0x8000 ? 1 : -1];'
    )
    subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "-c", "-o", "use.o", header.name], cwd=tmp_path, check=True)


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "pieces, timeout, lite": (CONFIGURATION["network"], {"max_burst_flits": 16, "timeout_cycles": 100, "lite": [0, 3]}),
    "copies of pieces": (
        {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}},
        {"max_burst_flits": 32, "user_bits": 2, "delivery_buffer_flits": 8},
    ),
    "masks": (CONFIGURATION["network"], {"regions": EQUAL, "multicast": [], "multicast_mask": "awuser"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_tools_accept_options(name, tmp_path, require_tool):
    network, axi4 = OPTIONS[name]
    made = load({"network": network, "axi4": {**CONFIGURATION["axi4"], **axi4}}).axi4_verilog()
    check_accepted(made, require_tool, tmp_path)


def test_the_command_line(tmp_path, capsys):
    assert run(["verilog", EXAMPLE, "--axi4", "-o", str(tmp_path / "build")]) == 0
    names = {path.name for path in (tmp_path / "build").iterdir()}
    assert names == {"noc.v", "noc.vlt", "noc.core", "noc_map.h", "noc_map.dtsi", "manifest.json"}
    assert run(["verilog", EXAMPLE, "--axi4", "--tkeep", "-o", str(tmp_path / "other")]) == 2
    assert "--axi4 and --tkeep cannot be given together" in capsys.readouterr().err
    assert run(["check", EXAMPLE, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [report["axi4"][name]["sizes"]["flit_bits"] for name in ("requests", "responses")] == [36, 34]
    assert report["axi4"]["responses"]["write_response_flits"] == 1


def test_the_header_has_the_first_word_of_a_response_where_nodes_pass_it_on():
    mesh = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "flit_bits": 64, "packet_flits": 260}
    for network, flits, bits in ((CONFIGURATION["network"], 1, 5), (mesh, 2, 0)):
        ends = load({**CONFIGURATION, "network": network}).axi4
        assert ends is not None
        assert (ends.write_response_flits, ends.header_word_bits, ends.plan.header_word_bits) == (flits, bits, bits)

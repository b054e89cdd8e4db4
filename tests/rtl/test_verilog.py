"""The generated Verilog: size, reproducibility, and acceptance by tools."""

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest
import yaml

from rtl.endpoints.axi_injector import LEADING_WORD, TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.endpoints.harness import generate_harness
from rtl.generator.manifest import core_with_arrays, fusesoc_core
from rtl.generator.network import generate_network
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from tests.each import each
from tests.rtl.simulate import NO_LATCHES, call, check_accepted
from tests.sampled import sampled
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.common.part_headers import PARTS
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE, HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, DATELINE, TorusRouting

MAX_BYTES = 460_000  # the largest is the harness of a mesh, with outputs for every link, input and host
# both generators, look-ahead and delay, headers of one and of several flits, all buffers, the negative control
SETTINGS = {
    "fast": (generate_network, 16, 32, {}),
    "paper": (generate_harness, 4, 32, {"routing_cycles": 4}),
    "narrow": (generate_harness, 9, 8, {"buffer_flits": 1}),
    "wide": (generate_network, 3, 128, {"routing_cycles": 2}),
    "split": (generate_harness, 4, 16, {"enqueue": "split", "buffer_flits": 5}),
    "smallest": (generate_harness, 1, 8, {"buffer_flits": 1}),
    "staged": (generate_network, 5, 16, {"link_cycles": 3}),
    "pipelined": (generate_harness, 4, 8, {"fast": True, "routing_cycles": 2, "buffer_flits": 40}),
    "pipelined-smallest": (generate_harness, 1, 8, {"fast": True, "routing_cycles": 2, "buffer_flits": 1}),
    "pipelined-registers": (generate_network, 3, 128, {"fast": True, "routing_cycles": 2}),
}
DIGESTS = """
import hashlib
from tests.rtl.test_verilog import design
for text in design("narrow").files.values():
    print(hashlib.sha256(text.encode()).hexdigest())
"""

MIN_SETTINGS = {
    "min-uni": (generate_network, "omega", {}),
    "min-bi": (generate_harness, "bi-butterfly", {"consumption_channels": 2}),
}
HARTS_SETTINGS = {"harts": (generate_network, 2, {}), "harts-guarded": (generate_harness, 3, {"guard": True})}
# one VC and several, both rules for VCs, both priorities of processors, sides that are no power of two, a ring, a
# line, all depths of buffers
TORUS_SETTINGS = {
    "torus": (generate_network, Grid(3, 4), 2, DALLY_SEITZ, {}),
    "torus-dateline": (generate_harness, Grid(2, 3), 3, DATELINE, {"buffer_flits": 1, "routing_cycles": 2}),
    "torus-ring": (generate_network, Grid(1, 5), 1, DALLY_SEITZ, {"buffer_flits": 16}),
    "mesh": (generate_network, Grid(3, 3, wraps=False), 1, DALLY_SEITZ, {"injection_priority": "low"}),
    "mesh-shallow": (generate_network, Grid(3, 3, wraps=False), 1, DALLY_SEITZ, {"buffer_flits": 2}),
    "mesh-line": (generate_harness, Grid(4, 1, wraps=False), 4, DALLY_SEITZ, {"vc_reallocation": "empty"}),
}
# one VC and several, one injection channel and several, all rules, shallow and deep buffers
HYPERCUBE_SETTINGS = {
    "hypercube": (generate_network, 3, 2, 1, DUATO, {}),
    "hypercube-channels": (generate_harness, 2, 3, 2, DUATO, {"buffer_flits": 1}),
    "hypercube-one-lane": (generate_network, 1, 1, 1, DUATO, {"buffer_flits": 16}),
    "hypercube-adaptive-only": (generate_network, 2, 2, 1, ADAPTIVE_ONLY, {}),
    "hypercube-wrong-escape": (generate_network, 2, 2, 1, WRONG_ESCAPE, {}),
    "hypercube-tail": (generate_network, 2, 3, 1, DUATO, {"vc_reallocation": "tail"}),
    "hypercube-escape-tail": (generate_harness, 2, 2, 1, DUATO, {"vc_reallocation": "escape-tail"}),
}
STAGED = {
    "staged-min": lambda: min_plan(MinRouting(MinNetwork("omega", 2, 3), 16), link_cycles=2),
    "staged-harts": lambda: harts_plan(HartsRouting(HexMesh(2), 40), packet_flits=9, link_cycles=3),
}
# headers of parts: several of them and one, fields of one flit and of two
PARTS_SETTINGS = {
    "parts": lambda: generate_network(spam_plan(_spam_in_parts(20, 8))),
    "parts-harness": lambda: generate_harness(spam_plan(_spam_in_parts(9, 11), routing_cycles=2)),
    "parts-one": lambda: generate_network(spam_plan(_spam_in_parts(5, 64))),
    "parts-min": lambda: generate_network(min_plan(MinRouting(MinNetwork("bi-butterfly", 2, 4), 12, PARTS))),
    "parts-tuser": lambda: generate_axi_network(spam_plan(_spam_in_parts(20, 8)), TUSER),
    "parts-leading-word": lambda: generate_axi_network(spam_plan(_spam_in_parts(9, 11)), LEADING_WORD),
    "parts-one-tuser": lambda: generate_axi_network(spam_plan(_spam_in_parts(5, 64)), TUSER),
    "parts-min-tuser": lambda: generate_axi_network(min_plan(MinRouting(MinNetwork("omega", 2, 4), 9, PARTS)), TUSER),
}
LINTED = (
    *SETTINGS,
    *MIN_SETTINGS,
    *PARTS_SETTINGS,
    "loadable",
    *HARTS_SETTINGS,
    *TORUS_SETTINGS,
    *HYPERCUBE_SETTINGS,
    *STAGED,
)


# of every kind of part and network the plainest and the oddest, and those that references of mutants name
QUICK = (
    *("paper", "narrow", "smallest", "staged", "min-bi", "loadable", "harts", "harts-guarded", "torus-ring"),
    *("mesh-line", "hypercube-channels", "parts-one", "parts-leading-word", "staged-harts"),
)
FOR_ALL_TOOLS = ("fast", "split", "min-uni", "min-bi", "loadable", "harts", *PARTS_SETTINGS, *TORUS_SETTINGS)
QUICK_FOR_ALL_TOOLS = ("loadable", "harts", "mesh-line", "parts-leading-word")


def _spam_in_parts(processors, flit_bits):
    """A ring of five switches."""
    network = Network(5, [(k, (k + 1) % 5) for k in range(5)], [processor % 5 for processor in range(processors)])
    return SpamRouting(SpamLabels(network), flit_bits, header_kind=PARTS)


@cache
def design(name):
    if name in PARTS_SETTINGS:
        return PARTS_SETTINGS[name]()
    if name == "loadable":
        routing = MinRouting(MinNetwork("butterfly", 2, 3), 16)
        return generate_network(replace(min_plan(routing), loadable_tables=True))
    if name in STAGED:
        return generate_network(STAGED[name]())
    if name in TORUS_SETTINGS:
        generate, grid, vcs, rule, settings = TORUS_SETTINGS[name]
        return generate(torus_plan(TorusRouting(TorusNetwork(grid, vcs), 16, rule), **settings))
    if name in HYPERCUBE_SETTINGS:
        generate, dimensions, vcs, channels, rule, settings = HYPERCUBE_SETTINGS[name]
        network = HypercubeNetwork(dimensions, vcs, channels)
        return generate(hypercube_plan(HypercubeRouting(network, 16, rule), **settings))
    if name in HARTS_SETTINGS:
        generate, size, settings = HARTS_SETTINGS[name]
        return generate(harts_plan(HartsRouting(HexMesh(size), 40, **settings), packet_flits=9))
    if name in MIN_SETTINGS:
        generate, kind, network = MIN_SETTINGS[name]
        return generate(min_plan(MinRouting(MinNetwork(kind, 2, 3, **network), 16)))
    generate, switches, flit_bits, settings = SETTINGS[name]
    network = lattice_network(switches, seed=7)
    return generate(spam_plan(SpamRouting(SpamLabels(network), flit_bits), **settings))


@pytest.mark.parametrize("name", ["staged", *STAGED])
def test_every_stage_is_an_instance_of_one_module_and_in_the_manifest(name):
    text, manifest = design(name).files["noc.v"], design(name).manifest
    stages, cycles = manifest["link_stages"], manifest["parameters"]["link_cycles"]
    between = [c for c in manifest["channels"] if max(c["source"], c["sink"]) < len(manifest["routers"])]
    assert [(s["channel"], s["stage"]) for s in stages] == [(c["index"], k) for c in between for k in range(1, cycles)]
    for stage in stages:
        assert text.count(f"\n  noc_link_stage {stage['instance']} (") == 1
    bits = [channel["moved_bit"] for channel in manifest["channels"]] + [stage["moved_bit"] for stage in stages]
    moved = next(port["bits"] for port in manifest["ports"] if port["name"] == "moved")
    assert bits == list(range(moved))


def test_links_of_one_cycle_have_no_stages():
    assert design("fast").manifest["link_stages"] == []
    assert design("fast").manifest["parameters"]["link_cycles"] == 1
    assert "link_stage" not in design("fast").files["noc.v"]


def test_every_router_shape_is_one_module():
    text, manifest = design("fast").files["noc.v"], design("fast").manifest
    for shape in manifest["router_shapes"]:
        assert text.count(f"\nmodule {shape['module']}(") == 1
        assert text.count(f"\n  {shape['module']} router_s") == shape["instances"]
    assert sum(shape["instances"] for shape in manifest["router_shapes"]) == 16
    assert text.count("noc_message_injector injector_n") == 16


def test_nothing_of_the_machine_in_the_files():
    known = re.compile(r"//|`timescale 1ns / 1ps|/\* verilator lint_(off|on) [A-Z]+ \*/")
    for text in design("fast").files.values():
        assert "/" not in known.sub("", text)
        assert "Yosys" not in text


@pytest.mark.parametrize("name", ["fast", "paper"])
def test_licence_in_the_head_of_the_files(name):
    made = design(name)
    line = "SPDX-License-Identifier: Apache-2.0\n"
    assert made.files[f"{made.top}.v"].startswith(f"// {line}")
    for file, comment in ((f"{made.top}.core", "#"), (f"{made.top}.vlt", "//")):
        assert made.files[file].split("\n", 1)[1].startswith(f"{comment} {line}")


@pytest.mark.parametrize("generate", [generate_network, lambda plan: generate_axi_network(plan, TUSER)])
def test_without_moved(generate, require_tool, tmp_path):
    plan = spam_plan(SpamRouting(SpamLabels(lattice_network(2, seed=7)), 32))
    made = generate(replace(plan, moved=False))
    for file, text in made.files.items():
        assert "moved" not in text or file.endswith(".vlt"), file
    assert "noc_transfer_monitor" not in made.files["noc.v"]
    check_accepted(made, require_tool, tmp_path, ["verilator"])


def test_manifest():
    made = design("fast")
    manifest = json.loads(made.files["manifest.json"])
    assert manifest == made.manifest
    assert manifest["files"] == list(made.files)
    assert [channel["moved_bit"] for channel in manifest["channels"]] == list(range(len(manifest["channels"])))
    widths = {port["name"]: port["bits"] for port in manifest["ports"]}
    assert widths["moved"] == len(manifest["channels"])
    assert widths["eject_n15_data"] == 32
    assert manifest["flit"]["width"] == sum(widths[f"eject_n15_{name}"] for name in ("data", "head", "tail"))
    assert all("injection_channels" not in node for node in manifest["nodes"])
    into = [manifest["channels"][node["injection_channel"]] for node in manifest["nodes"]]
    assert [channel["name"] for channel in into] == [
        f"p{node['processor']}->s{node['switch']}" for node in manifest["nodes"]
    ]
    for port in manifest["ports"]:
        assert port["bits"] > 0
        vector = f"[{port['bits'] - 1}:0] " if port["bits"] > 1 else ""
        assert f"  {port['direction']} {vector}{port['name']};" in made.files["noc.v"]


def test_manifest_says_what_flits_of_parts_are():
    header = design("parts").manifest["header"]
    fields = [{"name": "bits", "bits": 5}, {"name": "part", "bits": 2}, {"name": "last", "bits": 1}]
    assert header["parts"] == {"count": 4, "fields": fields}
    assert (header["destination_bits"], header["unicast_flits"], header["multicast_flits"]) == (20, 2, 6)
    assert "parts" not in design("fast").manifest["header"]


def test_harness_manifest_says_where_everything_is():
    manifest = design("narrow").manifest
    parts = manifest["harness"]["observed"]
    widths = {port["name"]: port["bits"] for port in manifest["ports"]}
    end = 0
    for name, part in parts.items():
        assert part["offset"] == end
        assert part["bits"] == widths.get(name, part["bits"])
        end += part["bits"]
    assert list(parts) == ["signatures", "moved", "accepted", "ejected", "side_wires", "status"]
    assert end == widths["observed"]
    assert parts["ejected"]["bits_per_channel"] == 8 + 2 + 1
    channels = manifest["channels"]
    moved_bits = [[channel["moved_bit"]] for channel in channels if channel["sink"] < len(manifest["routers"])]
    assert parts["signatures"]["moved_bits"] == moved_bits
    assert parts["signatures"]["bits"] == parts["signatures"]["bits_per_signature"] * len(moved_bits)
    assert sum(field["bits"] for field in manifest["harness"]["message"].values()) == widths["message_n0"]


def test_fusesoc_core_names_the_files():
    made = design("fast")
    core = made.files["noc.core"]
    assert core.startswith("CAPI=2:\n")
    assert "- noc.v\n" in core
    assert "noc.vlt" not in core


@each("top", ["on", "null", "yes"])
def test_names_in_the_core_are_text(top):
    core = core_with_arrays(fusesoc_core(top, "a network", [f"{top}.h"]), f"{top}_arrays")
    targets = yaml.safe_load(core)["targets"]
    assert [targets[name]["toplevel"] for name in ("default", "lint", "arrays")] == [top, top, f"{top}_arrays"]


def test_same_bytes_in_every_process():
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        outputs.add(subprocess.check_output([sys.executable, "-c", DIGESTS], env=environment, text=True))
    here = "\n".join(hashlib.sha256(text.encode()).hexdigest() for text in design("narrow").files.values())
    assert outputs == {here + "\n"}


@pytest.mark.parametrize("name", sampled(TORUS_SETTINGS, ("torus-ring", "mesh-line")))
def test_same_bytes_of_a_torus_again(name):
    assert design.__wrapped__(name).files == design(name).files


@pytest.mark.parametrize(("name", "modules"), [("torus", 1), ("torus-ring", 1), ("mesh", 9), ("mesh-line", 3)])
def test_switches_with_the_same_directions_are_one_module(name, modules):
    text, shapes = design(name).files[f"{design(name).top}.v"], design(name).manifest["router_shapes"]
    assert len(shapes) == modules == len(set(re.findall(r"\nmodule (\w+_torus_router_\w+)\(", text)))
    assert sum(shape["instances"] for shape in shapes) == len(design(name).manifest["routers"])


@pytest.mark.parametrize("name", sampled(LINTED, QUICK))
def test_verilator_lint(name, require_tool, tmp_path):
    made = design(name)
    assert len(made.files[f"{made.top}.v"]) < MAX_BYTES
    check_accepted(made, require_tool, tmp_path, ["verilator"])


@pytest.mark.parametrize("name", sampled(FOR_ALL_TOOLS, QUICK_FOR_ALL_TOOLS))
def test_icarus_and_yosys_read_it(name, require_tool, tmp_path):
    check_accepted(design(name), require_tool, tmp_path, ["icarus", "yosys"])


def test_yosys_synthesis(require_tool, tmp_path):
    yosys = require_tool("yosys")
    routing = SpamRouting(SpamLabels(lattice_network(2, seed=1)), 16)
    (tmp_path / "noc.v").write_text(generate_network(spam_plan(routing)).files["noc.v"])
    # the figures go to a file: Yosys in WebAssembly prints no more on stdout after a call of ABC
    (tmp_path / "synthesis.ys").write_text("read_verilog noc.v\nsynth_ecp5 -top noc\ntee -o figures.txt stat\n")
    call(yosys, ["-q", "synthesis.ys"], tmp_path)
    check_cells((tmp_path / "figures.txt").read_text())


def check_cells(figures: str) -> None:
    """Logic and flip-flops, and no latch of any kind, in the output of ``stat``."""
    cells = set(re.findall(r"^ +\d+ +(?:\S+ +)?(\$?\w+)$", figures, re.MULTILINE))
    assert {"LUT4", "TRELLIS_FF"} <= cells
    assert [cell for cell in cells if "latch" in cell.lower()] == []


LATCH = "module noc(input e, d, output reg q);\n  always @* if (e) q = d;\nendmodule\n"


def test_a_latch_would_be_found(require_tool, tmp_path):
    yosys = require_tool("yosys")
    (tmp_path / "noc.v").write_text(LATCH)
    (tmp_path / "synthesis.ys").write_text(f"read_verilog noc.v\nproc\n{NO_LATCHES}\n")
    with pytest.raises(AssertionError, match="selection is not empty"):
        call(yosys, ["-q", "synthesis.ys"], tmp_path)

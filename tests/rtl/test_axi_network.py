"""Networks with AXI4-Stream endpoints as Verilog: size, reproducibility, and acceptance by tools."""

import re
from dataclasses import replace
from functools import cache

import pytest

from rtl.endpoints.axi_injector import LEADING_WORD, SET_MODES, TDEST, TUSER, AxiStreamInjector
from rtl.endpoints.axi_network import AxiStreamTop, generate_axi_network
from rtl.generator.network import generate_network
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_addressing, spam_plan
from rtl.torus.network import torus_addressing, torus_plan
from tests.networks import figure_1
from tests.rtl.simulate import check_accepted
from tests.sampled import sampled
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

MAX_BYTES = 400_000
CHAIN = Network(9, [(i, i + 1) for i in range(8)], [0, 0, 3, 3, 8, 5, 5])
# one-flit and longer headers, sets of one and several words, registers in the key part, node numbers with and without
# gaps above them, and the smallest of all
SETTINGS = {
    "tuser": (lattice_network(16, seed=7), 32, TUSER),
    "leading": (lattice_network(16, seed=7), 32, LEADING_WORD),
    "narrow-tuser": (lattice_network(9, seed=7), 8, TUSER),
    "narrow-leading": (lattice_network(20, seed=7), 8, LEADING_WORD),
    "chain": (CHAIN, 8, LEADING_WORD),
    "wide": (lattice_network(3, seed=7), 128, TUSER),
    "pair": (Network(1, [], [0, 0]), 16, LEADING_WORD),
    "single": (Network(1, [], [0]), 8, TUSER),
}
MULTISTAGE = {
    "min": (MinNetwork("omega", 2, 3), 16, TUSER),
    "min-b-channels": (MinNetwork(BIDIRECTIONAL, 2, 3, 2), 8, LEADING_WORD),
}
# headers of one flit and of two, node numbers with and without gaps, positions from a table and from a number's bits
UNICAST = {
    "torus": (TorusNetwork(Grid(3, 3), 2), 32, TDEST),
    "mesh": (TorusNetwork(Grid(2, 4, wraps=False), 2), 8, TDEST),
    "line": (TorusNetwork(Grid(6, 1, wraps=False), 1), 8, TDEST),
    "hypercube": (HypercubeNetwork(3, 2, 3), 16, TDEST),
}
SETTINGS.update(MULTISTAGE)
SETTINGS.update(UNICAST)


def plan(name):
    if name in UNICAST:
        network, flit_bits, _ = UNICAST[name]
        if isinstance(network, HypercubeNetwork):
            return hypercube_plan(HypercubeRouting(network, flit_bits))
        return torus_plan(TorusRouting(network, flit_bits))
    if name in MULTISTAGE:
        return min_plan(MinRouting(*MULTISTAGE[name][:2]))
    network, flit_bits, _ = SETTINGS[name]
    return spam_plan(SpamRouting(SpamLabels(network), flit_bits))


@cache
def design(name):
    return generate_axi_network(plan(name), SETTINGS[name][2])


@pytest.mark.parametrize("part", ["axi_stream_injector", "axi_stream_ejector", "multicast_key", "message_ejector"])
def test_every_part_is_one_module(part):
    text = design("tuser").files["noc.v"]
    assert text.count(f"module noc_{part}(") == 1
    assert text.count("noc_axi_stream_injector injector_n") == 16
    assert "noc_message_injector" not in text


def test_routers_are_those_of_any_other_top():
    """The networks differ only in their endpoints."""
    plain = generate_network(plan("tuser")).files["noc.v"]
    module = plain[plain.index("\nmodule noc_spam_router_p") :]
    module = module[: module.index("\nendmodule")]
    assert module in design("tuser").files["noc.v"]


@pytest.mark.parametrize(("name", "tuser", "leading"), [("tuser", 16, 0), ("narrow-leading", 1, 3), ("single", 1, 0)])
def test_manifest(name, tuser, leading):
    manifest = design(name).manifest
    entry, widths = manifest["axi_stream"], {port["name"]: port["bits"] for port in manifest["ports"]}
    nodes = len(manifest["nodes"])
    assert entry["destination_mode"] == SETTINGS[name][2]
    assert (entry["tuser_bits"], entry["leading_words"]) == (tuser, leading)
    assert entry["inputs"] == [f"s_axis_n{i}" for i in range(nodes)]
    assert entry["outputs"] == [f"m_axis_n{i}" for i in range(nodes)]
    for prefix in entry["inputs"]:
        assert widths[f"{prefix}_tdata"] == entry["tdata_bits"]
        assert widths[f"{prefix}_tdest"] == entry["tdest_bits"]
        assert widths[f"{prefix}_tuser"] == entry["tuser_bits"]
        assert widths[f"{prefix}_error"] == 1
    for prefix in entry["outputs"]:
        assert (widths[f"{prefix}_tid"], widths[f"{prefix}_tuser"]) == (entry["tid_bits"], 1)
    for prefix in entry["outputs"]:
        assert {name for name in widths if name.startswith(f"{prefix}_")} == {
            f"{prefix}_{name}" for name in ("tdata", "tvalid", "tready", "tlast", "tid", "tuser")
        }


@pytest.mark.parametrize("name", sampled(UNICAST, ("mesh", "hypercube")))
def test_without_sets_there_is_no_tuser(name):
    manifest, network = design(name).manifest, UNICAST[name][0]
    nodes = len(network.processors)
    entry, widths = manifest["axi_stream"], {port["name"]: port["bits"] for port in manifest["ports"]}
    assert (entry["destination_mode"], entry["tuser_bits"], entry["leading_words"]) == (TDEST, 0, 0)
    assert entry["key_cycles"] == 0  # the key of a destination is combinational
    inputs, outputs = (
        [f"{kind}_axis_{port}" for port in ports]
        for kind, ports in (("s", network.injection_names), ("m", network.delivery_names))
    )
    due = {f"{prefix}_{name}" for prefix in inputs for name in ("tdata", "tvalid", "tready", "tlast", "tdest", "error")}
    due |= {f"{prefix}_{name}" for prefix in outputs for name in ("tdata", "tvalid", "tready", "tlast", "tid")}
    assert {port for port in widths if "_axis_" in port} == due
    assert (inputs, outputs) == (entry["inputs"], entry["outputs"])
    assert entry["tdest_bits"] == entry["tid_bits"] == (nodes - 1).bit_length()
    assert {widths[f"{prefix}_tdest"] for prefix in inputs} == {entry["tdest_bits"]}
    assert len(re.findall(r"module noc_(shortest|node)_key\(", design(name).files["noc.v"])) == 1


@pytest.mark.parametrize(
    "name", sampled(SETTINGS, ("narrow-leading", "chain", "single", "min-b-channels", "mesh", "hypercube"))
)
def test_tools_accept_it(name, require_tool, tmp_path):
    made = design(name)
    assert len(made.files["noc.v"]) < MAX_BYTES
    check_accepted(made, require_tool, tmp_path)


def test_a_header_of_the_key_alone():
    """A family may need no other field."""
    routing = SpamRouting(SpamLabels(figure_1()), 32)
    header = HeaderFormat(routing.header.fields[:1], routing.header.destinations, routing.flit_bits)
    part = AxiStreamInjector(header, replace(spam_addressing(routing), node_fields=()), TUSER)
    assert "node_fields" not in part.signature.members


def test_what_is_refused():
    routing = SpamRouting(SpamLabels(figure_1()), 32)
    with pytest.raises(ValueError, match=r"^Destination mode is 'tid'; it must be one of tuser, leading-word$"):
        AxiStreamInjector(routing.header, spam_addressing(routing), "tid")
    with pytest.raises(ValueError, match=r"endpoints must have addressing; family spam has none$"):
        AxiStreamTop(replace(spam_plan(routing), addressing=None), TUSER)
    torus = TorusRouting(TorusNetwork(Grid(3, 3), 2), 16)
    for mode in (*SET_MODES, "tid"):
        with pytest.raises(ValueError, match=f"^Destination mode is '{mode}'; it must be tdest$"):
            AxiStreamInjector(torus.header, torus_addressing(torus), mode)

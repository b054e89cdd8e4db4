"""AXI4 forbids paths without a register from an input of an interface to an output: they are listed in the netlist."""

from typing import Any

import pytest

from hydranoc import load
from hydranoc.lockstep.simulator import BenchSource
from rtl.axi4.network import Axi4Plan
from tests.proofs.prove import combinational_inputs, netlist_source
from tests.sampled import sampled
from tests.tb.mutations import Mutation, copy_hardware, python_in_copy
from tests.tb.test_axi4 import TOP, source_of

REGIONS = [{"processor": 1, "base": 0, "size": 0x1000}, {"processor": 2, "base": 0x1000, "size": 0x1000}]
WINDOW = [{"processors": [1, 2], "base": 0x8000, "size": 0x1000}]
NETWORKS = {
    "spam": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2}},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}},
    "hypercube": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 2}},
}
STREAM_ENDS_HERE = {
    "manager": {
        # a beat of R is a word of the response network: its register is in the network's ejector
        "rdata": {"response_tdata"},
        "rresp": {"response_tdata"},
        "rlast": {"response_tlast"},
        "rvalid": {"response_tvalid"},
        # and the word is taken with the beat: the ejector's next state depends on it, none of its outputs does
        "response_tready": {"rready"},
        "request_tdata": {"node"},  # a constant
    },
    "subordinate": {
        # a beat of W is a word of the request network, from the ejector's register
        "wdata": {"request_tdata"},
        "wstrb": {"request_tdata"},
        "wlast": {"request_tlast"},
        "wvalid": {"request_tvalid"},
        "request_tready": {"wready"},
        # an answer is a word for the response network, into the injector's register; its tready is one, too
        "response_tdata": {"bresp", "rdata", "rresp"},
        "response_tlast": {"rlast"},
        "response_tvalid": {"rvalid"},
        "bready": {"response_tready"},
        "rready": {"response_tready"},
        "awaddr": {"base"},  # a constant
    },
}
"""Outputs of the interfaces that depend on inputs without a register, and these inputs. None is a path from an AXI4
input to an AXI4 output: one end is a stream, whose other end has registers."""
SEES_VALID = Mutation(
    "waits for the answer with ready", "axi4/subordinate.py", "self.bready.eq(1)", "self.bready.eq(self.bvalid)"
)
WRITE = """
import sys
from tests.proofs.prove import netlist_source
from tests.proofs.test_axi4_paths import end_of, plan_of
from tests.tb.test_axi4 import source_of

print(source_of(plan_of("spam")).verilog if sys.argv[1] == "top" else netlist_source(end_of(sys.argv[1])))
"""


def plan_of(family: str, **changes: Any) -> Axi4Plan:
    section = {"managers": [0, 3], "regions": REGIONS, "multicast": WINDOW, "id_bits": 1, **changes}
    axi4 = load({"network": NETWORKS[family], "axi4": section}).axi4
    assert axi4 is not None
    return axi4.plan


def end_of(kind: str):
    plan = plan_of("spam")
    return plan.make_manager() if kind == "manager" else plan.make_subordinate()


def paths(design: str, folder, top: str = "") -> dict[str, set[str]]:
    return {name: set(inputs) for name, inputs in combinational_inputs(design, folder, top).items() if inputs}


@pytest.mark.parametrize("kind", STREAM_ENDS_HERE)
def test_ends_have_no_path_besides_those_to_streams(kind, tmp_path):
    part = end_of(kind)
    assert paths(netlist_source(part), tmp_path) == STREAM_ENDS_HERE[kind]
    ports = part.signature.members
    streams = {name for name in ports if name.startswith(("request_", "response_"))} | {"node", "base"}
    for name, inputs in STREAM_ENDS_HERE[kind].items():
        assert name in streams or inputs <= streams, name


@pytest.mark.parametrize("family", sampled(NETWORKS, ("hypercube",)))
def test_networks_have_no_path_from_input_to_output(family, tmp_path):
    changes = {"timeout_cycles": 9} if family == "hypercube" else {}
    source: BenchSource = source_of(plan_of(family, **changes))
    assert paths(source.verilog, tmp_path, TOP) == {}


def test_a_path_in_an_end_is_found(tmp_path):
    copy_hardware(tmp_path, SEES_VALID)
    found = paths(python_in_copy(tmp_path, WRITE, "subordinate").decode(), tmp_path)
    assert found.pop("bready") == {"bvalid", "response_tready"}
    assert found == {name: inputs for name, inputs in STREAM_ENDS_HERE["subordinate"].items() if name != "bready"}


@pytest.mark.slow
def test_a_path_in_a_network_is_found(tmp_path):
    copy_hardware(tmp_path, SEES_VALID)
    found = paths(python_in_copy(tmp_path, WRITE, "top").decode(), tmp_path, TOP)
    assert found == {f"m_axi_n{i}_bready": {f"m_axi_n{i}_bvalid"} for i in (1, 2)}

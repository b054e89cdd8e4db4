"""``network.header``: the default changes nothing, headers of parts work end to end, impossible ones are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.errors import ConfigError
from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import compare_directly
from hydranoc.lockstep.direct.process import DirectBench
from topology.common.part_headers import PARTS, PartsFormat

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "spam": {"kind": "irregular", "switches": 5, "ports": 10, "seed": 3, "processors_per_switch": 4},
    "min": {"kind": "bi-butterfly", "radix": 2, "stages": 4},
}
TRAFFIC = {
    "kind": "random",
    "seed": 1,
    "cycles": 400,
    "messages_per_node_per_cycle": 0.01,
    "multicast_fraction": 0.5,
    "destinations": 4,
    "flits": 12,
}


def configured(family: str, **keys: Any) -> Design:
    """Flits of 10 bits: three parts of 20 nodes, two of 16."""
    network = {"family": family, "topology": TOPOLOGIES[family], "flit_bits": 10, **keys}
    return load({"network": network, "traffic": TRAFFIC})


@pytest.fixture(params=TOPOLOGIES)
def family(request) -> str:
    return request.param


def test_the_default_is_a_bit_string(family):
    plain, told, parts = (configured(family, **keys) for keys in ({}, {"header": "bit_string"}, {"header": "parts"}))
    assert plain.verilog().files == told.verilog().files
    assert not isinstance(plain.routing.header, PartsFormat)
    assert isinstance(parts.routing.header, PartsFormat)
    assert parts.verilog().files != plain.verilog().files


def test_check_says_how_long_headers_and_buffers_get(family):
    design = configured(family, header="parts")
    report, header = design.check(), design.routing.header
    assert report.right
    assert report.sizes["unicast_header_flits"] == header.unicast_flits
    assert report.sizes["multicast_header_flits"] == header.unicast_flits + header.parts
    assert report.sizes["buffer_flits"] == header.multicast_flits + 1 == design.model.buffer_depth_flits


def test_a_certificate_of_it_is_accepted(family):
    certificate = configured(family, header="parts").certificate()
    assert certificate.text is not None, certificate


def test_the_direct_bench_agrees(family, require_tool):
    require_tool("verilator")
    design = configured(family, header="parts")
    outcome = design.simulate()
    assert (outcome.results.lost, outcome.results.deadlocked) == (0, False)
    cycles = outcome.results.cycles + 16
    job = Comparison(design.model, design.messages, 0, cycles, design.harness())
    with DirectBench(job.harness, build_directly(job.harness)) as bench:
        result = compare_directly(job, bench)
    assert (result.mismatches, result.compared_cycles) == (0, cycles)


def test_tables_of_a_file_have_the_headers_of_the_configuration(family, tmp_path):
    design = configured(family, header="parts")
    design.write_tables(tmp_path / "tables.csv")
    again = configured(family, header="parts", routing=str(tmp_path / "tables.csv"))
    assert again.routing.header == design.routing.header
    assert again.verilog().files == design.verilog().files


OWN = """
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def forgets(section, network):
    return SpamRouting(SpamLabels(network), section.flit_bits)


def hands_on(section, network):
    return SpamRouting(SpamLabels(network), section.flit_bits, header_kind=section.header)
"""


def test_a_routing_from_outside_must_hand_the_kind_on(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    good = configured("spam", header="parts", routing=f"{tmp_path}/own.py:hands_on")
    assert good.routing.header_kind == PARTS
    assert configured("spam", routing=f"{tmp_path}/own.py:forgets").routing
    with pytest.raises(ConfigError, match=r"must give tables with headers of 'header: parts' \(header_kind=section"):
        configured("spam", header="parts", routing=f"{tmp_path}/own.py:forgets").routing  # noqa: B018 (it is made here)


def test_the_command_compares_and_exports(family, tmp_path, capsys, require_tool):
    require_tool("icarus")
    path = Path(tmp_path, f"{family}.yaml")
    network = {"family": family, "topology": TOPOLOGIES[family], "flit_bits": 10, "header": "parts"}
    path.write_text(json.dumps({"network": network, "traffic": TRAFFIC}))
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mismatches"] == 0
    assert run(["verilog", str(path), "-o", str(tmp_path / "made"), "--axi-stream", "tuser"]) == 0
    assert json.loads((tmp_path / "made" / "manifest.json").read_text())["header"]["parts"]["count"] >= 2

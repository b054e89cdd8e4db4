"""Networks with AXI4 ends in lock-step with their golden model, and faults that it must report."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hydranoc import load
from hydranoc.design.axi4_runs import Axi4Runs
from hydranoc.lockstep.axi4.compare import Axi4Subject, compare_axi4
from hydranoc.lockstep.axi4.source import axi4_source
from tests.sampled import sampled
from tests.tb.mutations import as_parameters, copy_hardware, mutations, python_in_copy
from tests.tb.test_axi4 import BY_DAY, NETWORKS, SETTINGS, VARIANTS, configuration

TRAFFIC = {"kind": "axi4", "transactions": 40, "multicast_fraction": 0.3, "unmapped_fraction": 0.1, "beats": [1, 40]}
HOSTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "eager": ({"error_fraction": 0.1}, {}),
    "pausing": ({"outstanding": 3, "memory_cycles": 7, "error_fraction": 0.2}, {"pause": 0.3, "stall": 0.3, "seed": 3}),
    "stalling": ({"outstanding": 16}, {"stall": 0.8, "blocked": [{"processor": 4, "start_cycle": 200, "cycles": 900}]}),
    "timed": ({"interval_cycles": 60.0, "read_fraction": 0.2}, {"pause": 0.8}),
}
SIMULATORS = {"harts": "verilator", "pieces in frames": "verilator"}
"""Icarus is too slow for the nodes of a hexagonal mesh."""
MORE_SETTINGS: dict[str, dict[str, Any]] = {
    "wide": {"data_bits": 128, "user_bits": 5, "id_bits": 0},
    "more pending": {"pending": 16, "outstanding": 16, "id_bits": 5},
}
MORE_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "pieces of copies": ("torus", {"max_burst_flits": 16}),
    "pieces in frames": ("harts", {"max_burst_flits": 16}),
    "pieces in order": ("ordered", {"max_burst_flits": 16, "id_bits": 1, "same_id": "pipelined"}),
}
ALL_SETTINGS = SETTINGS | MORE_SETTINGS
WRITE_SOURCE = """
import pickle, sys
from tests.tb.test_axi4_lockstep import configured
from hydranoc import load
from hydranoc.lockstep.axi4.source import axi4_source

sys.stdout.buffer.write(pickle.dumps(axi4_source(load(configured(*sys.argv[1:3])).axi4.plan)))
"""


def configured(name: str, hosts: str = "eager", **changes: Any) -> dict[str, Any]:
    """Return a network, or a variant of one, with its traffic."""
    network, own = (VARIANTS | MORE_VARIANTS).get(name, (name, {}))
    given = configuration(network, **{**own, **changes})
    traffic, behaviour = HOSTS[hosts]
    return {**given, "traffic": {**TRAFFIC, **traffic}, "hosts": behaviour}


def check(given: dict[str, Any], folder: Path, require_tool: Any, simulator: str = "icarus") -> None:
    """Check that hardware and model are equal in all cycles."""
    require_tool(simulator)
    outcome = load(given).compare_axi4(simulator, folder)
    assert outcome.mismatch_report == ""
    assert outcome.right
    assert outcome.figures["compared_cycles"] == outcome.results.cycles + 16


CASES = [(name, hosts) for name in NETWORKS for hosts in HOSTS]


@pytest.mark.parametrize("case", sampled(CASES, [(BY_DAY, "pausing")]))
def test_every_port_is_that_of_the_model_in_every_cycle(case, tmp_path, require_tool):
    check(configured(*case), tmp_path, require_tool, SIMULATORS.get(case[0], "icarus"))


@pytest.mark.slow
@pytest.mark.parametrize("hosts", HOSTS)
@pytest.mark.parametrize("settings", ALL_SETTINGS)
def test_settings(settings, hosts, tmp_path, require_tool):
    check(configured("spam", hosts, **ALL_SETTINGS[settings]), tmp_path, require_tool)


@pytest.mark.slow
@pytest.mark.parametrize("hosts", HOSTS)
@pytest.mark.parametrize("variant", [*VARIANTS, *MORE_VARIANTS])
def test_sound_variants_are_equal(variant, hosts, tmp_path, require_tool):
    check(configured(variant, hosts), tmp_path, require_tool, SIMULATORS.get(variant, "icarus"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_many_transactions(name, tmp_path, require_tool):
    given = configured(name, "pausing")
    given["traffic"]["transactions"] = 3_000
    check(given, tmp_path, require_tool, "verilator")


@pytest.mark.slow
@pytest.mark.parametrize("hosts", ["eager", "pausing"])
def test_a_larger_hexagonal_mesh(hosts, tmp_path, require_tool):
    given = configured("harts", hosts)
    given["network"] = given["network"] | {"topology": {"kind": "hexmesh", "size": 3}, "flit_bits": 40}
    check(given, tmp_path, require_tool, "verilator")


@pytest.mark.parametrize("mutation", as_parameters(mutations("lock-step", "axi4")))
def test_the_fault_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    _, variant, hosts = mutation.workload.split()
    copy_hardware(tmp_path, mutation)
    design = load(configured(variant, hosts))
    assert design.axi4
    source = pickle.loads(python_in_copy(tmp_path, WRITE_SOURCE, variant, hosts))
    assert source.verilog != axi4_source(design.axi4.plan).verilog
    runs = Axi4Runs(design.config, design.axi4)
    subject = Axi4Subject(design.axi4.plan, runs.simulation, runs.simulate(None).results.cycles)
    found = compare_axi4(subject, "icarus", tmp_path / "run", source=source)
    assert found.report.startswith("AXI4 ends: first difference in cycle "), f"equal to hardware that {mutation.name}"
    assert found.waveform
    assert found.waveform.name == "axi4.fst"


@pytest.mark.slow
def test_the_report_names_cycle_port_and_values(tmp_path, require_tool):
    require_tool("icarus")
    design = load(configured(BY_DAY))
    assert design.axi4
    source = axi4_source(design.axi4.plan)
    wrong = replace(source, verilog=source.verilog.replace("& s_axi_n3_bid)", "& ~s_axi_n3_bid)"))
    runs = Axi4Runs(design.config, design.axi4)
    found = compare_axi4(Axi4Subject(design.axi4.plan, runs.simulation, 400), "icarus", tmp_path, source=wrong)
    first, field = found.report.splitlines()
    assert first == f"AXI4 ends: first difference in cycle {found.rows.compared_cycles}"
    assert field.startswith("  s_axi_n3_bid: hardware 0x")
    assert ", model 0x" in field

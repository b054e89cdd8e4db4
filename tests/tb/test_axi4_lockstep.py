"""Networks with AXI4 ends in lock-step with their golden model, and faults that it must report."""

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hydranoc import ConfigError, load
from hydranoc.design.axi4_runs import Axi4Runs
from hydranoc.lockstep.axi4.compare import Axi4Subject, compare_axi4
from hydranoc.lockstep.axi4.fields import Axi4Fields
from hydranoc.lockstep.axi4.records import Axi4Records
from hydranoc.lockstep.axi4.source import axi4_source
from hydranoc.lockstep.rows.packing import Block
from tests.sampled import sampled
from tests.tb.mutations import as_parameters, copy_hardware, mutations, python_in_copy
from tests.tb.test_axi4 import BY_DAY, NETWORKS, SETTINGS, VARIANTS, configuration

TRAFFIC = {"kind": "axi4", "transactions": 40, "multicast_fraction": 0.3, "unmapped_fraction": 0.1, "beats": [1, 40]}
HOSTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "eager": ({"error_fraction": 0.1}, {}),
    "pausing": (
        {"outstanding": 3, "memory_cycles": 7, "error_fraction": 0.2, "other_bursts_fraction": 0.4},
        {"pause": 0.3, "stall": 0.3, "seed": 3},
    ),
    "stalling": ({"outstanding": 16}, {"stall": 0.8, "blocked": [{"processor": 4, "start_cycle": 200, "cycles": 900}]}),
    "unmapped": ({"unmapped_fraction": 0.8, "read_fraction": 0.1}, {"pause": 0.3, "stall": 0.3}),
    "timed": ({"interval_cycles": 60.0, "read_fraction": 0.2}, {"pause": 0.8}),
}
SIMULATORS = {"harts": "verilator", "pieces in frames": "verilator"}
"""Icarus is too slow for the nodes of a hexagonal mesh."""
MORE_SETTINGS: dict[str, dict[str, Any]] = {
    "wide": {"data_bits": 128, "user_bits": 5, "id_bits": 0},
    "three words": {"address_bits": 64, "user_bits": 16},  # of a request's fields: no power of two
    "more pending": {"pending": 16, "outstanding": 16, "id_bits": 5},
    "timeout": {"timeout_cycles": 2_000},
    "buffers": {"delivery_buffer_flits": 64},
    "wide masks": {"multicast_mask": "awuser", "managers": [0, 4, 5], "address_bits": 50, "user_bits": 20},
}
MORE_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "pieces of copies": ("torus", {"max_burst_flits": 16}),
    "pieces in frames": ("harts", {"max_burst_flits": 16}),
    "buffered": ("torus", {"delivery_buffer_flits": 20}),
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


@pytest.mark.parametrize("case", sampled(CASES, [(BY_DAY, "pausing"), (BY_DAY, "unmapped")]))
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


def small(**axi4: Any) -> dict[str, Any]:
    """Return the smallest network with managers, memories, a window and pauses."""
    own: dict[str, Any] = {
        "managers": [0, 3],
        "id_bits": 2,
        "regions": [{"processor": p, "base": 0x1000 * p, "size": 0x1000} for p in (1, 2, 3)],
        **axi4,
    }
    if "multicast_mask" not in axi4:
        own["multicast"] = [{"processors": [1, 2, 3], "base": 0x8000, "size": 0x1000}]
    return {
        "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
        "axi4": own,
        "traffic": {**TRAFFIC, "transactions": 20, "memory_cycles": 7, "other_bursts_fraction": 0.6},
        "hosts": {"pause": 0.3, "stall": 0.3, "seed": 3},
    }


def test_options_of_ends(tmp_path, require_tool):
    options = {"max_burst_flits": 16, "multicast_mask": "awuser", "timeout_cycles": 60, "user_bits": 3}
    check(small(**options, delivery_buffer_flits=6), tmp_path, require_tool)


def test_one_wrong_constant_of_the_hardware_is_reported(tmp_path, monkeypatch, require_tool):
    require_tool("icarus")
    monkeypatch.setattr("rtl.axi4.write_store.MAX_BURSTS", 4)
    outcome = load(small()).compare_axi4("icarus", tmp_path)
    assert not outcome.right
    assert "wready: hardware 0x0, model 0x1" in outcome.mismatch_report


def test_one_wrong_bit_of_the_model_is_reported(tmp_path, monkeypatch, require_tool):
    require_tool("icarus")
    cycle, name = 90, "requests_moved"
    of_model, design = Axi4Records.blocks, load(small())
    assert design.axi4
    fields = Axi4Fields(design.axi4.plan).observed

    def blocks(self: Axi4Records, block_cycles: int) -> Iterator[Block]:
        for block in of_model(self, block_cycles):
            wrong = block.expected.copy()
            low = sum(bits for _, bits in fields[: [own for own, _ in fields].index(name)])
            wrong[cycle, low // 8] ^= 1 << low % 8
            yield block._replace(expected=wrong)

    monkeypatch.setattr(Axi4Records, "blocks", blocks)
    outcome = design.compare_axi4("icarus", tmp_path)
    assert outcome.mismatch_report.splitlines()[0] == f"AXI4 ends: first difference in cycle {cycle}"
    assert outcome.mismatch_report.splitlines()[1].startswith(f"  {name}: hardware ")


@pytest.mark.slow
def test_a_timeout_ends_in_the_cycle_of_the_model(tmp_path, require_tool):
    """The least timeout that the model accepts changes nothing; one cycle less stops a memory of the hardware."""
    require_tool("icarus")
    least, text = 1, ""
    while True:
        try:
            load(small(timeout_cycles=least)).simulate_axi4()
            break
        except ConfigError as error:
            least, text = least + 1, str(error)
    check(small(timeout_cycles=least), tmp_path, require_tool)
    design, shorter = load(small(timeout_cycles=10_000)), load(small(timeout_cycles=least - 1))
    assert design.axi4
    assert shorter.axi4
    runs = Axi4Runs(design.config, design.axi4)
    subject = Axi4Subject(shorter.axi4.plan, runs.simulation, runs.simulate(None).results.cycles)
    found = compare_axi4(subject, "icarus", tmp_path / "run")
    assert text.endswith(f" rests for so long by cycle {found.rows.compared_cycles}")
    processor = text.split("processor ")[1].split()[0]
    assert f"m_axi_n{processor}_error: hardware 0x1, model 0x0" in found.report


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

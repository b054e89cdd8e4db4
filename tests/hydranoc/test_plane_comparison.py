"""Lock-step and Verilog of a configured network's collective plane."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from hydranoc import load
from hydranoc.cli import run
from hydranoc.design.plane import Plane
from hydranoc.design.plane_comparison import plane_comparison
from hydranoc.lockstep.plane.compare import compare_plane
from sim_model.collective_plane.contributions import Contributions
from topology.common.host_pattern import HostBehaviour

NETWORK = "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 2]}\n  flit_bits: 8\n"
COLLECTIVES = "  collectives: {groups: [all, [0, 1]], operators: [sum, max], word_bits: 8, timeout_cycles: 40}\n"
TRAFFIC = """
traffic:
  kind: collective
  startup_cycles: 3
  operations:
    - {operation: all-reduce, algorithm: plane, flits: 3, rounds: 2}
    - {operation: barrier, algorithm: plane, group: [0, 1]}
    - {operation: broadcast, root: 2, flits: 4}
    - {operation: barrier, algorithm: plane}
"""


@pytest.fixture
def written(tmp_path):
    """Writes a configuration."""

    def write(text: str, name: str = "c"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(text)
        return path

    return write


@pytest.mark.slow
def test_operations_of_the_traffic_are_compared(written, tmp_path, capsys, require_tool):
    require_tool("icarus")
    path = written(NETWORK + COLLECTIVES + TRAFFIC)
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    plane = summary["plane_comparison"]
    assert (plane["operations"], plane["contributions"], plane["mismatches"]) == ("of the traffic", 14, 0)
    assert plane["compared_cycles"] > 80
    assert summary["mismatches"] == summary["plane"]["wrong"] == 0


FAMILIES = {
    "min": "family: min, topology: {kind: omega, radix: 2, stages: 3}",
    "torus": "family: torus, topology: {kind: torus, rows: 3, columns: 3}",
    "mesh": "family: torus, topology: {kind: mesh, rows: 3, columns: 3}",
    "hypercube": "family: hypercube, topology: {kind: hypercube, dimensions: 3}",
    "harts": "family: harts, flit_bits: 64, topology: {kind: hexmesh, size: 2}",
}
CALLS = """
traffic:
  kind: collective
  operations:
    - {operation: all-reduce, algorithm: plane, flits: 5, rounds: 2}
    - {operation: barrier, algorithm: plane, group: [3, 1, 5]}
    - {operation: broadcast, root: 2, flits: 4}
    - {operation: barrier, algorithm: plane}
hosts: {pause: 0.3, stall: 0.3}
"""


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["icarus", "verilator"])
@pytest.mark.parametrize("family", FAMILIES)
def test_planes_of_all_families_are_compared(family, tool, written, tmp_path, capsys, require_tool):
    require_tool(tool)
    keys = "{groups: [all, [3, 1, 5]], operators: [sum, xor], timeout_cycles: 300}"
    path = written(f"network: {{{FAMILIES[family]}, collectives: {keys}}}{CALLS}")
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", tool, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["plane_comparison"]["mismatches"] == summary["mismatches"] == summary["plane"]["wrong"] == 0
    assert summary["plane_comparison"]["compared_cycles"] > 80


def test_a_mismatch_is_reported_beside_an_equal_network(written, tmp_path, capsys, monkeypatch, require_tool):
    """The lowest observed bit of the plane's hardware is wrong."""
    require_tool("icarus")
    sound = Plane.harness

    def faulty(plane):
        source = sound(plane)
        assert source.verilog.count("assign observed = ") == 1
        verilog = source.verilog.replace("assign observed = ", "assign observed = 1 ^ ")
        return replace(source, verilog=verilog)

    monkeypatch.setattr(Plane, "harness", faulty)
    path, out = written(NETWORK + COLLECTIVES + TRAFFIC), tmp_path / "out"
    assert run(["compare", str(path), "-o", str(out), "--sim", "icarus"]) == 1
    told = capsys.readouterr()
    assert "hardware and golden model are equal in all" in told.out
    assert "plane: MISMATCH after 0 equal cycles" in told.out
    assert (out / "mismatch.txt").read_text() == told.err
    assert told.err.startswith("plane: first difference in cycle 0\n  s0_up_credits_0: hardware 0x1, model 0x0\n")
    assert (out / "plane.fst").exists()
    assert not (out / "waves.fst").exists()


@pytest.mark.parametrize("operators", ["[sum, max]", "[]"])
def test_operations_at_random_are_compared_without_others(operators, written, tmp_path, require_tool):
    require_tool("icarus")
    plane = load(written(NETWORK + COLLECTIVES.replace("[sum, max]", operators))).plane
    assert plane is not None
    comparison = plane_comparison(plane, None, HostBehaviour(40, 40, seed=3))
    given = comparison.runs[0].contributions
    assert isinstance(given, Contributions)
    assert set(given.group.tolist()) == {0, 1}
    outcome = compare_plane(comparison, "icarus", tmp_path)
    assert outcome.difference is None
    assert outcome.compared_cycles == comparison.cycles > 1_900
    assert all(model.left == 0 for model in outcome.models[0])


def test_recorded_operations_end_as_those_of_the_traffic(written):
    design = load(written(NETWORK + COLLECTIVES + TRAFFIC))
    plane, joint = design.plane, design.plane_results
    assert plane is not None
    assert joint is not None
    results = joint.results
    comparison = plane_comparison(plane, results, design.config.hosts)
    (model,) = comparison.models(comparison.runs[0])
    model.record(comparison.cycles)
    assert np.array_equal(model.results().done_cycle, results.done_cycle)
    assert np.array_equal(model.results().words, results.words)


def test_a_plane_has_files_beside_the_unchanged_ones_of_its_network(written, tmp_path, capsys):
    """With registers, the C header is in the core of the plane."""
    folders, told = (tmp_path / "plain", tmp_path / "beside"), {}
    options = ["--top", "chip", "--axi-stream", "tuser", "--registers", "axi-lite", "--json"]
    for folder, text in zip(folders, (NETWORK, NETWORK + COLLECTIVES), strict=True):
        assert run(["verilog", str(written(text)), "-o", str(folder), *options]) == 0
        told = json.loads(capsys.readouterr().out)
    assert (told["top"], told["plane_top"]) == ("chip", "chip_plane")
    plain, beside = ({path.name: path.read_text() for path in folder.iterdir()} for folder in folders)
    assert {name: beside[name] for name in plain} == plain
    added = set(beside) - set(plain)
    files = {"chip_plane.v", "chip_plane.vlt", "chip_plane.core", "chip_plane.json"}
    assert added == files | {"chip_plane_regs.h", "chip_plane_registers.md"}
    manifest = json.loads(beside["chip_plane.json"])
    assert set(manifest["files"]) == added
    assert f"module {manifest['top']}(" in beside["chip_plane.v"]
    core = yaml.safe_load(beside["chip_plane.core"].partition("\n")[2])
    assert core["targets"]["default"]["filesets"] == ["rtl", "headers"]
    assert core["filesets"]["headers"]["files"] == [{"chip_plane_regs.h": {"is_include_file": True}}]
    assert load(written(NETWORK)).plane_verilog() is None

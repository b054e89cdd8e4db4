"""``worm_guard`` and ``watchdog_flits``: guards exist if configured, and do not change the timing of whole worms."""

import json
from pathlib import Path

import pytest

from fpga.common.devices import DEVICES
from fpga.common.subject import router_subject
from hydranoc import Design, load
from hydranoc.cli import run
from rtl.parts import worm_guard
from tests.tb.parts_runner import mutated

TOPOLOGIES = {
    "spam": "{kind: ring, switches: 3, processors_per_switch: 2}",
    "min": "{kind: baseline, radix: 2, stages: 2, consumption_channels: 2}",
}
TRAFFIC = {"kind": "random", "cycles": 400, "messages_per_node_per_cycle": 0.02, "multicast_fraction": 0.5, "flits": 9}
GUARDED = {"worm_guard": True}
WATCHED = {"worm_guard": True, "watchdog_flits": 9}


def written(folder: Path, family: str, **keys: object) -> Path:
    """A configuration with some more keys of its network."""
    network = {"family": family, "flit_bits": 16, **keys}
    path = folder / f"{family}.yaml"
    lines = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in network.items())
    path.write_text(f"network:\n  topology: {TOPOLOGIES[family]}\n{lines}traffic: {json.dumps(TRAFFIC)}\n")
    return path


def verilog_of(design: Design) -> str:
    """The exported network."""
    return str(design.verilog().files["noc.v"])


@pytest.mark.parametrize("family", TOPOLOGIES)
def test_hardware_has_guards_only_if_asked_for(family, tmp_path):
    plain, off, guarded, watched = (
        load(written(tmp_path, family, **keys))
        for keys in ({}, {"worm_guard": False, "watchdog_flits": 0}, GUARDED, WATCHED)
    )
    assert "guard" not in verilog_of(plain).lower()
    assert verilog_of(off) == verilog_of(plain)
    assert "_worm_guard_0 guard_0 " in verilog_of(guarded)
    assert "_worm_guard_9 guard_0 " in verilog_of(watched)
    assert "guard" not in plain.verilog().manifest["parameters"]
    assert guarded.verilog().manifest["parameters"].items() >= {"guard": True, "watchdog_flits": 0}.items()
    assert watched.verilog().manifest["parameters"].items() >= {"guard": True, "watchdog_flits": 9}.items()


@pytest.mark.parametrize("family", TOPOLOGIES)
def test_a_measured_router_has_the_guards_of_its_configuration(family, tmp_path):
    device = DEVICES["ecp5"]
    plain, watched = (router_subject(load(written(tmp_path, family, **keys)).plan, 0) for keys in ({}, WATCHED))
    assert "guard" not in plain.verilog(device)
    assert "worm_guard_9 guard_0 " in watched.verilog(device)


def compared(folder: Path, family: str, capsys, **keys: object) -> dict:
    """Summary of a comparison, consistent with its exit code."""
    code = run(
        ["compare", str(written(folder, family, **keys)), "-o", str(folder / "out"), "--sim", "icarus", "--json"]
    )
    summary = json.loads(capsys.readouterr().out)
    assert code == (0 if summary["mismatches"] == 0 else 1)
    return summary


@pytest.mark.parametrize("family", TOPOLOGIES)
def test_whole_worms_take_the_same_cycles(family, tmp_path, capsys, require_tool):
    """The watchdog allows just the length of the messages."""
    require_tool("icarus")
    unguarded = load(written(tmp_path, family)).simulate().figures
    guarded = compared(tmp_path, family, capsys, **WATCHED)
    assert guarded["mismatches"] == 0
    same = ("cycles", "deliveries", "lost", "duplicated", "flit_hops", "latency_cycles")
    assert {key: guarded[key] for key in same} == {key: unguarded[key] for key in same}
    assert guarded["deliveries"] > 0


def test_a_watchdog_that_bites_too_early_is_found(tmp_path, capsys, require_tool, monkeypatch):
    require_tool("icarus")
    faulty = mutated(worm_guard, "flits == self.watchdog_flits - 1", "flits == self.watchdog_flits - 2")
    monkeypatch.setattr("rtl.routed.routed_input.WormGuard", faulty.WormGuard)
    assert compared(tmp_path, "spam", capsys, **WATCHED)["mismatches"] == 1


def test_nodes_of_a_mesh_keep_packets_whole(tmp_path, capsys, require_tool):
    """The longest packets are as long as the guard allows; broadcasts go out in front of it."""
    require_tool("icarus")
    path = tmp_path / "mesh.yaml"
    text = """network: {family: harts, topology: {kind: hexmesh, size: 2}, packet_flits: 9KEYS}
traffic:
  {kind: random, cycles: 600, messages_per_node_per_cycle: 0.003, multicast_fraction: 0.2, algorithm: 6-bcast, flits: 9}
"""
    path.write_text(text.replace("KEYS", ""))
    plain = load(path)
    path.write_text(text.replace("KEYS", ", worm_guard: true"))
    assert "worm_guard" not in verilog_of(plain)
    assert "_worm_guard_9 worm_guard_0 " in verilog_of(load(path))
    assert load(path).verilog().manifest["parameters"]["whole_packets"] is True
    code = run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"])
    summary = json.loads(capsys.readouterr().out)
    assert (code, summary["mismatches"]) == (0, 0)
    assert summary["cycles"] == plain.simulate().figures["cycles"]

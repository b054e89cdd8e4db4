"""``hydranoc verilog --axi-stream``, and the worked example through FuseSoC."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.verbs.network_options import AXI_CLOCKS, DESTINATION_MODES
from rtl.endpoints import axi_ends, axi_injector

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "axi_stream"
TORUS = EXAMPLES / "torus-lanes.yaml"


@pytest.mark.parametrize("mode", axi_injector.SET_MODES)
def test_the_verb_writes_the_network(mode, tmp_path, capsys):
    for folder in ("a", "b"):
        arguments = ["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / folder), "--axi-stream", mode]
        assert run([*arguments, "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert [Path(name).name for name in summary["files"]] == ["noc.v", "noc.vlt", "noc.core", "manifest.json"]
    for name in ("noc.v", "noc.vlt", "noc.core", "manifest.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert json.loads((tmp_path / "a" / "manifest.json").read_text())["axi_stream"]["destination_mode"] == mode
    assert "s_axis_n4_tdest" in (tmp_path / "a" / "noc.v").read_text()


def test_without_the_option_nothing_changes(tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    assert "axi_stream" not in json.loads((tmp_path / "manifest.json").read_text())
    assert "axis" not in (tmp_path / "noc.v").read_text()


@pytest.mark.parametrize("mode", [[], ["--axi-stream", "tuser"]], ids=["descriptors", "axi-stream"])
def test_moved_is_an_option(mode, tmp_path, capsys):
    for option, there in (("--moved", True), ("--no-moved", False)):
        folder = tmp_path / option
        assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(folder), *mode, option]) == 0
        assert bool(re.search(r"^  output \[\d+:0\] moved;$", (folder / "noc.v").read_text(), re.MULTILINE)) is there
        assert ("moved" in (folder / "manifest.json").read_text()) is there
    capsys.readouterr()


def test_the_verb_knows_the_modes_of_the_hardware():
    assert axi_injector.DESTINATION_MODES == DESTINATION_MODES
    assert axi_ends.CLOCKS == AXI_CLOCKS


def test_clocks_and_bytes(tmp_path, capsys):
    config = tmp_path / "network.yaml"
    config.write_text((EXAMPLES / "fig1.yaml").read_text().replace("flit_bits: 32", "flit_bits: 33"))
    options = ["--axi-stream", "tuser", "--axi-clocks", "separate", "--tkeep"]
    assert run(["verilog", str(config), "-o", str(tmp_path / "out"), *options]) == 0
    capsys.readouterr()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    entry, widths = manifest["axi_stream"], {port["name"]: port["bits"] for port in manifest["ports"]}
    assert entry["clocks"] == [f"axis_n{i}_clk" for i in range(len(manifest["nodes"]))]
    assert (entry["tdata_bits"], entry["tkeep_bits"]) == (32, 4)
    for port in ("s_axis_n0", "m_axis_n0"):
        assert (widths[f"{port}_tdata"], widths[f"{port}_tkeep"]) == (32, 4)
    assert widths["axis_n3_clk"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--axi-clocks", "shared"], "--axi-clocks needs --axi-stream as well"),
        (["--tkeep"], "--tkeep needs --axi-stream as well"),
        (["--arrays"], "--arrays needs --axi-stream as well"),
        (["--axi-stream", "tuser", "--axi-clocks", "mine"], "'mine' is not one of 'network', 'shared', 'separate'"),
        (
            ["--axi-stream", "tuser", "--tkeep"],
            r"fig1.yaml:\d+: .*Flits must have one bit more than whole bytes for tkeep, such as 33, not 32",
        ),
    ],
)
def test_bad_options(options, message, tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_unknown_mode_is_bad_input(tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "demo.yaml"), "-o", str(tmp_path / "out"), "--axi-stream", "tid"]) == 2
    error = capsys.readouterr().err
    assert "'tid' is not one of 'tuser', 'leading-word', 'tdest'" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_family_without_addressing_is_bad_input(tmp_path, capsys, monkeypatch):
    plan = replace(load(EXAMPLES / "fig1.yaml").plan, addressing=None)
    monkeypatch.setattr(Design, "plan", property(lambda _: plan))
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / "out"), "--axi-stream", "tuser"]) == 2
    error = capsys.readouterr().err
    assert re.search(r"fig1.yaml:\d+: family 'spam' has no AXI4-Stream endpoints yet", error)
    assert not (tmp_path / "out").exists()


def test_a_family_with_destination_sets_refuses_tdest_alone(tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / "out"), "--axi-stream", "tdest"]) == 2
    error = capsys.readouterr().err
    assert re.search(
        r"fig1.yaml:\d+: --axi-stream must be 'tuser' or 'leading-word' in family 'spam', not 'tdest'", error
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("mode", axi_injector.SET_MODES)
def test_a_network_without_multicast_refuses_destination_sets(mode, tmp_path, capsys):
    assert run(["verilog", str(TORUS), "-o", str(tmp_path / "out"), "--axi-stream", mode]) == 2
    error = capsys.readouterr().err
    assert re.search(rf"torus-lanes.yaml:\d+: --axi-stream must be 'tdest' in family 'torus', not {mode!r}", error)
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_verb_writes_a_torus(tmp_path, capsys):
    assert run(["verilog", str(TORUS), "-o", str(tmp_path), "--axi-stream", "tdest"]) == 0
    capsys.readouterr()
    entry = json.loads((tmp_path / "manifest.json").read_text())["axi_stream"]
    assert (entry["destination_mode"], entry["tdest_bits"], entry["tuser_bits"]) == ("tdest", 4, 0)
    text = (tmp_path / "noc.v").read_text()
    assert "s_axis_n15_tdest" in text
    assert "_tuser" not in text


def run_example(folder: Path, design: Path, fusesoc) -> str:
    assert run(["verilog", str(design / "network.yaml"), "--axi-stream", "tuser", "-o", str(folder / "noc")]) == 0
    roots = ["--cores-root", str(folder / "noc"), "--cores-root", str(design)]
    return fusesoc(folder, *roots, "run", "--target", "sim", "hydranoc:example:axi_stream")


def test_the_example_passes(tmp_path, fusesoc):
    out = run_example(tmp_path, EXAMPLE, fusesoc)
    verdict = re.search(r"^PASS: .*$", out, re.MULTILINE)
    assert verdict, out
    assert verdict[0] in (EXAMPLE / "README.md").read_text()


@pytest.mark.parametrize(
    ("text", "replacement", "verdict"),
    [
        ("4'b1110", "4'b0110", "FAIL: packets are missing"),
        (".s_axis_n3_tdest(2'd1)", ".s_axis_n3_tdest(2'd3)", "FAIL: a wrong word, or an unroutable packet"),
        ("{NODE, packet, word}", "{NODE, packet + 16'd1, word}", "FAIL: a wrong word"),
    ],
)
def test_the_example_sees_what_is_wrong(text, replacement, verdict, tmp_path, fusesoc):
    design = tmp_path / "design"
    shutil.copytree(EXAMPLE, design)
    source = (design / "top.v").read_text()
    assert source.count(text) == 1
    (design / "top.v").write_text(source.replace(text, replacement))
    assert verdict in run_example(tmp_path, design, fusesoc)

"""Exported networks in users' projects: AXI4-Stream, registers, single routers, FuseSoC."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hydranoc import ConfigError, Design, load
from hydranoc.cli import run
from hydranoc.verbs.options import AXI_CLOCKS, DESTINATION_MODES
from rtl.endpoints import axi_ends, axi_injector
from tests.each import each

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "axi_stream"


def test_the_verb_writes_the_network(tmp_path, capsys):
    folders = ("a", "b")
    for folder in folders:
        arguments = ["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / folder), "--axi-stream", "tuser"]
        assert run([*arguments, "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert [Path(name).name for name in summary["files"]] == ["noc.v", "noc.vlt", "noc.core", "manifest.json"]
    for name in ("noc.v", "noc.vlt", "noc.core", "manifest.json"):
        assert len({(tmp_path / folder / name).read_bytes() for folder in folders}) == 1
    assert json.loads((tmp_path / "a" / "manifest.json").read_text())["axi_stream"]["destination_mode"] == "tuser"
    assert "s_axis_n4_tdest" in (tmp_path / "a" / "noc.v").read_text()


def test_moved_is_an_option(tmp_path, capsys):
    for option, there in (("--moved", True), ("--no-moved", False)):
        folder = tmp_path / option
        assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(folder), "--axi-stream", "tuser", option]) == 0
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


REFUSED = {
    "fig1 --axi-clocks shared": "--axi-clocks needs --axi-stream as well",
    "fig1 --tkeep": "--tkeep needs --axi-stream as well",
    "fig1 --user-bits 4": "--user-bits needs --axi-stream as well",
    "fig1 --axi-stream tuser --delivery-buffer-flits 3": "3 is not in the range 4<=x<=65536",
    "fig1 --axi-stream tuser --user-bits 32": r"fig1.yaml:\d+: flit_bits is 32; it must be more than the 32 bits",
    "fig1 --arrays": "--arrays needs --axi-stream or --axi4 as well",
    "fig1 --axi-stream tuser --axi-clocks mine": "'mine' is not one of 'network', 'shared', 'separate'",
    "fig1 --axi-stream tuser --tkeep": r"fig1.yaml:\d+: .*one bit more than whole bytes for tkeep, such as 33, not 32",
    "fig1 --axi-stream tdest": r"fig1.yaml:\d+: --axi-stream is 'tdest'; it must be 'tuser' or 'leading-word'",
    "demo --axi-stream tid": "'tid' is not one of 'tuser', 'leading-word', 'tdest'",
    "demo --router 1 --axi-stream tuser": "--router is one router without ends: --axi-stream is of a network",
    **{
        f"torus-lanes --axi-stream {mode}": rf"yaml:\d+: --axi-stream is {mode!r}; it must be 'tdest' in family 'torus'"
        for mode in axi_injector.SET_MODES
    },
}


@each("line, message", REFUSED.items())
def test_ends_that_cannot_be_are_refused_in_one_line(line, message, tmp_path, capsys):
    name, *options = line.split()
    assert run(["verilog", str(EXAMPLES / f"{name}.yaml"), "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error), error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_family_without_addressing_is_bad_input(tmp_path, capsys, monkeypatch):
    plan = replace(load(EXAMPLES / "fig1.yaml").plan, addressing=None)
    monkeypatch.setattr(Design, "plan", property(lambda _: plan))
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path / "out"), "--axi-stream", "tuser"]) == 2
    error = capsys.readouterr().err
    assert re.search(r"fig1.yaml:\d+: family 'spam' has no AXI4-Stream endpoints yet", error)
    assert not (tmp_path / "out").exists()


def run_example(folder: Path, design: Path, fusesoc) -> str:
    assert run(["verilog", str(design / "network.yaml"), "--axi-stream", "tuser", "-o", str(folder / "noc")]) == 0
    roots = ["--cores-root", str(folder / "noc"), "--cores-root", str(design)]
    return fusesoc(folder, *roots, "run", "--target", "sim", "hydranoc:example:axi_stream")


def test_the_example_passes(tmp_path, fusesoc):
    out = run_example(tmp_path, EXAMPLE, fusesoc)
    verdict = re.search(r"^PASS: .*$", out, re.MULTILINE)
    assert verdict, out
    assert verdict[0] in (EXAMPLE / "README.md").read_text()


def test_the_example_sees_what_is_wrong(tmp_path, fusesoc):
    design = shutil.copytree(EXAMPLE, tmp_path / "design")
    source = (design / "top.v").read_text()
    assert source.count("4'b1110") == 1
    (design / "top.v").write_text(source.replace("4'b1110", "4'b0110"))
    assert "FAIL: packets are missing" in run_example(tmp_path, design, fusesoc)


OPTIONS = ["--axi-stream", "tuser", "--registers", "axi-lite"]


def exported(folder: Path, *options: str) -> Path:
    """The example of all registers as Verilog."""
    assert run(["verilog", str(EXAMPLES / "registers.yaml"), "-o", str(folder), *OPTIONS, *options]) == 0
    return folder


def test_a_target_of_the_core_has_all_that_there_is(tmp_path, fusesoc):
    """Content of a target after FuseSoC has appended to inherited lists."""
    exported(tmp_path / "noc", "--arrays")
    core = ["--target", "arrays", "--tool", "icarus", "hydranoc:noc:noc"]
    fusesoc(tmp_path, "--cores-root", "noc", "run", "--setup", *core)
    (settings,) = (tmp_path / "build").rglob("*.eda.yml")
    setup = yaml.safe_load(settings.read_text())
    assert setup["toplevel"] == "noc_arrays"
    files = {Path(file["name"]).name: file for file in setup["files"]}
    assert set(files) == {"noc.v", "noc_regs.h", "noc_arrays.sv"}
    assert files["noc_regs.h"]["is_include_file"]


@pytest.mark.parametrize("name", ["harts.yaml", "torus-lanes.yaml"])
def test_a_router_is_clean_and_its_ports_are_links(name, tmp_path, require_tool, capsys):
    verilator = require_tool("verilator")
    assert run(["verilog", str(EXAMPLES / name), "-o", str(tmp_path), "--router", "1", "--top", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["top"] == "mine"
    manifest = json.loads((tmp_path / "mine.json").read_text())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(manifest["files"])
    text = (tmp_path / "mine.v").read_text()
    assert set(re.findall(r"^module (\w+)\(", text, re.M)) == set(manifest["modules"])
    design = load(EXAMPLES / name)
    switch = design.network.vertex_name(1)
    assert manifest["name"] == switch
    assert all(channel.endswith(f"->{switch}") for channel in manifest["input_channels"])
    assert all(channel.startswith(f"{switch}->") for channel in manifest["output_channels"])
    for side in ("input", "output"):
        numbers = {
            int(found) for port in manifest["ports"] for found in re.findall(rf"^{side}s__(\d+)__", port["name"])
        }
        assert numbers == set(range(len(manifest[f"{side}_channels"])))
    command = [*verilator.command, "--lint-only", "-Wall", "--top-module", "mine", "mine.v"]
    linted = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **verilator.environment}, capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stderr
    assert "%Warning" not in linted.stderr


def test_switches_have_names_and_numbers():
    design = load(EXAMPLES / "fig1.yaml")
    assert design.network.switch_names == ("1", "2", "3", "4", "6", "7")
    assert design.router("6").manifest["switch"] == 4
    assert design.router(0).manifest["name"] == "1"
    with pytest.raises(
        ConfigError, match=r"fig1.yaml:8: a router is 9; it must be that of a switch \(1 to 7, or 0 to 5\)"
    ):
        design.router(9)

"""One router as Verilog: its manifest describes its ports correctly, and it is clean under lint."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["demo.yaml", "min.yaml", "harts.yaml", "torus-lanes.yaml", "hypercube.yaml"])
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
        ConfigError, match=r"fig1.yaml:8: a router must be that of a switch \(1 to 7, or 0 to 5\), not 9"
    ):
        design.router(9)


def test_ends_belong_to_networks(tmp_path, capsys):
    arguments = ["verilog", str(EXAMPLES / "demo.yaml"), "-o", str(tmp_path / "build"), "--router", "1"]
    assert run([*arguments, "--axi-stream", "tuser"]) == 2
    assert "--router is one router without ends: --axi-stream is of a network" in capsys.readouterr().err
    assert not (tmp_path / "build").exists()

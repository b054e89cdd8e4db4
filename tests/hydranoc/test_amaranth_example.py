"""A network as a component of a user's design in Amaranth: the example runs, and detects a fault."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hydranoc import load

EXAMPLE = Path(__file__).parents[2] / "examples" / "amaranth"


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """The example as a user starts it, in its own folder."""
    command = [sys.executable, "design.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(EXAMPLE, tmp_path / "mine")


def test_the_example_passes(copy):
    answer = ran(copy)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "PASS: the word was at all other nodes after 13 cycles\n"
    assert answer.stderr == ""


@pytest.mark.parametrize(
    ("text", "replacement", "verdict"),
    [
        ("user.eq(EVERYONE)", "user.eq(0b0110)", "a node got nothing"),
        ("data.eq(self.word)", "data.eq(self.word ^ 1)", "AssertionError: [51967, 51967, 51967]"),
    ],
)
def test_the_example_sees_what_is_wrong(text, replacement, verdict, copy):
    source = (copy / "design.py").read_text()
    assert source.count(text) == 1
    (copy / "design.py").write_text(source.replace(text, replacement))
    answer = ran(copy)
    assert answer.returncode == 1
    assert verdict in answer.stderr


def test_the_whole_design_becomes_verilog(copy, require_tool):
    icarus = require_tool("icarus")
    verilog = ran(copy, "--verilog")
    assert verilog.returncode == 0, verilog.stderr
    (copy / "mailboxes.v").write_text(verilog.stdout)
    command = [*icarus.command, "-g2005", "-t", "null", "-s", "mailboxes", "mailboxes.v"]
    read = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr


def test_a_component_has_the_modes_of_its_family():
    with pytest.raises(ValueError, match="axi_stream must be 'tuser' or 'leading-word' in family 'spam', not 'tdest'"):
        load(EXAMPLE / "network.yaml").component("tdest")

"""``hydranoc bench``: the project that it writes runs, for every family, and detects faults."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hydranoc.cli import run
from tests.hydranoc.shells import WITH_TOOLS, passes, shell
from tests.sampled import sampled

OURS = {"PATH": os.environ["PATH"]}
"""Icarus may be installed anywhere."""
MULTICASTS = {
    "spam": "family: spam\n  topology: {kind: mesh, shape: [2, 2]}",
    "several outputs": "family: min\n  topology: {kind: bi-butterfly, radix: 2, stages: 2, consumption_channels: 2}",
    "harts": "family: harts\n  topology: {kind: hexmesh, size: 2}\n  flit_bits: 64\n  packet_flits: 4",
    "votes": "family: harts\n  topology: {kind: hexmesh, size: 2}\n  flit_bits: 64\n  packet_flits: 4\n"
    "  reception: vote\n  least_copies: 3",
    "torus": "family: torus\n  topology: {kind: torus, rows: 2, columns: 2}",
    "several inputs": "family: hypercube\n  topology: {kind: hypercube, dimensions: 2}\n  injection_channels: 2",
    "tables": "family: spam\n  topology: {kind: mesh, shape: [1, 2]}\n  tables: loadable\n  counters: true",
    "narrow": "family: spam\n  topology: {kind: mesh, shape: [1, 2]}\n  flit_bits: 8",
}


BYTES = MULTICASTS["spam"] + "\n  flit_bits: 33"
OPTIONS = {
    "leading words": (MULTICASTS["spam"], "--axi-stream leading-word"),
    "several leading words": (MULTICASTS["narrow"].replace("[1, 2]", "[3, 4]"), "--axi-stream leading-word"),
    "one clock": (MULTICASTS["several outputs"], "--axi-clocks shared --no-moved"),
    "clocks": (MULTICASTS["several inputs"], "--axi-clocks separate"),
    "bytes": (BYTES, "--tkeep --axi-clocks separate"),
    "registers": (MULTICASTS["harts"], "--registers axi-lite --arrays"),
    "words of four bits": (MULTICASTS["spam"] + "\n  flit_bits: 32", "--user-bits 28"),
    "tables by registers": (MULTICASTS["tables"], "--registers axi-lite --axi-clocks separate"),
}


def project(folder: Path, network: str, capsys, *options: str) -> Path:
    (folder / "net.yaml").write_text(f"network:\n  {network}\n")
    assert run(["bench", str(folder / "net.yaml"), "-o", str(folder / "mine"), "--json", *options]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert all(Path(name).is_file() for name in files)
    return folder / "mine"


@pytest.fixture
def icarus(require_tool):
    for name in ("icarus", "make"):
        require_tool(name)


def passed(folder: Path) -> None:
    out = passes("make SIM=icarus && make verilog SIM=icarus", folder, **OURS)
    assert "PASS=2 FAIL=0" in out
    assert "\nPASS: a packet of " in out


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("network", sampled(MULTICASTS, ("several outputs",)))
def test_both_benches_pass_in_every_family(network, tmp_path, capsys):
    passed(project(tmp_path, MULTICASTS[network], capsys))


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("chosen", sampled(OPTIONS, ("registers", "words of four bits")))
def test_both_benches_pass_with_the_options_of_verilog(chosen, tmp_path, capsys):
    network, options = OPTIONS[chosen]
    folder = project(tmp_path, network, capsys, *options.split())
    passed(folder)
    assert (folder / "noc" / "noc_arrays.sv").exists() == ("--arrays" in options)


def test_changed_files_are_never_overwritten(tmp_path, capsys):
    folder = project(tmp_path, MULTICASTS["spam"], capsys)
    again = ["bench", str(tmp_path / "net.yaml"), "-o", str(folder), "--no-moved"]
    assert run(again) == 0  # without changes by hand
    assert "moved" not in (folder / "noc" / "noc.v").read_text()
    mine = (folder / "noc_tests.py").read_text() + "# mine\n"
    (folder / "noc_tests.py").write_text(mine)
    (folder / "Makefile").unlink()
    capsys.readouterr()
    assert run(again) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{folder / 'noc_tests.py'} is changed since it was written; move it, or choose another folder" in said
    assert (folder / "noc_tests.py").read_text() == mine
    assert not (folder / "Makefile").exists()
    (folder / "noc_tests.py").rename(folder / "my_tests.py")
    assert run(again) == 0
    assert (folder / "Makefile").exists()


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        pytest.param("make", "PASS=2 FAIL=0", marks=pytest.mark.slow),
        pytest.param(
            *(f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider", "1 passed"), marks=pytest.mark.slow
        ),
        pytest.param("make verilog", "\nPASS: a packet of 4 words", marks=pytest.mark.slow),
        ("make lint", ""),
    ],
    ids=["make", "pytest", "verilog", "lint"],
)
def test_verilator_runs_it(command, verdict, tmp_path, capsys, require_tool):
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)
    folder = project(tmp_path, MULTICASTS["tables"], capsys)
    assert verdict in passes(command, folder, EXTRA_ARGS="-CFLAGS -O0")


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize(
    ("file", "text", "replacement", "verdict"),
    [
        ("noc_bench.v", "s_tdata = word_of(word)", "s_tdata = word_of(word + 1)", "FAIL: a wrong word at node"),
        ("streams.py", '_tdata", word)', '_tdata", word ^ (number == 2))', "PASS=0 FAIL=2"),
    ],
)
def test_what_is_wrong_is_seen(file, text, replacement, verdict, tmp_path, capsys):
    folder = project(tmp_path, MULTICASTS["spam"], capsys)
    source = (folder / file).read_text()
    assert source.count(text) == 1
    (folder / file).write_text(source.replace(text, replacement))
    command = "make SIM=icarus" if file == "streams.py" else "make verilog SIM=icarus"
    answer = shell(WITH_TOOLS + command, folder, **OURS)
    assert answer.returncode != 0
    assert verdict in answer.stdout + answer.stderr


def test_without_the_tools_the_makefile_says_what_to_do(tmp_path, capsys):
    folder = project(tmp_path, MULTICASTS["spam"], capsys)
    answer = subprocess.run(
        ["make"], cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert answer.returncode != 0
    assert 'run: eval "$(hydranoc env)"' in answer.stderr


def test_a_network_with_one_processor_is_refused(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text("network:\n  family: spam\n  topology: {kind: mesh, shape: [1, 1]}\n")
    assert run(["bench", str(tmp_path / "net.yaml"), "-o", str(tmp_path / "mine")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "net.yaml:1: network has 1 processor; it must have at least 2, for a bench with AXI4-Stream ports" in error
    assert not (tmp_path / "mine").exists()


def test_a_wrong_topology_is_told_once(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text("network:\n  family: torus\n  topology: {kind: ring, switches: 4}\n")
    assert run(["bench", str(tmp_path / "net.yaml"), "-o", str(tmp_path / "mine")]) == 2
    assert capsys.readouterr().err.count("net.yaml:3: ") == 1

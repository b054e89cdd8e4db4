"""Bitstream of a board with the self-test of a network."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fpga.boards.build import AREA, TIMING, BoardBuild, ClockTiming, board_build, read_clock
from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.registry import Board
from fpga.common.area import Area, ReportError, read_area, read_shortages
from hydranoc.config.load import NETWORK
from hydranoc.design import Design
from hydranoc.errors import ConfigError
from hydranoc.fpga.run import FpgaFailed, _run
from hydranoc.lockstep.tools import find_tools, version_of
from hydranoc.reports.progress import Progress
from hydranoc.reports.table import table


class DoesNotFit(RuntimeError):
    """A board's device that is too small; the message names the missing resources."""


@dataclass(frozen=True)
class BuiltBoard:
    """Result of a build.

    Members:
        board
        network: Name of the configuration.
        area
        clock: The slowest clock.
        bitstream: Name of the file to load; None if the clock is too slow for the board.
        bitstream_bytes
        tools: Programs with their versions.
    """

    board: Board
    network: str
    area: Area
    clock: ClockTiming
    bitstream: str | None
    bitstream_bytes: int
    tools: tuple[str, ...]

    @property
    def right(self) -> bool:
        """True if there is a bitstream."""
        return self.bitstream is not None


def build_board(board: Board, design: Design, folder: Path, progress: Progress | None = None) -> BuiltBoard:
    """Synthesise, place and route the self-test of a network for a board, and write the bitstream.

    Parameters:
        design: The network.
        folder: Folder for sources, reports and bitstream. Must be empty.

    Raises:
        ConfigError: If there can be no self-test of this network.
        ToolMissing: Names every program that is missing.
        FpgaFailed: If a program fails.
        DoesNotFit: If the device is too small.
    """
    tools = find_tools(board.tools)  # a missing program is reported before any work
    build = _planned(board, design)
    for name, text in build.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    synthesis, place_and_route, packing = (command[1:] for command in build.commands)
    _say(progress, "synthesis", 0)
    _run(tools[0], synthesis, folder, f"{board.design_name}.rpt")
    _say(progress, "place and route", 1)
    _place_and_route(tools[1], place_and_route, folder, build, board)
    area, clock = _figures(folder, board)
    if clock.met:
        _say(progress, "bitstream", 2)
        _run(tools[2], packing, folder, f"{board.packer}.log")
    size = (folder / build.bitstream).stat().st_size if clock.met else 0
    for path in folder.iterdir():
        if path.name not in build.kept:
            path.unlink()  # netlists of many megabytes, which the script can rebuild
    versions = tuple(version_of(tool) for tool in tools[:2])
    return BuiltBoard(board, design.config.name, area, clock, build.bitstream if clock.met else None, size, versions)


def _planned(board: Board, design: Design) -> BoardBuild:
    if design.plan.loadable_tables:
        text = "network.tables is 'loadable'; it must be 'fixed' on a board, which has no loader"
        raise design.config.source.error((*NETWORK, "tables"), text)
    try:
        nodes = len(design.network.processors)
        descriptors = draw_descriptors(design.routing, nodes, board.descriptors)
        return board_build(board, design.plan, descriptors, design.plane and design.plane.plan)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(str(error), file=design.config.path) from None


def _say(progress: Progress | None, work: str, done: int) -> None:
    if progress:
        progress(work, done, 3)


def _place_and_route(tool, arguments, folder: Path, build: BoardBuild, board: Board) -> None:
    try:
        _run(tool, arguments, folder, build.log)
    except FpgaFailed:
        log = folder / build.log
        shortages = read_shortages(log.read_text()) if log.exists() else ()
        if not shortages:
            raise
        needs = ", ".join(f"needs {shortage}" for shortage in shortages)
        raise DoesNotFit(f"the self-test does not fit {board.name}: {needs}") from None


def _figures(folder: Path, board: Board) -> tuple[Area, ClockTiming]:
    try:
        return read_area((folder / AREA).read_text(), board.device), read_clock((folder / TIMING).read_text())
    except ReportError as error:
        raise FpgaFailed(str(error)) from error


def board_figures(built: BuiltBoard) -> dict[str, Any]:
    """Return the results of a build for JSON."""
    return {
        "board": built.board.name,
        "network": built.network,
        "tools": list(built.tools),
        "lut4": built.area.luts,
        "flip_flops": built.area.flip_flops,
        "memories": dict(built.area.memories),
        "fmax_mhz": round(built.clock.achieved_mhz, 2),
        "clock_mhz": round(built.clock.wanted_mhz, 2),
        "messages": built.board.messages,
        "bitstream": built.bitstream,
        "bitstream_bytes": built.bitstream_bytes,
    }


def board_text(built: BuiltBoard) -> str:
    """Return the results of a build for display."""
    memories = [(kind, count) for kind, count in built.area.memories.items() if count]
    margin = "fast enough for" if built.clock.met else "too slow for"
    clock = f"{built.clock.achieved_mhz:.1f} MHz, {margin} {built.clock.wanted_mhz:.1f} MHz"
    return table(
        [
            ("board", built.board.title),
            ("network", built.network),
            ("tools", ", ".join(built.tools)),
            ("LUT4", built.area.luts),
            ("FF", built.area.flip_flops),
            *memories,
            ("clock", clock),
            ("bitstream", f"{built.bitstream_bytes:,} bytes" if built.right else "none"),
        ]
    )

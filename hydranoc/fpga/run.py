"""Measurement of hardware on an FPGA: synthesis, then place and route with several seeds, out of context."""

import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fpga.common import flow
from fpga.common.area import Area, ReportError, Shortage, read_area, read_shortages
from fpga.common.devices import Device
from fpga.common.subject import TOP, Subject
from fpga.common.timing import Timing, read_timing
from hydranoc.lockstep.tools import Tool, find_tools, tool_environment, version_of
from hydranoc.reports.failures import failure
from hydranoc.reports.progress import Progress
from topology.common.errors import MachineTrouble, how_it_ended


class FpgaFailed(MachineTrouble):
    """A tool that ended with an error; the message names its log."""


@dataclass(frozen=True)
class Measurement:
    """Figures of one subject on one device.

    Members:
        subject
        area: Without wrappers.
        timings: One per seed, seed 1 first; none if the design does not fit, or the device has no clock.
        shortages: Missing resources of the device, with the wrappers.
    """

    subject: Subject
    area: Area
    timings: tuple[Timing, ...]
    shortages: tuple[Shortage, ...] = ()

    @property
    def fits(self) -> bool:
        """True if no shortage of the device is known."""
        return not self.shortages

    @property
    def fmax_mhz(self) -> float | None:
        """Median over the seeds; None without timings."""
        return statistics.median(timing.fmax_mhz for timing in self.timings) if self.timings else None

    @property
    def typical_seed(self) -> int:
        """The seed whose clock is the median, or next below it."""
        clocks = [timing.fmax_mhz for timing in self.timings]
        return clocks.index(statistics.median_low(clocks)) + 1


def fpga_tools(device: Device) -> list[Tool]:
    """Return the programs that figures of a device need.

    Raises:
        ToolMissing: Names every program that is missing.
    """
    return find_tools(["yosys", device.place_and_route] if device.has_clock else ["yosys"])


def tool_versions(device: Device) -> list[str]:
    """Return names and versions of those programs."""
    return [version_of(tool) for tool in fpga_tools(device)]


def measure(
    subject: Subject, device: Device, seeds: int, folder: Path, progress: Progress | None = None
) -> Measurement:
    """Synthesise a subject, and place and route it with seeds 1 to ``seeds`` if the device has a clock.

    Parameters:
        seeds: At least 1.
        folder: Folder for Verilog, scripts, reports and logs.

    Raises:
        ToolMissing: If a program is missing.
        FpgaFailed: If a program fails for another reason than a device that is too small.
    """
    yosys, *others = fpga_tools(device)
    _write_inputs(subject, device, seeds, folder)
    _say(progress, f"{subject.name}: synthesis", 0, 0)
    _run(yosys, ["-q", flow.SCRIPT], folder, "yosys.log")
    area = read_area((folder / flow.AREA).read_text(), device)
    timings: list[Timing] = []
    shortages: tuple[Shortage, ...] = ()
    for seed in range(1, seeds + 1) if device.has_clock else ():
        _say(progress, f"{subject.name}: place and route", seed - 1, seeds)
        shortages = _place_and_route(others[0], subject, device, seed, folder)
        if shortages:
            break
        timings.append(_timing(folder, seed))
    (folder / flow.NETLIST).unlink()  # megabytes that the script can rebuild
    return Measurement(subject, area, tuple(timings), shortages)


def _say(progress: Progress | None, work: str, done: int, total: int) -> None:
    if progress:
        progress(work, done, total)


def _write_inputs(subject: Subject, device: Device, seeds: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / flow.VERILOG).write_text(subject.verilog(device))
    (folder / flow.SCRIPT).write_text(flow.synthesis_script(device, subject.module, TOP))
    (folder / flow.BUILD).write_text(flow.build_script(device, range(1, seeds + 1), network=subject.is_network))


def _timing(folder: Path, seed: int) -> Timing:
    try:
        return read_timing((folder / flow.timing_file(seed)).read_text())
    except ReportError as error:
        raise FpgaFailed(str(error)) from error


def _place_and_route(nextpnr: Tool, subject: Subject, device: Device, seed: int, folder: Path) -> tuple[Shortage, ...]:
    """Run nextpnr, and return the missing resources if it failed for lack of them."""
    log = folder / flow.log_file(seed)
    try:
        arguments = flow.place_and_route_arguments(device, seed, network=subject.is_network)
        _run(nextpnr, arguments, folder, log.name)
    except FpgaFailed:
        shortages = read_shortages(log.read_text()) if log.exists() else ()
        if not shortages:
            raise
        return shortages
    return ()


def _run(tool: Tool, arguments: Sequence[str], folder: Path, log: str) -> None:
    """Run a tool in a folder. If it fails, keep its log outside of the folder."""
    command = [*tool.command, *arguments]
    answer = subprocess.run(
        command, cwd=folder, env=tool_environment(tool), capture_output=True, text=True, check=False
    )
    if answer.returncode == 0:
        return
    own = (folder / log).read_text(errors="replace") if (folder / log).exists() else ""
    raise FpgaFailed(failure(tool.name, how_it_ended(answer.returncode), own + answer.stdout + answer.stderr))

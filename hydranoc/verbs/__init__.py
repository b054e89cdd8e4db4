"""The verbs of the command, each in a file that is loaded when the verb is run or completed."""

from collections.abc import Mapping
from importlib import import_module

import click

VERBS: Mapping[str, str] = {
    "init": "Write a first configuration, with a comment on every key.",
    "examples": "Write the examples, or list them.",
    "check": "Prove reachability and freedom from deadlock.",
    "draw": "Draw the network as SVG and PNG.",
    "verilog": "Generate Verilog-2005, a manifest and a FuseSoC core.",
    "bench": "Write a cocotb project and a Verilog bench around the network.",
    "model": "Simulate the traffic with the cycle-exact golden model.",
    "compare": "Run the Verilog in lock-step with the golden model.",
    "report": "Show a run as one HTML page: worms in motion, utilisation, latencies.",
    "sweep": "Measure a configuration with many values of its keys, on all cores.",
    "fpga": "Measure LUTs, flip-flops, memories and clock frequency on an FPGA.",
    "reproduce": "Reproduce a figure or table of a paper.",
    "schema": "Print the JSON Schema of configurations, or their reference.",
    "tool": "Run Verilator, Yosys or nextpnr from HydraNoC's environment.",
    "env": "Print shell variables with which Make, cocotb and FuseSoC find Verilator.",
    "cache": "List, limit or clear the files kept between runs.",
    "daemon": "Keep the command loaded in the background, for a fast start.",
}
"""Help line by verb, in the order of the help."""


def load_verb(name: str) -> click.Command:
    """Load the file of a verb.

    Parameters:
        name: A key of ``VERBS``, the name of the file and of the command in it.
    """
    return getattr(import_module(f"hydranoc.verbs.{name}"), name)

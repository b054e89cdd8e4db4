"""Cost of one router on ECP5: LUTs, flip-flops and memories, with its tables as constants as in a real network.

The routers are those of a 64-node 8 x 8 mesh (5 ports, 32-bit flits, buffers of 2, fast setting): the root, whose
tables are the largest, and a switch far from it.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from amaranth.hdl import Value

from hydranoc.tools import find_tool, tool_environment
from rtl.common.verilog import ModuleLibrary
from rtl.spam.network import spam_plan
from topology.common.regular import mesh_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

CELLS = {"LUT4": "LUT4", "TRELLIS_FF": "FF", "TRELLIS_DPR16X4": "DPR16X4", "DP16KD": "DP16KD"}


def router_verilog(routing: SpamRouting, switch: int) -> str:
    """A module ``node``: the router of a switch with its constants tied."""
    use = spam_plan(routing).routers[switch]
    router = spam_plan(routing).shapes[use.shape]()
    library = ModuleLibrary()
    library.add(router, "router")
    ports, connections = [], []
    for path, member, value in router.signature.flatten(router):
        name = "__".join(map(str, path))
        width = len(Value.cast(value))
        if name in use.constants:
            connections.append(f".{name}({width}'h{use.constants[name]:x})")
        else:
            direction = "input" if member.flow.name == "In" else "output"
            ports.append(f"{direction} [{width - 1}:0] {name}")
            connections.append(f".{name}({name})")
    heading = f"module node(input clk, input rst, {', '.join(ports)});"
    return f"{library.verilog()}\n{heading}\n  router r(.clk(clk), .rst(rst), {', '.join(connections)});\nendmodule\n"


def synthesise(verilog: str) -> dict[str, int]:
    """Cells of the module ``node``, by kind."""
    yosys = find_tool("yosys")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "node.v").write_text(verilog)
        script = "read_verilog node.v; synth_ecp5 -nowidelut -top node; tee -q -o cells.json stat -json"
        command = [*yosys.command, "-q", "-p", script]
        subprocess.run(command, cwd=folder, env=tool_environment(yosys), check=True, capture_output=True)
        cells = json.loads(Path(folder, "cells.json").read_text())["design"]["num_cells_by_type"]
    return {name: cells.get(kind, 0) for kind, name in CELLS.items()}


def main(*, quick: bool) -> None:
    """Synthesise and print."""
    routing = SpamRouting(SpamLabels(mesh_network((8, 8))), 32)
    root = routing.labels.root
    switches = {"root": root} if quick else {"root": root, "far from the root": 9}
    for name, switch in switches.items():
        figures = synthesise(router_verilog(routing, switch))
        print(f"  {name:>17}: " + ", ".join(f"{count} {kind}" for kind, count in figures.items()))
    print("  cycles per hop, head and body: 2 (routing_cycles 1)")

"""A SystemVerilog module around a network with AXI4-Stream or AXI4 ports, whose ports of all nodes are arrays."""

import json
import re
from dataclasses import replace
from typing import Any

from rtl.generator.manifest import core_with_arrays
from rtl.generator.network import GeneratedDesign
from rtl.generator.verilog import LICENSE

_MODULE = """\
// SPDX-License-Identifier: {license}
// The ports of {top} as arrays: {order}.
`timescale 1ns / 1ps
module {name} (
{ports}
);
  {top} network (
{connections}
  );
endmodule
"""


def arrays_name(top: str) -> str:
    """Return the name of the module."""
    return f"{top}_arrays"


def with_port_arrays(generated: GeneratedDesign) -> GeneratedDesign:
    """Return a network with AXI4-Stream or AXI4 ports and its wrapper module: one more file of manifest and core."""
    top, name = generated.top, arrays_name(generated.top)
    file = f"{name}.sv"
    manifest = {
        **generated.manifest,
        "files": [*generated.manifest["files"], file],
        "port_arrays": {"module": name, "file": file},
    }
    files = {
        **generated.files,
        f"{top}.core": core_with_arrays(generated.files[f"{top}.core"], name),
        "manifest.json": json.dumps(manifest, indent=1) + "\n",
        file: port_arrays(manifest),
    }
    return replace(generated, manifest=manifest, files=files)


def port_arrays(manifest: dict[str, Any]) -> str:
    """Return the SystemVerilog of the wrapper: packed arrays ``s_axis_tdata[i]`` and so on, indexed by stream.

    The streams are in the manifest's order: by node, and with several channels of a node by channel. The clocks of
    the nodes are a vector ``axis_clk``, by node. AXI4 ports are arrays ``s_axi_awaddr[i]`` and so on, of managers and
    subordinates by processor. All other ports are the network's.

    Parameters:
        manifest: Of a network with AXI4-Stream or AXI4 ports.
    """
    streams = _ends(manifest)
    arrays: dict[str, tuple[str, int, int]] = {}
    connections = []
    for port in manifest["ports"]:
        name, index, length = _place(port["name"], streams, len(manifest.get("nodes", ())))
        arrays[name] = (port["direction"], length, port["bits"])
        connections.append(f"      .{port['name']}({name}{'' if length == 0 else f'[{index}]'})")
    return _MODULE.format(
        license=LICENSE,
        top=manifest["top"],
        name=arrays_name(manifest["top"]),
        order=_order(streams),
        ports=",\n".join(_declared(name, *array) for name, array in arrays.items()),
        connections=",\n".join(connections),
    )


def _ends(manifest: dict[str, Any]) -> dict[str, list[str]]:
    """Return the prefixes of all streams or AXI4 ports, by the prefix of their arrays."""
    if "axi_stream" in manifest:
        return {"s_axis": manifest["axi_stream"]["inputs"], "m_axis": manifest["axi_stream"]["outputs"]}
    axi4 = manifest["axi4"]
    return {"s_axi": [*axi4["managers"].values()], "m_axi": [*axi4["subordinates"].values()]}


def _place(name: str, streams: dict[str, list[str]], nodes: int) -> tuple[str, int, int]:
    """Return the array of a network port, its index there, and the array's length; length 0 for a port in no array."""
    for prefix, ports in streams.items():
        end = next((end for end in ports if name.startswith(f"{end}_")), None)
        if end is not None:
            return f"{prefix}_{name.removeprefix(f'{end}_')}", ports.index(end), len(ports)
    clock = re.fullmatch(r"axis_n(\d+)_clk", name)
    return ("axis_clk", int(clock[1]), nodes) if clock else (name, 0, 0)


def _declared(name: str, direction: str, length: int, bits: int) -> str:
    array = f"[{length - 1}:0]" if length else ""
    word = f"[{bits - 1}:0]" if bits > 1 else ""
    return f"  {direction:6} logic {array}{word} {name}".replace("logic  ", "logic ")


def _order(streams: dict[str, list[str]]) -> str:
    plain = all(re.fullmatch(r"[sm]_axis_n\d+", port) for ports in streams.values() for port in ports)
    if plain:
        return "element i is node i's"
    return "; ".join(f"{prefix} {', '.join(ports)}" for prefix, ports in streams.items())

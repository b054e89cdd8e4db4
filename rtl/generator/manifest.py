"""Manifest, FuseSoC core and lint control file of a generated network."""

from collections.abc import Iterable, Sequence
from typing import Any

from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import flat_ports
from rtl.generator.verilog import LICENSE
from rtl.parts.part import Part
from rtl.version import VERSION
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat


def network_manifest(part: Part, plan: NetworkPlan, top: str, modules: list[str], files: list[str]) -> dict[str, Any]:
    """Return the facts about a generated network, ready for JSON.

    Parameters:
        part: The top.
        top: Name of the top module; the prefix of the others.
        modules: All module names.
        files: Names of the generated files.
    """
    network, header = plan.network, plan.header
    return {
        "top": top,
        "family": plan.family,
        "parameters": {**plan.parameters, "link_cycles": plan.link_cycles},
        "flit": {"data_bits": plan.flit_bits, "width": plan.flit_bits + 2},
        "header": {
            "fields": [{"name": name, "bits": bits} for name, bits in header.fields],
            "destination_bits": header.destinations,
            "key_flits": header.key_flits,
            "unicast_flits": header.unicast_flits,
            "multicast_flits": header.multicast_flits,
            **_parts(header),
        },
        "nodes": _nodes(plan),
        "channels": _channels(plan),
        "link_stages": _link_stages(plan),
        "router_shapes": _shapes(plan, top),
        "routers": [
            {"switch": switch, "instance": f"router_s{switch}", "module": f"{top}_{instance.shape}"}
            for switch, instance in enumerate(plan.routers)
        ],
        "modules": modules,
        "ports": port_list(part),
        "files": files,
        "switch_names": [network.vertex_name(switch) for switch in range(network.switches)],
    }


def _parts(header: HeaderFormat) -> dict[str, Any]:
    """Return the number of parts of a destination set and their flits' fields, if headers name sets part by part."""
    if not isinstance(header, PartsFormat):
        return {}
    sizes = {"bits": header.part_processors, "part": header.part_bits, "last": 1}
    return {"parts": {"count": header.parts, "fields": [{"name": name, "bits": bits} for name, bits in sizes.items()]}}


def _nodes(plan: NetworkPlan) -> list[dict[str, Any]]:
    network = plan.network
    one = network.injection_channels_per_processor == 1
    processors = range(len(network.processors))
    injectors = [[f"injector_{name}" for name in network.injection_names_of(i)] for i in processors]
    injections = [list(network.injection_channels_of(i)) for i in processors]
    return [
        {
            "processor": i,
            "vertex": network.processor_vertex(i),
            "switch": switch,
            **({"injector": injectors[i][0]} if one else {"injectors": injectors[i]}),
            "ejectors": [f"ejector_{name}" for name in network.delivery_names_of(i)],
            **({"injection_channel": injections[i][0]} if one else {"injection_channels": injections[i]}),
            "delivery_channels": list(network.input_channel[network.processor_vertex(i)]),
        }
        for i, switch in enumerate(network.processors)
    ]


def _channels(plan: NetworkPlan) -> list[dict[str, Any]]:
    return [
        {
            "index": channel.index,
            "name": channel.name,
            "source": channel.source,
            "source_port": channel.source_port,
            "sink": channel.sink,
            "sink_port": channel.sink_port,
            **({"moved_bit": channel.index} if plan.moved else {}),
        }
        for channel in plan.network.channels
    ]


def _link_stages(plan: NetworkPlan) -> list[dict[str, Any]]:
    """Return the register stages of all links, in the order of their bits in ``moved``."""
    links, channels = plan.links, len(plan.network.channels)
    return [
        {
            "channel": channel,
            "stage": stage,
            "name": links.name((channel, stage)),
            "instance": f"link_c{channel}_{stage}",
            **({"moved_bit": channels + position} if plan.moved else {}),
        }
        for position, (channel, stage) in enumerate(links.hops)
    ]


def _shapes(plan: NetworkPlan, top: str) -> list[dict[str, Any]]:
    used = [instance.shape for instance in plan.routers]
    return [
        {"shape": shape, "module": f"{top}_{shape}", "instances": used.count(shape)}
        for shape in plan.shapes
        if shape in used
    ]


def port_list(part: Part) -> list[dict[str, Any]]:
    """Return name, direction and width of every port of a part's Verilog, clock and reset first."""
    ports = [{"name": "clk", "direction": "input", "bits": 1}, {"name": "rst", "direction": "input", "bits": 1}]
    for name, is_input, value in flat_ports(part):
        ports.append({"name": name, "direction": "input" if is_input else "output", "bits": len(value)})
    return ports


def lint_control(top: str) -> str:
    """Return the Verilator control file of a generated file.

    Parameters:
        top: Name of the top module, and of the file.
    """
    return f"""\
`verilator_config
// SPDX-License-Identifier: {LICENSE}

// No waivers: {top}.v has no warnings under -Wall. This file remains for build scripts that name it.
"""


def fusesoc_core(top: str, description: str, files: Iterable[str]) -> str:
    """Return the FuseSoC core file (CAPI2) of generated hardware.

    Parameters:
        top: Name of the top module.
        description: Of the core, in a line.
        files (iterable of str): Names of files beside ``<top>.v``. Dependent cores can include the C headers among
            them: FuseSoC passes their folder to the C compilers of simulators, and no tool treats them as sources of
            its own.
    """
    headers = [name for name in files if name.endswith(".h")]
    return f"""CAPI=2:
# SPDX-License-Identifier: {LICENSE}

name: hydranoc:noc:{top}:{VERSION}
description: "{description}"

filesets:
  rtl:
    files:
      - {top}.v
    file_type: verilogSource-2005
{_headers_fileset(headers)}
targets:
  default: &default
    filesets: [rtl{", headers" if headers else ""}]
    toplevel: "{top}"

  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
"""


def _headers_fileset(headers: Sequence[str]) -> str:
    files = "".join(f"      - {name}: {{is_include_file: true}}\n" for name in headers)
    return f"  headers:\n    files:\n{files}    file_type: user\n" if headers else ""


_ARRAYS_FILESET = """\
  arrays:
    files:
      - {name}.sv
    file_type: systemVerilogSource
"""
_ARRAYS_TARGET = """
  arrays:
    <<: *default
    description: "The network with arrays of ports, in SystemVerilog"
    filesets_append: [arrays]
    toplevel: "{name}"
"""


def core_with_arrays(core: str, name: str) -> str:
    """Return the core of a network with one more target: the SystemVerilog module ``name`` around it."""
    filesets, targets = core.split("\ntargets:\n")
    return f"{filesets}{_ARRAYS_FILESET.format(name=name)}\ntargets:\n{targets}{_ARRAYS_TARGET.format(name=name)}"

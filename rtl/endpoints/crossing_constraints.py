"""Timing constraints of the crossings between the network's clock and the users': XDC for Vivado, SDC for Quartus.

A crossing has three kinds of paths between clocks (``rtl.parts.stream_crossing``): into the first registers of
synchronisers, whose bits must arrive within a period of each other, and from the memory into ``read_data``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rtl.generator.network import GeneratedDesign
from rtl.generator.verilog import LICENSE

SYNCHRONIZERS = {
    "fifo/written_synchronizer": "forward",
    "fifo/dropped_synchronizer": "back",
    "reset/asked_synchronizer": "to user",
    "reset/open_synchronizer": "to user",
    "reset/answered_synchronizer": "to network",
}
"""Instances in a crossing, and the direction in which their bits go."""
READ_DATA, MEMORY = "fifo/read_data", "fifo/words"
_INSTANCE = re.compile(r"(?ms)^  \w+_stream_crossing_(in|out)_\d+ (\w+) \(\n(.*?)\n  \);")
_CLOCK = re.compile(r"\.user_clk\((\w+)\)")
_XDC = """\
# SPDX-License-Identifier: {license}
# Clock crossings of {top} for Vivado, to be read for the module, after the clocks are defined:
#   read_xdc -ref {top} {top}.xdc
"""
_SDC = """\
# SPDX-License-Identifier: {license}
# Clock crossings of {top} for Quartus. Set {top}_crossing_ns before to one period of the fastest of its clocks, in ns.
"""


@dataclass(frozen=True)
class Crossing:
    """A crossing in the Verilog of a network.

    Members:
        path: From the top module, with slashes.
        inward: From the user into the network.
        user_clock: Port of the top module.
    """

    path: str
    inward: bool
    user_clock: str

    def ends(self) -> Iterator[tuple[str, bool]]:
        """Yield the paths of registers that take bits of the other clock, and whether this is the user's."""
        for instance, direction in SYNCHRONIZERS.items():
            from_user = {"forward": self.inward, "back": not self.inward}.get(direction, direction == "to network")
            yield f"{self.path}/{instance}/stage0", from_user
        yield f"{self.path}/{READ_DATA}", self.inward


def crossings_of(verilog: str, top: str) -> list[Crossing]:
    """Return the crossings of a generated network.

    Parameters:
        top: Name of the top module. With registers the network is its instance ``network``.
    """
    found: list[Crossing] = []
    for module in re.split(r"(?m)^(?=module )", verilog):
        prefix = "" if module.startswith(f"module {top}(") else "network/"
        for direction, name, pins in _INSTANCE.findall(module):
            clock = _CLOCK.search(pins)
            if clock is None:
                raise ValueError(f"Crossing {name} must have a clock of its user")
            found.append(Crossing(prefix + name, direction == "in", clock[1]))
    return found


def vivado_constraints(crossings: list[Crossing], top: str) -> str:
    """Return constraints as XDC, whose names are those within the top module.

    Parameters:
        top: Name of the top module.
    """
    lines = [_XDC.format(license=LICENSE, top=top)]
    for crossing in crossings:
        stages = (f"{crossing.path}/{name}/stage{stage}_reg*" for name in SYNCHRONIZERS for stage in (0, 1))
        lines.append(f"set_property ASYNC_REG TRUE [get_cells -quiet {{{' '.join(stages)}}}]")
        clocks = {True: f"[get_clocks -of_objects [get_ports {crossing.user_clock}]]"}
        clocks[False] = "[get_clocks -of_objects [get_ports clk]]"
        both = f"[get_clocks -of_objects [get_ports {{clk {crossing.user_clock}}}]]"
        for from_user, clock in clocks.items():
            ends = " ".join(f"{path}_reg*" for path, of_user in crossing.ends() if of_user == from_user)
            lines.append(
                f"set_max_delay -datapath_only -from {clock} -to [get_cells -quiet {{{ends}}}] "
                f"[get_property -min PERIOD {both}]"
            )
    return "\n".join(lines) + "\n"


def quartus_constraints(crossings: list[Crossing], top: str) -> str:
    """Return constraints as SDC with the names of Quartus, wherever in a design the network is.

    Parameters:
        top: Name of the top module.
    """
    lines = [_SDC.format(license=LICENSE, top=top)]
    for crossing in crossings:
        for path, _ in crossing.ends():
            memory = path.endswith(READ_DATA)
            source = f" -from {_registers(f'{crossing.path}/{MEMORY}*')}" if memory else ""
            paths = f"{source} -to {_registers(f'{path}*')}"
            lines += [f"set_max_delay{paths} ${top}_crossing_ns", f"set_false_path -hold{paths}"]
    return "\n".join(lines) + "\n"


def _registers(path: str) -> str:
    return f"[get_registers {{*{path.replace('/', '|')}}}]"


def with_crossing_constraints(generated: GeneratedDesign) -> GeneratedDesign:
    """Return a network with two more files, which its manifest lists.

    Parameters:
        generated: With clocks of the users.
    """
    top = generated.top
    crossings = crossings_of(generated.files[f"{top}.v"], top)
    more = {f"{top}.xdc": vivado_constraints(crossings, top), f"{top}.sdc": quartus_constraints(crossings, top)}
    constraints = {"vivado": f"{top}.xdc", "quartus": f"{top}.sdc"}
    manifest = {**generated.manifest, "files": [*generated.manifest["files"], *more], "constraints": constraints}
    files = {**generated.files, "manifest.json": json.dumps(manifest, indent=1) + "\n", **more}
    return replace(generated, manifest=manifest, files=files)

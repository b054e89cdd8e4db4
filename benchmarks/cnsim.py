"""Runs of CNSim, a simulator in C++ that moves packets: a mesh, uniform unicasts, one load.

The program is not part of the project. It raises the load step by step until the network is saturated, and the last
step takes most of its time. Here its settings count a packet as late after one cycle, and that number of late packets
as saturation: it ends after the first load, with unchanged measurements.
"""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer_program import PeerRun, execute, not_at_its_end

LATE_CYCLES = 1
NEVER = 2_000_000_000  # late packets that end a measurement early
WARMED = 3 / 2  # all cycles, as a multiple of those that are measured
ENDS = 2  # channels of a packet that it does not count as hops: into the network and out of it


@dataclass(frozen=True)
class CnSim:
    """The program, and a square mesh for it.

    Parameters:
        program: Executable.
        side: Nodes in each dimension.
        vcs: Virtual channels; the buffer of each has room for one packet, the minimum.
    """

    program: Path
    side: int
    vcs: int
    packet_flits: int

    def run(self, load: float, cycles: int) -> PeerRun:
        """Return one run.

        Parameters:
            load: Flits per node and cycle.
            cycles: Of the whole run; it measures in two thirds of them.

        Raises:
            PeerError: If it cannot be run, or has not run to its end.
        """
        measured = round(cycles / WARMED)
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.ini"
            config.write_text(self._config(load, measured, Path(folder)))
            output, seconds = execute("CNSim", self.program, [config])
        found = parse_first_load(output)
        flits = found["Arrived"] * self.packet_flits
        return PeerRun(
            latency=found["Average latency"],
            accepted=flits / measured / self.side**2,
            flit_hops=flits * WARMED * (found["Internal Hops"] + ENDS),
            cpu_seconds=seconds,
        )

    def _config(self, load: float, measured_cycles: int, folder: Path) -> str:
        sections = {
            "Network": {
                "topology": "SingleChipMesh",
                "scale": self.side,
                "routing_algorithm": "XY",
                "vc_number": self.vcs,
                "buffer_size": self.packet_flits,
            },
            "Workload": {"traffic": "uniform", "packet_length": self.packet_flits},
            "Simulation": {
                "injection_increment": load,
                "simulation_time": measured_cycles,
                "timeout_threshold": LATE_CYCLES,
                "timeout_limit": NEVER,
                "threads": 1,
            },
            "Files": {"output_file": folder / "figures", "log_file": folder / "log"},
        }
        lines = []
        for section, keys in sections.items():
            lines += [f"[{section}]", *(f"{key} = {value}" for key, value in keys.items())]
        return "\n".join(lines) + "\n"


def parse_first_load(output: str) -> dict[str, float]:
    """Return the output of the program about its first load, by name.

    Raises:
        PeerError: If the output lacks that part.
    """
    first = output.partition("Injection rate:")[2].partition("Time elapsed:")[0]
    found = re.findall(r"([A-Z][A-Za-z ]*?): *(-?[\d.e+-]+)", first)
    values = {name: float(value) for name, value in found}
    if not {"Arrived", "Average latency", "Internal Hops"} <= values.keys():
        raise not_at_its_end("CNSim", output)
    return values

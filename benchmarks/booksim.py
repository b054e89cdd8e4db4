"""Runs of BookSim2, a flit-exact network simulator in C++, under uniform unicasts.

The program is not part of the project. BookSim also sends packets from a node to itself, unlike hosts here; loads and
throughput exclude them.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.peer_program import PeerError, PeerRun, execute, not_at_its_end

NEVER = "1000000.0"
"""A threshold beyond all values, so that all runs have the same length. BookSim requires the decimal point."""
PERIODS = 3  # measured after thresholds are met


@dataclass(frozen=True)
class BookSim:
    """The program, and a network for it.

    Parameters:
        program: Executable.
        network: Topology and routing in BookSim's configuration.
        vcs, buffer_flits (int): Virtual channels, and flits of each one's buffer.
        settings: Keys of its own; default values otherwise.

    Raises:
        PeerError: If the program does not exist.
    """

    program: Path
    nodes: int
    network: dict[str, str]
    vcs: int
    buffer_flits: int
    packet_flits: int
    settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if not self.program.is_file():
            raise PeerError(f"BookSim is {str(self.program)!r}; it must be an executable file")

    def run(self, load: float, warmup_cycles: int, cycles: int) -> PeerRun:
        """Return one run.

        Parameters:
            load: Flits per node and cycle for other nodes.
            warmup_cycles, cycles (int): Cycles before the measurement, and its length; BookSim measures for a multiple
                of its warm-up.
        """
        keys = self._keys(load, warmup_cycles, cycles)
        with tempfile.TemporaryDirectory() as folder:
            figures, config = Path(folder) / "figures", Path(folder) / "config"
            config.write_text("".join(f"{key} = {value};\n" for key, value in {**keys, "stats_out": figures}.items()))
            output, seconds = execute("BookSim", self.program, [config])
            totals, accepted = parse_totals(output), parse_accepted(figures.read_text())
        others = (self.nodes - 1) / self.nodes
        channels = totals["Hops"] + 1  # BookSim counts routers
        flits = totals["Accepted flit rate"] * self.nodes * totals["cycles"]
        return PeerRun(float("nan"), float(accepted.mean()) * others, flits * channels, seconds)

    def _keys(self, load: float, warmup_cycles: int, cycles: int) -> dict[str, str]:
        return {
            **self.network,
            "traffic": "uniform",
            "injection_rate": f"{load * self.nodes / (self.nodes - 1):.6f}",
            "sim_type": "throughput",
            "num_vcs": str(self.vcs),
            "vc_buf_size": str(self.buffer_flits),
            "packet_size": str(self.packet_flits),
            "injection_rate_uses_flits": "1",
            "sample_period": str(cycles // PERIODS),
            "warmup_periods": str(max(1, round(warmup_cycles * PERIODS / cycles))),
            "max_samples": "1000",
            "stopping_thres": NEVER,
            "acc_stopping_thres": NEVER,
            "latency_thres": NEVER,
            "deadlock_warn_timeout": "1000000",
            **self.settings,
        }


def parse_totals(output: str) -> dict[str, float]:
    """Return the program's final output: averages by name, and the duration ``cycles``.

    Raises:
        PeerError: If it has not run to its end.
    """
    overall = output.partition("= Overall Traffic Statistics =")[2]
    cycles = re.search(r"^Time taken is (\d+) cycles", output, re.MULTILINE)
    if cycles is None or not overall:
        raise not_at_its_end("BookSim", output)
    averages = re.findall(r"^(\w[\w ]*?) average = (\S+) \(\d+ samples?\)", overall, re.MULTILINE)
    return {"cycles": float(cycles[1]), **{name: float(value) for name, value in averages}}


def parse_accepted(figures: str) -> np.ndarray:
    """Return the flits that each node accepts per cycle, float[nodes], from the file of BookSim's figures."""
    (numbers,) = re.findall(r"^accepted_flits\(1,:\) = \[([^\]]*)\];", figures, re.MULTILINE)
    return np.array([float(number) for number in numbers.split()])

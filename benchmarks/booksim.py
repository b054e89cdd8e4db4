"""Runs of BookSim2, a flit-exact network simulator in C++, with the same setting as the golden model.

The program is not part of the project. Latency and throughput are of packets to other nodes: BookSim also sends packets
from a node to itself, unlike hosts here. Its figures for each pair of nodes are used to exclude them.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.load import PACKET_FLITS, UNIFORM, Window, senders
from benchmarks.peer_program import PeerError, PeerRun, execute, not_at_its_end

LATENCY, THROUGHPUT = "latency", "throughput"
NEVER = "1000000.0"
"""A threshold beyond all values, so that all runs have the same length. BookSim requires the decimal point."""
FASTEST = "fastest"
LIGHTEST = 0.002  # flits per node and cycle
PERIODS = 3  # measured after thresholds are met


@dataclass(frozen=True)
class Probe:
    """Traffic that determines a packet's latency without contention.

    Parameters
    ----------
    pattern : str
        A pattern of BookSim's in which all packets have routes of equal length.
    links : int
        Channels between switches on each route.
    """

    pattern: str
    links: int


@dataclass(frozen=True)
class PeerNetwork:
    """A network as described to BookSim.

    Parameters
    ----------
    nodes : int
    keys : dict of str to str
        Its topology and routing in BookSim's configuration.
    """

    nodes: int
    keys: dict[str, str]


@dataclass(frozen=True)
class ProbedNetwork(PeerNetwork):
    """A network, and traffic that determines a packet's latency in it without contention.

    Parameters
    ----------
    near, far : Probe
        Of two different lengths.

    Raises
    ------
    ValueError
        If they have equal lengths.
    """

    near: Probe
    far: Probe

    def __post_init__(self):
        if self.near.links == self.far.links:
            names = f"{self.near.pattern} and {self.far.pattern}"
            raise ValueError(f"Ways of {names} must have different lengths, not {self.near.links} links both")


@dataclass(frozen=True)
class BookSim:
    """The program, and a network for it.

    Parameters
    ----------
    program : Path
        Executable.
    network : PeerNetwork
    lanes, buffer_flits : int
        Virtual channels, and flits of each one's buffer.
    settings : dict of str to str
        Keys of its own; default values otherwise.
    packet_flits : int

    Raises
    ------
    PeerError
        If the program does not exist.
    """

    program: Path
    network: PeerNetwork
    lanes: int
    buffer_flits: int
    settings: dict[str, str] = field(default_factory=dict)
    packet_flits: int = PACKET_FLITS

    def __post_init__(self):
        if not self.program.is_file():
            raise PeerError(f"BookSim must be an executable file, not {str(self.program)!r}")

    def run(self, pattern: str, load: float, window: Window, *, kind: str = LATENCY) -> PeerRun:
        """Return one run under one of the project's patterns.

        Parameters
        ----------
        pattern : str
            One of ``load.PATTERNS``.
        load : float
            Flits per sending node and cycle for other nodes.
        window : Window
            Warm-up and measurement; it measures for a multiple of its warm-up.
        kind : str
            ``LATENCY`` keeps figures for each pair, which takes time; ``THROUGHPUT`` is for runs that count CPU time.
        """
        nodes = self.network.nodes
        # of uniform traffic, one packet in as many as there are nodes is for its own node
        offered = load * nodes / (nodes - 1) if pattern == UNIFORM else load
        totals, rows, seconds = self._execute(
            pattern, offered, window, {"sim_type": kind, "pair_stats": str(int(kind == LATENCY))}
        )
        return _figures(pattern, nodes, totals, rows, seconds)

    def zero_load(self, near: Probe, far: Probe, window: Window) -> tuple[float, float]:
        """Return a packet's latency without contention: cycles for each link, and for all else.

        Both are coefficients of the line through the latencies of the fastest packets of two path lengths.
        """
        near_latency, far_latency = (
            self._execute(probe.pattern, LIGHTEST, window, {})[0][FASTEST] for probe in (near, far)
        )
        per_link = (far_latency - near_latency) / (far.links - near.links)
        return per_link, near_latency - per_link * near.links

    def _execute(
        self, pattern: str, offered: float, window: Window, more: dict[str, str]
    ) -> tuple[dict[str, float], dict[str, np.ndarray], float]:
        with tempfile.TemporaryDirectory() as folder:
            figures, config = Path(folder) / "figures", Path(folder) / "config"
            keys = self._keys(window) | {"traffic": pattern, "injection_rate": f"{offered:.6f}", **more}
            keys["stats_out"] = str(figures)
            config.write_text("".join(f"{key} = {value};\n" for key, value in keys.items()))
            output, seconds = execute("BookSim", self.program, [config])
            return parse_totals(output), parse_rows(figures.read_text()), seconds

    def _keys(self, window: Window) -> dict[str, str]:
        return {
            **self.network.keys,
            "num_vcs": str(self.lanes),
            "vc_buf_size": str(self.buffer_flits),
            "packet_size": str(self.packet_flits),
            "injection_rate_uses_flits": "1",
            "sample_period": str(window.cycles // PERIODS),
            "warmup_periods": str(max(1, round(window.warmup * PERIODS / window.cycles))),
            "max_samples": "1000",
            "stopping_thres": NEVER,
            "acc_stopping_thres": NEVER,
            "latency_thres": NEVER,
            "deadlock_warn_timeout": "1000000",
            **self.settings,
        }


def parse_totals(output: str) -> dict[str, float]:
    """Return the program's final output: averages by name, ``FASTEST`` packet, and the duration ``cycles``.

    Raises
    ------
    PeerError
        If it has not run to its end.
    """
    overall = output.partition("= Overall Traffic Statistics =")[2]
    cycles = re.search(r"^Time taken is (\d+) cycles", output, re.MULTILINE)
    fastest = re.search(r"^Packet latency average = .*\n\s*minimum = (\S+)", overall, re.MULTILINE)
    if cycles is None or fastest is None:
        raise not_at_its_end("BookSim", output)
    averages = re.findall(r"^(\w[\w ]*?) average = (\S+) \(\d+ samples?\)", overall, re.MULTILINE)
    return {"cycles": float(cycles[1]), FASTEST: float(fastest[1]), **{name: float(value) for name, value in averages}}


def parse_rows(figures: str) -> dict[str, np.ndarray]:
    """Return the rows of numbers in the file of its figures, by name."""
    rows = re.findall(r"^(\w+)\(1,:\) = \[([^\]]*)\];", figures, re.MULTILINE)
    return {name: np.array([float(number) for number in numbers.split()]) for name, numbers in rows}


def _figures(
    pattern: str, nodes: int, totals: dict[str, float], rows: dict[str, np.ndarray], seconds: float
) -> PeerRun:
    own = np.zeros(nodes) + (1 / nodes if pattern == UNIFORM else 0)  # share of packets from the node itself
    own[~senders(pattern, nodes)] = 1
    accepted = float((rows["accepted_flits"] * (1 - own)).sum() / (own < 1).sum())
    latency = float("nan")
    if "pair_sent" in rows:
        others = ~np.eye(nodes, dtype=bool)
        sent, mean = (rows[name].reshape(nodes, nodes)[others] for name in ("pair_sent", "pair_plat"))
        latency = float((sent * np.where(sent > 0, mean, 0)).sum() / sent.sum()) if sent.sum() else latency
    channels = totals["Hops"] + 1  # BookSim counts routers
    flits = totals["Accepted flit rate"] * nodes * totals["cycles"]
    return PeerRun(latency, accepted, flits * channels, seconds)

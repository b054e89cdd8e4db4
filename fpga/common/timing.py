"""Clock frequency and critical path from nextpnr's ``--report``."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fpga.common.area import ReportError
from fpga.common.wrappers import CORE

# synthesis names wires between two named signals after one of them: "front_LUT4_Z_2_B" is near "front"
_DERIVED = re.compile(r"_(?:LUT4|TRELLIS_\w+?|CCU2C|PFUMX|L6MUX21|DP16KD|SB_[A-Z0-9]+)_(?:[A-Z].*)?$")
# the Verilog numbers nets that have no name in the source
_NUMBERED = re.compile(r"(?:^|[. ])_\d+_(?:\[\d+\])?$")
_ROUTER = re.compile(r"\brouter_s(\d+)\b")
_WRAPPERS = re.compile(rf"^(?:{CORE}(?:\.|__))+")


@dataclass(frozen=True)
class Hop:
    """A step of a path: through a cell, and along the wire behind it.

    Members:
        signal: The wire, by the nearest name that the design gives; ``near X`` if it has none itself.
        logic_ns, routing_ns (float): Delays of cell and wire.
    """

    signal: str
    logic_ns: float
    routing_ns: float


@dataclass(frozen=True)
class Path:
    """A path from a flip-flop to a flip-flop of the same clock.

    Members:
        hops: The last one is the flip-flop at the end, with its set-up time and without a wire.
    """

    hops: tuple[Hop, ...]

    @property
    def logic_ns(self) -> float:
        """Delay in cells."""
        return sum(hop.logic_ns for hop in self.hops)

    @property
    def routing_ns(self) -> float:
        """Delay on wires."""
        return sum(hop.routing_ns for hop in self.hops)

    @property
    def levels(self) -> int:
        """Cells between the two flip-flops."""
        return max(0, len(self.hops) - 2)


@dataclass(frozen=True)
class Timing:
    """Timing reached by nextpnr with one seed.

    Members:
        fmax_mhz: Clock frequency of the slowest clock.
        path: The critical path.
    """

    fmax_mhz: float
    path: Path


def read_timing(text: str) -> Timing:
    """Return the figures in a report of nextpnr.

    Raises:
        ReportError: If the report has another format, or the design has no clock or no path between flip-flops.
    """
    try:
        report = json.loads(text)
        clocks = {name: float(clock["achieved"]) for name, clock in report["fmax"].items()}
        paths = [path["path"] for path in report["critical_paths"] if _within_a_clock(path["from"], path["to"])]
        found = [_path(segments) for segments in paths]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Report of nextpnr is {text[:40]!r}; it must be JSON with clocks and paths") from error
    if not clocks or not found:
        raise ReportError("Report of nextpnr must have a path between flip-flops; this design has none")
    return Timing(min(clocks.values()), max(found, key=lambda path: path.logic_ns + path.routing_ns))


def _within_a_clock(source: str, sink: str) -> bool:
    """Return whether both ends have an edge, of the same clock. Pins without a clock are ``<async>``."""
    return source.split()[0] in ("posedge", "negedge") and source.split()[-1] == sink.split()[-1]


def _path(segments: Sequence[Mapping[str, Any]]) -> Path:
    hops: list[Hop] = []
    logic_ns = 0.0
    for segment in segments:
        if segment["type"] == "routing":
            hops.append(Hop(readable(segment["net"]), logic_ns, float(segment["delay"])))
            logic_ns = 0.0
        else:
            logic_ns += float(segment["delay"])
    hops.append(Hop(own_name(segments[-1]["to"]["cell"]), logic_ns, 0.0))
    return Path(tuple(hops))


def readable(name: str) -> str:
    """Return a wire by the design's own name: without wrappers and without suffixes from synthesis."""
    inside, own = _WRAPPERS.sub("", name), own_name(name)
    return inside if inside.startswith(own + "[") or inside == own else f"near {own}"


def own_name(name: str) -> str:
    """Return the name in the design that a wire or cell is named after."""
    inside = re.sub(r"\[\d+\]$", "", _WRAPPERS.sub("", name))
    return _DERIVED.sub("", inside) or inside


def with_design_names(path: Path, switch_names: Sequence[str]) -> Path:
    """Return a path with the names of the network's description and of the source.

    Parameters:
        switch_names: By number; ``router_s7`` becomes the name of switch 7.

    Returns:
        Wires with only a number in the Verilog are ``near`` the last named wire before them, or the first one behind
            them.
    """
    named = [hop.signal for hop in path.hops if not _NUMBERED.search(hop.signal)]
    hops, near = [], named[0] if named else ""
    for hop in path.hops:
        if _NUMBERED.search(hop.signal):
            signal = f"near {near.removeprefix('near ')}" if near else hop.signal
        else:
            signal = near = hop.signal
        signal = _ROUTER.sub(lambda found: f"switch {switch_names[int(found[1])]}", signal)
        hops.append(replace(hop, signal=signal))
    return Path(tuple(hops))


def path_lines(path: Path) -> list[str]:
    """Return a path as text, one hop per line with the time of arrival at its end."""
    lines = [f"{'ns':>7}{'logic':>8}{'routing':>9}  signal"]
    arrival_ns = 0.0
    for hop in path.hops:
        arrival_ns += hop.logic_ns + hop.routing_ns
        lines.append(f"{arrival_ns:>7.2f}{hop.logic_ns:>8.2f}{hop.routing_ns:>9.2f}  {hop.signal}")
    return lines

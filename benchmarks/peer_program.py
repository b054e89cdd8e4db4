"""Other network simulators as programs: setting, command, cost, and results of a run."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sandbox import children_seconds


class PeerError(Exception):
    """A peer is missing, cannot be built, or has failed; one clear line."""


@dataclass(frozen=True)
class Setting:
    """The setting of all programs: a square mesh, packets of one length, and uniform unicasts.

    Parameters:
        side: Nodes in each dimension.
        flits: Of a packet.
        load: Flits per node and cycle.
        cycles: Cycles in which packets are sent.
    """

    side: int
    flits: int
    load: float
    cycles: int


@dataclass(frozen=True)
class PeerRun:
    """Results of a run.

    Members:
        latency: Mean cycles from creation to the arrival of the tail; nan without packets, or if not measured.
        accepted: Flits that arrived per sending node and cycle.
        flit_hops: Flits over channels, injection and delivery included, in the whole run.
        cpu_seconds: Of the whole process.
    """

    latency: float
    accepted: float
    flit_hops: float
    cpu_seconds: float


def execute(name: str, program: Path, arguments: list[Path]) -> tuple[str, float]:
    """Run a program to its end; return its output and its CPU seconds.

    Its exit code is ignored: BookSim's is meaningless.

    Parameters:
        name: Name of the peer.
        program: Executable.

    Raises:
        PeerError: If it cannot be run.
    """
    before = children_seconds()
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise PeerError(f"{name} cannot be run: {error.strerror}: {program}") from None
    return done.stdout + done.stderr, children_seconds() - before


def not_at_its_end(name: str, output: str) -> PeerError:
    """Return the error of a program with incomplete output, with its last lines."""
    lines = output.strip().splitlines() or ["it printed nothing"]
    return PeerError(f"{name} has not come to its end: {lines[-1]}")

"""Verilog for benches, simulators built from it, and the errors of both."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from topology.common.errors import MachineTrouble
from topology.common.observed import ObservedLayout


class SimulatorFailed(MachineTrouble):
    """A simulator that did not build or did not finish; the message names its log."""


class NotFromRegisters(SimulatorFailed):
    """A module compiled as a block although its outputs depend on its inputs within a cycle."""


@dataclass(frozen=True)
class BenchSource:
    """Verilog for a bench.

    Members:
        top: Name of the top module.
        verilog: All modules.
        public_inputs, public_outputs (tuple of str): Ports of the top that the bench sets or reads.
        shapes: Modules that the top instantiates many times, and whose outputs all come from registers.
        routers: Number of router instances.
        table_words: Words that a bench loads into the chain of table stores under reset.
        observed: Layout of a lock-step harness's observed state in every cycle.
        forced (tuple of (str, str)): Modules and their signals that the bench forces to other values.
    """

    top: str
    verilog: str
    public_inputs: tuple[str, ...]
    public_outputs: tuple[str, ...]
    shapes: tuple[str, ...] = ()
    routers: int = 0
    table_words: tuple[int, ...] = ()
    observed: ObservedLayout | None = None
    forced: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class BuiltSimulator:
    """A built simulator.

    Members:
        name: ``verilator`` or ``icarus``.
        top: Name of the top module.
        folder: Its folder.
        version
        build_seconds: Wall time of the build; 0 if it came from the cache.
        waves: True if it can write a waveform.
        rebuild: Builds it again: another process may drop it before its run.
    """

    name: str
    top: str
    folder: Path
    version: str
    build_seconds: float
    waves: bool
    rebuild: Callable[[], object] | None = field(default=None, repr=False, compare=False)

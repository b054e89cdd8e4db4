"""Verilog that benches run on, simulators that are built of it, and the errors of both."""

from dataclasses import dataclass
from pathlib import Path

from topology.common.observed import ObservedLayout
from topology.common.trouble import MachineTrouble


class SimulatorFailed(MachineTrouble):
    """A simulator did not build or did not finish; the message names its log."""


class NotFromRegisters(SimulatorFailed):
    """A module that was compiled as a block has outputs that depend on its inputs within a cycle."""


@dataclass(frozen=True)
class BenchSource:
    """Verilog that a bench runs on.

    Members
    -------
    top : str
        Name of the top module.
    verilog : str
        All modules.
    public_inputs, public_outputs : tuple of str
        Ports of the top that the bench touches.
    shapes : tuple of str
        Modules that the top instantiates many times, and whose outputs all come from registers.
    routers : int
        Number of router instances.
    table_words : tuple of int
        What a bench loads into the chain of table stores under reset.
    observed : ObservedLayout or None
        What a lock-step harness shows of itself in every cycle.
    forced : tuple of (str, str)
        Modules and signals in them to which the bench gives values of its own.
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
    """A simulator that is ready to run.

    Members
    -------
    name : str
        ``verilator`` or ``icarus``.
    top : str
        Name of the top module.
    folder : Path
        Where it lies.
    version : str
    build_seconds : float
        Wall time of the build; 0 if it was there already.
    waves : bool
        Whether it can write a waveform.
    """

    name: str
    top: str
    folder: Path
    version: str
    build_seconds: float
    waves: bool

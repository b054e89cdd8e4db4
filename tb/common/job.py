"""Inputs and results of a lock-step run; importable without a simulator."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sim_model.messages.messages import Messages
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.common.observed import ObservedLayout

JOB_VARIABLE = "HYDRANOC_JOB"
MAX_COUNTER_LINES = 20
"""Counters that differ in a report."""


@dataclass(frozen=True)
class LockstepJob:
    """Inputs of one comparison.

    Members:
        model (a family's golden model, for `Simulation`)
        messages
        startup_cycles
        cycles: Cycles to compare.
        stop_at_mismatch: False continues after the first difference, for a waveform of later cycles.
        result: File for the `LockstepResult`, as JSON.
        observed: Layout of the hardware's ``observed`` in every cycle.
        progress: File for the number of cycles compared so far.
        counters: The hardware has channel counters: compare them as well, after the last cycle.
        table_words: Words for the chain of table stores before the first cycle.
        hosts: Pauses of sources and stalls of receivers.
        resets: Before these cycles, ascending, the hardware is reset, and the model restarts with the same messages.

    Raises:
        ValueError: If the resets do not ascend from 1 on, or the last one is not before the end.
    """

    model: Any
    messages: Messages
    startup_cycles: int
    cycles: int
    stop_at_mismatch: bool
    result: str
    progress: str
    observed: ObservedLayout
    counters: bool = False
    table_words: tuple[int, ...] = ()
    hosts: HostBehaviour = EAGER
    resets: tuple[int, ...] = ()

    def __post_init__(self):
        runs_between(self.resets, self.cycles)

    @property
    def runs(self) -> list[int]:
        """Cycles from each reset to the next one, or to the end."""
        return runs_between(self.resets, self.cycles)


@dataclass
class LockstepResult:
    """Results of one comparison.

    Members:
        compared_cycles: Cycles in which everything was compared.
        mismatches: 0, or 1: the first difference stops the run.
        mismatch_cycle
        report: The difference, and the model's state of the routers around it.
        cpu_seconds: CPU time of the loop, model included.
        compared_counters: Channel counters that were compared.
    """

    compared_cycles: int = 0
    mismatches: int = 0
    mismatch_cycle: int | None = None
    report: str | None = None
    cpu_seconds: float = 0.0
    compared_counters: int = 0


def runs_between(resets: tuple[int, ...], cycles: int) -> list[int]:
    """Return the cycles from each reset to the next one, or to the end.

    Parameters:
        resets: As in ``LockstepJob``.
        cycles: All cycles to be compared.

    Raises:
        ValueError: If the resets do not ascend from 1 on, or the last one is not before the end.
    """
    if sorted({0, *resets, cycles}) != [0, *resets, cycles]:
        raise ValueError(f"resets is {resets!r}; it must ascend from 1 to less than {cycles}")
    return [end - start for start, end in pairwise((0, *resets, cycles))]

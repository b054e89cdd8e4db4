"""Holds a harness against its golden model through the program around it: the same rows as under cocotb.

The model records a chunk of cycles, the bench's own rules say what hosts offer in them, and the expected rows go to the
program together, as bits. Nothing is left out of a row. Channel counters and tables that are loaded are compared by
``hydranoc compare`` alone.
"""

import time
from collections.abc import Callable, Iterator

from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.direct.process import DirectBench, Setting, row_text
from sim_model.common.engine.state import Trace
from sim_model.common.simulation import Simulation
from tb.common.descriptors import Descriptors
from tb.common.expectation import Expectation
from tb.common.host_rules import HostRules
from tb.common.hosts import blocked_by_cycle
from tb.common.job import LockstepResult
from tb.common.message_flits import MessageFlits
from tb.common.report import MismatchReport
from topology.common.observed import ObservedLayout

CHUNK_CYCLES = 1021
"""A prime number: whoever looks behind every chunk sees hardware with any rhythm of its own in all its phases."""
Watcher = Callable[[Simulation, Trace], None]
"""Sees the model behind every chunk, and what it recorded."""


def compare_directly(
    comparison: Comparison, bench: DirectBench, watch: Watcher | None = None, quiet_cycles: int | None = None
) -> LockstepResult:
    """Compare hardware and golden model in every cycle, from reset on; the first difference ends it.

    Parameters
    ----------
    comparison : Comparison
        Its harness is the bench's. Without channel counters, loaded tables and resets.
    bench : DirectBench
        Used again and again: it is reset first.
    watch : callable or None
    quiet_cycles : int or None
        Stop so many cycles behind the chunk in which the network becomes empty, or deadlocked, if that is before the
        comparison's last cycle. None: never before.

    Raises
    ------
    ValueError
        If the comparison asks for what only cocotb's bench does.
    SimulatorFailed
        If the process ends.
    """
    layout, harness = comparison.harness.observed, comparison.harness
    if layout is None or harness.table_words or comparison.resets or "counters_data" in harness.public_outputs:
        raise ValueError("Only networks without counters, loadable tables and resets can be compared directly")
    run = _Run(comparison, bench, layout)
    started = time.process_time()
    while run.result.compared_cycles < comparison.cycles and not run.result.mismatches:
        run.chunk(min(CHUNK_CYCLES, comparison.cycles - run.result.compared_cycles), watch)
        if quiet_cycles is not None and run.at_rest and not run.result.mismatches:
            run.chunk(quiet_cycles, watch)
            break
    run.result.cpu_seconds = time.process_time() - started
    return run.result


class _Run:
    """One comparison from its first cycle on."""

    def __init__(self, comparison: Comparison, bench: DirectBench, layout: ObservedLayout):
        self._comparison, self._bench, self._layout = comparison, bench, layout
        model, messages, hosts = comparison.model, comparison.messages, comparison.hosts
        self._flits = MessageFlits(model, messages)
        self._simulation = self._new_simulation()
        self._expectation = Expectation(self._flits, self._layout)
        self._descriptors = Descriptors(self._flits, model.routing.header.multicast_flits)
        self._rules = HostRules(model.network, messages, comparison.startup_cycles, hosts)
        self._ports = [f"message_{name}" for name in model.network.injection_names]
        self._blocked, self._offering = blocked_by_cycle(model.network, hosts), False
        self.result = LockstepResult()
        levels = (("hosts_seed", hosts.seed), ("pause_level", hosts.pause_level), ("stall_level", hosts.stall_level))
        bench.run(1, [(0, name, value) for name, value in (*levels, ("blocked", 0))])
        bench.reset()

    def _new_simulation(self) -> Simulation:
        comparison = self._comparison
        return Simulation(comparison.model, comparison.messages, comparison.startup_cycles, hosts=comparison.hosts)

    @property
    def at_rest(self) -> bool:
        """Whether nothing will ever move again."""
        return self._simulation.finished or self._simulation.deadlocked

    def chunk(self, cycles: int, watch: Watcher | None) -> None:
        """Compare so many cycles more."""
        first = self._simulation.cycle
        recording = self._simulation.record(cycles)
        expected = self._expectation.packed_rows(recording, self._bench.row_bytes)
        offered = self._rules.offers(first, recording)
        settings = sorted([*self._offers(offered, cycles), *self._blockades(first, cycles)], key=lambda item: item[0])
        difference = self._bench.run(cycles, settings, expected)
        if difference is None:
            self.result.compared_cycles += cycles
            if watch:
                watch(self._simulation, recording)
        else:
            row, seen = difference
            self._differs(
                first + row, row_text(seen, self._layout.bits), row_text(expected[row].tobytes(), self._layout.bits)
            )

    def _offers(self, offered: dict[int, list[tuple[int, int]]], cycles: int) -> Iterator[Setting]:
        """An offer stands for one cycle, in which it must be taken."""
        rows = sorted(row for row, offers in offered.items() if offers)
        ends = {row + 1 for row in rows} | ({0} if self._offering else set())
        for row in sorted({*rows, *ends}):
            valid = 0
            for injector, message in offered.get(row, ()):
                yield row, self._ports[injector], self._descriptors.pack(message)
                valid |= 1 << injector
            if row < cycles:
                yield row, "message_valid", valid
        self._offering = bool(rows) and rows[-1] == cycles - 1

    def _blockades(self, first: int, cycles: int) -> Iterator[Setting]:
        for cycle in self._blocked:
            if first <= cycle < first + cycles:
                yield cycle - first, "blocked", self._blocked[cycle]

    def _differs(self, cycle: int, seen: str, expected: str) -> None:
        self.result.compared_cycles = cycle
        self.result.mismatches, self.result.mismatch_cycle = 1, cycle
        report = MismatchReport(self._new_simulation(), self._flits, self._layout)
        self.result.report = report.of(cycle, cycle, seen, expected)

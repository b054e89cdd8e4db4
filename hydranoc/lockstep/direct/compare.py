"""Comparison of a harness with its golden model through the program around it, with the same rows as under cocotb.

The model records a chunk of cycles, the bench's rules give the hosts' offers in them, and the expected rows go to the
program together, as bits. Rows are complete.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from hydranoc.lockstep.bench_source import BuiltSimulator
from hydranoc.lockstep.comparison import Comparison
from hydranoc.lockstep.direct.process import (
    RESET_CYCLES,
    DirectBench,
    PackedSettings,
    Setting,
    read_counters,
    reset,
    rest_counters,
    row_text,
    set_hosts,
)
from hydranoc.reports.progress import Progress
from sim_model.engines.cycle.state import NEVER, Trace
from sim_model.engines.simulation import Simulation
from tb.common.counter_values import counter_differences, expected_counters
from tb.common.descriptors import Descriptors
from tb.common.expectation import Expectation
from tb.common.host_rules import HostRules
from tb.common.hosts import blocked_by_cycle
from tb.common.job import MAX_COUNTER_LINES, LockstepResult, runs_between
from tb.common.message_flits import MessageFlits
from tb.common.report import MismatchReport
from topology.common.observed import ObservedLayout

CHUNK_CYCLES = (8191, 4093, 2039, 1021)
"""Cycles of a chunk, prime numbers: samples after each chunk cover all phases of periodic hardware."""
CHUNK_HOPS = 1 << 18
"""Most cycles times hops of a chunk, unless it is of the shortest kind: more would not stay in the caches."""
WAVE_FILE = "waves.vcd"
COMPARING = "compare"
"""Name of the work while both sides run."""
Watcher = Callable[[Simulation, Trace], None]
"""Callback after every chunk, with the model and its recording."""


def chunk_cycles(hops: int) -> int:
    """Return the cycles of a chunk in a network with a number of channels and stages."""
    return next((cycles for cycles in CHUNK_CYCLES if cycles * hops <= CHUNK_HOPS), CHUNK_CYCLES[-1])


def compare_directly(
    comparison: Comparison,
    bench: DirectBench,
    watch: Watcher | None = None,
    quiet_cycles: int | None = None,
    *,
    wave_first: int | None = None,
    progress: Progress | None = None,
) -> LockstepResult:
    """Compare hardware and golden model in every cycle, from reset on; the first difference ends it.

    Parameters:
        comparison: With the bench's harness. If it does not stop at a mismatch, rows are not compared: it is for a
            waveform.
        bench: Reusable: it is reset first.
        watch (callable or None)
        quiet_cycles: Cycles to compare after the chunk in which the network becomes empty or deadlocked, if they end
            before the comparison's last cycle. None compares all cycles.
        wave_first: First cycle of the waveform, which lasts to the end; 0 includes the reset. None writes none.

    Raises:
        ValueError: If the harness does not have the observed state to compare.
        SimulatorFailed: If the process ends.
    """
    if comparison.harness.observed is None:
        raise ValueError("harness has no output observed; only a lock-step harness can be compared")
    run = _Run(comparison, bench, comparison.harness.observed, wave_first)
    run.load()  # compiled code, which is not part of the timing
    started, started_there = time.process_time(), bench.cpu_seconds
    run.whole(watch, quiet_cycles, progress)
    run.result.cpu_seconds = time.process_time() - started + bench.cpu_seconds - started_there
    return run.result


def run_directly(
    comparison: Comparison, built: BuiltSimulator, folder: Path, wave_first: int | None, progress: Progress | None
) -> tuple[LockstepResult, Path | None]:
    """Compare in a new process.

    Parameters:
        built: Result of ``build_directly`` for its harness.
        folder: Folder of the waveform, if there is one.
        wave_first: As for ``compare_directly``; the simulator must be built for waves.

    Returns:
        LockstepResult
        waveform (Path or None)
    """
    folder.mkdir(parents=True, exist_ok=True)
    wave = None if wave_first is None else folder.absolute() / WAVE_FILE
    with DirectBench(comparison.harness, built, wave) as bench:
        result = compare_directly(comparison, bench, wave_first=wave_first, progress=progress)
    return result, wave if wave and wave.exists() else None


class _Run:
    """One comparison from its first cycle on."""

    def __init__(self, comparison: Comparison, bench: DirectBench, layout: ObservedLayout, wave_first: int | None):
        self._comparison, self._bench, self._layout = comparison, bench, layout
        self._wave_first = NEVER if wave_first is None else wave_first
        self._counters = "counters_data" in comparison.harness.public_outputs
        model = comparison.model
        self._flits = MessageFlits(model, comparison.messages)
        self._expectation = Expectation(self._flits, self._layout)
        self._descriptors = Descriptors(self._flits, model.routing.header.multicast_flits)
        self._ports = [f"message_{name}" for name in model.network.injection_names]
        self._port_numbers = np.array([bench.port_number(port) for port in self._ports])
        self._valid_port = bench.port_number("message_valid")
        self._blocked = blocked_by_cycle(model.network, comparison.hosts)
        self._most_cycles, self._end = chunk_cycles(layout.hops), 0
        self.result = LockstepResult()
        self._simulation = self._new_simulation()

    def _new_simulation(self) -> Simulation:
        job = self._comparison
        return Simulation(job.model, job.messages, job.startup_cycles, count_channels=self._counters, hosts=job.hosts)

    def _new_rules(self) -> HostRules:
        job = self._comparison
        return HostRules(job.model.network, job.messages, job.startup_cycles, job.hosts)

    def load(self) -> None:
        """Load all compiled code."""
        recording = self._simulation.record(0)
        self._expectation.packed_rows(recording, self._bench.row_bytes)
        self._new_rules().offers(0, recording)

    def whole(self, watch: Watcher | None, quiet_cycles: int | None, progress: Progress | None) -> None:
        """Compare all cycles, with the resets between them."""
        for number, cycles in enumerate(runs_between(self._comparison.resets, self._comparison.cycles)):
            self._begin(again=number > 0)
            self._end = self.result.compared_cycles + cycles
            while self.result.compared_cycles < self._end and not self.result.mismatches:
                if progress:
                    progress(COMPARING, self.result.compared_cycles, self._comparison.cycles)
                self._chunk(self._chunk_cycles(), watch)
                if quiet_cycles is not None and self._at_rest and not self.result.mismatches:
                    self._chunk(quiet_cycles, watch)
                    break
            if self.result.mismatches:
                return
        if self._counters:
            self._compare_counters()

    def _begin(self, *, again: bool) -> None:
        """Reset hardware and model."""
        job, dumped = self._comparison, self._dumped
        if again:
            self._simulation = self._new_simulation()
        self._offering = False
        self._rules = self._new_rules()
        if not again:
            set_hosts(self._bench, job.hosts, dumped=dumped)
        if self._counters:
            rest_counters(self._bench)
        # in a longer one, state without a reset would settle by itself
        words, cycles = ((), 1) if again else (job.harness.table_words, RESET_CYCLES)
        reset(self._bench, words, cycles, dumped=dumped)

    @property
    def _at_rest(self) -> bool:
        """True if no flit can move any more."""
        return self._simulation.finished or self._simulation.deadlocked

    @property
    def _dumped(self) -> bool:
        """True if the next cycle is in the waveform."""
        return self.result.compared_cycles >= self._wave_first

    def _chunk_cycles(self) -> int:
        """Return the cycles of the next chunk, which lies wholly inside or outside of the waveform."""
        end = self._end if self._dumped else min(self._end, self._wave_first)
        return min(self._most_cycles, end - self.result.compared_cycles)

    def _chunk(self, cycles: int, watch: Watcher | None) -> None:
        """Compare the next cycles."""
        first = self._simulation.cycle
        recording = self._simulation.record(cycles)
        expected = self._expectation.packed_rows(recording, self._bench.row_bytes)
        offered = self._rules.offers(first, recording)
        settings = list(self._blockades(first, cycles))
        if self._counters and first == 0:
            settings.append((0, "counters_enable", 1))
        compared = expected if self._comparison.stop_at_mismatch else None
        more = [self._descriptors_of(offered), self._validity(offered, cycles)]
        difference = self._bench.run(cycles, settings, compared, more=more, dumped=self._dumped)
        if difference is None:
            self.result.compared_cycles += cycles
            if watch:
                watch(self._simulation, recording)
        else:
            row, seen = difference
            texts = (row_text(bits, self._layout.bits) for bits in (seen, expected[row].tobytes()))
            self._differs(first, row, *texts)

    def _descriptors_of(self, offers: np.ndarray) -> PackedSettings:
        """Return the settings of offered descriptors."""
        row, injector, message = offers.T
        size = self._bench.port_bytes(self._ports[0])
        descriptors = [one.to_bytes(size, "little") for one in self._descriptors.pack_all(message.tolist())]
        values = np.frombuffer(b"".join(descriptors), dtype=np.uint8).reshape(-1, size)
        return self._bench.packed(row, self._port_numbers[injector], values)

    def _validity(self, offers: np.ndarray, cycles: int) -> PackedSettings:
        """Return the settings of ``message_valid``: an offer lasts one cycle, in which the network must accept it."""
        row, injector, _ = offers.T
        offering = np.zeros((cycles + 1, self._bench.port_bytes("message_valid")), dtype=np.uint8)
        np.bitwise_or.at(offering, (row, injector >> 3), (1 << (injector & 7)).astype(np.uint8))
        changes = np.unique([*row, *(row + 1), *([0] if self._offering else ())]).astype(np.int64)
        changes = changes[changes < cycles]
        self._offering = bool(len(row)) and row[-1] == cycles - 1
        return self._bench.packed(changes, np.full(len(changes), self._valid_port), offering[changes])

    def _blockades(self, first: int, cycles: int) -> Iterator[Setting]:
        for cycle in self._blocked:
            if first <= cycle < first + cycles:
                yield cycle - first, "blocked", self._blocked[cycle]

    def _differs(self, first: int, row: int, seen: str, expected: str) -> None:
        result, cycle = self.result, self.result.compared_cycles + row
        result.compared_cycles, result.mismatches, result.mismatch_cycle = cycle, 1, cycle
        report = MismatchReport(self._new_simulation(), self._flits, self._layout)
        result.report = report.of(first + row, cycle, seen, expected)

    def _compare_counters(self) -> None:
        expected = expected_counters(self._simulation)
        channels = len(self._simulation.model.network.channels)
        seen = read_counters(self._bench, channels, [address for address, _, _ in expected])
        self.result.compared_counters = len(expected)
        differences = counter_differences(seen, expected)
        if differences:
            self.result.mismatches = 1
            self.result.report = "\n".join(["channel counters differ", *differences[:MAX_COUNTER_LINES]])

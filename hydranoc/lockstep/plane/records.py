"""Recordings of the golden model of a plane as rows of the hardware's inputs and observed bits, in blocks of cycles."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hydranoc.lockstep.plane.comparison import PlaneComparison, PlaneRun
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.rows.packing import Block, Columns, filled
from sim_model.collective_plane.parameters import ClearErrors
from sim_model.collective_plane.state import GROUP_SHIFT, LAST
from sim_model.collective_plane.trace import PlaneTrace


class RunRecords:
    """Records of one run, from its first cycle on.

    Parameters:
        comparison
        run: One of its runs.
        fields: Of its hardware.

    Members:
        models: The golden model, which runs along.
    """

    def __init__(self, comparison: PlaneComparison, run: PlaneRun, fields: PlaneFields):
        self.models = comparison.models(run)
        self._comparison, self._fields, self._cycles = comparison, fields, run.cycles
        self._tree, self._plane = comparison.tables.tree, comparison.parameters
        clears = [event for event in run.events if isinstance(event, ClearErrors)]
        self._clears = sorted(clears, key=lambda event: event.cycle)
        self._under_way = np.zeros((0, 0), dtype=np.uint64)
        self._resets = np.zeros(0, dtype=bool)
        self._names = _Names(comparison)
        self._word_mask = np.uint64((1 << self._plane.word_bits) - 1)

    def blocks(self, block_cycles: int) -> Iterator[Block]:
        """Yield the rows of all cycles, recorded block by block.

        Parameters:
            block_cycles: Cycles of a block; the last one may have fewer.
        """
        for done in range(0, self._cycles, block_cycles):
            yield self._block(min(block_cycles, self._cycles - done))

    def _block(self, cycles: int) -> Block:
        first = self.models[0].cycle
        traces = [model.record(cycles) for model in self.models]
        given = filled(self._fields.input_packing, cycles, self._inputs(traces, first))
        registers = [*self._registers(traces), *self._link_stages(traces)]
        expected = filled(self._fields.observed_packing, cycles, registers, every=True)
        return Block(self._fields.input_packing.pack(given), self._fields.observed_packing.pack(expected))

    def _inputs(self, traces: Sequence[PlaneTrace], first: int) -> Iterator[Columns]:
        names, trace = self._names, traces[0]
        lines = len(trace.resets)
        yield ("rst",), trace.resets[:, None]
        yield ("flush",), _groups([one.flushes[:, None] for one in traces])
        yield ("timeout",), np.full((lines, 1), self._comparison.timeout_cycles)
        yield names.requests, _groups([one.requests for one in traces])
        yield names.takes, trace.takes
        valid = trace.beat_marks >= 0
        marks = np.where(valid, trace.beat_marks, 0)
        yield names.offers, valid
        yield names.lasts, marks & LAST
        yield names.dests, marks >> GROUP_SHIFT
        yield names.beats, self._words(trace.beat_words)
        yield names.operators, np.where(valid, trace.beat_operators, 0)
        yield names.clears, self._clear_rows(first, lines)

    def _clear_rows(self, first: int, lines: int) -> np.ndarray:
        """Return the masks that are written in each cycle: mismatches of all switches, then timeouts."""
        tree, rows = self._tree, np.zeros((lines, 2 * len(self._tree.switches)), dtype=np.uint64)
        cycles = [event.cycle for event in self._clears]
        for event in self._clears[np.searchsorted(cycles, first) : np.searchsorted(cycles, first + lines)]:
            row, width = tree.position[event.switch], len(tree.branches_of(event.switch))
            for column, mask in ((row, event.mismatches), (len(tree.switches) + row, event.timeouts)):
                rows[event.cycle - first, column] |= np.uint64(mask & (1 << width) - 1)
        return rows

    def _words(self, words: np.ndarray) -> np.ndarray:
        return words.view(np.uint64) & self._word_mask

    def _registers(self, traces: Sequence[PlaneTrace]) -> Iterator[Columns]:
        """Yield the registers of switches and endpoints."""
        names, trace = self._names, traces[0]
        if self._plane.barriers_only:
            yield names.ups, _groups([one.up_marks >= 0 for one in traces])
            yield names.downs, _groups([one.down_marks >= 0 for one in traces])
        else:
            yield from self._word(names.ups, trace.up_marks, trace.up_words)
            bank = (*_marks(trace.down_marks), self._words(trace.down_words))
            ports = np.array([branch.port for branch in self._tree.branches], dtype=np.uint64)
            valid, marks, words = (
                np.bitwise_or.reduceat(part, names.first_branch, axis=1) for part in (bank[0] << ports, *bank[1:])
            )
            yield _parts(names.banks, "valid"), valid
            yield _parts(names.banks, "marks"), marks
            yield _parts(names.banks, "word"), words
            yield from self._word(names.results, trace.result_marks, trace.result_words)
        yield names.up_credits, _groups([one.up_credits for one in traces])
        yield names.down_credits, _groups([one.down_credits for one in traces])
        yield names.mismatches, trace.mismatches
        yield names.timeouts, np.bitwise_or.reduce([one.timeouts for one in traces])
        yield names.ready, trace.ready
        yield names.done, _groups([one.done for one in traces])
        yield names.done_error, _groups([one.done_error for one in traces])

    def _word(self, names: Sequence[str], marks: np.ndarray, words: np.ndarray) -> Iterator[Columns]:
        valid, bits = _marks(marks)
        yield _parts(names, "valid"), valid
        yield _parts(names, "marks"), bits
        yield _parts(names, "word"), self._words(words)

    def _link_stages(self, traces: Sequence[PlaneTrace]) -> Iterator[Columns]:
        """Yield the registers inside links between switches: what their ends had some cycles ago, or 0 after a reset.

        The last rows of each block are kept for the next one.
        """
        stages, ends, resets = self._plane.link_cycles - 1, self._ends(traces), traces[0].resets != 0
        if not stages:
            return
        if not self._under_way.size:
            self._under_way = np.zeros((stages, ends.shape[1]), dtype=np.uint64)
            self._resets = np.zeros(stages, dtype=bool)
        lines, ends = len(ends), np.concatenate((self._under_way, ends))
        resets = np.concatenate((self._resets, resets))
        lost = np.zeros(lines, dtype=bool)
        for k in range(1, stages + 1):
            begin = stages - k
            lost = lost | resets[begin : begin + lines]
            yield self._names.stages[k - 1], np.where(lost[:, None], np.uint64(0), ends[begin : begin + lines])
        self._under_way, self._resets = ends[-stages:], resets[-stages:]

    def _ends(self, traces: Sequence[PlaneTrace]) -> np.ndarray:
        """Return what goes into the links between switches, in the order of ``_Names.stages``."""
        trace, children = traces[0], self._names.children
        if self._plane.barriers_only:
            ways = _groups([one.up_marks >= 0 for one in traces]), _groups([one.down_marks >= 0 for one in traces])
            return np.concatenate([way[:, children] for way in ways], axis=1)
        found = []
        for marks, words in ((trace.up_marks, trace.up_words), (trace.down_marks, trace.down_words)):
            found += [*_marks(marks[:, children]), self._words(words[:, children])]
        found += [credits[:, children].astype(np.uint64) for credits in (trace.up_credits, trace.down_credits)]
        return np.concatenate(found, axis=1)


class _Names:
    """Names of inputs and of parts of observed fields, in the order of the arrays of a recording.

    children: Branches that are switches.
    first_branch: First branch of each switch.
    stages: Names of the columns of ``RunRecords._ends``, for each stage.
    """

    def __init__(self, comparison: PlaneComparison):
        tree, plane = comparison.tables.tree, comparison.parameters
        processors = range(len(tree.processors))
        self.requests = _each("barrier_request_n{}", processors)
        self.takes = _each("m_axis_n{}_tready", processors)
        self.offers, self.lasts, self.dests, self.beats, self.operators = (
            _each(f"s_axis_n{{}}_{wire}", processors) for wire in ("tvalid", "tlast", "tdest", "tdata", "tuser")
        )
        self.clears = _each("clear_mismatches_s{}", tree.switches) + _each("clear_timeouts_s{}", tree.switches)
        lower = [f"{'p' if branch.is_processor else 's'}{branch.number}" for branch in tree.branches]
        self.ups = _each("{}_up", lower)
        self.downs = [f"s{branch.switch}_down.{branch.port}" for branch in tree.branches]
        self.up_credits = [f"s{branch.switch}_up_credits_{branch.port}" for branch in tree.branches]
        self.down_credits = [
            f"{name}_{'down' if branch.is_processor else 'parent'}_credits"
            for name, branch in zip(lower, tree.branches, strict=True)
        ]
        self.first_branch = [number for number, branch in enumerate(tree.branches) if branch.port == 0]
        self.banks = [f"s{tree.branches[number].switch}_down" for number in self.first_branch]
        self.results, self.ready, self.done, self.done_error = (
            _each(f"p{{}}_{field}", processors)
            for field in ("result", "s_axis_tready", "barrier_done", "barrier_error")
        )
        self.mismatches, self.timeouts = (_each(f"s{{}}_{mask}", tree.switches) for mask in ("mismatches", "timeouts"))
        self.children = [number for number, branch in enumerate(tree.branches) if not branch.is_processor]
        links = [lower[number] for number in self.children]
        self.stages = [self._stage(links, k, plane.barriers_only) for k in range(1, plane.link_cycles)]

    def _stage(self, links: Sequence[str], k: int, barriers_only: bool) -> list[str]:
        ways = [_each(f"link_{way}_{{}}_{k}", links) for way in ("up", "down")]
        if barriers_only:
            return [name for way in ways for name in way]
        found = [name for way in ways for part in PARTS for name in _parts(way, part)]
        return found + [name for way in ("up", "down") for name in _each(f"credits_{way}_{{}}_{k}", links)]


PARTS = ("valid", "marks", "word")


def _each(pattern: str, numbers: Iterable[object]) -> list[str]:
    return [pattern.format(number) for number in numbers]


def _parts(names: Sequence[str], part: str) -> list[str]:
    return [f"{name}.{part}" for name in names]


def _marks(marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``valid`` and the other marks of words, which are 0 without one."""
    return (marks >= 0).astype(np.uint64), np.maximum(marks, 0).astype(np.uint64)


def _groups(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return masks of groups: those of the only trace, or a bit from the trace of each group."""
    found = columns[0].astype(np.uint64)
    for group, column in enumerate(columns[1:], 1):
        found |= column.astype(np.uint64) << np.uint64(group)
    return found

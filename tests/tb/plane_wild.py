"""Inputs of a collective plane that no host of the golden model gives, and its registers by the plain reference.

Beats are withdrawn, and go on in flushes and after them; barriers are requested beyond the window; members call
operations of any length in any order.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hydranoc.lockstep.plane.comparison import PlaneComparison
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.rows.packing import Block, Field
from tests.sim_model.plane_reference import Beat, Inputs, PlaneReference, Word

Row = dict[str, int]
"""Values by name; those that are 0 may be left out."""


class WildRun:
    """A run of a plane with operators.

    Parameters:
        job: Comparison of the plane; its own runs do not count.
        cycles
        seed
        busy: Share of the cycles in which a member does something.
    """

    def __init__(self, job: PlaneComparison, cycles: int, seed: int, busy: float = 0.5):
        self.cycles = cycles
        self.job, self.plane, self.random, self.busy = job, job.parameters, np.random.default_rng(seed), busy
        self.reference = PlaneReference(job.tables, job.model_parameters)
        self.groups_of = {
            i: [group.number for group in job.tables.groups if i in group.members]
            for i in range(len(job.tables.tree.processors))
        }
        self.flush_ends: dict[int, int] = {}
        self.reset_end = 0

    def blocks(self) -> list[Block]:
        """Return all rows."""
        fields, rows = PlaneFields(self.job.plan), list(self._rows())
        return [
            Block(
                _packed((inputs for inputs, _ in rows), fields.ports),
                _packed((registers for _, registers in rows), fields.observed),
            )
        ]

    def _rows(self) -> Iterator[tuple[Row, Row]]:
        """Yield inputs and observed registers of all cycles."""
        for cycle in range(self.cycles):
            inputs = self._inputs(cycle)
            yield self._input_row(inputs), self._registers()
            self.reference.step(inputs)

    def _inputs(self, cycle: int) -> Inputs:
        random, plane = self.random, self.plane
        for group in range(plane.groups):
            if random.random() < 0.01 and self.flush_ends.get(group, -1) < cycle:
                self.flush_ends[group] = cycle + plane.link_cycles + 3 + int(random.integers(0, 4))
        if random.random() < 0.005:
            self.reset_end = cycle + int(random.integers(1, 4))
        beats, requests = {}, {}
        for i, own in self.groups_of.items():
            if own and random.random() < self.busy:
                beats[i] = Beat(
                    int(random.choice(own)),
                    int(random.choice(8 if len(plane.operators) > 1 else plane.operators)),
                    int(random.integers(0, 1 << plane.word_bits, dtype=np.uint64)),
                    bool(random.random() < 0.5),
                )
            requests[i] = {group for group in own if random.random() < self.busy / 4}
        return Inputs(
            beats=beats,
            requests=requests,
            takes={i for i in self.groups_of if random.random() < 0.7},
            flushes={group for group, end in self.flush_ends.items() if cycle < end},
            reset=cycle < self.reset_end,
            clears={
                switch: (int(random.integers(0, 1 << 31)), int(random.integers(0, 1 << 31)))
                for switch in self.job.tables.tree.switches
                if random.random() < 0.3
            },
        )

    def _input_row(self, inputs: Inputs) -> Row:
        row = {"rst": int(inputs.reset), "flush": _mask(inputs.flushes), "timeout": self.job.timeout_cycles}
        for i in self.groups_of:
            row[f"barrier_request_n{i}"] = _mask(inputs.requests[i])
            row[f"m_axis_n{i}_tready"] = int(i in inputs.takes)
        for i, beat in inputs.beats.items():
            row |= {
                f"s_axis_n{i}_tvalid": 1,
                f"s_axis_n{i}_tdata": beat.word,
                f"s_axis_n{i}_tlast": int(beat.last),
                f"s_axis_n{i}_tdest": beat.group,
                f"s_axis_n{i}_tuser": beat.operator,
            }
        for switch, (mismatches, timeouts) in inputs.clears.items():
            row |= {f"clear_mismatches_s{switch}": mismatches, f"clear_timeouts_s{switch}": timeouts}
        return row

    def _bits(self, word: Word | None, valid: int = 1) -> int:
        if word is None or not valid:
            return 0
        bits, position = word.word, self.plane.word_bits
        fields = (word.last, 1), (word.error, 1), (word.group, self.plane.group_bits), (valid, 1)
        for value, width in fields:
            bits |= int(value) << position
            position += width
        return bits

    def _registers(self) -> Row:
        old, tree, row = self.reference.registers, self.job.tables.tree, {}
        stages = range(self.plane.link_cycles - 1)
        for branch in tree.branches:
            number, switch, port = branch.number, branch.switch, branch.port
            credits = old["credits_down", switch].get(port, ())
            row[f"s{switch}_up_credits_{port}"] = _mask(credits)
            if branch.is_processor:
                row[f"p{number}_up"] = self._bits(old["link", number])
                row[f"p{number}_down_credits"] = _mask(old["credits", number])
                continue
            row[f"s{number}_up"] = self._bits(old["up_out", number])
            row[f"s{number}_parent_credits"] = _mask(old["credits_up", number])
            for k in stages:
                ports, word = old["bank_stages", switch][k]
                row |= {
                    f"link_up_s{number}_{k + 1}": self._bits(old["up_stages", number][k]),
                    f"link_down_s{number}_{k + 1}": self._bits(word, int(port in ports)),
                    f"credits_up_s{number}_{k + 1}": _mask(old["credits_down_stages", switch][k].get(port, ())),
                    f"credits_down_s{number}_{k + 1}": _mask(old["credits_up_stages", number][k]),
                }
        for switch in tree.switches:
            ports, word = old["bank", switch]
            row[f"s{switch}_down"] = self._bits(word, _mask(ports))
            row |= {f"s{switch}_{name}": old[name, switch] for name in ("mismatches", "timeouts")}
        for i in self.groups_of:
            row[f"p{i}_s_axis_tready"] = int(old["ready", i])
            row[f"p{i}_result"] = self._bits(old["result", i])
            row[f"p{i}_barrier_done"] = _mask(old["done", i])
            row[f"p{i}_barrier_error"] = _mask(group for group, error in old["done", i].items() if error)
        return row


def _mask(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def _packed(rows: Iterable[Row], fields: Sequence[Field]) -> np.ndarray:
    size = -(-sum(bits for _, bits in fields) // 8)
    return np.array([list(_bits_of(row, fields).to_bytes(size, "little")) for row in rows], dtype=np.uint8)


def _bits_of(row: Row, fields: Sequence[Field]) -> int:
    found = position = 0
    for name, width in fields:
        found |= (row.get(name, 0) & (1 << width) - 1) << position
        position += width
    return found

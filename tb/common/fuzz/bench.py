"""Bench of a router whose neighbours break the rules of worms, and then keep them again.

Each sequence has three parts: flits with random data, heads and tails at random places, at all inputs at once; then a
tail at each input, which ends open worms, or a reset; then sound worms at all inputs, which must come out whole and
unmixed. For any input, every output emits whole worms, one after the other.
"""

import os
import pickle
import random
from collections import deque
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.common.fuzz.job import JOB_VARIABLE, FuzzJob, SoundWorm
from topology.common.flits import FlitFormat

PAUSES = (0.0, 0.3, 0.8)
MAX_NOISE_FLITS = 16
PATIENCE_CYCLES = 20_000
RESET_CYCLES = 2


class Broken(AssertionError):
    """The router violated its contract."""


class Neighbours:
    """Drives all links of a router through the ports of ``tests.tb.test_fuzz``.

    Members:
        waiting (list of deque of int): Flits still to be sent, by input.
        came (list of list of int): Worms that came out since the last ``forget``, by output: tuples of data.
    """

    def __init__(self, dut, job: FuzzJob, numbers: random.Random):
        self._dut, self._numbers = dut, numbers
        self._format = FlitFormat(job.flit_bits)
        self._inputs, self._outputs = len(job.worms), job.outputs
        self._longest = job.longest_worm
        self.waiting: list[deque[int]] = [deque() for _ in job.worms]
        self.came: list[list[tuple[int, ...]]] = [[] for _ in range(job.outputs)]
        self._open: list[list[int] | None] = [None] * job.outputs
        self._offered = 0
        self._falling = FallingEdge(dut.clk)
        self.pause, self.stall, self.watching = 0.0, 0.0, True
        self.quiet = 0

    async def reset(self) -> None:
        """Reset both sides."""
        self._dut.rst.value = 1
        self._dut.drive_valid.value = 0
        for _ in range(RESET_CYCLES):
            await self._falling
        self._dut.rst.value = 0
        await self._falling
        self._offered = 0
        for waiting in self.waiting:
            waiting.clear()
        self._open = [None] * self._outputs
        self.forget()

    def forget(self) -> None:
        """Begin a new list of received flits."""
        for came in self.came:
            came.clear()

    async def step(self) -> None:
        """Run one cycle."""
        seen = int(self._dut.seen.value)
        ready = seen & (1 << self._inputs) - 1
        valid = seen >> self._inputs & (1 << self._outputs) - 1
        payloads = seen >> self._inputs + self._outputs
        for i, waiting in enumerate(self.waiting):
            if waiting and not self._offered >> i & 1 and self._numbers.random() >= self.pause:
                self._offered |= 1 << i
        takes = sum(1 << o for o in range(self._outputs) if self._numbers.random() >= self.stall)
        width, payload = self._format.width, 0
        for i, waiting in enumerate(self.waiting):
            if self._offered >> i & 1:
                payload |= waiting[0] << i * width
        self._dut.drive_payload.value = payload
        self._dut.drive_valid.value = self._offered
        self._dut.drive_ready.value = takes
        moved_out, moved_in = valid & takes, self._offered & ready
        self.quiet = 0 if moved_out or moved_in else self.quiet + 1
        for o in range(self._outputs):
            if moved_out >> o & 1:
                self._came_out(o, payloads >> o * width & (1 << width) - 1)
        for i, waiting in enumerate(self.waiting):
            if moved_in >> i & 1:
                waiting.popleft()
        self._offered &= ~moved_in
        await self._falling

    def _came_out(self, output: int, flit: int) -> None:
        data, head, tail = self._format.unpack(flit)
        worm = self._open[output]
        if bool(head) == (worm is not None) and self.watching:
            raise Broken(f"output {output} gave a {'head inside a worm' if head else 'flit without head'}")
        worm = [data] if worm is None else [*worm, data]
        if self._longest and len(worm) > self._longest:
            raise Broken(f"output {output} gave a worm of more than {self._longest} flits")
        self._open[output] = None if tail else worm
        if tail:
            self.came[output].append(tuple(worm))

    async def until_quiet(self, cycles: int) -> None:
        """Run until everything is in, and nothing has moved for some cycles."""
        self.quiet = 0
        for _ in range(PATIENCE_CYCLES):
            await self.step()
            if self.quiet >= cycles and not any(self.waiting):
                return
            if self.quiet >= cycles * 8:
                break
        stuck = [i for i, waiting in enumerate(self.waiting) if waiting]
        raise Broken(f"inputs {stuck} are wedged")

    @property
    def open_outputs(self) -> list[int]:
        """Outputs in the middle of a worm."""
        return [o for o, worm in enumerate(self._open) if worm is not None]


class Fuzzer:
    """Generates sequences and checks their results."""

    def __init__(self, dut, job: FuzzJob):
        self.job = job
        self.numbers = random.Random(job.seed)
        self.format = FlitFormat(job.flit_bits)
        self.neighbours = Neighbours(dut, job, self.numbers)
        self._serial = 0

    async def sequence(self) -> None:
        """Break rules, end the sequence, and keep the rules again."""
        neighbours, numbers = self.neighbours, self.numbers
        neighbours.pause, neighbours.stall = numbers.choice(PAUSES), self._stall()
        neighbours.watching = not self.job.resets  # without guards any flits may come out until the reset
        for i, waiting in enumerate(neighbours.waiting):
            waiting.extend(self._noise(i))
        for _ in range(numbers.randrange(4, 60)):
            await neighbours.step()
        neighbours.stall, neighbours.watching = 0.0, True
        if self.job.resets:
            await neighbours.reset()
        else:
            for waiting in neighbours.waiting:
                waiting.append(self.format.pack(data=0, head=False, tail=True))
            await neighbours.until_quiet(self.job.quiet_cycles)
            if neighbours.open_outputs:
                raise Broken(f"outputs {neighbours.open_outputs} never got a tail")
        neighbours.forget()
        sent = [self._sound(i) for i in range(len(neighbours.waiting))]
        neighbours.stall = self._stall()
        await neighbours.until_quiet(self.job.quiet_cycles)
        self._judge(sent)

    def _stall(self) -> float:
        return self.numbers.choice(PAUSES) if self.job.stalls else 0.0

    def _noise(self, i: int) -> list[int]:
        """Return malformed flits; some are pieces of sound worms."""
        numbers, flits = self.numbers, []
        heads, tails = numbers.random() ** 2, numbers.random() ** 2
        for _ in range(numbers.randrange(1, max(MAX_NOISE_FLITS, 2 * self.job.longest_worm))):
            data = numbers.getrandbits(self.job.flit_bits)
            if numbers.random() < 0.4:
                data = numbers.choice(numbers.choice(self.job.worms[i]).header)
            flits.append(self.format.pack(data=data, head=numbers.random() < heads, tail=numbers.random() < tails))
        return flits

    def _sound(self, i: int) -> tuple[SoundWorm, tuple[int, ...]]:
        """Put a sound worm into an input; its body is like no other's."""
        worm = self.numbers.choice(self.job.worms[i])
        body = []
        for _ in range(self.numbers.randint(1, self.job.most_body_flits)):
            self._serial += 1
            body.append(self._serial & (1 << self.job.flit_bits) - 1)
        data = (*worm.header, *body)
        last = len(data) - 1
        self.neighbours.waiting[i].extend(
            self.format.pack(data=word, head=k == 0, tail=k == last) for k, word in enumerate(data)
        )
        return worm, data

    def _judge(self, sent: list[tuple[SoundWorm, tuple[int, ...]]]) -> None:
        came = [list(worms) for worms in self.neighbours.came]
        for i, (worm, data) in enumerate(sent):
            found = [o for o, worms in enumerate(came) if any(self._same(worm, data, other) for other in worms)]
            wanted = [o for o in range(self.job.outputs) if worm.outputs >> o & 1]
            right = found == wanted if worm.all_outputs else len(found) == 1 and found[0] in wanted
            if not right:
                raise Broken(f"the worm of input {i} came out of {found}, not of {wanted}")
            for o in found:
                came[o] = [other for other in came[o] if not self._same(worm, data, other)]
        if any(came):
            raise Broken(f"{sum(map(len, came))} worms came out that were not sent")

    def _same(self, worm: SoundWorm, sent: tuple[int, ...], came: tuple[int, ...]) -> bool:
        skip = len(worm.header) if self.job.header_changes else 0
        return len(sent) == len(came) and sent[skip:] == came[skip:]


@cocotb.test()
async def fuzz(dut):
    """Entry point for the simulator."""
    job: FuzzJob = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    fuzzer, report = Fuzzer(dut, job), ""
    Clock(dut.clk, 10, "ns").start()
    await fuzzer.neighbours.reset()
    for number in range(job.sequences):
        try:
            await fuzzer.sequence()
        except Broken as broken:
            report = f"sequence {number}: {broken}"
            break
    Path(job.result).write_text(report)

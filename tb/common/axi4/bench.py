"""The AXI4 bench: cocotbext-axi's masters and memories around a network. cocotb runs `transactions`.

The environment variable HYDRANOC_AXI4_JOB names the job (a pickled `Axi4Job`); its result is written as JSON.
"""

import gc
import json
import os
import pickle
import random
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge, SimTimeoutError, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import (
    AxiBurstType,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiMaster,
    AxiRam,
    AxiResp,
)

from tb.common.axi4.bursts import Burst, draw_beat, draw_burst, draw_limit
from tb.common.axi4.job import JOB_VARIABLE, Axi4Job, Axi4Result

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 4
THREADS = 8
"""Transactions that a manager's user has under way at once; several of them may have one ID."""
MEMORY_BYTES = 1 << 20
ERROR_SHARE, WINDOW_SHARE = 0.05, 0.25
ERROR_BYTES = 200
"""Most bytes of an access without destination."""


class Wrong(Exception):
    """A transaction had another result than the model."""


def _number(read: Callable[[], str]) -> int:
    return int(read(), 2)


class Bench:
    """Masters, memories, and the bytes that the memories must have."""

    def __init__(self, dut, job: Axi4Job):
        self.dut = dut
        self.job = job
        self.numbers = random.Random(job.seed)
        self.result = Axi4Result()
        self.masters = {i: self._end(i, AxiMaster, AxiLiteMaster, "s_axi") for i in job.managers}
        self.memories = {i: self._end(i, AxiRam, AxiLiteRam, "m_axi", size=MEMORY_BYTES) for i in job.subordinates}
        self.expected = {i: bytearray(MEMORY_BYTES) for i in job.subordinates}
        self._pausing: list[tuple[Any, float]] = []
        self._transactions = job.transactions
        self._read_numbers()

    def _end(self, i: int, kind: Any, lite_kind: Any, prefix: str, **options: Any) -> Any:
        lite = i in self.job.lite
        bus = (AxiLiteBus if lite else AxiBus).from_prefix(self.dut, f"{prefix}_n{i}")
        return (lite_kind if lite else kind)(bus, self.dut.clk, self.dut.rst, **options)

    def _read_numbers(self) -> None:
        """Read ports as numbers: cocotbext-axi reads several per cycle, and cocotb makes an object of each value."""
        for name in dir(self.dut):
            if "_axi_n" in name:
                port = getattr(self.dut, name)
                port.get = partial(_number, port._handle.get_signal_val_binstr)

    async def _write(self, i: int, address: int, data: bytes, number: int, **burst: Any) -> Any:
        options = {} if i in self.job.lite else {"awid": number, **burst}
        return await self.masters[i].write(address, data, **options)

    async def _read(self, i: int, address: int, length: int, number: int, **burst: Any) -> Any:
        options = {} if i in self.job.lite else {"arid": number, **burst}
        return await self.masters[i].read(address, length, **options)

    def begin(self, phase: tuple[float, float, float, float]) -> None:
        """Begin a phase: pause with these probabilities from now on."""
        self._transactions = round(self.job.transactions * (1 - max(phase) * self.job.fewer_in_pauses))
        give, take, answer, accept = phase
        channels = []
        for end in self.masters.values():
            writes, reads = end.write_if, end.read_if
            channels += [(writes.aw_channel, give), (writes.w_channel, give), (reads.ar_channel, give)]
            channels += [(writes.b_channel, take), (reads.r_channel, take)]
        for end in self.memories.values():
            writes, reads = end.write_if, end.read_if
            channels += [(writes.b_channel, answer), (reads.r_channel, answer)]
            channels += [(writes.aw_channel, accept), (writes.w_channel, accept), (reads.ar_channel, accept)]
        stopped = [self.memories[i] for i in self.job.stopped]
        for channel in (each for end in stopped for each in (end.write_if.b_channel, end.read_if.r_channel)):
            channels.append((channel, 1.0))
        for channel, probability in channels:
            channel.pause = probability == 1
        self._pausing = [(channel, probability) for channel, probability in channels if probability > 0]

    async def run_pauses(self) -> None:
        """Pause channels at random: one coroutine costs less than a pause generator for each channel."""
        edge = RisingEdge(self.dut.clk)
        while True:
            await edge
            for channel, probability in self._pausing:
                channel.pause = self.numbers.random() < probability

    async def manage(self, i: int) -> None:
        """Do random transactions of one manager. Several are under way; those of an ID are in order."""
        await Combine(*(cocotb.start_soon(self._thread(i, thread)) for thread in range(THREADS)))

    async def _thread(self, i: int, thread: int) -> None:
        numbers = random.Random(f"{self.numbers.random()} {i} {thread}")
        job, index = self.job, self.job.managers.index(i)
        number = thread % (1 << job.id_bits)
        own = job.share // THREADS
        first = index * job.share + thread * own
        for _ in range(max(1, self._transactions // THREADS)):
            draw = numbers.random()
            if draw < ERROR_SHARE:
                await self._error(i, number, numbers)
            elif draw < ERROR_SHARE + WINDOW_SHARE and (job.windows or job.masks):
                await self._multicast(i, number, first, own, numbers)
            else:
                await self._unicast(i, number, first, own, numbers)

    def _draw(self, i: int, receivers: Iterable[int], first: int, own: int, numbers: random.Random) -> Burst:
        """Return a transaction that the ends allow, within the bytes of a thread. AXI4-Lite has one beat."""
        lite = self.job.lite
        if i not in lite and any(receiver in lite for receiver in receivers):
            return draw_beat(self.job, first, own, numbers)
        return draw_burst(self.job, first, own, numbers, fixed=i not in lite)

    def _expect(self, processor: int, place: int, data: bytes, kind: Any, size: int) -> None:
        """Write to the model of a memory. Of a FIXED burst the last beat stays."""
        stays = data[-1 << size :] if kind == AxiBurstType.FIXED else data
        self.expected[processor][place : place + len(stays)] = stays

    async def _unicast(self, i: int, number: int, first: int, own: int, numbers: random.Random) -> None:
        regions = [region for region in self.job.regions if region[0] != i]
        processor, base, _size = numbers.choice(regions)
        offset, length, kind, size = self._draw(i, (processor,), first, own, numbers)
        address = base + offset
        place = address & MEMORY_BYTES - 1
        due_answer = AxiResp.SLVERR if processor in self.job.stopped else AxiResp.OKAY
        if numbers.random() < 0.5:
            data = numbers.randbytes(length)
            self._expect(processor, place, data, kind, size)
            answer = await self._write(i, address, data, number, burst=kind, size=size)
            self._check(i, "write", address, answer.resp, due_answer)
            self._count("writes", due_answer)
            return
        repeats = length >> size if kind == AxiBurstType.FIXED else 1
        due = bytes(self.expected[processor][place : place + length // repeats]) * repeats
        answer = await self._read(i, address, length, number, burst=kind, size=size)
        self._check(i, "read", address, answer.resp, due_answer)
        if bytes(answer.data) != due and due_answer == AxiResp.OKAY:
            raise Wrong(f"read of {length} bytes by n{i} at {address:#x}: {bytes(answer.data).hex()}, not {due.hex()}")
        self._count("reads", due_answer)

    async def _multicast(self, i: int, number: int, first: int, own: int, numbers: random.Random) -> None:
        base, mask, processors = self._receivers(i, numbers)
        if not processors:
            answer = await self._write(i, base, b"none", number, user=mask)
            self._check(i, "mask of no other region", base, answer.resp, AxiResp.DECERR)
            return
        offset, length, kind, size = self._draw(i, processors, first, own, numbers)
        data = numbers.randbytes(length)
        for processor in processors:
            if processor != i:
                start = next(low for number, low, _ in self.job.regions if number == processor) + offset
                start &= MEMORY_BYTES - 1
                self._expect(processor, start, data, kind, size)
        user = {"user": mask} if mask else {}
        answer = await self._write(i, base + offset, data, number, burst=kind, size=size, **user)
        stops = any(processor in self.job.stopped for processor in processors if processor != i)
        due_answer = AxiResp.SLVERR if stops else AxiResp.OKAY
        self._check(i, "multicast", base + offset, answer.resp, due_answer)
        self._count("multicasts", due_answer)

    def _receivers(self, i: int, numbers: random.Random) -> tuple[int, int, list[int]]:
        """Return base, mask and receivers of a multicast write."""
        job = self.job
        if job.masks:
            (_, base, size), mask = numbers.choice(job.regions), numbers.choice(job.masks)
            return base, mask, [p for p, other, _ in job.regions if p != i and not (base ^ other) & ~mask & -size]
        base, _size, processors = numbers.choice(job.windows)
        return base, 0, [p for p in processors if p != i]

    def _count(self, kind: str, answer: Any) -> None:
        name = kind if answer == AxiResp.OKAY else "errors"
        setattr(self.result, name, getattr(self.result, name) + 1)

    async def _error(self, i: int, number: int, numbers: random.Random) -> None:
        longest = min(ERROR_BYTES, draw_limit(self.job, numbers) * self.job.data_bits // 8)
        offset, length = numbers.randrange(1 << 16), numbers.randint(1, longest)
        bases = [base for processor, base, _ in self.job.regions if processor in self.job.lite]
        to_lite = bases and i not in self.job.lite
        address = numbers.choice(bases) if to_lite else 0
        writes = numbers.random() < 0.5
        if to_lite:  # a burst to an AXI4-Lite port
            length = self.job.data_bits // 8 + 1
        else:
            address = self._unmapped(i, offset, length, writes=writes)
        if writes:
            answer = await self._write(i, address, numbers.randbytes(length), number)
        else:
            answer = await self._read(i, address, length, number)
        self._check(i, "access without destination", address, answer.resp, AxiResp.DECERR)
        self.result.errors += 1

    def _unmapped(self, i: int, offset: int, length: int, *, writes: bool) -> int:
        """Return an address that a manager does not reach: of all kinds in turn."""
        regions, windows = self.job.regions, self.job.windows
        ends = (base + size for _, base, size in regions)
        areas = [(base, size) for _, base, size in regions] + [(base, size) for base, size, _ in windows]
        free = [end for end in ends if not any(base <= end < base + size for base, size in areas)]
        starts = [0xF000_0000, *free, *(base for processor, base, _ in regions if processor == i)]
        if not writes:
            starts += [base for base, _, _ in windows]
        start = starts[self.result.errors % len(starts)]
        return start + (offset if start == 0xF000_0000 else offset % (0x1000 - length))

    @staticmethod
    def _check(i: int, what: str, address: int, seen: Any, due: Any) -> None:
        worst = max(seen) if isinstance(seen, list) else seen
        if worst != due:
            raise Wrong(f"{what} by n{i} at {address:#x}: answer {AxiResp(worst).name}, not {due.name}")

    def check_memories(self) -> None:
        """Compare every byte of every memory that answers; those that do not are known to have stopped."""
        for i, memory in self.memories.items():
            if self.job.stopped and int(getattr(self.dut, f"m_axi_n{i}_error").value) != (i in self.job.stopped):
                raise Wrong(f"error of n{i} is not {i in self.job.stopped:d}")
            if i in self.job.stopped:
                continue
            seen, due = memory.read(0, MEMORY_BYTES), bytes(self.expected[i])
            if seen != due:
                place = next(k for k in range(MEMORY_BYTES) if seen[k] != due[k])
                raise Wrong(f"memory of n{i}: byte {place:#x} is {seen[place]:#04x}, not {due[place]:#04x}")


async def _reset(dut) -> None:
    dut.rst.value = 1
    await ClockCycles(dut.clk, RESET_CYCLES)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)


@cocotb.test()
async def transactions(dut):
    """Entry point for the simulator."""
    gc.disable()  # the bench makes many objects and no cycles of them; the collector took a fifth of the time
    job: Axi4Job = pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())
    Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
    dut.rst.value = 1
    bench = Bench(dut, job)
    cocotb.start_soon(bench.run_pauses())
    try:
        for phase in job.phases:
            await _reset(dut)
            bench.begin(phase)
            started = get_sim_time("ns")
            tasks = [cocotb.start_soon(bench.manage(i)) for i in job.managers]
            await with_timeout(Combine(*tasks), job.patience_cycles * CLOCK_PERIOD_NS, "ns")
            bench.result.cycles.append(int(get_sim_time("ns") - started) // CLOCK_PERIOD_NS)
            bench.check_memories()
    except Wrong as error:
        bench.result.report = f"phase {len(bench.result.cycles)}: {error}"
    except SimTimeoutError:
        bench.result.report = f"phase {len(bench.result.cycles)}: no end within {job.patience_cycles} cycles"
    Path(job.result).write_text(json.dumps(asdict(bench.result)))

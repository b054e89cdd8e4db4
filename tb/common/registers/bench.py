"""The bench of a network's registers. cocotb runs each test inside the simulator, from reset on.

The environment variable HYDRANOC_REGISTER_JOB names the job (a pickled `RegisterJob`). The caller leaves out tests of
registers that the network lacks.
"""

import os
import pickle
import random
from pathlib import Path

import cocotb
from cocotb.handle import Force, Release
from cocotb.triggers import ClockCycles, Combine, RisingEdge, with_timeout
from cocotbext.axi import AxiResp

from tb.common.registers.job import JOB_VARIABLE, RegisterJob
from tb.common.registers.master import WORD_BYTES, Registers, arrives, send_worm, start

ONES = 0xFFFF_FFFF
UNROUTABLE, MISFRAMED, DISCARDED = "ERRORS_UNROUTABLE", "ERRORS_MISFRAMED", "ERRORS_DISCARDED"
UNROUTABLE_BIT, MISFRAMED_BIT, LOST_BIT = 1 << 0, 1 << 1, 1 << 2
IRQ_TIMEOUT_NS = 3_000
TIMEOUT_US = 500
"""Limit for each test, which takes less than a third of that: without answers it would never end."""
SETTLE_CYCLES = 60
"""More cycles than a worm needs to be drained and counted."""


def _job() -> RegisterJob:
    return pickle.loads(Path(os.environ[JOB_VARIABLE]).read_bytes())


async def _reset_values(registers: Registers) -> dict[str, int]:
    """Return the registers that keep their reset value; sums settle by themselves once the network runs."""
    runs = not registers["CONTROL"]["fields"][0]["value"]
    values = {}
    for entry in registers:
        if entry["access"] != "W" and "fields" in entry and not (runs and entry["name"] == "COUNTERS_STATUS"):
            values[entry["name"]] = await registers.read(entry["name"])
    return values


async def _run_network(dut, job: RegisterJob, registers: Registers) -> None:
    """Load the tables, if there are any to load, and let the network run."""
    for word in job.table_words:
        await registers.write("TABLES_DATA", word)
    await registers.write("CONTROL", 0)
    await ClockCycles(dut.clk, 2)


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def identification(dut):
    """Every register reads as its reset value, with any pauses; constants cannot be written."""
    job = _job()
    registers = await start(dut, job)
    for probability in (0.0, 0.5):
        registers.pause(probability, seed=1)
        values = await _reset_values(registers)
        for entry in registers:
            if entry["name"] in values:
                due = sum(field["value"] << field["low"] for field in entry["fields"])
                value = values[entry["name"]]
                assert value == due, f"{entry['name']} reads as {value:#x}, not {due:#x}"
    for entry in registers:
        if entry["access"] == "R":
            response = await registers.send(entry["address"], bytes(WORD_BYTES))
            assert response == AxiResp.SLVERR, f"a write to {entry['name']} is answered {response.name}"
        if entry["access"] == "W":
            assert await registers.answer(entry["address"]) == (0, AxiResp.SLVERR)


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def unmapped(dut):
    """Accesses to addresses without a register are refused, reads return 0, and no register changes."""
    job = _job()
    registers = await start(dut, job)
    before = await _reset_values(registers)
    mapped = {entry["address"] + WORD_BYTES * word for entry in registers for word in range(entry["words"])}
    free = [address for address in range(0, 1 << job.registers["address_bits"], WORD_BYTES) if address not in mapped]
    assert free
    for address in free:
        assert await registers.answer(address) == (0, AxiResp.SLVERR), f"{address:#x} is read"
        assert await registers.send(address, b"\xff" * WORD_BYTES) == AxiResp.SLVERR, f"{address:#x} is written"
    assert await _reset_values(registers) == before


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def parts_of_words(dut):
    """A write of less than a word is refused, and writes nothing."""
    registers = await start(dut, _job())
    address = registers["INTERRUPT_ENABLE"]["address"]
    for offset in range(WORD_BYTES):
        for size in range(1, WORD_BYTES - offset + (offset > 0)):
            assert await registers.send(address + offset, b"\xff" * size) == AxiResp.SLVERR
            assert await registers.read("INTERRUPT_ENABLE") == 0


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def handshakes(dut):
    """Reads and writes at once, with pauses on every channel: each is answered once and in order."""
    registers = await start(dut, _job())
    fields = registers["INTERRUPT_ENABLE"]["fields"]
    there = sum((1 << field["bits"]) - 1 << field["low"] for field in fields)
    identity = registers["ID"]["fields"][0]["value"]
    numbers = random.Random(1)

    async def write_and_read_back():
        for _ in range(40):
            value = numbers.getrandbits(32)
            await registers.write("INTERRUPT_ENABLE", value)
            assert await registers.read("INTERRUPT_ENABLE") == value & there

    async def read_constants():
        for _ in range(60):
            assert await registers.read("ID") == identity

    for seed, probability in enumerate((0.0, 0.5, 0.9)):
        registers.pause(probability, seed)
        await Combine(cocotb.start_soon(write_and_read_back()), cocotb.start_soon(read_constants()))


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def posted_writes(dut):
    """Many writes on offer at once, responses taken late: none is lost, and the last one stays."""
    registers = await start(dut, _job())
    address = registers["INTERRUPT_ENABLE"]["address"]
    registers.master.write_if.b_channel.set_pause_generator(iter([*[True] * 40, *[False] * 4_000]))
    events = [registers.master.init_write(address, (k & 1).to_bytes(WORD_BYTES, "little")) for k in range(16)]
    for event in events:
        await with_timeout(event.wait(), 10, "us")
        assert event.data.resp == AxiResp.OKAY
    assert await registers.read("INTERRUPT_ENABLE") == 1


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def errors(dut):
    """Check that an unroutable worm is marked, counted and signalled, and that clearing affects nothing else."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    assert await registers.mask(UNROUTABLE) == 0
    await send_worm(dut, job.lost)
    await ClockCycles(dut.clk, SETTLE_CYCLES)
    mark = 1 << job.channel
    assert await registers.mask(UNROUTABLE) == mark
    assert await registers.read(DISCARDED) == 1
    assert await registers.read("INTERRUPT_PENDING") == UNROUTABLE_BIT
    assert not dut.irq.value, "irq is high before it is enabled"
    await registers.write("INTERRUPT_ENABLE", UNROUTABLE_BIT)
    await ClockCycles(dut.clk, 3)
    assert dut.irq.value, "irq stays low"
    await _clear_all_but(registers, mark)
    assert await registers.mask(UNROUTABLE) == mark, "cleared a bit that was written as 0"
    await registers.write(UNROUTABLE, mark >> 32 * (job.channel // 32), job.channel // 32)
    assert await registers.mask(UNROUTABLE) == 0
    assert await registers.read("INTERRUPT_PENDING") == 0
    assert not dut.irq.value, "irq stays high"
    assert await registers.read(DISCARDED) == 1
    await send_worm(dut, job.lost)
    await with_timeout(RisingEdge(dut.irq), IRQ_TIMEOUT_NS, "ns")
    await ClockCycles(dut.clk, SETTLE_CYCLES)
    assert await registers.read(DISCARDED) == 2
    await registers.write(DISCARDED, ONES)
    assert await registers.read(DISCARDED) == 0
    assert await registers.mask(UNROUTABLE) == mark, "the number's clear cleared the mask"


async def _clear_all_but(registers: Registers, mark: int) -> None:
    for word in range(registers[UNROUTABLE]["words"]):
        await registers.write(UNROUTABLE, ~(mark >> 32 * word) & ONES, word)


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def network_reset(dut):
    """The network is reset alone: errors are forgotten, nothing is taken, registers stay; then it runs again."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    await registers.write("INTERRUPT_ENABLE", UNROUTABLE_BIT)
    await send_worm(dut, job.lost)
    await ClockCycles(dut.clk, SETTLE_CYCLES)
    await registers.write("CONTROL", 1)
    assert await registers.read("CONTROL") == 1
    assert await registers.mask(UNROUTABLE) == 0
    assert await registers.read("INTERRUPT_ENABLE") == UNROUTABLE_BIT
    assert not dut.inject_n0_message_ready.value, "a network in reset takes a message"
    await registers.write("CONTROL", 0)
    await send_worm(dut, job.good)
    assert await arrives(dut, job.destination), "nothing arrives after the reset"


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def watchdog(dut):
    """The limit of the guards can be read, and a network that is well driven has met nothing."""
    registers = await start(dut, _job())
    assert await registers.read("WATCHDOG") == registers["WATCHDOG"]["fields"][0]["value"]
    assert await registers.mask(MISFRAMED) == 0


async def _clear_only_mark(registers, channel: int) -> None:
    """Clear the mark of a channel, the only one that there is."""
    await registers.write(MISFRAMED, 1 << channel % 32, channel // 32)
    assert await registers.mask(MISFRAMED) == 0


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def cut_off(dut):
    """A worm that is longer than the watchdog lets pass arrives shortened; one that is not, marks nothing."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    await _deliver(dut, job)
    assert await registers.mask(MISFRAMED) == 0
    await registers.write("INTERRUPT_ENABLE", MISFRAMED_BIT)
    await send_worm(dut, job.long)
    assert await arrives(dut, job.destination)
    await ClockCycles(dut.clk, SETTLE_CYCLES)
    assert await registers.mask(MISFRAMED) == 1 << job.channel
    assert dut.irq.value, "irq stays low"
    await _clear_only_mark(registers, job.channel)
    assert not dut.irq.value, "irq stays high"


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def misframed(dut):
    """Check that a report of the first switch's guard is marked, and can be cleared alone."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    guards = dut.network.errors.guards
    guards.value = Force(1)
    await ClockCycles(dut.clk, 1)
    guards.value = Force(0)
    await ClockCycles(dut.clk, 2)
    guards.value = Release()
    marked = await registers.mask(MISFRAMED)
    assert marked.bit_count() == 1
    assert await registers.mask(UNROUTABLE) == 0
    assert await registers.read("INTERRUPT_PENDING") == MISFRAMED_BIT
    await _clear_only_mark(registers, marked.bit_length() - 1)


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def tokens(dut):
    """A ring without a token is marked as long as it has none; a mark can be cleared once it has one again."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    await ClockCycles(dut.clk, SETTLE_CYCLES)
    assert await registers.mask("TOKEN_LOST") == 0
    here = dut.network.token.here
    here.value = Force(0)
    await ClockCycles(dut.clk, 3)
    rings = (1 << registers["TOKEN_LOST"]["bits"]) - 1
    assert await registers.mask("TOKEN_LOST") == rings
    await registers.write("TOKEN_LOST", ONES)
    assert await registers.mask("TOKEN_LOST") == rings, "a ring that still has no token is cleared"
    here.value = Release()
    await ClockCycles(dut.clk, 2)
    assert await registers.read("INTERRUPT_PENDING") == LOST_BIT
    await registers.write("TOKEN_DUPLICATED", ONES)
    assert await registers.mask("TOKEN_LOST") == rings, "clearing the one cleared the other"
    await registers.write("TOKEN_LOST", ONES)
    assert await registers.mask("TOKEN_LOST") == 0


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def tables(dut):
    """Tables are loaded and read back while the network is in reset; before, every worm is lost, and then none is."""
    job = _job()
    registers = await start(dut, job)
    assert await registers.read("CONTROL") == 1, "a network without tables runs"
    assert await registers.read("TABLES_WORDS") == len(job.table_words)
    for _ in range(2):  # the loaded words come out while the same words go in
        seen = []
        for word in job.table_words:
            seen.append(await registers.read("TABLES_OUT"))
            await registers.write("TABLES_DATA", word)
    assert tuple(seen) == job.table_words
    await registers.write("CONTROL", 0)
    await send_worm(dut, job.good)
    assert await arrives(dut, job.destination), "nothing arrives with the tables loaded"
    assert await registers.read(DISCARDED) == 0


@cocotb.test(timeout_time=TIMEOUT_US, timeout_unit="us")
async def counters(dut):
    """One message is counted flit by flit on its first and its last channel, and no longer when counters are off."""
    job = _job()
    registers = await start(dut, job)
    await _run_network(dut, job, registers)
    await registers.write("COUNTERS_COMMAND", 1)
    await registers.write("COUNTERS_CONTROL", 1)
    assert await registers.read("COUNTERS_STATUS") == 0, "sums are settled while counters count"
    await _deliver(dut, job)
    await registers.write("COUNTERS_CONTROL", 0)
    assert await registers.read("COUNTERS_STATUS") == 0, "sums are settled at once"
    sums = await _settled_sums(registers)
    assert sums[4 * job.channel] == sums[4 * job.delivery_channel] == job.good.flits
    assert sum(sums[::4]) >= 2 * job.good.flits
    assert not any(sums[3::4]), "there is a fourth kind"
    await _deliver(dut, job)
    assert await _settled_sums(registers) == sums, "counters count that are off"
    await registers.write("COUNTERS_COMMAND", 1)
    assert not any(await _settled_sums(registers))


async def _deliver(dut, job: RegisterJob) -> None:
    await send_worm(dut, job.good)
    assert await arrives(dut, job.destination)


async def _settled_sums(registers: Registers) -> list[int]:
    while not await registers.read("COUNTERS_STATUS"):
        pass
    return [await registers.read("COUNTERS", number) for number in range(registers["COUNTERS"]["words"])]

"""Registers by their names over an AXI4-Lite master of cocotbext-axi, and a network's first processor."""

import random
from collections.abc import Iterator
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from tb.common.registers.job import RegisterJob, Worm

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 4
PATIENCE_CYCLES = 300
WORD_BYTES = 4


def _pauses(seed: int, probability: float) -> Iterator[bool]:
    numbers = random.Random(seed)
    while True:
        yield numbers.random() < probability


class Registers:
    """The registers of a network, named as in its manifest.

    Parameters:
        dut (cocotb handle)
    """

    def __init__(self, dut, job: RegisterJob):
        self._entries = {entry["name"]: entry for entry in job.registers["registers"]}
        bus = AxiLiteBus.from_prefix(dut, job.registers["prefix"].rstrip("_"))
        self.master: Any = AxiLiteMaster(bus, dut.clk, dut.rst)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._entries.values())

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self._entries[name]

    def pause(self, probability: float, seed: int) -> None:
        """Pause every channel of the master with this probability from now on."""
        write, read = self.master.write_if, self.master.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        for number, channel in enumerate(channels):
            channel.set_pause_generator(_pauses(10 * seed + number, probability))

    async def answer(self, address: int) -> tuple[int, AxiResp]:
        """Return the value and the response of a read."""
        answer = await self.master.read(address, WORD_BYTES)
        return int.from_bytes(answer.data, "little"), answer.resp

    async def send(self, address: int, data: bytes) -> AxiResp:
        """Return the response of a write."""
        return (await self.master.write(address, data)).resp

    async def read(self, name: str, word: int = 0) -> int:
        """Return a word of a register; the response must be OKAY."""
        value, response = await self.answer(self._entries[name]["address"] + WORD_BYTES * word)
        assert response == AxiResp.OKAY, f"a read of {name} is answered {response.name}"
        return value

    async def write(self, name: str, value: int, word: int = 0) -> None:
        """Write a word of a register; the response must be OKAY."""
        address = self._entries[name]["address"] + WORD_BYTES * word
        response = await self.send(address, value.to_bytes(WORD_BYTES, "little"))
        assert response == AxiResp.OKAY, f"a write to {name} is answered {response.name}"

    async def mask(self, name: str) -> int:
        """Return all words of a mask."""
        words = [await self.read(name, word) for word in range(self._entries[name]["words"])]
        return sum(value << 32 * word for word, value in enumerate(words))


async def start(dut, job: RegisterJob) -> Registers:
    """Start the clock, and leave reset; all receivers are ready, nothing is sent."""
    dut.rst.value = 1
    for handle in dut:
        if handle._name.startswith("inject_") and handle._name.endswith("_valid"):
            handle.value = 0
        if handle._name.startswith("eject_") and handle._name.endswith("_ready"):
            handle.value = 1
    Clock(dut.clk, CLOCK_PERIOD_NS, "ns").start()
    registers = Registers(dut, job)
    await ClockCycles(dut.clk, RESET_CYCLES)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 1)
    return registers


async def send_worm(dut, worm: Worm) -> None:
    """Send a message from processor 0; its payload words are all 0."""
    dut.inject_n0_payload_data.value = 0
    dut.inject_n0_payload_valid.value = 1
    for name in ("header", "header_flits", "flits"):
        getattr(dut, f"inject_n0_message_{name}").value = getattr(worm, name)
    dut.inject_n0_message_valid.value = 1
    await RisingEdge(dut.clk)
    while not dut.inject_n0_message_ready.value:
        await RisingEdge(dut.clk)
    dut.inject_n0_message_valid.value = 0


async def arrives(dut, node: int) -> bool:
    """Return whether a tail arrives at a processor before the timeout."""
    valid, tail = (getattr(dut, f"eject_n{node}_{name}") for name in ("valid", "tail"))
    for _ in range(PATIENCE_CYCLES):
        await RisingEdge(dut.clk)
        if valid.value and tail.value:
            return True
    return False

"""Packets into an exported network and out of it, over its AXI4-Stream ports.

Ports are driven and sampled at falling edges of the clock, half a cycle from where the network samples them. The shape
of the network is read from its manifest.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.queue import Queue
from cocotb.triggers import FallingEdge
from registers import Registers

NOC = Path(__file__).parent / "noc"
RESET_CYCLES = 8
PERIOD_NS = 10
"""Period of the network's clock; each further clock is 2 ns slower than the one before it, up to 18 ns."""


@dataclass(frozen=True)
class Packet:
    """A packet as it arrived: its source and its words."""

    source: int
    words: list[int]


class Network:
    """The network of a bench, ready for packets once ``start`` has been awaited."""

    def __init__(self, dut):
        self.dut = dut
        self.manifest = json.loads((NOC / "manifest.json").read_text())
        self.stream = self.manifest["axi_stream"]
        self.nodes = len(self.manifest["nodes"])
        self.word_bits = self.stream["tdata_bits"]
        self.operations = self.stream.get("operations")  # broadcasts by number, in hexagonal meshes
        self.clocks = list(dict.fromkeys(["clk", *self.stream["clocks"]]))  # the network's, and those of the nodes
        self._arrived = [Queue() for _ in range(self.nodes)]

    def inputs_of(self, node: int) -> list[str]:
        """Return the names of a node's sending ports; more than one with several injection channels."""
        return [port for port in self.stream["inputs"] if _node_of(port) == node]

    def some_destinations(self, source: int) -> list[int]:
        """Return destinations for a multicast: a few, or all others where the network only broadcasts."""
        others = [node for node in range(self.nodes) if node != source]
        return others if self.operations else others[:3]

    def longest_packet(self) -> int:
        """Return the largest number of words in a packet, at most 4."""
        return min(4, self.manifest["parameters"].get("packet_flits", 5) - 1)

    def word(self, number: int) -> int:
        """Return a number as a word of a packet, without the bits that a word lacks."""
        return number % (1 << self.word_bits)

    async def start(self) -> None:
        """Begin the clock, load tables if there are any, and reset."""
        for port in self.manifest["ports"]:
            if port["direction"] == "input" and port["name"] not in self.clocks:
                self._set(port["name"], 0)
        self.dut.rst.value = 1
        for port in self.stream["outputs"]:
            self._set(f"{port}_tready", 1)
        for number, name in enumerate(self.clocks):
            Clock(getattr(self.dut, name), PERIOD_NS + 2 * (number % 5), "ns").start()
        await self._load_tables()
        await self.wait_cycles(RESET_CYCLES)
        self.dut.rst.value = 0
        if "registers" in self.manifest:
            await Registers(self.dut, self.manifest).start(NOC)
        if len(self.clocks) > 1:
            await self.wait_cycles(4 * RESET_CYCLES)  # until both sides of the nodes' memories have come out of reset
        for port in self.stream["outputs"]:
            cocotb.start_soon(self._collect(port))

    async def multicast(self, source: int, destinations: list[int], words: list[int]) -> None:
        """Send a packet to several nodes: as a multicast if the hardware has it, otherwise one by one."""
        mask = sum(1 << node for node in destinations)
        if self.operations:
            if set(destinations) != set(range(self.nodes)) - {source}:
                raise ValueError("a hexagonal mesh broadcasts to all other nodes")
            await self.send(source, words, tuser=self._operation())
        elif self.stream["destination_mode"] == "tuser":
            await self.send(source, words, tuser=mask)
        elif self.stream["destination_mode"] == "leading-word":
            bits = self.word_bits
            leading = [mask >> bits * word & (1 << bits) - 1 for word in range(self.stream["leading_words"])]
            await self.send(source, leading + words, tuser=1)
        else:
            for node in destinations:
                await self.send(source, words, tdest=node)

    async def send(self, source: int, words: list[int], *, tdest: int = 0, tuser: int = 0, channel: int = 0) -> None:
        """Send a packet to node ``tdest``, or to the set in ``tuser`` if that is not 0; return once it is accepted."""
        port, clock = self.inputs_of(source)[channel], self._clock_of(source)
        await FallingEdge(clock)
        if self.stream["tkeep_bits"]:
            self._set(f"{port}_tkeep", (1 << self.stream["tkeep_bits"]) - 1)
        self._set(f"{port}_tdest", tdest)
        if tuser:
            self._set(f"{port}_tuser", tuser)
        self._set(f"{port}_tvalid", 1)
        for number, word in enumerate(words, 1):
            self._set(f"{port}_tdata", word)
            self._set(f"{port}_tlast", int(number == len(words)))
            while not self._get(f"{port}_tready"):
                await FallingEdge(clock)
            await FallingEdge(clock)  # it moves at the rising edge in between
        self._set(f"{port}_tvalid", 0)

    async def receive(self, node: int) -> Packet:
        """Return the next packet that arrives at a node."""
        return await self._arrived[node].get()

    def waiting(self, node: int) -> int:
        """Return the number of packets that have arrived at a node and were not received."""
        return self._arrived[node].qsize()

    async def wait_cycles(self, cycles: int) -> None:
        """Let some cycles go by."""
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)

    async def _collect(self, port: str) -> None:
        words: list[int] = []
        clock, full = self._clock_of(_node_of(port)), (1 << self.stream["tkeep_bits"]) - 1
        while True:
            if self._get(f"{port}_tvalid") and self._get(f"{port}_tready"):
                words.append(self._get(f"{port}_tdata"))
                assert not full or self._get(f"{port}_tkeep") == full, f"a word at {port} is not full"
                if self._get(f"{port}_tlast"):
                    self._arrived[_node_of(port)].put_nowait(Packet(self._get(f"{port}_tid"), words))
                    words = []
            await FallingEdge(clock)

    async def _load_tables(self) -> None:
        if "tables" not in self.manifest or "registers" in self.manifest:
            return
        await FallingEdge(self.dut.clk)
        self.dut.tables_load.value = 1
        for line in (NOC / self.manifest["tables"]["file"]).read_text().split():
            self.dut.tables_data.value = int(line, 16)
            await FallingEdge(self.dut.clk)
        self.dut.tables_load.value = 0

    def _operation(self) -> int:
        """Return the number of a broadcast that brings every node one packet."""
        return self.operations["sbcast" if self.stream["reception"] is None else "6-bcast"]

    def _clock_of(self, node: int):
        return getattr(self.dut, self.stream["clocks"][node])

    def _set(self, port: str, value: int) -> None:
        getattr(self.dut, port).value = value

    def _get(self, port: str) -> int:
        return int(getattr(self.dut, port).value)


def _node_of(port: str) -> int:
    return int(re.match(r"[sm]_axis_n(\d+)", port)[1])

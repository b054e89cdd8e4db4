"""Masters and memories of cocotbext-axi around a network with AXI4 ends.

The manifest of the network names the ports and has the address map. Memories have the addresses of the map.
"""

import json
import re
from pathlib import Path

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiMaster, AxiRam, AxiResp

HERE = Path(__file__).parent
AXI4 = json.loads((HERE / "noc" / "manifest.json").read_text())["axi4"]
OWN = sorted(int(re.sub(r"\D", "", path.stem)) for path in HERE.glob("own/manager_n*.v"))
"""Processors whose manager is a module of yours."""
MEMORY_BYTES = 1 << min(AXI4["address_bits"], 62)
"""All that an address reaches, its bits beyond 62 aside; a memory keeps only what is written."""
RESET_CYCLES = 4
PERIOD_NS = 10


class Network:
    """The network of a bench, ready for transactions once ``start`` has been awaited."""

    def __init__(self, dut):
        self.dut = dut
        self.masters = {i: self._end(AxiMaster, AXI4["managers"][str(i)]) for i in _managers()}
        self.memories = {int(i): self._end(AxiRam, port, size=MEMORY_BYTES) for i, port in AXI4["subordinates"].items()}

    def _end(self, kind, port: str, **options):
        return kind(AxiBus.from_prefix(self.dut, port), self.dut.clk, self.dut.rst, **options)

    async def start(self) -> None:
        """Begin the clock, and reset."""
        self.dut.rst.value = 1
        Clock(self.dut.clk, PERIOD_NS, "ns").start()
        await ClockCycles(self.dut.clk, RESET_CYCLES)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 2)

    async def write(self, manager: int, address: int, data: bytes) -> AxiResp:
        """Write, and return the worst answer."""
        return (await self.masters[manager].write(address, data)).resp

    async def read(self, manager: int, address: int, length: int) -> tuple[AxiResp, bytes]:
        """Read, and return the worst answer and the bytes."""
        answer = await self.masters[manager].read(address, length)
        return answer.resp, bytes(answer.data)

    def content(self, address: int, length: int) -> bytes:
        """Return bytes of the memory that has an address, without the network."""
        areas = AXI4["regions"]
        processor = next(area["processor"] for area in areas if 0 <= address - area["base"] < area["size"])
        return bytes(self.memories[processor].read(address % MEMORY_BYTES, length))

    async def own_manager(self, processor: int) -> None:
        """Wait until your manager has raised ``done``."""
        done, failed = (getattr(self.dut, f"n{processor}_{name}") for name in ("done", "failed"))
        while not int(done.value):
            await RisingEdge(self.dut.clk)
        assert not int(failed.value), f"manager_n{processor} failed"


def unmapped_address() -> int | None:
    """Return the least address outside all regions and windows; None if there is none."""
    address = 0
    for area in sorted([*AXI4["regions"], *AXI4["multicast"]], key=lambda area: area["base"]):
        if area["base"] > address:
            return address
        address = area["base"] + area["size"]
    return address if address < 1 << AXI4["address_bits"] else None


def routes() -> list[tuple[int, int]]:
    """Return each manager of the bench with the base of each region that it reaches: those of other processors."""
    return [(i, area["base"]) for i in _managers() for area in AXI4["regions"] if area["processor"] != i]


def multicasts() -> list[tuple[int, int, dict[int, int]]]:
    """Return each manager of the bench with the base of each window, and its receivers.

    Receivers are processors with the base of their first region.
    """
    first = {area["processor"]: area["base"] for area in reversed(AXI4["regions"])}
    found = []
    for manager in _managers():
        for window in AXI4["multicast"]:
            receivers = {i: first[i] for i in window["processors"] if i != manager}
            found += [(manager, window["base"], receivers)] if receivers else []
    return found


def _managers() -> list[int]:
    return [int(i) for i in AXI4["managers"] if int(i) not in OWN]

"""Registers of an exported network behind AXI4-Lite, driven at falling edges of its clock."""

from pathlib import Path

from cocotb.triggers import FallingEdge


class Registers:
    """Writes to the registers of a network; their addresses are in its manifest."""

    def __init__(self, dut, manifest: dict):
        self.dut = dut
        self.manifest = manifest
        self.prefix = manifest["registers"]["prefix"]
        self.addresses = {entry["name"]: entry["address"] for entry in manifest["registers"]["registers"]}

    async def start(self, folder: Path) -> None:
        """Load the tables, if there are any, and end the network's reset."""
        if "tables" in self.manifest:
            await self.write("CONTROL", 1)
            for line in (folder / self.manifest["tables"]["file"]).read_text().split():
                await self.write("TABLES_DATA", int(line, 16))
        await self.write("CONTROL", 0)

    async def write(self, register: str, value: int) -> None:
        """Write a register."""
        for name, number in (("awaddr", self.addresses[register]), ("wdata", value), ("wstrb", 0xF), ("bready", 1)):
            self._port(name).value = number
        waiting = ["aw", "w"]
        for channel in waiting:
            self._port(f"{channel}valid").value = 1
        while waiting:
            taken = [channel for channel in waiting if int(self._port(f"{channel}ready").value)]
            await FallingEdge(self.dut.clk)  # they are taken at the rising edge in between
            for channel in taken:
                self._port(f"{channel}valid").value = 0
            waiting = [channel for channel in waiting if channel not in taken]
        while not int(self._port("bvalid").value):
            await FallingEdge(self.dut.clk)
        assert int(self._port("bresp").value) == 0, f"{register} cannot be written"
        await FallingEdge(self.dut.clk)

    def _port(self, name: str):
        return getattr(self.dut, self.prefix + name)

"""Tests of the SoC in cocotb. They access it as software does: through registers, by the addresses from LiteX."""

import json
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

RESULTS = Path(__file__).parent / "results"
CSR_MAP = json.loads((RESULTS / "soc" / "csr.json").read_text())
MANIFEST = json.loads((RESULTS / "noc" / "manifest.json").read_text())
NETWORK_REGISTERS = {entry["name"]: entry["address"] for entry in MANIFEST["registers"]["registers"]}
NODES = len(MANIFEST["nodes"])
IDENTIFICATION = 0x484E4F43
MAX_POLLS = 100
MISFRAMED = 1 << 1


def address(name: str) -> int:
    """Address of a register of the cores, or of the network if its name is in capitals."""
    if name in NETWORK_REGISTERS:
        return CSR_MAP["memories"]["noc"]["base"] + NETWORK_REGISTERS[name]
    return CSR_MAP["csr_registers"][name]["addr"]


class Host:
    """Software on the bus of the SoC."""

    def __init__(self, dut):
        self.dut = dut
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "host"), dut.clk, dut.rst)

    async def start(self) -> None:
        Clock(self.dut.clk, 20, "ns").start()
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 8)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 8)

    async def read(self, name: str, index: int = 0) -> int:
        answer = await self.master.read(address(name) + 4 * index, 4)
        assert answer.resp == AxiResp.OKAY, name
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> None:
        answer = await self.master.write(address(name), value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, name

    async def wait_for(self, name: str, value: int) -> None:
        for _ in range(MAX_POLLS):
            if await self.read(name) == value:
                return
        raise AssertionError(f"{name} is {await self.read(name)}, not {value}")

    async def send(self, source: int, destinations: list[int], first: int, words: int) -> None:
        """Send a packet, and set the expected words of the receivers."""
        for node in destinations:
            await self.write(f"node{node}_receiver_first", first)
        await self.write(f"node{source}_sender_destinations", sum(1 << node for node in destinations))
        await self.write(f"node{source}_sender_first", first)
        await self.write(f"node{source}_sender_words", words)

    async def received(self, node: int) -> tuple[int, ...]:
        """Packets, words, and wrong words received by a node."""
        return tuple([await self.read(f"node{node}_receiver_{name}") for name in ("packets", "words", "wrong")])


async def host_of(dut) -> Host:
    host = Host(dut)
    await host.start()
    return host


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_node_multicasts_to_all_others(dut):
    host = await host_of(dut)
    for source in range(NODES):
        others = [node for node in range(NODES) if node != source]
        before = [await host.received(node) for node in range(NODES)]
        words = 3 + source
        await host.send(source, others, 0xCAFE0000 + source, words)
        for node in others:
            packets, so_far, _ = before[node]
            await host.wait_for(f"node{node}_receiver_packets", packets + 1)
            assert await host.received(node) == (packets + 1, so_far + words, 0), f"from {source} at {node}"
            assert await host.read(f"node{node}_receiver_sender") == source
        assert await host.received(source) == before[source]
        assert await host.read(f"node{source}_sender_busy") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_packet_to_nobody_is_counted(dut):
    host = await host_of(dut)
    await host.send(2, [2], 5, 3)
    await host.wait_for("node2_sender_errors", 1)
    assert await host.received(2) == (0, 0, 0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_registers_of_the_network_are_on_the_bus(dut):
    host = await host_of(dut)
    assert await host.read("ID") == IDENTIFICATION
    assert await host.read("NODES") == NODES
    assert await host.read("CHANNELS") == len(MANIFEST["channels"])
    if CSR_MAP["constants"]["config_bus_standard"] == "axi-lite":  # LiteX's bridge from Wishbone answers OKAY
        assert (await host.master.write(address("ID"), bytes(4))).resp == AxiResp.SLVERR


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def channels_count_the_flits_of_a_multicast(dut):
    host = await host_of(dut)
    await host.write("COUNTERS_COMMAND", 1)
    await host.write("COUNTERS_CONTROL", 1)
    await host.send(0, [1, 3], 7, 5)
    await host.wait_for("node3_receiver_packets", 1)
    await host.wait_for("node1_receiver_packets", 1)
    await host.write("COUNTERS_CONTROL", 0)
    await host.wait_for("COUNTERS_STATUS", 1)
    kinds = len(MANIFEST["counters"]["kinds"]) + 1  # with one that is not used
    flits = MANIFEST["header"]["multicast_flits"] + 5
    for number, node in enumerate(MANIFEST["nodes"]):
        sent = await host.read("COUNTERS", kinds * node["injection_channel"])
        got = await host.read("COUNTERS", kinds * node["delivery_channels"][0])
        assert (sent, got) == (flits * (number == 0), flits * (number in (1, 3))), f"node {number}"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_packet_that_is_too_long_interrupts(dut):
    host = await host_of(dut)
    longest = await host.read("WATCHDOG") - MANIFEST["header"]["multicast_flits"]
    await host.write("INTERRUPT_ENABLE", MISFRAMED)
    await host.send(1, [0, 2], 1, longest)
    await host.wait_for("node0_receiver_packets", 1)
    assert dut.irq.value == 0
    await host.send(1, [0, 2], 1, longest + 1)
    await host.wait_for("node0_receiver_packets", 2)
    assert dut.irq.value == 1
    assert await host.read("INTERRUPT_PENDING") == MISFRAMED
    marked = await host.read("ERRORS_MISFRAMED")
    assert marked == 1 << MANIFEST["nodes"][1]["injection_channel"]
    await host.write("ERRORS_MISFRAMED", marked)
    await ClockCycles(dut.clk, 8)
    assert dut.irq.value == 0

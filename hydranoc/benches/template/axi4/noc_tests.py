"""Tests of a design with the network in it, meant for changes. They run in the simulator: see Makefile, test_noc.py."""

import cocotb
from cocotbext.axi import AxiResp
from ends import OWN, Network, multicasts, routes, unmapped_address

ROUTES, MULTICASTS, UNMAPPED = routes(), multicasts(), unmapped_address()


@cocotb.test(timeout_time=200, timeout_unit="us", skip=not ROUTES)
async def two_writes_arrive_and_can_be_read(dut):
    network = Network(dut)
    await network.start()
    for number, (manager, base) in enumerate([ROUTES[0], ROUTES[-1]]):
        address, data = base + 0x101 + 0x200 * number, bytes(range(number, 100 + number))
        assert await network.write(manager, address, data) == AxiResp.OKAY
        assert network.content(address, len(data)) == data, f"written by manager {manager}"
        assert await network.read(manager, address, len(data)) == (AxiResp.OKAY, data), f"read by manager {manager}"


@cocotb.test(timeout_time=200, timeout_unit="us", skip=not MULTICASTS)
async def a_multicast_write_arrives_everywhere(dut):
    network = Network(dut)
    await network.start()
    manager, window, receivers = MULTICASTS[0]
    data = bytes(range(200, 240))
    assert await network.write(manager, window + 0x40, data) == AxiResp.OKAY
    for processor, base in receivers.items():
        assert network.content(base + 0x40, len(data)) == data, f"at processor {processor}"


@cocotb.test(timeout_time=200, timeout_unit="us", skip=not ROUTES or UNMAPPED is None)
async def an_address_in_no_region_is_refused(dut):
    network = Network(dut)
    await network.start()
    for manager in network.masters:
        assert await network.write(manager, UNMAPPED, b"lost") == AxiResp.DECERR
        assert (await network.read(manager, UNMAPPED, 4))[0] == AxiResp.DECERR


@cocotb.test(timeout_time=200, timeout_unit="us", skip=not OWN)
async def own_managers_are_done(dut):
    network = Network(dut)
    await network.start()
    for processor in OWN:
        await network.own_manager(processor)

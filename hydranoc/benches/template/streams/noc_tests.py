"""Tests of a design with the network in it, meant for changes. They run in the simulator: see Makefile, test_noc.py."""

import cocotb
from streams import Network, Packet


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_multicast_arrives_everywhere_once(dut):
    network = Network(dut)
    await network.start()
    source = 0
    destinations = network.some_destinations(source)
    words = [network.word(0x10 + number) for number in range(network.longest_packet())]
    await network.multicast(source, destinations, words)
    for node in destinations:
        assert await network.receive(node) == Packet(source, words), f"at node {node}"
    await network.wait_cycles(100)
    for node in range(network.nodes):
        assert network.waiting(node) == 0, f"node {node} got more than was sent to it"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_node_sends_to_its_successor(dut):
    network = Network(dut)
    await network.start()
    packets = [[network.word(0x20 + node % 16)] * network.longest_packet() for node in range(network.nodes)]
    sends = [
        cocotb.start_soon(network.send(node, words, tdest=(node + 1) % network.nodes))
        for node, words in enumerate(packets)
    ]
    for send in sends:
        await send
    for node, words in enumerate(packets):
        assert await network.receive((node + 1) % network.nodes) == Packet(node, words), f"from node {node}"

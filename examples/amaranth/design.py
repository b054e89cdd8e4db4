"""A network as a component of a design in Amaranth, with no Verilog in between.

Node n0 multicasts one word to all others as soon as the design is out of reset, and each of them stores the word.
Run it to simulate the design; ``--verilog`` prints it as Verilog.
"""

import sys
from pathlib import Path

from amaranth.back import verilog
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from hydranoc import load

CONFIG = Path(__file__).parent / "network.yaml"
NODES, WORD_BITS, MAX_CYCLES = 4, 32, 200
EVERYONE = (1 << NODES) - 1


class Mailboxes(wiring.Component):
    """Four nodes on a network: a word sent by n0 is received by the three others.

    Members:
        word (In(32))
        arrived (Out(4)): Bit i: node i has received a packet.
        words (Out(32).array(4)): The words received; 0 at n0.
    """

    word: In(WORD_BITS)
    arrived: Out(NODES)
    words: Out(WORD_BITS).array(NODES)

    def elaborate(self, _platform):
        m = Module()
        m.submodules.network = network = load(CONFIG).component("tuser")
        packet, sent = network.sinks[0], Signal()
        m.d.comb += [
            packet.valid.eq(~sent),
            packet.payload.data.eq(self.word),
            packet.payload.last.eq(1),
            packet.payload.user.eq(EVERYONE),  # the sender is left out of its own set
        ]
        with m.If(packet.ready):
            m.d.sync += sent.eq(1)
        for node in range(1, NODES):
            arriving = network.sources[node]
            m.d.comb += arriving.ready.eq(1)
            with m.If(arriving.valid):
                m.d.sync += self.arrived[node].eq(1)
                m.d.sync += self.words[node].eq(arriving.payload.data)
        return m


def simulate() -> None:
    """Send a word through the network in Amaranth's simulator."""
    design = Mailboxes()

    async def testbench(ctx):
        ctx.set(design.word, 0xCAFE)
        cycles = 0
        while ctx.get(design.arrived) != EVERYONE - 1:
            await ctx.tick()
            cycles += 1
            assert cycles < MAX_CYCLES, "a node got nothing"
        words = [ctx.get(word) for word in design.words[1:]]
        assert words == [0xCAFE] * (NODES - 1), words
        print(f"PASS: the word was at all other nodes after {cycles} cycles")

    simulator = Simulator(design)
    simulator.add_clock(1e-8)
    simulator.add_testbench(testbench)
    simulator.run()


if __name__ == "__main__":
    if "--verilog" in sys.argv:
        print(verilog.convert(Mailboxes(), name="mailboxes"))
    else:
        simulate()

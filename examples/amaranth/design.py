"""A network as a component of a design in Amaranth, with no Verilog in between.

Node n0 multicasts one word to all others as soon as the design is out of reset, and each of them keeps what it gets.
Run it to see it simulated; ``--verilog`` prints the whole design as Verilog.
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
NODES, WORD_BITS, MOST_CYCLES = 4, 32, 200
EVERYONE = (1 << NODES) - 1


class Mailboxes(wiring.Component):
    """Four nodes on a network: a word that goes in at n0 comes out at the three others.

    Members
    -------
    word : In(32)
    arrived : Out(4)
        Bit i: node i has got a packet.
    word_n1, word_n2, word_n3 : Out(32)
        What they got.
    """

    word: In(WORD_BITS)
    arrived: Out(NODES)
    word_n1: Out(WORD_BITS)
    word_n2: Out(WORD_BITS)
    word_n3: Out(WORD_BITS)

    def elaborate(self, _platform):
        m = Module()
        m.submodules.network = network = load(CONFIG).component("tuser")
        sent = Signal()
        m.d.comb += [
            network.s_axis_n0_tvalid.eq(~sent),
            network.s_axis_n0_tdata.eq(self.word),
            network.s_axis_n0_tlast.eq(1),
            network.s_axis_n0_tuser.eq(EVERYONE),  # the sender is left out of its own set
        ]
        with m.If(network.s_axis_n0_tready):
            m.d.sync += sent.eq(1)
        for node in range(1, NODES):
            port = f"m_axis_n{node}_"
            m.d.comb += getattr(network, f"{port}tready").eq(1)
            with m.If(getattr(network, f"{port}tvalid")):
                m.d.sync += self.arrived[node].eq(1)
                m.d.sync += getattr(self, f"word_n{node}").eq(getattr(network, f"{port}tdata"))
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
            assert cycles < MOST_CYCLES, "a node got nothing"
        words = [ctx.get(getattr(design, f"word_n{node}")) for node in range(1, NODES)]
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

"""A SoC around a network: a sender and a receiver at each node, and the network's registers on the SoC's bus.

There is no CPU in it: an AXI4-Lite port of the top is the master of the bus. In a SoC with a CPU leave that port out,
and write ``self.irq.add("noc")`` for the interrupt. ``python soc.py`` writes Verilog and the map of all registers.
"""

import sys
from pathlib import Path

from cores import Receiver, Sender
from litex.build.generic_platform import GenericPlatform, Pins
from litex.build.io import CRG
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect.axi import AXILiteInterface
from noc import Noc

RESULTS = Path(__file__).parent / "results"
NETWORK = RESULTS / "noc"
CLOCK_HZ = 50e6
NOC_ADDRESS = 0x1000_0000
BUSES = ("axi-lite", "wishbone")


class VerilogPlatform(GenericPlatform):
    """Writes Verilog and no more; the platform of a board would call its vendor's tools here."""

    def build(self, fragment, build_dir, build_name, **_options):
        fragment = fragment.get_fragment()
        self.finalize(fragment)
        output = self.get_verilog(fragment, name=build_name)
        path = Path(build_dir, f"{build_name}.v")
        output.write(str(path))
        self.add_source(str(path))
        return output.ns


class Node(LiteXModule):
    """The sender and the receiver of node ``number``."""

    def __init__(self, noc, number):
        self.sender = Sender(noc.sinks[number].description)
        self.receiver = Receiver(noc.sources[number].description)
        self.comb += [
            self.sender.source.connect(noc.sinks[number]),
            self.sender.refused.eq(noc.signals[f"s_axis_n{number}_error"]),
            noc.sources[number].connect(self.receiver.sink),
        ]


class NocSoC(SoCMini):
    """The SoC; ``bus_standard`` is one of ``BUSES``."""

    def __init__(self, platform, bus_standard):
        SoCMini.__init__(self, platform, CLOCK_HZ, bus_standard=bus_standard)
        self.crg = CRG(platform.request("clk"), platform.request("rst"))
        self.noc = Noc(platform, NETWORK)
        self.bus.add_slave("noc", self.noc.bus, self.noc.region(NOC_ADDRESS))
        for number in range(len(self.noc.manifest["nodes"])):
            self.add_module(f"node{number}", Node(self.noc, number))
        host = AXILiteInterface()
        self.comb += host.connect_to_pads(platform.request("host"), mode="slave")
        self.bus.add_master("host", host)
        self.comb += platform.request("irq").eq(self.noc.ev.irq)


def build(bus_standard: str = BUSES[0]) -> list[str]:
    """Write the SoC's Verilog and ``csr.json``, the map of its registers.

    Returns:
        All Verilog of the SoC, the network's among it.
    """
    ports = [(name, 0, Pins(1)) for name in ("clk", "rst", "irq")] + AXILiteInterface().get_ios("host")
    platform = VerilogPlatform("none", ports, name="soc")
    soc = NocSoC(platform, bus_standard)
    Builder(soc, output_dir=str(RESULTS / "soc"), compile_software=False, compile_gateware=False).build()
    return [source for source, _language, _library in platform.sources]


if __name__ == "__main__":
    print("\n".join(build(*sys.argv[1:])))

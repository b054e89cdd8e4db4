"""An exported network as a LiteX module: its streams are endpoints, and its registers a slave for the bus of a SoC.

The module reads ``manifest.json`` beside the Verilog, so it takes any network that ``hydranoc verilog --axi-stream`` or
``--axi4`` has written, and does not need HydraNoC in Python. AXI4 ends are LiteX's AXI interfaces.
"""

import json
from pathlib import Path
from types import SimpleNamespace

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect.axi import AXIInterface, AXILiteInterface, AXIStreamInterface
from migen import ClockSignal, Instance, ResetSignal, Signal

SIZED = ("data", "keep", "id", "dest", "user")
"""Signals of a stream with a width; those absent in a network have one bit in LiteX, and are not connected."""
AXI_CHANNELS = ("aw", "w", "b", "ar", "r")


class Noc(LiteXModule):
    """A network, with the ports of docs/look_up/ports.md and docs/look_up/registers.md and its own latency.

    Parameters:
        platform: The platform to which the Verilog is added as a source; None to add it elsewhere.
        folder (path): Where ``hydranoc verilog`` has written the network.
        clock_domain (str): The network's clock and reset.

    Members:
        sinks (list of AXIStreamInterface): Packets into the network, in the order of ``inputs`` of the manifest: mostly
            node 0, node 1, and so on.
        sources (list of AXIStreamInterface): Packets out of it, in the order of ``outputs``. Connect each: one that is
            never ready blocks its senders. ``first`` is not driven.
        managers (dict of int to AXIInterface): With ``--axi4``, of processor i: connect a master of yours to it. An
            ``AXILiteInterface`` for processors in ``axi4.lite``.
        subordinates (dict of int to AXIInterface): Likewise: connect it to a slave of yours.
        bus (AXILiteInterface or None): The registers, if the network was exported with ``--registers axi-lite``.
        ev: Its ``irq`` is the interrupt of the registers, where ``soc.irq.add("noc")`` looks for it.
        signals (dict of str to Signal): All other ports by their names: ``s_axis_n0_error``, ``moved``, clocks of the
            users, and so on.
        manifest (dict)

    Raises:
        ValueError: If the network was exported without ``--axi-stream`` and without ``--axi4``.
    """

    def __init__(self, platform, folder, clock_domain="sys"):
        folder = Path(folder)
        self.manifest = json.loads((folder / "manifest.json").read_text())
        if not {"axi_stream", "axi4"} & set(self.manifest):
            raise ValueError(
                f"{folder}: the network must have AXI4-Stream or AXI4 ports: "
                "hydranoc verilog ... --axi-stream MODE, or --axi4"
            )
        self._domain = clock_domain
        self._bits = {port["name"]: port["bits"] for port in self.manifest["ports"]}
        self._fields = {}
        self._make_streams(self.manifest.get("axi_stream", {"inputs": [], "outputs": []}))
        self._make_axi4(self.manifest.get("axi4", {"managers": {}, "subordinates": {}}))
        self._make_bus(self.manifest.get("registers"))
        self.signals = {}
        ports = {}
        for port in self.manifest["ports"]:
            letter = {"input": "i", "output": "o"}[port["direction"]]
            ports[f"{letter}_{port['name']}"] = self._signal(port["name"])
        self.ev = SimpleNamespace(irq=self.signals.get("irq", 0))
        self.specials += Instance(self.manifest["top"], **ports)
        if platform is not None:
            platform.add_sources(str(folder), *(name for name in self.manifest["files"] if name.endswith(".v")))

    def region(self, origin=None):
        """Where the registers lie, for ``soc.bus.add_slave("noc", noc.bus, noc.region(0x1000_0000))``.

        ``origin`` is in bytes, a multiple of the size; without one the SoC chooses, among its uncached addresses.
        """
        return SoCRegion(origin=origin, size=2 ** self.manifest["registers"]["address_bits"], cached=False)

    def _make_streams(self, axi_stream):
        def interface(name):
            widths = {f"{field}_width": self._bits.get(f"{name}_t{field}", 0) for field in SIZED}
            return AXIStreamInterface(**widths, clock_domain=self._domain, name=name)

        streams = {name: interface(name) for name in (*axi_stream["inputs"], *axi_stream["outputs"])}
        self.sinks = [streams[name] for name in axi_stream["inputs"]]
        self.sources = [streams[name] for name in axi_stream["outputs"]]
        for name, stream in streams.items():
            self._fields |= {f"{name}_t{field}": getattr(stream, field) for field in ("valid", "ready", "last", *SIZED)}

    def _make_axi4(self, axi4):
        def interface(i, name):
            return self._lite_interface(f"{name}_") if int(i) in axi4.get("lite", ()) else self._axi_interface(name)

        self.managers = {int(i): interface(i, name) for i, name in axi4["managers"].items()}
        self.subordinates = {int(i): interface(i, name) for i, name in axi4["subordinates"].items()}

    def _axi_interface(self, name):
        users = {f"{channel}_user_width": self._bits.get(f"{name}_{channel}user", 0) for channel in AXI_CHANNELS}
        interface = AXIInterface(
            data_width=self._bits[f"{name}_wdata"],
            address_width=self._bits[f"{name}_awaddr"],
            id_width=self._bits.get(f"{name}_awid", 0),
            clock_domain=self._domain,
            **users,
        )
        for channel_name in AXI_CHANNELS:
            channel = getattr(interface, channel_name)
            description = channel.description
            fields = ["valid", "ready", "last", *(n for n, *_ in description.payload_layout + description.param_layout)]
            self._fields |= {f"{name}_{channel_name}{field}": getattr(channel, field) for field in fields}
        return interface

    def _make_bus(self, registers):
        self.bus = None if registers is None else self._lite_interface(registers["prefix"])

    def _lite_interface(self, prefix):
        # a bridge to another bus requires all bits of an address; the network uses its own
        interface = AXILiteInterface(
            data_width=self._bits[f"{prefix}wdata"],
            address_width=max(32, self._bits[f"{prefix}awaddr"]),
            clock_domain=self._domain,
        )
        for channel_name in AXI_CHANNELS:
            channel = getattr(interface, channel_name)
            for field in ("valid", "ready", *(name for name, _width in channel.description.payload_layout)):
                self._fields[f"{prefix}{channel_name}{field}"] = getattr(channel, field)
        return interface

    def _signal(self, name):
        """Return the signal that a port is connected to."""
        if name == "clk":
            return ClockSignal(self._domain)
        if name == "rst":
            return ResetSignal(self._domain)
        if name in self._fields:
            return self._fields[name][: self._bits[name]]
        self.signals[name] = Signal(self._bits[name], name=name)
        return self.signals[name]
